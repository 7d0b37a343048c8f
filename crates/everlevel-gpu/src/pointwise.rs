//! Sums, products, scalings and automorphisms of many limbs.

use crate::constants::Factor;
use crate::residues::Table;
use crate::{Device, DeviceLimb, DevicePoly, Error, Residues};

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

/// An operation `to = f(a, b, w)` with a factor for each limb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// `a·w`.
    Scale,
    /// `a·w + b`.
    ScaleAdd,
    /// `(a − b)·w`: the last step of a division by part of the modulus.
    SubtractScale,
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

impl<D: Device> Residues<'_, D> {
    /// One operation on many limbs.
    ///
    /// # Errors
    /// That of the device.
    pub fn pointwise(&mut self, operation: Pointwise, all: &[Operands]) -> Result<(), Error> {
        let kernel = match operation {
            Pointwise::Add => "add",
            Pointwise::Subtract => "subtract",
            Pointwise::Multiply => "multiply",
            Pointwise::MultiplyAdd => "multiply_add",
        };
        let jobs = self.jobs_of(all);
        let tables = [Table::Primes, Table::Jobs, Table::Word(self.ring.n() as u32)];
        self.run(kernel, self.blocks(), (&jobs, 4), &tables)
    }

    /// One operation on many limbs, with a factor below the prime for each.
    ///
    /// # Errors
    /// That of the device.
    ///
    /// # Panics
    /// If there isn't one factor for each.
    pub fn scaling(&mut self, operation: Scaling, all: &[Operands], factors: &[u64]) -> Result<(), Error> {
        assert_eq!(all.len(), factors.len());
        let kernel = match operation {
            Scaling::Scale => "scale",
            Scaling::ScaleAdd => "scale_add",
            Scaling::SubtractScale => "subtract_scale",
        };
        let factor = |(o, &w): (&Operands, &u64)| Factor::new(w, self.ring.modulus(o.prime).q());
        let factors: Vec<Factor> = all.iter().zip(factors).map(factor).collect();
        let factors = self.table(bytemuck::cast_slice(&factors))?;
        let jobs = self.jobs_of(all);
        let tables = [Table::Primes, Table::Jobs, Table::Of(&factors), Table::Word(self.ring.n() as u32)];
        self.run(kernel, self.blocks(), (&jobs, 4), &tables)
    }

    fn jobs_of(&self, all: &[Operands]) -> Vec<u32> {
        let job =
            |o: &Operands| [self.word_of(o.to), self.word_of(o.a), self.word_of(o.b), self.word_of_prime(o.prime)];
        all.iter().flat_map(job).collect()
    }

    /// Tensor products.
    ///
    /// # Errors
    /// That of the device.
    pub fn tensor(&mut self, all: &[Tensor]) -> Result<(), Error> {
        let job = |t: &Tensor| {
            let [d, a, b] = [&t.to[..], &t.a, &t.b];
            let limbs = d.iter().chain(a).chain(b).map(|&limb| self.word_of(limb));
            limbs.chain([self.word_of_prime(t.prime)]).collect::<Vec<_>>()
        };
        let jobs: Vec<u32> = all.iter().flat_map(job).collect();
        let tables = [Table::Primes, Table::Jobs, Table::Word(self.ring.n() as u32)];
        self.run("tensor", self.blocks(), (&jobs, 8), &tables)
    }

    /// `σ(a)` for `σ: X ↦ X^galois_elt`.
    ///
    /// # Errors
    /// [`Error::OutOfLimbs`].
    pub fn automorphism(&mut self, a: &DevicePoly, galois_elt: u64) -> Result<DevicePoly, Error> {
        let out = self.take(a.set())?;
        let jobs = self.automorphism_jobs(&out, a, galois_elt);
        let tables = [Table::Jobs, Table::Word(self.ring.log_n())];
        self.run("automorphism", self.blocks(), (&jobs, 4), &tables)?;
        Ok(out)
    }

    /// `acc += σ(a)`; `a` may have more primes.
    ///
    /// # Errors
    /// That of the device.
    pub fn automorphism_add_assign(&mut self, acc: &DevicePoly, a: &DevicePoly, galois_elt: u64) -> Result<(), Error> {
        let jobs = self.automorphism_jobs(acc, a, galois_elt);
        let tables = [Table::Jobs, Table::Word(self.ring.log_n()), Table::Primes];
        self.run("automorphism_add", self.blocks(), (&jobs, 4), &tables)
    }

    fn automorphism_jobs(&self, to: &DevicePoly, a: &DevicePoly, galois_elt: u64) -> Vec<u32> {
        let elt = (galois_elt % (2 * self.ring.n() as u64)) as u32;
        let job =
            |(&i, &to): (&usize, &DeviceLimb)| [self.word_of(to), self.word_of(a.limb(i)), elt, self.word_of_prime(i)];
        to.set().indices().iter().zip(to.limbs()).flat_map(job).collect()
    }
}
