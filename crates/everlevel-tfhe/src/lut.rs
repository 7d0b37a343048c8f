//! Tables as polynomials: the accumulator that blind rotation starts from.

use crate::Error;
use crate::params::{Params, Space};
use crate::torus;

/// One or more tables over the same input, for one rotation. Entry `m` of a table is a torus element.
///
/// With `N` for the number of coefficients, message `m` of `2^p` fills a box of `N/2^p`, shifted down by half a box, so that noise in either direction stays inside. With
/// `2^s ≥ count` tables, coefficient `2^s·j + t` belongs to table `t`, and exponents are multiples of `2^s`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lut {
    /// `E·N` torus elements.
    coeffs: Vec<u64>,
    count: usize,
    log2_stride: u32,
}

impl Lut {
    /// The table that is `value` on the upper half of the circle and `−value` on the lower: the sign of the phase.
    pub fn sign(params: &Params, value: u64) -> Self {
        Self { coeffs: vec![value; params.table_len()], count: 1, log2_stride: 0 }
    }

    /// Tables of `2^bits` torus elements each.
    ///
    /// # Errors
    /// [`Error::TableCount`] for none or too many for boxes of at least two coefficients each, [`Error::TableLength`] for a table of another length.
    pub fn from_torus(params: &Params, bits: u32, tables: &[Vec<u64>]) -> Result<Self, Error> {
        let (op, n, size) = ("lut", params.table_len(), 1usize << bits);
        let max = n / (2 * size);
        if !(1..=max).contains(&tables.len()) {
            return Err(Error::TableCount { op, found: tables.len(), max });
        }
        if let Some((index, table)) = tables.iter().enumerate().find(|(_, table)| table.len() != size) {
            return Err(Error::TableLength { op, index, found: table.len(), needed: size });
        }
        let stride = tables.len().next_power_of_two();
        let (boxes, half) = (n / size, n / size / 2);
        let mut coeffs = vec![0; n];
        for (i, word) in coeffs.iter_mut().enumerate() {
            let Some(table) = tables.get(i % stride) else { continue };
            // The exponents that reach coefficient i are those of its group of `stride`.
            let place = i / stride * stride + half;
            *word = if place < n { table[place / boxes] } else { table[0].wrapping_neg() };
        }
        Ok(Self { coeffs, count: tables.len(), log2_stride: stride.ilog2() })
    }

    /// Tables of messages, for the space of the parameters: entry `m` is the message that stands for `m`.
    ///
    /// # Errors
    /// As [`Lut::from_torus`]; [`Error::ValueOutOfSpace`] for an entry outside the space, [`Error::WrongSpace`] for parameters of bits.
    pub fn from_messages(params: &Params, tables: &[Vec<u64>]) -> Result<Self, Error> {
        let Space::Integer { bits } = params.space else {
            return Err(Error::WrongSpace { op: "lut", found: "bits".into(), needed: "integers" });
        };
        let max = (1u64 << bits) - 1;
        for table in tables {
            if let Some((index, &value)) = table.iter().enumerate().find(|&(_, &value)| value > max) {
                return Err(Error::ValueOutOfSpace { op: "lut", index, value, max });
            }
        }
        let encode = |table: &Vec<u64>| table.iter().map(|&value| value << (63 - bits)).collect();
        Self::from_torus(params, bits, &tables.iter().map(encode).collect::<Vec<Vec<u64>>>())
    }

    /// Number of tables.
    pub fn count(&self) -> usize {
        self.count
    }

    /// log2 of the distance between one table's coefficients.
    pub fn log2_stride(&self) -> u32 {
        self.log2_stride
    }

    /// The polynomial.
    pub fn coeffs(&self) -> &[u64] {
        &self.coeffs
    }

    /// What table `t` gives for a phase, without noise: the oracle of a bootstrap.
    pub fn at(&self, t: usize, phase: u64) -> u64 {
        let n = self.coeffs.len();
        let steps = (2 * n) >> self.log2_stride;
        let place = ((torus::to_f64(phase) * steps as f64).round() as i64).rem_euclid(steps as i64) as usize;
        let place = place << self.log2_stride;
        if place < n { self.coeffs[place + t] } else { self.coeffs[place - n + t].wrapping_neg() }
    }
}
