//! The memory that calls take, told before they are made.
//!
//! Keys are counted from their gadgets, to the byte. Of what work takes besides, those limbs are counted that are alive
//! at once at the worst moment; tests compare the counts with the limbs that a ring came to have. Bootstraps and
//! products with matrices count in their own folders.

use everlevel_ring::{Footprint, Ring};
use everlevel_rlwe::{Gadget, SwitchingKey};

use crate::core::Core;
use crate::{Context, Error, Params};

impl Params {
    /// The memory of a context of these parameters.
    pub fn context_footprint(&self) -> Footprint {
        let (log_n, primes) = (self.literal().log_n, self.primes().len());
        // The encoder's roots are 16 bytes for each slot, in layers that halve.
        Footprint { held: (Ring::table_nbytes(log_n, primes) + 32 * self.max_slots()) as u64, work: 0 }
    }
}

impl Core {
    /// Switching keys, made one after the other.
    pub(crate) fn keys_footprint<'g>(&self, gadgets: impl IntoIterator<Item = &'g Gadget>) -> Footprint {
        let key = |gadget| SwitchingKey::footprint(&self.ring, gadget, !self.seeded_keys);
        gadgets.into_iter().map(key).fold(Footprint::default(), Footprint::then)
    }

    /// The memory of keys for rotations by these amounts, at levels up to `level`.
    pub(crate) fn footprint_of(&self, amounts: &[i64], level: usize) -> Result<Footprint, Error> {
        let gadget = self.level_gadget(level)?;
        Ok(self.keys_footprint(amounts.iter().map(|_| &gadget)))
    }
}

impl Context {
    /// The memory of this context itself.
    pub fn footprint(&self) -> Footprint {
        self.core.params.context_footprint()
    }

    /// The memory of [`Context::secret_key`].
    pub fn secret_key_footprint(&self) -> Footprint {
        let limbs = self.core.limbs(self.core.ring.all_primes().len());
        Footprint { held: limbs + self.core.ring.n() as u64, work: self.core.limbs(1) }
    }

    /// The memory of [`Context::public_key`].
    pub fn public_key_footprint(&self) -> Footprint {
        Footprint { held: self.core.limbs(2 * self.core.public_key_set().len()), work: self.core.limbs(1) }
    }

    /// The memory of [`Context::relinearization_key_up_to`] a level.
    ///
    /// # Errors
    /// A level that does not exist.
    pub fn relinearization_key_footprint(&self, level: usize) -> Result<Footprint, Error> {
        self.check_level("relinearization_key_footprint", level)?;
        let bootstrap = self.core.bootstrap_gadgets_of_keys(level).map(|gadgets| &gadgets.relinearization);
        Ok(self.core.keys_footprint(std::iter::once(&self.core.level_gadget(level)?).chain(bootstrap)))
    }

    /// The memory of [`Context::conjugation_key_up_to`] a level.
    ///
    /// # Errors
    /// A level that does not exist.
    pub fn conjugation_key_footprint(&self, level: usize) -> Result<Footprint, Error> {
        self.check_level("conjugation_key_footprint", level)?;
        let bootstrap = self.core.bootstrap_gadgets_of_keys(level).map(|gadgets| &gadgets.conjugation);
        Ok(self.core.keys_footprint(std::iter::once(&self.core.level_gadget(level)?).chain(bootstrap)))
    }

    /// The memory of [`Context::fixed_rotation_key`].
    ///
    /// # Errors
    /// A level that does not exist.
    pub fn fixed_rotation_key_footprint(&self, level: usize) -> Result<Footprint, Error> {
        self.check_level("fixed_rotation_key_footprint", level)?;
        Ok(self.core.keys_footprint([&self.core.level_gadget(level)?]))
    }

    /// The memory of [`Context::rotation_key_up_to`] a level.
    ///
    /// # Errors
    /// A level that does not exist.
    pub fn rotation_key_footprint(&self, level: usize) -> Result<Footprint, Error> {
        self.check_level("rotation_key_footprint", level)?;
        self.core.footprint_of(&self.core.rotation_amounts(), level)
    }

    /// The memory of plaintexts of so many units, and of making them.
    ///
    /// # Errors
    /// A level that does not exist.
    pub fn encoding_footprint(&self, unit_count: usize, level: usize) -> Result<Footprint, Error> {
        self.check_level("encode", level)?;
        // Slots twice as they are transformed, real coefficients, and integers of 16 bytes and of 8.
        let work = 32 * self.slot_count() as u64 + 2 * 8 * self.slot_count() as u64 + self.core.limbs(3);
        Ok(Footprint { held: self.core.limbs(unit_count * self.core.ladder.sets[level].len()), work })
    }

    /// The memory of ciphertexts of so many units, and of making them from plaintexts.
    ///
    /// # Errors
    /// A level that does not exist.
    pub fn encryption_footprint(&self, unit_count: usize, level: usize) -> Result<Footprint, Error> {
        self.check_level("encrypt", level)?;
        let primes = self.core.ladder.sets[level].len();
        // With a public key: the ephemeral secret, and halves with what they are divided by, of which the results stay.
        let wide = primes + 1;
        let halves = if self.thread_count() > 1 { 4 * wide } else { 2 * wide + primes };
        Ok(Footprint {
            held: self.core.limbs(2 * unit_count * primes),
            work: self.core.limbs(wide + halves - 2 * primes + 3),
        })
    }
}
