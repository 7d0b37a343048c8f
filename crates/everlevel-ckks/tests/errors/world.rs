//! The keys, ciphertexts and assertions of all tests of refusals.

use everlevel_ckks::{Ciphertext, Complex64, Context};

use crate::common::{Party, depth, uniform};

pub fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

/// Asserts the variant and that the message has all the given parts.
macro_rules! assert_refused {
    ($result:expr, $variant:pat, $($part:expr),+ $(,)?) => {{
        let error = $result.map(|_| ()).expect_err("must be refused");
        assert!(matches!(error, $variant), "{error:?}");
        let text = error.to_string();
        $(assert!(text.contains($part), "{text:?} lacks {:?}", $part);)+
    }};
}
pub(crate) use assert_refused;

pub const MAX_LEVEL: usize = 3;

/// A party and everything that can be handed to it.
pub struct World {
    pub party: Party,
    pub x: Vec<Complex64>,
    /// At levels 0, 1, 2 and 3.
    pub at: Vec<Ciphertext>,
}

impl World {
    pub fn new() -> Self {
        let party = depth(9, MAX_LEVEL);
        let x = uniform(256, 1);
        let at = (0..=MAX_LEVEL).map(|level| party.encrypt(&x, level)).collect();
        Self { party, x, at }
    }

    pub fn ctx(&self) -> &Context {
        &self.party.ctx
    }

    /// Runs `f` and asserts that no ciphertext changed.
    pub fn unchanged(&self, f: impl FnOnce(&Self)) {
        let before: Vec<_> =
            self.at.iter().map(|ct| (self.party.decrypt(ct), ct.level(), ct.scale(), ct.precision_bits())).collect();
        f(self);
        for (ct, before) in self.at.iter().zip(before) {
            assert_eq!((self.party.decrypt(ct), ct.level(), ct.scale(), ct.precision_bits()), before);
        }
    }
}
