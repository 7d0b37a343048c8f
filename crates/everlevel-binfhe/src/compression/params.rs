//! The numbers of compression, which follow from those of the evaluation keys.

use std::sync::Arc;

use everlevel_ring::WordGadget as Gadget;
use serde::{Deserialize, Serialize};

use crate::common::Order;
use crate::key_noise::RARE;
use crate::params::Params;
use crate::{Error, automorphisms, half_products, noise};

/// Digits of the half products of automorphisms, at most.
const MOST_DIGITS: u32 = 4;
/// Bits of a gadget's base, at most.
const MOST_BASE: u32 = 30;
/// Bits of a list's words, at most.
const MOST_BITS: u32 = 32;
/// The squared norm of bootstrapped ciphertexts that lists take at least: a selection's are sums of two.
const LEAST_NORM: f64 = 2.0;

/// The words that a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListWidths {
    /// Bits of a mask's word.
    pub mask_bits: u32,
    /// Bits of a body's word.
    pub body_bits: u32,
}

impl ListWidths {
    /// Whether words have such widths.
    pub(crate) fn are_sound(self) -> bool {
        [self.mask_bits, self.body_bits].iter().all(|bits| (1..=MOST_BITS).contains(bits))
    }

    /// Variance that rounding to these words adds, with the mean of the masks' part corrected, of which a secret has
    /// the centred square `S`: `(S·2^(−2m) + 2^(−2b))/12`, and `S = k·N/4` for bits.
    fn rounding(self, params: &Params, deviations: f64) -> f64 {
        let square = |bits: u32| (-2.0 * f64::from(bits)).exp2();
        let (secret, dim) = (params.scheme().secret_distribution(), params.rank() * params.n());
        let centred = secret.centred_square(dim) + deviations * secret.centred_square_deviation(dim);
        (centred * square(self.mask_bits) + square(self.body_bits)) / 12.0
    }
}

/// The numbers of compression beside keys of some parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct CompressionParams {
    outer: Arc<Params>,
    gadget: Gadget,
    widths: ListWidths,
}

impl CompressionParams {
    /// The numbers beside keys of these parameters: the fewest digits with which packing adds no more noise than a
    /// bootstrap's, and the fewest bits with which a bootstrap of what comes out of a list fails as rarely as the
    /// parameters say, for ciphertexts of half the squared norm that they accept. Lists are re-randomised.
    ///
    /// # Errors
    /// [`Error::NoLists`] where bootstraps come before key switches, and where tables have no room for a list's noise;
    /// [`Error::NoPublicKey`] where public encryption is too noisy.
    pub fn of(outer: &Arc<Params>) -> Result<Self, Error> {
        let op = "create_compression_key";
        let refuse = |found: &str, needed| Err(Error::NoLists { op, found: found.into(), needed });
        if outer.order != Order::KeySwitchFirst {
            return refuse("bootstraps before key switches", "key switches first");
        }
        let public = outer.public_key_variance(op)?;
        let gadget = gadget_of_packing(outer, outer.noise().bootstrapped);
        let accepted = (outer.squared_norm / 2.0).max(LEAST_NORM.min(outer.squared_norm));
        let taken =
            outer.noise().at_table(accepted * outer.noise().bootstrapped + packing(outer, gadget, RARE) + public);
        let room = noise::variance_at(outer.margin_torus(), outer.max_log2_p_fail) - taken;
        match fewest_bits(outer, room) {
            Some(widths) => Ok(Self { outer: Arc::clone(outer), gadget, widths }),
            None => refuse("tables without room for a list's noise", "room for it"),
        }
    }

    /// The parameters of the keys that compression stands beside.
    pub fn outer(&self) -> &Arc<Params> {
        &self.outer
    }

    /// Digits of the automorphisms' half products.
    pub fn gadget(&self) -> Gadget {
        self.gadget
    }

    /// The words of lists.
    pub fn widths(&self) -> ListWidths {
        self.widths
    }

    /// Bits of a ciphertext in a long list: of its share of masks, and of its body.
    pub fn bits(&self) -> (u32, u32) {
        (self.outer.rank() as u32 * self.widths.mask_bits, self.widths.body_bits)
    }

    /// Variance that compression adds to each ciphertext, packing, re-randomisation and rounding: all keys but one in
    /// `2^40` stay below it.
    pub fn variance(&self) -> f64 {
        let (outer, widths) = (&self.outer, self.widths);
        packing(outer, self.gadget, RARE) + noise::public_key(outer) + widths.rounding(outer, RARE)
    }

    /// Variances of packing and of rounding, on average over keys.
    pub fn mean_variances(&self) -> (f64, f64) {
        (packing(&self.outer, self.gadget, 0.0), self.widths.rounding(&self.outer, 0.0))
    }

    /// Words of the key's bodies.
    pub(crate) fn bodies_len(&self) -> usize {
        automorphisms::rows(&self.outer, self.gadget) * self.outer.n()
    }
}

/// The gadget with the fewest digits with which packing adds at most so much, or else the best one.
pub(crate) fn gadget_of_packing(outer: &Params, most: f64) -> Gadget {
    let packing = |gadget: Gadget| packing(outer, gadget, RARE);
    let best = |digits: u32| {
        let gadgets = (1..=MOST_BASE.min(63 / digits)).map(|log2_base| Gadget::new(log2_base, digits));
        gadgets.min_by(|&a, &b| packing(a).total_cmp(&packing(b))).unwrap_or(Gadget::new(1, digits))
    };
    // A product's columns take the place of its digits.
    let mut all = (2..=MOST_DIGITS).map(best);
    let gadget = all.clone().find(|&gadget| packing(gadget) <= most);
    gadget.or(all.next_back()).expect("a number of digits")
}

/// Variance of packing: what a step's half product adds is multiplied by four in each later one. The first step's are
/// of differences of two words that were divided by `N`.
pub(crate) fn packing(c: &Params, gadget: Gadget, deviations: f64) -> f64 {
    let weight = c.big_weight(deviations);
    let step = |squares| half_products::variance(c, (c.rank(), gadget), (squares, weight), deviations);
    let (first, later) =
        (half_products::digit_squares(gadget, c.log_n, 2.0), half_products::digit_squares(gadget, 0, 1.0));
    let factor = (2.0 * f64::from(c.log_n - 1)).exp2();
    factor * step(first) + (factor - 1.0) / 3.0 * step(later)
}

/// The words of the fewest bits for each ciphertext of a long list whose rounding has room.
fn fewest_bits(c: &Params, room: f64) -> Option<ListWidths> {
    let fits = |widths: &ListWidths| widths.rounding(c, RARE) <= room;
    let with = |mask_bits| (1..=MOST_BITS).map(move |body_bits| ListWidths { mask_bits, body_bits }).find(fits);
    let bits = |widths: &ListWidths| c.rank() as u32 * widths.mask_bits + widths.body_bits;
    (1..=MOST_BITS).filter_map(with).min_by_key(bits)
}
