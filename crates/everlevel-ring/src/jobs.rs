//! Jobs of a device: the limbs and primes of an operation on residues.

use crate::PrimeSet;
use crate::held::DeviceLimb;

/// The transform of a limb modulo a prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transform {
    /// The operand.
    pub from: DeviceLimb,
    /// The result: another limb, or the operand.
    pub to: DeviceLimb,
    /// Index of the prime.
    pub prime: usize,
}

/// An operation `to = f(a, b)` on residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointwise {
    /// `a + b`.
    Add,
    /// `a − b`.
    Subtract,
    /// `a·b`.
    Multiply,
    /// `to + a·b`.
    MultiplyAdd,
}

/// An operation `to = f(a, b)` with factors `w`, and `v` where it has a second one, for each limb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// `a·w`.
    Scale,
    /// `a·w + b`.
    ScaleAdd,
    /// `a·w + b·v`: the last step of a division by part of the modulus.
    Combine,
}

/// An operation `to = f(to, w)` with a residue `w` for each half of a limb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halves {
    /// `to·w`.
    Scale,
    /// `to + w`.
    Add,
}

/// The limbs of an operation, modulo one prime. A result may take an operand's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operands {
    /// The result.
    pub to: DeviceLimb,
    /// The first operand.
    pub a: DeviceLimb,
    /// The second operand.
    pub b: DeviceLimb,
    /// Index of the prime.
    pub prime: usize,
}

/// The limbs of a tensor product: `to = (a0·b0, a0·b1 + a1·b0, a1·b1)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// The results, which may take operands' places.
    pub to: [DeviceLimb; 3],
    /// The first factor.
    pub a: [DeviceLimb; 2],
    /// The second factor.
    pub b: [DeviceLimb; 2],
    /// Index of the prime.
    pub prime: usize,
}

/// The limbs of a conversion of integers from one set of primes to another, as
/// [`everlevel_math::BasisConverter::convert`].
#[derive(Debug, Clone)]
pub struct Conversion<'a> {
    /// The primes of the sources, at most 60.
    pub from: &'a PrimeSet,
    /// The primes of the targets.
    pub to: &'a PrimeSet,
    /// The residues that are converted, in coefficient representation, times the converter's scales.
    pub sources: Vec<DeviceLimb>,
    /// The results, each another limb than all sources.
    pub targets: Vec<DeviceLimb>,
}

/// The centred residues of a limb, modulo another prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lift {
    /// The residues.
    pub from: DeviceLimb,
    /// Index of their prime.
    pub from_prime: usize,
    /// The result, another limb.
    pub to: DeviceLimb,
    /// Index of its prime.
    pub to_prime: usize,
}
