//! Boolean gates on encrypted bits, with [`EvalKeys`]: a combination of the inputs whose sign is the answer, and a
//! bootstrap with the sign's table.
//!
//! A bit is at `±1/8`. `AND` is `a + b − 1/8`, which is at `1/8` where both are set and at `−1/8` or `−3/8` elsewhere;
//! `XOR` is `2a + 2b + 1/4`, at `±1/4`. The distance to the nearest change of sign is 1/8, or 1/4 where the noise is
//! doubled too.

use crate::ciphertext::wrong_space;
use crate::common::{EIGHTH, Order, Space};
use crate::{Ciphertext, Error, EvalKeys, Lut, Lwe, NoiseSum};

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

    /// The gate's name, which errors give as the operation.
    pub fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Nand => "nand",
            Self::Or => "or",
            Self::Nor => "nor",
            Self::Xor => "xor",
            Self::Xnor => "xnor",
            Self::AndNy => "andny",
            Self::AndYn => "andyn",
            Self::OrNy => "orny",
            Self::OrYn => "oryn",
        }
    }

    /// The gate's answer for bits in the clear.
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

    /// The combination that the gate bootstraps: the eighths that it adds, and the factors of both inputs.
    pub fn combination(self) -> (i64, i64, i64) {
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
    /// A gate of two encrypted bits.
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
    /// [`Error::WrongSpace`] for parameters of integers, [`Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`]
    /// for operands of another key, and [`Error::NoiseExhausted`].
    pub fn gates(&self, gates: &[Gate], a: &[Ciphertext], b: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let op = if let [gate] = gates { gate.name() } else { "gates" };
        same_length(op, a.len(), b.len())?;
        if gates.len() != 1 {
            same_length(op, gates.len(), a.len())?;
        }
        let pairs = a.iter().zip(b).enumerate();
        let pairs = pairs.map(|(i, (a, b))| (gates[if gates.len() == 1 { 0 } else { i }], a, b));
        let inputs = self.inputs(op, &pairs.collect::<Vec<_>>())?;
        let sign = self.sign();
        let out = self.bootstrap(&inputs, &vec![&sign; inputs.len()]);
        Ok(out.into_iter().flatten().map(|(lwe, noise)| self.bit(lwe, noise)).collect())
    }

    /// The negation, without a bootstrap: its noise is the operand's.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`crate::ObjectError::OtherSecret`].
    pub fn not(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.check_bit("not", a)?;
        let mut lwe = Lwe::trivial(a.lwe.dim(), 0);
        lwe.add_multiple(&a.lwe, -1);
        Ok(self.bit(lwe, NoiseSum::combination([(-1.0, &a.noise)])))
    }

    /// `a` where `selector` is set and `b` elsewhere, element by element: two rotations each, of `selector ∧ a` and
    /// `¬selector ∧ b`, and their sum.
    ///
    /// # Errors
    /// As [`EvalKeys::gates`].
    pub fn mux(&self, selector: &[Ciphertext], a: &[Ciphertext], b: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let op = "mux";
        same_length(op, selector.len(), a.len())?;
        same_length(op, selector.len(), b.len())?;
        let both = |((s, a), b)| [(Gate::And, s, a), (Gate::AndNy, s, b)];
        let inputs = self.inputs(op, &selector.iter().zip(a).zip(b).flat_map(both).collect::<Vec<_>>())?;
        let sign = self.sign();
        let halves: Vec<_> = self.rotate(&inputs, &vec![&sign; inputs.len()]).into_iter().flatten().collect();
        let sums = halves.chunks_exact(2).map(|pair| {
            let [(lwe, noise), (other, other_noise)] = pair else { unreachable!("chunks of two") };
            let mut sum = lwe.clone();
            sum.add_multiple(other, 1);
            sum.add_plain(EIGHTH);
            let noise = NoiseSum::combination([(1.0, noise), (1.0, other_noise)]);
            let (sum, noise) = match self.params().order {
                Order::KeySwitchFirst => (sum, noise),
                Order::BootstrapFirst => self.switched(&[&(sum, noise)]).swap_remove(0),
            };
            self.bit(sum, noise)
        });
        Ok(sums.collect())
    }

    /// The inputs of the gates' bootstraps. Operands that are in order by themselves but share too much noise, as two
    /// results of [`EvalKeys::mux`] may, are bootstrapped first.
    fn inputs(
        &self,
        op: &'static str,
        gates: &[(Gate, &Ciphertext, &Ciphertext)],
    ) -> Result<Vec<(Lwe, NoiseSum)>, Error> {
        let alone = |x: &Ciphertext| self.check_noise(op, x.variance_torus(), 0).is_ok();
        let mut shared = Vec::new();
        let mut inputs = Vec::with_capacity(gates.len());
        for (i, &(gate, a, b)) in gates.iter().enumerate() {
            inputs.push(match self.combine(op, gate, a, b) {
                Err(Error::NoiseExhausted { .. }) if alone(a) && alone(b) => {
                    shared.push(i);
                    (Lwe::trivial(a.lwe.dim(), 0), NoiseSum::default())
                }
                input => input?,
            });
        }
        let operands = shared.iter().flat_map(|&i| [gates[i].1, gates[i].2]);
        let fresh = self.bits_again(operands);
        for (i, pair) in shared.into_iter().zip(fresh.chunks_exact(2)) {
            inputs[i] = self.combine(op, gates[i].0, &pair[0], &pair[1])?;
        }
        Ok(inputs)
    }

    /// [`EvalKeys::bits_again`] of bits of these keys' secret.
    pub(crate) fn signs(&self, bits: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        bits.iter().try_for_each(|bit| self.check_bit("signs", bit))?;
        Ok(self.bits_again(bits))
    }

    /// Bits again, with the noise of a bootstrap's output.
    pub(crate) fn bits_again<'a>(&self, bits: impl IntoIterator<Item = &'a Ciphertext>) -> Vec<Ciphertext> {
        let inputs: Vec<_> = bits.into_iter().map(|x| (x.lwe.clone(), x.noise.clone())).collect();
        let sign = self.sign();
        let fresh = self.bootstrap(&inputs, &vec![&sign; inputs.len()]).into_iter().flatten();
        fresh.map(|(lwe, noise)| self.bit(lwe, noise)).collect()
    }

    /// The input of a gate's bootstrap: the combination of its operands.
    fn combine(&self, op: &'static str, gate: Gate, a: &Ciphertext, b: &Ciphertext) -> Result<(Lwe, NoiseSum), Error> {
        self.check_bit(op, a)?;
        self.check_bit(op, b)?;
        let (eighths, factor_a, factor_b) = gate.combination();
        // XOR doubles the noise, and has twice the margin: noise counts as in other gates.
        let sign = |factor: i64| factor.signum() as f64;
        let noise = NoiseSum::combination([(sign(factor_a), &a.noise), (sign(factor_b), &b.noise)]);
        self.check_noise(op, noise.variance_torus(), 0)?;
        let mut lwe = Lwe::trivial(a.lwe.dim(), EIGHTH.wrapping_mul(eighths as u64));
        lwe.add_multiple(&a.lwe, factor_a);
        lwe.add_multiple(&b.lwe, factor_b);
        Ok((lwe, noise))
    }

    /// The table of `±1/8`.
    fn sign(&self) -> Lut {
        Lut::sign(self.params(), EIGHTH)
    }

    fn bit(&self, lwe: Lwe, noise: NoiseSum) -> Ciphertext {
        Ciphertext { lwe, key: self.id(), noise, max_value: 1 }
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
