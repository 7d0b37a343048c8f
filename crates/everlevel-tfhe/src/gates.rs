//! Boolean gates: a combination of the inputs whose sign is the answer, and a bootstrap with the sign's table.
//!
//! A bit is at `±1/8`. `AND` is `a + b − 1/8`, which is at `1/8` where both are set and at `−1/8` or `−3/8` elsewhere; `XOR` is `2a + 2b + 1/4`, at `±1/4`. The
//! distance to the nearest change of sign is 1/8, or 1/4 where the noise is doubled too.

use crate::ciphertext::{EIGHTH, wrong_space};
use crate::params::{Order, Space};
use crate::{Ciphertext, Error, EvalKeys, Lut, Lwe};

/// A gate of two inputs. `N` and `Y` say which input is negated: `AndNy` is `¬a ∧ b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Gate {
    And,
    Nand,
    Or,
    Nor,
    Xor,
    Xnor,
    AndNy,
    AndYn,
    OrNy,
    OrYn,
}

impl Gate {
    /// Every gate.
    pub const ALL: [Self; 10] = [
        Self::And,
        Self::Nand,
        Self::Or,
        Self::Nor,
        Self::Xor,
        Self::Xnor,
        Self::AndNy,
        Self::AndYn,
        Self::OrNy,
        Self::OrYn,
    ];

    /// What the gate computes.
    pub fn of(self, a: bool, b: bool) -> bool {
        match self {
            Self::And => a & b,
            Self::Nand => !(a & b),
            Self::Or => a | b,
            Self::Nor => !(a | b),
            Self::Xor => a ^ b,
            Self::Xnor => a == b,
            Self::AndNy => !a & b,
            Self::AndYn => a & !b,
            Self::OrNy => !a | b,
            Self::OrYn => a | !b,
        }
    }

    /// Eighths added, and the inputs' factors.
    fn combination(self) -> (i64, i64, i64) {
        match self {
            Self::And => (-1, 1, 1),
            Self::Nand => (1, -1, -1),
            Self::Or => (1, 1, 1),
            Self::Nor => (-1, -1, -1),
            Self::Xor => (2, 2, 2),
            Self::Xnor => (-2, -2, -2),
            Self::AndNy => (-1, -1, 1),
            Self::AndYn => (-1, 1, -1),
            Self::OrNy => (1, -1, 1),
            Self::OrYn => (1, 1, -1),
        }
    }
}

impl EvalKeys {
    /// One gate.
    ///
    /// # Errors
    /// As [`EvalKeys::gates`].
    pub fn gate(&self, gate: Gate, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        let out = self.gates(&[gate], std::slice::from_ref(a), std::slice::from_ref(b))?;
        Ok(out.into_iter().next().unwrap_or_else(|| unreachable!("one gate, one output")))
    }

    /// Gates on arrays, element by element: `gates` has one for each element, or one for all.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of integers, [`Error::LengthMismatch`], [`Error::ForeignObject`] for operands of another key, and
    /// [`Error::NoiseExhausted`].
    pub fn gates(&self, gates: &[Gate], a: &[Ciphertext], b: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let op = "gates";
        same_length(op, a.len(), b.len())?;
        if gates.len() != 1 {
            same_length(op, gates.len(), a.len())?;
        }
        let inputs: Vec<(Lwe, f64)> = (a.iter().zip(b).enumerate())
            .map(|(i, (a, b))| self.combine(op, gates[if gates.len() == 1 { 0 } else { i }], a, b))
            .collect::<Result<_, _>>()?;
        let inputs: Vec<Lwe> = inputs.into_iter().map(|(lwe, _)| lwe).collect();
        let out = self.signs(&inputs, true);
        Ok(out.into_iter().map(|lwe| self.bit(lwe, self.params().noise().bootstrapped)).collect())
    }

    /// The negation, without a bootstrap: its noise is the operand's.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`Error::ForeignObject`].
    pub fn not(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.check_bit("not", a)?;
        let mut lwe = Lwe::trivial(a.lwe.dim(), 0);
        lwe.add_multiple(&a.lwe, -1);
        Ok(self.bit(lwe, a.variance))
    }

    /// `a` where `selector` is set and `b` elsewhere, element by element: two rotations each, of `selector ∧ a` and `¬selector ∧ b`, and their sum.
    ///
    /// # Errors
    /// As [`EvalKeys::gates`].
    pub fn mux(&self, selector: &[Ciphertext], a: &[Ciphertext], b: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let op = "mux";
        same_length(op, selector.len(), a.len())?;
        same_length(op, selector.len(), b.len())?;
        let mut inputs = Vec::with_capacity(2 * a.len());
        for ((s, a), b) in selector.iter().zip(a).zip(b) {
            inputs.push(self.combine(op, Gate::And, s, a)?.0);
            inputs.push(self.combine(op, Gate::AndNy, s, b)?.0);
        }
        let halves = self.signs(&inputs, false);
        let noise = self.params().noise();
        let first = self.params().order == Order::KeySwitchFirst;
        let variance = 2.0 * noise.blind_rotation + if first { 0.0 } else { noise.key_switch };
        let sums = halves.chunks_exact(2).map(|pair| {
            let mut sum = pair[0].clone();
            sum.add_multiple(&pair[1], 1);
            sum.add_plain(EIGHTH);
            self.bit(if first { sum } else { self.key_switch_lwe(&sum) }, variance)
        });
        Ok(sums.collect())
    }

    /// What the gate bootstraps, and its variance at a margin of 1/8.
    fn combine(&self, op: &'static str, gate: Gate, a: &Ciphertext, b: &Ciphertext) -> Result<(Lwe, f64), Error> {
        self.check_bit(op, a)?;
        self.check_bit(op, b)?;
        let (eighths, factor_a, factor_b) = gate.combination();
        // XOR's margin is 1/4: the same as noise that is not doubled.
        let variance = a.variance + b.variance;
        self.check_noise(op, variance, 0)?;
        let mut lwe = Lwe::trivial(a.lwe.dim(), EIGHTH.wrapping_mul(eighths as u64));
        lwe.add_multiple(&a.lwe, factor_a);
        lwe.add_multiple(&b.lwe, factor_b);
        Ok((lwe, variance))
    }

    fn signs(&self, inputs: &[Lwe], key_switch: bool) -> Vec<Lwe> {
        let sign = Lut::sign(self.params(), EIGHTH);
        let out = self.bootstrap_lwe(inputs, &vec![&sign; inputs.len()], key_switch);
        out.into_iter().flatten().collect()
    }

    fn bit(&self, lwe: Lwe, variance: f64) -> Ciphertext {
        Ciphertext { lwe, key: self.id(), variance, max_value: 1 }
    }

    fn check_bit(&self, op: &'static str, a: &Ciphertext) -> Result<(), Error> {
        if self.params().space != Space::Bit {
            return Err(wrong_space(op, self.params().space, "bits"));
        }
        self.check(op, "operand", a)
    }
}

pub(crate) fn same_length(op: &'static str, left: usize, right: usize) -> Result<(), Error> {
    if left == right { Ok(()) } else { Err(Error::LengthMismatch { op, left, right }) }
}
