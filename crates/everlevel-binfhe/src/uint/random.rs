//! Encrypted random integers from a public seed, which everybody who has the evaluation key makes alike and nobody but
//! the owner of the secret can read: operations of [`Integers`].
//!
//! *Method.* The seed is expanded into uniform masks and bodies. Such a word of the torus for each mask and body is an
//! LWE ciphertext of a uniform phase, whose bootstrap looks up the phase's upper bits: a digit.
//!
//! *Distribution.* Digits are uniform and independent over uniform masks and bodies, exactly, for every key, whatever
//! its errors and the roundings of masks are. *Proof:* all that a blind rotation does to the body is to round it to
//! `2EN` steps and to add what depends on the mask and the key alone; rounding commutes with adding multiples of the
//! step. So among bodies that differ by multiples of a step, each exponent in `[0, 2EN)` comes out once. Of these
//! exponents the boxes of every digit are as many: a table of the `2^p` boxes of half a turn gives each of `2^k` digits
//! `2^(p − k)` times, and in the other half each `f(x)` is `2^k − 1 − f(x)`. ∎ So integers are as random as the
//! expander's stream, which is ChaCha20.
//!
//! *Secrecy* is that of the upper bits of `b − ⟨a, s⟩` for public `a` and `b`: as long as none of them is told, that
//! they can't be told from uniform ones follows from LWE with that secret, on which encryption rests too. Integers that
//! are told to somebody are samples of learning *with rounding* (Banerjee, Peikert, Rosen 2012) to the `k` bits of a
//! digit, out of 64.

use std::ops::Range;

use everlevel_rand::{Domain, Seed};
use everlevel_rlwe::lwe::DIGEST_DIM;

use super::{BoolArray, Integers, UintArray, Width};
use crate::{Ciphertext, Error, Lwe, NoiseSum};

impl Integers<'_> {
    /// The random integers at these places of a seed, uniform in `[0, 2^bits)`, or in the whole range for the width's
    /// bits or more: a bootstrap for each digit. Widths and numbers of bits have streams of their own.
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`], [`Error::Cancelled`].
    pub fn random(&self, width: Width, bits: u32, seed: &[u8; 32], places: Range<usize>) -> Result<UintArray, Error> {
        let per = self.radix.blocks(width);
        let bits = bits.min(width.bits());
        let seed =
            Seed::from_bytes(*seed).derive(Domain::RandomValues, u64::from(width.bits()) << 32 | u64::from(bits));
        // Bits of each digit of an integer.
        let bits: Vec<_> =
            (0..per as u32).map(|i| bits.saturating_sub(i * self.radix.bits).min(self.radix.bits)).collect();
        Ok(UintArray { width, per, blocks: self.random_blocks("random", &bits, &seed, places)? })
    }

    /// The random truth values at these places of a seed: a bootstrap for each.
    ///
    /// # Errors
    /// As [`Integers::random`].
    pub fn random_bools(&self, seed: &[u8; 32], places: Range<usize>) -> Result<BoolArray, Error> {
        let seed = Seed::from_bytes(*seed).derive(Domain::RandomValues, 1);
        Ok(BoolArray(self.random_blocks("random_bools", &[1], &seed, places)?))
    }

    /// Blocks of so many bits each, again and again.
    fn random_blocks(
        &self,
        op: &'static str,
        bits: &[u32],
        seed: &Seed,
        places: Range<usize>,
    ) -> Result<Vec<Ciphertext>, Error> {
        let space_bits = self.radix.space_bits;
        let table = |bits: u32| self.mirrored_table((1 << bits) - 1, move |x| x >> (space_bits - bits));
        let tables: Vec<_> = (0..=self.radix.bits).map(table).collect();
        let dim = if self.blocks.meter.dry { DIGEST_DIM } else { self.blocks.keys.params().ciphertext_dim() };
        let job = |place: usize| {
            let mut words = vec![0; dim + 1];
            seed.stream(Domain::RandomValues, place as u64).fill_u64(&mut words);
            // Whatever the phase is, it is no message with an error.
            let (lwe, noise, max_value) = (Lwe::from_words(words), NoiseSum::default(), self.radix.max());
            (
                Ciphertext { lwe, key: self.blocks.keys.id(), noise, max_value },
                &tables[bits[place % bits.len()] as usize],
            )
        };
        let jobs = (places.start * bits.len()..places.end * bits.len()).map(job).collect::<Vec<_>>();
        self.look_up(op, &jobs)
    }
}
