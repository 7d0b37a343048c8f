//! Calls of a device: lists of jobs, each an operation's limbs, primes and factors.

use crate::PrimeSet;

/// A limb of a device: `n` residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceLimb(pub u32);

/// A piece of a device's packed memory: residues of a key or of a plaintext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DevicePacked(pub u32);

/// One operation on many limbs. Its jobs run at once: none may write a limb that another one touches.
#[derive(Debug, Clone)]
pub enum Call {
    /// Copies: each second limb becomes the first one.
    Copy(Vec<[DeviceLimb; 2]>),
    /// Overwrites limbs with zeros.
    Clear(Vec<DeviceLimb>),
    /// Forward transforms, as [`everlevel_math::Ntt::forward`].
    Forward(Vec<Transform>),
    /// Inverse transforms times constants, one for each, as [`everlevel_math::Ntt::inverse_scaled`].
    InverseScaled(Vec<Transform>, Vec<u64>),
    /// One operation on many limbs.
    Pointwise(Pointwise, Vec<Operands>),
    /// One operation on many limbs, with its factors for each, below the prime.
    Scaling(Scaling, Vec<Operands>, Vec<u64>),
    /// One operation on many limbs, each with its prime's index, and a residue for each of its halves.
    Halves(Halves, Vec<(usize, DeviceLimb)>, Vec<[u64; 2]>),
    /// Tensor products.
    Tensor(Vec<Tensor>),
    /// Conversions between sets of primes.
    Convert(Vec<Conversion>),
    /// Lifts of one prime's residues.
    Lift(Vec<Lift>),
    /// `to = σ(a)` for `σ: X ↦ X^galois_elt`; `b` is not looked at. A result is another limb than its operand.
    Automorphism(Vec<Operands>, u64),
    /// Products of digits with keys.
    KeyProducts(Vec<KeyProduct>),
    /// Sums of ciphertexts' images times plaintexts.
    DiagonalSums(Vec<DiagonalSums>),
}

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
pub struct Conversion {
    /// The primes of the sources, at most 60.
    pub from: PrimeSet,
    /// The primes of the targets.
    pub to: PrimeSet,
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

/// The products of digits with the rows of a key at one prime, and limbs that are added to them.
#[derive(Debug, Clone)]
pub struct KeyProduct {
    /// The sums of products with bodies and with masks, which are no limbs of operands.
    pub to: [DeviceLimb; 2],
    /// Index of the prime.
    pub prime: usize,
    /// Each digit's limb, with the body and the mask of its row.
    pub terms: Vec<(DeviceLimb, [DevicePacked; 2])>,
    /// For each sum a limb whose product with the factor is added to it.
    pub addends: [Option<DeviceLimb>; 2],
    /// The factor, below the prime.
    pub factor: u64,
}

/// Sums at one prime of ciphertexts' images times plaintexts, `to[k] = Σ σ(x)·y[k]` for both parts, which share the
/// images.
#[derive(Debug, Clone)]
pub struct DiagonalSums {
    /// Both parts of each sum, which are no limbs of operands.
    pub to: Vec<[DeviceLimb; 2]>,
    /// Index of the prime.
    pub prime: usize,
    /// The terms.
    pub terms: Vec<DiagonalTerm>,
}

/// A term of [`DiagonalSums`].
#[derive(Debug, Clone)]
pub struct DiagonalTerm {
    /// Both parts of a ciphertext.
    pub x: [DeviceLimb; 2],
    /// The automorphism `X ↦ X^galois_elt` under which they are multiplied.
    pub galois_elt: u64,
    /// The plaintext of each sum.
    pub y: Vec<Plain>,
}

/// A plaintext at one prime.
#[derive(Debug, Clone, Copy)]
pub enum Plain {
    /// The number zero: a sum that lacks the term.
    Zero,
    /// The number one.
    One,
    /// Packed residues, each of which stands for a run of `2^log2_run` equal ones.
    Packed {
        /// The residues.
        piece: DevicePacked,
        /// log2 of a run's length.
        log2_run: u32,
    },
}
