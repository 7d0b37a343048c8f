//! The gadgets of keys: the cheapest within the security cap.

use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::Gadget;

use crate::chain::HEADROOM_BITS;
use crate::{Error, Params};

/// A way to cut a modulus into digits for special primes and bits of headroom.
type Cut = fn(&Ring, &PrimeSet, &PrimeSet, f64) -> Gadget;

/// The gadgets of the keys that serve the levels above the messages', one for each chain with a bootstrap.
#[derive(Debug, Clone)]
pub(crate) struct BootstrapGadgets {
    /// Relinearization in EvalMod.
    pub relinearization: Gadget,
    /// Conjugation before EvalMod, at its top level.
    pub conjugation: Gadget,
}

impl BootstrapGadgets {
    pub fn new(params: &Params, ring: &Ring) -> Result<Option<Self>, Error> {
        if params.chain.bootstrap.is_none() {
            return Ok(None);
        }
        let sets = params.eval_mod_sets();
        // Products start at the top level, and every level's primes belong to the key.
        let union = sets[1..].iter().fold(sets[0].clone(), |union, set| union.union(set));
        let relinearization = best_gadget(params, ring, &union, Gadget::consecutive)?;
        let conjugation = best_gadget(params, ring, &sets[sets.len() - 1], Gadget::balanced)?;
        Ok(Some(Self { relinearization, conjugation }))
    }
}

/// The gadget over `set` whose key switch needs the fewest transforms among those within the security cap:
/// `(digits + 2)` times the number of primes. Where the cap leaves no room for the headroom (two levels at N = 2^13),
/// key switches are noisier than a rounding.
pub(crate) fn best_gadget(params: &Params, ring: &Ring, set: &PrimeSet, cut: Cut) -> Result<Gadget, Error> {
    gadget_with_headroom(params, ring, set, cut, HEADROOM_BITS)
        .or_else(|refusal| gadget_with_headroom(params, ring, set, cut, -1e-6).map_err(|_| refusal))
}

fn gadget_with_headroom(
    params: &Params,
    ring: &Ring,
    set: &PrimeSet,
    cut: Cut,
    headroom_bits: f64,
) -> Result<Gadget, Error> {
    let mut best: Option<(usize, Gadget)> = None;
    let mut refusal = None;
    for count in 1..=params.chain.special.len() {
        let special = PrimeSet::new(params.chain.special.iter().copied().take(count));
        let gadget = cut(ring, set, &special, headroom_bits);
        if gadget.digits.iter().any(|d| ring.log2(d) > ring.log2(&special) - headroom_bits + 1e-9) {
            continue;
        }
        if let Err(error) = params.check_key(ring, &gadget.full_set()) {
            refusal = Some(error);
            continue;
        }
        let cost = (gadget.digits.len() + 2) * gadget.full_set().len();
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, gadget));
        }
    }
    best.map(|(_, gadget)| gadget).ok_or_else(|| {
        let needed = "enough to exceed one prime of the modulus by the headroom";
        refusal.unwrap_or_else(|| Error::parameter("special primes", params.chain.special.len(), needed))
    })
}
