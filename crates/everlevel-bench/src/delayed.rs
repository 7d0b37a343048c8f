//! The KLSS key switch: half products over residues whose sums are taken modulo few auxiliary primes, and reduced at
//! the end (Kim, Lee, Seo and Song, CRYPTO 2023, ePrint 2023/413). No set of ours selects it
//! (docs/notes/performance.md); it is measured beside the usual key switch.
//!
//! A key's rows are polynomials modulo `Q·P`. The usual product takes each digit to all primes of `Q·P`, of which there
//! are many. Here rows are cut once more, into **groups** of primes `R_g`, and each group's residues are lifted to
//! integers below `R_g/2`. Sums of products of digits with those are integers of few bits, so that they are right
//! modulo a product `T` of few **auxiliary** primes: digits are taken to these alone, and each sum is reduced modulo
//! its group's primes at the end.

use everlevel_rand::Seed;

use everlevel_ring::{Eval, HalfProduct, PackedPoly, Poly, PrimeSet, ResidueRows, Ring, RnsGadget};

/// The integers nearest to zero that equal `a` modulo the primes of `from`, over those of `to`, which are others.
fn lifted(ring: &Ring, a: &Poly<Eval>, from: &PrimeSet, to: &PrimeSet) -> Poly<Eval> {
    let (_, digit) = ring.mod_up(&[&a.restricted(from)], std::slice::from_ref(from), to).remove(0).remove(0);
    digit.restricted(to)
}

/// The rows of a key, prepared for sums modulo auxiliary primes.
#[derive(Debug)]
pub struct DelayedRows {
    auxiliary: PrimeSet,
    groups: Vec<(PrimeSet, ResidueRows)>,
}

/// How many transforms and products a half product of all digits takes, and bytes of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HalfProductCost {
    /// Transforms of polynomials, forward and inverse.
    pub transforms: usize,
    /// Products of polynomials, in sums that are reduced once.
    pub products: usize,
    /// Bytes of the key, its masks held.
    pub nbytes: usize,
}

impl HalfProductCost {
    /// Cost in products: a transform takes about three of them, whose key comes from memory.
    pub fn weight(&self) -> usize {
        self.products + 3 * self.transforms
    }

    /// Cost of the usual half product, with its division by the special primes.
    fn of_hybrid(ring: &Ring, gadget: &RnsGadget) -> Self {
        let (own, special) = (gadget.ciphertext_set().len(), gadget.special.len());
        let (digits, full) = (gadget.digits.len(), own + special);
        let raised: usize = gadget.digits.iter().map(|digit| full - digit.len()).sum();
        let products = 2 * digits * full;
        let nbytes = 2 * digits * PackedPoly::nbytes_of(ring.n(), full);
        Self { transforms: own + raised + 2 * special + 2 * own, products, nbytes }
    }

    /// Cost of a half product with groups of so many primes and as few auxiliary primes as are right.
    pub fn of_delayed(ring: &Ring, gadget: &RnsGadget, auxiliary: &PrimeSet, groups: &[PrimeSet]) -> Self {
        let (own, special, aux) = (gadget.ciphertext_set().len(), gadget.special.len(), auxiliary.len());
        let (digits, full) = (gadget.digits.len(), own + special);
        // The digits' own primes back and forth; sums back, and to their group's primes; the division.
        let transforms = own + digits * aux + 2 * groups.len() * aux + 2 * full + 2 * special + 2 * own;
        let nbytes = 2 * digits * groups.len() * PackedPoly::nbytes_of(ring.n(), aux);
        Self { transforms, products: 2 * digits * groups.len() * aux, nbytes }
    }
}

impl DelayedRows {
    /// The fewest of the auxiliary primes modulo which sums over groups of at most `group_len` primes are right, and
    /// the groups; none if all of them are too few.
    ///
    /// A sum is below `digits·n·∏D/2·∏R_g/2`, for the largest digit and group.
    pub fn plan(
        ring: &Ring,
        gadget: &RnsGadget,
        auxiliary: &PrimeSet,
        group_len: usize,
    ) -> Option<(PrimeSet, Vec<PrimeSet>)> {
        let full = gadget.full_set();
        let count = full.len().div_ceil(group_len.max(1));
        // Of nearly the same length.
        let groups: Vec<PrimeSet> = (0..count)
            .map(|g| {
                PrimeSet::new(full.indices()[full.len() * g / count..full.len() * (g + 1) / count].iter().copied())
            })
            .collect();
        let largest = |sets: &[PrimeSet]| sets.iter().map(|set| ring.log2(set)).fold(0.0, f64::max);
        let terms = (ring.n() * gadget.digits.len()) as f64;
        // Below T/2, with a bit for the logarithms and for digits that are only nearly nearest to zero.
        let needed = terms.log2() + largest(&gadget.digits) + largest(&groups) - 2.0 + 2.0;
        let taken = (1..=auxiliary.len())
            .map(|k| PrimeSet::new(auxiliary.indices()[..k].iter().copied()))
            .find(|taken| ring.log2(taken) >= needed)?;
        Some((taken, groups))
    }

    /// The plan that takes least; none where the usual product takes less ([`HalfProductCost::weight`]).
    pub fn best_plan(ring: &Ring, gadget: &RnsGadget, auxiliary: &PrimeSet) -> Option<(PrimeSet, Vec<PrimeSet>)> {
        let weight = |(auxiliary, groups): &(PrimeSet, Vec<PrimeSet>)| {
            HalfProductCost::of_delayed(ring, gadget, auxiliary, groups).weight()
        };
        let plans = (1..=gadget.full_set().len()).filter_map(|len| Self::plan(ring, gadget, auxiliary, len));
        let best = plans.min_by_key(weight)?;
        (weight(&best) < HalfProductCost::of_hybrid(ring, gadget).weight()).then_some(best)
    }

    /// The rows of a key, prepared. Its masks are held from now on, since what a seed expands to isn't theirs.
    ///
    /// # Panics
    /// If the groups aren't of the gadget's primes.
    pub fn prepare(ring: &Ring, rows: &ResidueRows, auxiliary: PrimeSet, groups: Vec<PrimeSet>) -> Self {
        let masks = match rows.masks() {
            Some(_) => None,
            None => Some(rows.expanded_masks(ring)),
        };
        let masks = rows.masks().or(masks.as_deref()).unwrap_or_else(|| unreachable!("held or expanded"));
        let of_group = |group: PrimeSet| {
            let lifted = |polys: &[PackedPoly]| -> Vec<PackedPoly> {
                let one = |poly: &PackedPoly| PackedPoly::new(&lifted(ring, &poly.unpack(ring), &group, &auxiliary));
                polys.iter().map(one).collect()
            };
            let rows = ResidueRows::new(Seed::from_bytes([0; 32]), lifted(rows.bodies()), Some(lifted(masks)));
            (group, rows)
        };
        let groups = groups.into_iter().map(of_group).collect();
        Self { auxiliary, groups }
    }

    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        let polys =
            self.groups.iter().flat_map(|(_, rows)| rows.bodies().iter().chain(rows.masks().into_iter().flatten()));
        polys.map(PackedPoly::nbytes).sum()
    }

    /// The digits of a polynomial, over the auxiliary primes alone.
    pub fn digits(&self, ring: &Ring, gadget: &RnsGadget, poly: &Poly<Eval>) -> Vec<(Vec<usize>, Poly<Eval>)> {
        let digits = gadget.digits_over(ring, poly.set()).into_iter();
        digits.map(|(rows, own)| (rows, lifted(ring, poly, &own, &self.auxiliary))).collect()
    }

    /// `Σ digit·(body, mask)` over the primes of `to` and the special ones, as [`HalfProduct::multiply`] has it over
    /// the digits' primes.
    pub fn multiply(&self, ring: &Ring, digits: &Vec<(Vec<usize>, Poly<Eval>)>, to: &PrimeSet) -> [Poly<Eval>; 2] {
        let mut sums = [ring.zero(to), ring.zero(to)];
        for (group, rows) in &self.groups {
            let wanted = group.intersection(to);
            if wanted.is_empty() {
                continue;
            }
            let products = ring.multiply(&[digits], rows).remove(0);
            for (sum, product) in sums.iter_mut().zip(products) {
                let reduced = lifted(ring, &product, &self.auxiliary, &wanted);
                for &prime in wanted.indices() {
                    let at = to.position(prime).unwrap_or_else(|| unreachable!("a prime of both"));
                    sum.limbs_mut()[at].copy_from_slice(reduced.limb(prime));
                }
            }
        }
        sums
    }
}
