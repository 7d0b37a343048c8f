//! Look-up tables as polynomials: the accumulators that blind rotations start from.

use crate::Error;
use crate::common::Space;
use crate::params::Params;

/// One or more tables over the same input, for one rotation. Entry `m` of a table is a torus element.
///
/// Message `m` of `2^p` fills a box of `EN/2^p` coefficients, shifted down by half a box, so that noise in either
/// direction stays inside. There are two ways for several tables:
///
/// * *side by side*: where messages are below `len`, table `t` fills the boxes from `t·len` on, and its entry comes out
///   at that box's coefficient. This way costs nothing, but `count·len` boxes are needed.
/// * *interleaved*: with `2^s ≥ count` tables, coefficient `2^s·j + t` belongs to table `t`, and exponents are
///   multiples of `2^s`. Messages may have any size, and the modulus switch has `4^s` times the variance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lut {
    /// `E·N` torus elements.
    coeffs: Vec<u64>,
    /// The coefficient where each table's entry comes out.
    places: Vec<usize>,
    log2_stride: u32,
}

impl Lut {
    /// The table that is `value` on the upper half of the circle and `−value` on the lower: the sign of the phase.
    pub fn sign(params: &Params, value: u64) -> Self {
        Self { coeffs: vec![value; params.table_len()], places: vec![0], log2_stride: 0 }
    }

    /// Tables of `2^bits` torus elements each, interleaved if there are several.
    ///
    /// # Errors
    /// [`Error::TableCount`] for none or too many for boxes of at least two coefficients each, [`Error::TableLength`]
    /// for a table of another length.
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
        Ok(Self { coeffs, places: (0..tables.len()).collect(), log2_stride: stride.ilog2() })
    }

    /// Tables of messages, for the space of the parameters: entry `m` is the message that stands for `m`. Interleaved
    /// if there are several.
    ///
    /// # Errors
    /// As [`Lut::from_torus`]; [`Error::ValueOutOfSpace`] for an entry outside the space, [`Error::WrongSpace`] for
    /// parameters of bits.
    pub fn from_messages(params: &Params, tables: &[Vec<u64>]) -> Result<Self, Error> {
        let (bits, tables) = Self::encoded(params, tables)?;
        Self::from_torus(params, bits, &tables)
    }

    /// Tables of messages below `len`, side by side: the first `len` entries of each table count.
    ///
    /// # Errors
    /// As [`Lut::from_messages`]; [`Error::TableCount`] if there are none, or more than `2^p/len`.
    ///
    /// # Panics
    /// If `len` is zero.
    pub fn side_by_side(params: &Params, tables: &[Vec<u64>], len: usize) -> Result<Self, Error> {
        let (bits, tables) = Self::encoded(params, tables)?;
        Self::torus_side_by_side(params, bits, &tables, len)
    }

    /// [`Lut::side_by_side`] with `2^bits` torus elements for entries.
    pub(crate) fn torus_side_by_side(
        params: &Params,
        bits: u32,
        tables: &[Vec<u64>],
        len: usize,
    ) -> Result<Self, Error> {
        let (size, count) = (1 << bits, tables.len());
        if !(1..=size / len).contains(&count) {
            return Err(Error::TableCount { op: "lut", found: count, max: size / len });
        }
        if let Some((index, table)) = tables.iter().enumerate().find(|(_, table)| table.len() != size) {
            return Err(Error::TableLength { op: "lut", index, found: table.len(), needed: size });
        }
        // Boxes behind the last table's first `len` ones hold its further entries.
        let entry = |i: usize| tables[(i / len).min(count - 1)][i - (i / len).min(count - 1) * len];
        let lut = Self::from_torus(params, bits, &[(0..size).map(entry).collect()])?;
        Ok(Self { places: (0..count).map(|t| t * len * (params.table_len() / size)).collect(), ..lut })
    }

    /// Messages as torus elements, and the bits of the space.
    fn encoded(params: &Params, tables: &[Vec<u64>]) -> Result<(u32, Vec<Vec<u64>>), Error> {
        let Space::Integer { bits } = params.space else {
            return Err(Error::WrongSpace { op: "lut", found: "bits".into(), needed: "integers" });
        };
        let max = params.space.max();
        for table in tables {
            if let Some((index, &value)) = table.iter().enumerate().find(|&(_, &value)| value > max) {
                return Err(Error::ValueOutOfSpace { op: "lut", index, value, max });
            }
        }
        let encode = |table: &Vec<u64>| table.iter().map(|&value| params.space.encode(value)).collect();
        Ok((bits, tables.iter().map(encode).collect()))
    }

    /// Number of tables.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// The coefficient where each table's entry comes out.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// log2 of the distance between one table's coefficients.
    pub fn log2_stride(&self) -> u32 {
        self.log2_stride
    }

    /// The polynomial's coefficients.
    pub fn coeffs(&self) -> &[u64] {
        &self.coeffs
    }

    /// The outcome of table `t` for a phase without noise: the oracle of a bootstrap.
    pub fn at(&self, t: usize, phase: u64) -> u64 {
        let n = self.coeffs.len();
        let steps = (2 * n) >> self.log2_stride;
        let place =
            ((phase as i64 as f64 * (-64.0f64).exp2() * steps as f64).round() as i64).rem_euclid(steps as i64) as usize;
        let place = ((place << self.log2_stride) + self.places[t]) % (2 * n);
        if place < n { self.coeffs[place] } else { self.coeffs[place - n].wrapping_neg() }
    }
}
