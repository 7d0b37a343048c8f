//! The noise that a key fixes: how it spreads over keys, what one key has, and what every key stays below.
//!
//! A key's errors and secrets are drawn once, and with them the variance of all of its bootstraps
//! (`docs/notes/tfhe.md`, *Variances of one key*). Secrets and key switches are drawn again where their own part is
//! above the parameters' [`Limits`]; the errors of the bootstrapping key are too many to differ much, and have a margin
//! instead. So [`Params::noise`](crate::Params::noise) holds for all keys but one in `2^40`.

use everlevel_rand::sampler::Gaussian;
use everlevel_rand::{Domain, Seed};
use everlevel_rlwe::Randomness;
use everlevel_rlwe::lwe::{SeededKeySwitchKey, SwitchShape};

use crate::common::{SwitchStep, gaussian};
pub use crate::limits::{Limits, Parts, RARE};
use crate::limits::{mean_key_switch, weights};
use crate::noise;
use crate::over_keys::DRAWS;
pub use crate::over_keys::OverKeys;
use crate::{Error, SecretKey, SmallSecret};

/// Rounding of the formulas' own sums, as a part of them.
const ROUNDING: f64 = 1e-9;

/// Whether a variance of one key is within its limit.
fn is_within(own: f64, limit: f64) -> bool {
    own <= limit * (1.0 + ROUNDING)
}

/// The variances that one key's secrets fix: of a blind rotation, and of the modulus switch. They are secret.
pub fn of_secrets(secret: &SecretKey) -> (f64, f64) {
    let params = secret.params();
    let rotation = params.scheme().rotation_noise_of(secret.small(), secret.big());
    let mod_switch =
        noise::mod_switch(params.secrets.small.centred_square_of(secret.small()), params.switched_table_len());
    (rotation, mod_switch)
}

/// The variance of the key switches of one secret, on average over their errors. It is secret.
fn mean_of_switches(secret: &SecretKey) -> f64 {
    let of_step = |step: &SwitchStep| {
        let from = &secret.big()[step.shape.shared..step.shape.from_dim];
        let square = from.iter().map(|&s| i32::from(s) * i32::from(s)).sum::<i32>();
        mean_key_switch(step, f64::from(square) / from.len() as f64)
    };
    secret.params().switches().iter().map(of_step).sum()
}

/// Whether a secret's own noise is within the limits, and enough of its key switches are. That both hold becomes public
/// when the secret is used.
pub(crate) fn is_lucky(secret: &SecretKey) -> bool {
    let limits = secret.params().limits();
    let (rotation, mod_switch) = of_secrets(secret);
    everlevel_rand::secrecy::declassified(
        is_within(rotation, limits.rotation)
            & is_within(mod_switch, limits.mod_switch)
            & is_within(mean_of_switches(secret), limits.mean_key_switch),
    )
}

/// The variance of switches with one key, over ciphertexts, as a part of the torus squared: a digit of coefficient `i`
/// is multiplied by its row's error `e_ij`, what the digits leave by the coefficient `s_i` of the secret that is
/// switched from. Digits have mean squares `(B² + 2)/12` and neighbours mean products `−B/8`, and so has the last digit
/// with what is left, in units `u` of the last place:
/// `1/12·Σ_i ((B² + 2)·Σ_j e_ij² − 3B·Σ_j e_ij·e_i(j+1) + 3u·e_il·s_i + u²·s_i²)`.
pub fn of_key_switch(shape: SwitchShape, from: &[i8], errors: &[i64]) -> f64 {
    let (degree, digits) = (shape.degree, shape.gadget.digits as usize);
    let (base, unit) = (f64::from(shape.gadget.log2_base).exp2(), (32.0 - f64::from(shape.gadget.bits())).exp2());
    let mut sum = 0.0;
    for (block, errors) in from.chunks(degree).zip(errors.chunks_exact(degree * digits)) {
        for (r, &s) in block.iter().enumerate() {
            let error = |digit: usize| errors[digit * degree + r] as f64;
            let squares: f64 = (0..digits).map(|j| error(j) * error(j)).sum();
            let neighbours: f64 = (1..digits).map(|j| error(j - 1) * error(j)).sum();
            let left = unit * f64::from(s);
            sum += (base * base + 2.0) * squares - 3.0 * base * neighbours + (3.0 * error(digits - 1) + left) * left;
        }
    }
    sum / 12.0 * (-64.0f64).exp2()
}

/// The randomness of the key switches of a secret, in their order, and the samplers of their errors: of the first draw
/// whose own noise is within the limits.
///
/// Draws after the first one have seeds of their own. What is stored of a key tells nothing of their number.
pub(crate) fn lucky_switches(secret: &SecretKey, seed: &Seed) -> Result<Vec<(Randomness, Gaussian)>, Error> {
    let params = secret.params();
    let (switches, limits) = (params.switches(), params.limits());
    let errors: Vec<Gaussian> =
        switches.iter().map(|step| gaussian(step.log2_std_dev, 32)).collect::<Result<_, _>>()?;
    let (output, weight) = weights(params);
    let (rotation, mod_switch) = of_secrets(secret);
    // A secret that is older than its limits may be above them. Then the switch has to make up for it.
    let above = output * (rotation - limits.rotation).max(0.0) + (mod_switch - limits.mod_switch).max(0.0);
    let limit = limits.key_switch - above / weight;
    for draw in 0..DRAWS {
        let seed = if draw == 0 { seed.clone() } else { seed.derive(Domain::Derive, draw << 32) };
        // The switch to the small secret has the first seed.
        let of_step =
            |i: usize| Randomness::from(&seed.derive(Domain::Derive, 1 + (i as u64 + 1) % switches.len() as u64));
        let randomness: Vec<Randomness> = (0..switches.len()).map(of_step).collect();
        let own = |((step, randomness), error): ((&SwitchStep, &Randomness), &Gaussian)| {
            let shape = step.shape;
            let from = &secret.big()[shape.shared..shape.from_dim];
            of_key_switch(shape, from, &SeededKeySwitchKey::errors(shape, error, randomness))
        };
        let own: f64 = switches.iter().zip(&randomness).zip(&errors).map(own).sum();
        // That all draws but the last were unlucky is public.
        if everlevel_rand::secrecy::declassified(is_within(own, limit)) {
            return Ok(randomness.into_iter().zip(errors).collect());
        }
    }
    Err(Error::UnluckySecret { draws: DRAWS, max_log2_p_fail: params.max_log2_p_fail })
}

impl SmallSecret {
    /// `Σ (s_i − µ)²` of one secret.
    fn centred_square_of(self, small: &[i8]) -> f64 {
        let (numerator, denominator) = self.mean(small.len());
        let mean = f64::from(numerator) / f64::from(denominator);
        let (sum, squares) = small
            .iter()
            .fold((0i32, 0i32), |(sum, squares), &s| (sum + i32::from(s), squares + i32::from(s) * i32::from(s)));
        f64::from(squares) - 2.0 * mean * f64::from(sum) + small.len() as f64 * mean * mean
    }
}
