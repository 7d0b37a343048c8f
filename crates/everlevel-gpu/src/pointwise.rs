//! Sums, products, scalings and automorphisms of many limbs.

use everlevel_ring::device::{DeviceLimb, Halves, Lift, Operands, Pointwise, Scaling, Tensor};

use crate::arena::Table;
use crate::constants::Factor;
use crate::{Arena, Device, Error};

impl<D: Device> Arena<D> {
    /// Copies limbs: each second one becomes the first one.
    pub(crate) fn copy(&self, pairs: &[[DeviceLimb; 2]]) -> Result<(), Error> {
        let jobs: Vec<u32> = pairs.iter().flatten().map(|&limb| self.word_of(limb)).collect();
        self.launch("copy", self.blocks(), (&jobs, 2), &[Table::Jobs, Table::Word(self.n() as u32)])
    }

    /// Overwrites limbs with zeros.
    pub(crate) fn clear(&self, limbs: &[DeviceLimb]) -> Result<(), Error> {
        let jobs: Vec<u32> = limbs.iter().map(|&limb| self.word_of(limb)).collect();
        self.launch("fill_zeros", self.blocks(), (&jobs, 1), &[Table::Jobs, Table::Word(self.n() as u32)])
    }

    /// One operation on many limbs.
    ///
    /// # Errors
    /// The device's.
    pub fn pointwise(&self, operation: Pointwise, all: &[Operands]) -> Result<(), Error> {
        let kernel = match operation {
            Pointwise::Add => "add",
            Pointwise::Subtract => "subtract",
            Pointwise::Multiply => "multiply",
            Pointwise::MultiplyAdd => "multiply_add",
        };
        let jobs = self.jobs_of(all);
        let tables = [Table::Primes, Table::Jobs, Table::Word(self.n() as u32)];
        self.launch(kernel, self.blocks(), (&jobs, 4), &tables)
    }

    /// One operation on many limbs, with its factors for each, below the prime.
    ///
    /// # Errors
    /// The device's.
    ///
    /// # Panics
    /// If there aren't as many factors.
    pub(crate) fn scaling(&self, operation: Scaling, all: &[Operands], factors: &[u64]) -> Result<(), Error> {
        let kernel = match operation {
            Scaling::Scale => "scale",
            Scaling::ScaleAdd => "scale_add",
            Scaling::Combine => "combine",
        };
        let each = if operation == Scaling::Combine { 2 } else { 1 };
        assert_eq!(each * all.len(), factors.len());
        let factor = |(o, w): (&Operands, &[u64])| -> Vec<Factor> {
            w.iter().map(|&w| Factor::new(w, self.moduli()[o.prime].q())).collect()
        };
        let factors: Vec<Factor> = all.iter().zip(factors.chunks(each)).flat_map(factor).collect();
        let factors = self.table(bytemuck::cast_slice(&factors))?;
        let jobs = self.jobs_of(all);
        let tables = [Table::Primes, Table::Jobs, Table::Of(&factors), Table::Word(self.n() as u32)];
        self.launch(kernel, self.blocks(), (&jobs, 4), &tables)
    }

    fn jobs_of(&self, all: &[Operands]) -> Vec<u32> {
        let job =
            |o: &Operands| [self.word_of(o.to), self.word_of(o.a), self.word_of(o.b), self.word_of_prime(o.prime)];
        all.iter().flat_map(job).collect()
    }

    /// Tensor products.
    ///
    /// # Errors
    /// The device's.
    pub fn tensor(&self, all: &[Tensor]) -> Result<(), Error> {
        let job = |t: &Tensor| {
            let [d, a, b] = [&t.to[..], &t.a, &t.b];
            let limbs = d.iter().chain(a).chain(b).map(|&limb| self.word_of(limb));
            limbs.chain([self.word_of_prime(t.prime)]).collect::<Vec<_>>()
        };
        let jobs: Vec<u32> = all.iter().flat_map(job).collect();
        let tables = [Table::Primes, Table::Jobs, Table::Word(self.n() as u32)];
        self.launch("tensor", self.blocks(), (&jobs, 8), &tables)
    }

    /// One operation on many limbs, with a residue for each of their halves.
    ///
    /// # Errors
    /// The device's.
    ///
    /// # Panics
    /// If there isn't a pair of residues for each.
    pub fn halves(&self, operation: Halves, all: &[(usize, DeviceLimb)], residues: &[[u64; 2]]) -> Result<(), Error> {
        assert_eq!(all.len(), residues.len());
        let kernel = match operation {
            Halves::Scale => "scale_halves",
            Halves::Add => "add_halves",
        };
        let factor =
            |(&(prime, _), pair): (&(usize, _), &[u64; 2])| pair.map(|w| Factor::new(w, self.moduli()[prime].q()));
        let factors: Vec<Factor> = all.iter().zip(residues).flat_map(factor).collect();
        let factors = self.table(bytemuck::cast_slice(&factors))?;
        let job = |&(prime, limb): &(usize, _)| [self.word_of(limb), self.word_of_prime(prime)];
        let jobs: Vec<u32> = all.iter().flat_map(job).collect();
        let tables = [Table::Primes, Table::Jobs, Table::Of(&factors), Table::Word(self.n() as u32)];
        self.launch(kernel, self.blocks(), (&jobs, 2), &tables)
    }

    /// Lifts of one prime's residues to others.
    ///
    /// # Errors
    /// The device's.
    pub fn lift(&self, lifts: &[Lift]) -> Result<(), Error> {
        let job = |lift: &Lift| {
            let (from, from_prime) = (self.word_of(lift.from), self.word_of_prime(lift.from_prime));
            [self.word_of(lift.to), self.word_of_prime(lift.to_prime), from, from_prime]
        };
        let jobs: Vec<u32> = lifts.iter().flat_map(job).collect();
        let tables = [Table::Primes, Table::Jobs, Table::Word(self.n() as u32)];
        self.launch("lift", self.blocks(), (&jobs, 4), &tables)
    }

    /// `to = σ(a)` for `σ: X ↦ X^galois_elt`; `b` is not looked at.
    ///
    /// # Errors
    /// The device's.
    pub fn automorphism(&self, all: &[Operands], galois_elt: u64) -> Result<(), Error> {
        let elt = (galois_elt % (2 * self.n() as u64)) as u32;
        let job = |o: &Operands| [self.word_of(o.to), self.word_of(o.a), elt];
        let jobs: Vec<u32> = all.iter().flat_map(job).collect();
        let tables = [Table::Jobs, Table::Word(self.log_n())];
        self.launch("automorphism", self.blocks(), (&jobs, 3), &tables)
    }
}
