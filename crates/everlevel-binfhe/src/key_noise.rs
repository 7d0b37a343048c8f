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

use crate::common::{Common, Order, SwitchStep};
use crate::noise::{self, Noise};
use crate::scheme::Scheme;
use crate::secret::gaussian;
use crate::{Error, SecretKey, SmallSecret};

/// A variance that a key fixes, over keys.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OverKeys {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl OverKeys {
    /// So many deviations above the mean.
    pub fn at(self, deviations: f64) -> f64 {
        self.mean + deviations * self.deviation
    }

    /// The sum of two that are independent of each other.
    pub fn plus(self, other: Self) -> Self {
        Self { mean: self.mean + other.mean, deviation: self.deviation.hypot(other.deviation) }
    }
}

/// Deviations above the mean that one in `2^40` exceeds.
pub const RARE: f64 = 7.05;
/// Deviations above the mean from which on a key is drawn again, wherever there is room for so many: one in 740.
const UNLUCKY: f64 = 3.0;
/// The fewest deviations from which on key switches are drawn again: three tenths are accepted.
const LEAST_SWITCH: f64 = -0.5;
/// How often a secret, or the key switch of a secret, is drawn at most.
pub const DRAWS: u64 = 128;

/// What a key's own variances stay below: else the key is drawn again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Of what secrets multiply in a blind rotation.
    pub rotation: f64,
    /// Of the modulus switch.
    pub mod_switch: f64,
    /// Of the key switch, or all of a stair.
    pub key_switch: f64,
    /// The same in deviations above the means.
    deviations: [f64; 3],
}

impl Limits {
    /// Shares of secrets, and of key switches of a secret, that are accepted: at least that many, by the normal
    /// distribution.
    pub fn accepted(&self) -> (f64, f64) {
        let below = |deviations: f64| (1.0 + erf(deviations / std::f64::consts::SQRT_2)) / 2.0;
        let [rotation, mod_switch, key_switch] = self.deviations.map(below);
        (rotation * mod_switch, key_switch)
    }
}

fn erf(x: f64) -> f64 {
    x.signum() * (1.0 - noise::log2_erfc(x.abs()).exp2())
}

/// The parts of a bootstrap's variance that a key fixes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// Products with the errors of the bootstrapping key, in a blind rotation.
    pub products: OverKeys,
    /// What secrets multiply in a blind rotation: roundings, and errors of masks.
    pub rotation: OverKeys,
    /// The modulus switch.
    pub mod_switch: OverKeys,
    /// The key switch, or all of a stair.
    pub key_switch: OverKeys,
}

impl Parts {
    pub(crate) fn new(scheme: &dyn Scheme, common: &Common) -> Self {
        let (products, rotation) = scheme.rotation_noise();
        let key_switch = |step: &SwitchStep| key_switch(step, scheme.secret_square());
        let (small, dim, n) = (common.secrets.small, common.lwe_dim, common.switched_table_len());
        let mean = noise::mod_switch(small.centred_square(dim), n);
        let deviation = noise::mod_switch(small.centred_square_deviation(dim), n) - noise::mod_switch(0.0, n);
        Self {
            products,
            rotation,
            mod_switch: OverKeys { mean, deviation },
            key_switch: common.switches().iter().map(key_switch).fold(OverKeys::default(), OverKeys::plus),
        }
    }

    /// The noise on average over keys.
    pub(crate) fn mean(&self, common: &Common) -> Noise {
        Noise::new(common, self.products.mean + self.rotation.mean, self.key_switch.mean, self.mod_switch.mean)
    }

    /// The noise that all keys but one in `2^40` stay below, if none is above these limits.
    pub(crate) fn below(&self, common: &Common, limits: &Limits) -> Noise {
        let products = self.products.at(RARE);
        Noise::new(common, products + limits.rotation, limits.key_switch, limits.mod_switch)
    }

    /// The limits that leave so much room at a table: [`UNLUCKY`] deviations above the means, where the room suffices.
    /// Where it doesn't, parts give up deviations in proportion to their own, so that what matters most is drawn again
    /// most often; secrets, of which some are older than this rule, have their means at least. The limits may be above
    /// the room still if it is next to nothing.
    pub(crate) fn limits(&self, common: &Common, variance: f64) -> Limits {
        let (output, key_switch) = weights(common);
        let deviations =
            [output * self.rotation.deviation, self.mod_switch.deviation, key_switch * self.key_switch.deviation];
        let least = [0.0, 0.0, LEAST_SWITCH];
        let means = output * (self.products.at(RARE) + self.rotation.mean)
            + self.mod_switch.mean
            + key_switch * self.key_switch.mean;
        let room = variance - means;
        let shared =
            |given_up: f64| -> [f64; 3] { std::array::from_fn(|i| (UNLUCKY - given_up * deviations[i]).max(least[i])) };
        let needed = |shares: [f64; 3]| shares.iter().zip(deviations).map(|(share, own)| share * own).sum::<f64>();
        let smallest = deviations.into_iter().filter(|&own| own > 0.0).fold(f64::INFINITY, f64::min);
        let (mut low, mut high) = (0.0, (UNLUCKY - LEAST_SWITCH) / smallest);
        if needed(shared(low)) <= room {
            high = low;
        }
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if needed(shared(middle)) <= room { high = middle } else { low = middle }
        }
        let [rotation, mod_switch, key_switch] = shared(high);
        Limits {
            rotation: self.rotation.at(rotation),
            mod_switch: self.mod_switch.at(mod_switch),
            key_switch: self.key_switch.at(key_switch),
            deviations: [rotation, mod_switch, key_switch],
        }
    }
}

/// How often, at the table of a bootstrap of the largest norm, blind rotations and key switches are counted.
fn weights(common: &Common) -> (f64, f64) {
    match common.order {
        Order::KeySwitchFirst => (common.squared_norm, 1.0),
        Order::BootstrapFirst => (common.squared_norm, common.squared_norm),
    }
}

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

/// Whether a secret's own noise is within the limits. That it is becomes public when the secret is used.
pub(crate) fn is_lucky(secret: &SecretKey) -> bool {
    let limits = secret.params().limits();
    let (rotation, mod_switch) = of_secrets(secret);
    everlevel_rand::secrecy::declassified(
        is_within(rotation, limits.rotation) & is_within(mod_switch, limits.mod_switch),
    )
}

/// The part of a key switch that its key fixes, over keys: `Σ_i` of the quadratic form of [`of_key_switch`].
fn key_switch(SwitchStep { shape, log2_std_dev }: &SwitchStep, secret_square: f64) -> OverKeys {
    let (dim, digits) = (shape.switched_dim() as f64, f64::from(shape.gadget.digits));
    let (square, unit_square) = ((2.0 * log2_std_dev).exp2(), (-2.0 * f64::from(shape.gadget.bits())).exp2());
    let base = f64::from(shape.gadget.log2_base).exp2();
    let variance = digits * 2.0 * ((base * base + 2.0) * square).powi(2)
        + (digits - 1.0) * (3.0 * base * square).powi(2)
        + secret_square * 9.0 * unit_square * square
        + secret_square * (1.0 - secret_square) * unit_square * unit_square;
    OverKeys {
        mean: noise::key_switch(shape.switched_dim(), shape.gadget, square, secret_square),
        deviation: (dim * variance).sqrt() / 12.0,
    }
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
    /// The deviation of [`SmallSecret::centred_square_of`] over secrets.
    fn centred_square_deviation(self, dim: usize) -> f64 {
        match self {
            Self::Binary | Self::OneHot { .. } | Self::Sparse { .. } => 0.0,
            Self::Ternary => (dim as f64 * 2.0 / 9.0).sqrt(),
            // One of `block + 1` blocks is empty.
            Self::Blocks { block } => {
                let places = block as f64 + 1.0;
                ((dim / block) as f64 * block as f64).sqrt() / places * (1.0 - 2.0 / places)
            }
        }
    }

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
