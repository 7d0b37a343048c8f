//! The variances of a key that parameters allow: how each part spreads over keys, and what it has to stay below.

use crate::SmallSecret;
use crate::common::{Common, Order, SwitchStep};
use crate::noise::{self, Noise};
use crate::over_keys::OverKeys;
use crate::scheme::Scheme;

/// Deviations above the mean that one in `2^40` exceeds.
pub const RARE: f64 = 7.05;
/// Deviations above the mean from which on a key is drawn again, wherever there is room for so many: one in 740.
const UNLUCKY: f64 = 3.0;
/// The fewest deviations from which on key switches are drawn again: three tenths are accepted.
const LEAST_SWITCH: f64 = -0.5;
/// Deviations from the mean of one secret's key switches that are within the limit at least: 128 draws fail with 2^-31.
const LEAST_SWITCH_OF_A_SECRET: f64 = -1.0;

/// Upper bounds of a key's own variances, above which the key is drawn again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The bound of a blind rotation's products with secrets.
    pub rotation: f64,
    /// The bound of the modulus switch.
    pub mod_switch: f64,
    /// The bound of the key switch, or of all of a key-switch chain.
    pub key_switch: f64,
    /// Mean variance of one secret's key switches: below it, a sixth of them at least is within the limit.
    pub mean_key_switch: f64,
    /// The bounds in deviations above the means, and the deviations over secrets at which too few of a secret's key
    /// switches are within the limit.
    deviations: [f64; 4],
}

impl Limits {
    /// Shares of secrets, and of key switches of all secrets, that are accepted: at least that many, by the normal
    /// distribution.
    pub fn accepted(&self) -> (f64, f64) {
        let below = |deviations: f64| (1.0 + erf(deviations / std::f64::consts::SQRT_2)) / 2.0;
        let [rotation, mod_switch, key_switch, of_switches] = self.deviations.map(below);
        (rotation * mod_switch * of_switches, key_switch)
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
    /// Products with secrets in a blind rotation: of roundings, and of errors of masks.
    pub rotation: OverKeys,
    /// The modulus switch.
    pub mod_switch: OverKeys,
    /// The key switch, or all of a key-switch chain.
    pub key_switch: OverKeys,
    /// The deviation over secrets of the key switch's mean over the keys of one secret.
    pub key_switch_of_secrets: f64,
}

impl Parts {
    pub(crate) fn new(scheme: &dyn Scheme, common: &Common) -> Self {
        let (products, rotation) = scheme.rotation_noise();
        let of_secrets = |step: &SwitchStep| key_switch_over_secrets(step, scheme.secret_square());
        let key_switch_of_secrets = common.switches().iter().map(of_secrets).fold(0.0, f64::hypot);
        let of_errors = |step: &SwitchStep| key_switch_of(step, scheme.secret_square());
        let key_switch = common.switches().iter().map(of_errors).fold(OverKeys::default(), OverKeys::plus);
        let (small, dim, n) = (common.secrets.small, common.lwe_dim, common.switched_table_len());
        let mean = noise::mod_switch(small.centred_square(dim), n);
        let deviation = noise::mod_switch(small.centred_square_deviation(dim), n) - noise::mod_switch(0.0, n);
        Self {
            products,
            rotation,
            mod_switch: OverKeys { mean, deviation },
            key_switch: key_switch.plus(OverKeys { mean: 0.0, deviation: key_switch_of_secrets }),
            key_switch_of_secrets,
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
        let of_one_secret = (self.key_switch.deviation.powi(2) - self.key_switch_of_secrets.powi(2)).max(0.0).sqrt();
        let room_of_secrets = key_switch * self.key_switch.deviation - LEAST_SWITCH_OF_A_SECRET * of_one_secret;
        Limits {
            rotation: self.rotation.at(rotation),
            mod_switch: self.mod_switch.at(mod_switch),
            key_switch: self.key_switch.at(key_switch),
            mean_key_switch: self.key_switch.mean + room_of_secrets,
            deviations: [rotation, mod_switch, key_switch, room_of_secrets / self.key_switch_of_secrets],
        }
    }
}

/// The factors of a blind rotation's and a key switch's variance at the table of a bootstrap of the largest norm.
pub(crate) fn weights(common: &Common) -> (f64, f64) {
    match common.order {
        Order::KeySwitchFirst => (common.squared_norm, 1.0),
        Order::BootstrapFirst => (common.squared_norm, common.squared_norm),
    }
}

/// The deviation over secrets, whose coefficients have a mean square, of what the digits of a key switch leave.
fn key_switch_over_secrets(SwitchStep { shape, .. }: &SwitchStep, secret_square: f64) -> f64 {
    let spread = shape.switched_dim() as f64 * secret_square * (1.0 - secret_square);
    spread.sqrt() * noise::rounding(shape.gadget)
}

/// The part of a key switch that its key fixes, over the keys of a secret whose coefficients have a mean square: `Σ_i`
/// of the quadratic form of [`of_key_switch`](crate::key_noise::of_key_switch).
fn key_switch_of(step: &SwitchStep, secret_square: f64) -> OverKeys {
    let SwitchStep { shape, log2_std_dev } = step;
    let (dim, digits) = (shape.switched_dim() as f64, f64::from(shape.gadget.digits));
    let (square, unit_square) = ((2.0 * log2_std_dev).exp2(), (-2.0 * f64::from(shape.gadget.bits())).exp2());
    let base = f64::from(shape.gadget.log2_base).exp2();
    let variance = digits * 2.0 * ((base * base + 2.0) * square).powi(2)
        + (digits - 1.0) * (3.0 * base * square).powi(2)
        + secret_square * 9.0 * unit_square * square;
    OverKeys { mean: mean_key_switch(step, secret_square), deviation: (dim * variance).sqrt() / 12.0 }
}

/// Mean of [`key_switch_of`] over the keys of a secret, without branches on its mean square.
pub(crate) fn mean_key_switch(SwitchStep { shape, log2_std_dev }: &SwitchStep, secret_square: f64) -> f64 {
    noise::key_switch(shape.switched_dim(), shape.gadget, (2.0 * log2_std_dev).exp2(), secret_square)
}

impl SmallSecret {
    /// The deviation of the centred square over secrets.
    pub(crate) fn centred_square_deviation(self, dim: usize) -> f64 {
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
}
