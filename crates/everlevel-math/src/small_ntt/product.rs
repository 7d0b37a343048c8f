//! The step of a blind rotation: digits of a polynomial times keys, transforms included, in one sweep.

use super::gadget::{Gadget, Row};
use super::lanes::Float;
use super::monomials::Points;
use super::plan::{self, Bundle, MAX_TOGETHER, ROW, Reductions};
use super::products::Weights;
use super::sweep::{self, Sweep, Tables};
use super::transform::SmallNtt;
use super::work::Work;
use crate::Error;

/// A word of a key: a byte of keys packed by [`NtruProduct::prepare_row`], or a float of [`NtruProduct::expand`].
pub trait KeyWord<F>: Copy + Send + Sync + sealed::Sealed {
    /// Whether residues are packed.
    const PACKED: bool;
}

impl<F: Float> KeyWord<F> for u8 {
    const PACKED: bool = true;
}

impl KeyWord<f32> for f32 {
    const PACKED: bool = false;
}

impl KeyWord<f64> for f64 {
    const PACKED: bool = false;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The product of a polynomial's digits and a key: `x ⊡ k = Σ_i d_i(x)·k_i` for the digits of a [`Gadget`] and a key
/// of as many polynomials, modulo `q` and `X^n + 1`.
///
/// Polynomials are residues in `(−q/2, q/2)`, keys as [`NtruProduct::prepare_row`] makes them. Each word of a key is
/// read once for one or two accumulators; meanwhile, `ahead` is brought into the second-level cache.
#[derive(Debug, Clone)]
pub struct NtruProduct<F> {
    ntt: SmallNtt<F>,
    gadget: Gadget,
    max_keys: usize,
    tables: Tables<F>,
}

impl<F: Float> NtruProduct<F> {
    /// The product over a plan's ring, for bundles of at most `max_keys` keys.
    ///
    /// # Errors
    /// [`Error::BadGadget`] unless residues have such digits (see [`Gadget`]), or if they are so many that sums of
    /// their products with keys are not exact: in `f32`, eight are not for the largest moduli.
    pub fn new(ntt: SmallNtt<F>, gadget: Gadget, max_keys: usize) -> Result<Self, Error> {
        let (q, log_n) = (ntt.modulus().q(), ntt.n().ilog2());
        let Gadget { log2_base, digits, dropped } = gadget;
        let refused = Error::BadGadget { q, log2_base, digits, dropped };
        if !gadget.fits(q) {
            return Err(refused);
        }
        let (radix, _) = plan::radices(log_n);
        let levels = radix.ilog2();
        // The start of each digit's transform: lazily where that stays exact.
        let starts = (0..gadget.digits).map(|i| {
            let digit = gadget.bound(q, i);
            let lazy = plan::lazy_bound::<F>(q, radix, digit).map(|bound| (bound, levels.saturating_sub(2)));
            let exact = |start| Reductions::all().any(|r| plan::end_bound::<F>(q, log_n, start, r).is_some());
            lazy.filter(|&start| exact(start)).ok_or((digit, levels))
        });
        let starts: Vec<Result<(f64, u32), (f64, u32)>> = starts.collect();
        let deep = |i: u32| ntt.has_integers() && plan::deep::<F>(q, radix, gadget.bound(q, i));
        let row = |(i, s): (u32, &Result<_, _>)| Row::new(gadget.log2_unit(i), (s.is_ok(), deep(i)));
        let rows: Vec<Row<F>> = (0..).zip(&starts).map(row).collect();
        let fitting = Reductions::all().filter_map(|r| {
            let ends = starts.iter().map(|s| plan::end_bound::<F>(q, log_n, s.unwrap_or_else(|plain| plain), r));
            let end = ends.collect::<Option<Vec<f64>>>()?.into_iter().fold(0.0, f64::max);
            let bundles = (0..=max_keys).map(|count| Bundle::new::<F>(q, count, rows.len(), end));
            Some((r, bundles.collect::<Option<Vec<Bundle>>>()?))
        });
        // Operations for each value of a transform: half of the values are reduced on the way, all at the ends.
        let cost = |(r, bundles): &(Reductions, Vec<Bundle>)| {
            let on_the_way = usize::from(r.across) + usize::from(r.within) + 2 * usize::from(r.ends);
            on_the_way * bundles.len() + 2 * bundles.iter().filter(|bundle| bundle.reduced).count()
        };
        let (reductions, bundles) = fitting.min_by_key(cost).ok_or(refused)?;
        let points = Points::new(ntt.modulus(), ntt.root(), ntt.exponents(), ntt.has_integers());
        Ok(Self { tables: Tables { n: ntt.n(), rows, reductions, bundles, points }, ntt, gadget, max_keys })
    }

    /// The transform.
    pub fn ntt(&self) -> &SmallNtt<F> {
        &self.ntt
    }

    /// The digits.
    pub fn gadget(&self) -> Gadget {
        self.gadget
    }

    /// Bytes of a packed key.
    pub fn key_len(&self) -> usize {
        self.words() * F::KEY_BYTES
    }

    /// Words of an expanded key.
    pub fn words(&self) -> usize {
        self.tables.rows.len() * self.ntt.n()
    }

    /// Words of scratch.
    pub fn scratch_len(&self) -> usize {
        self.tables.scratch_len(self.max_keys)
    }

    /// Puts polynomial `digit` of key `key` of a bundle into its place. The polynomial is used up. What a step reads of
    /// all keys of a bundle lies together: sixteen places of each key, digit by digit.
    ///
    /// # Panics
    /// If lengths aren't a multiple of [`NtruProduct::key_len`] and `n`, or there is no such key or digit.
    pub fn prepare_row(&self, bundle: &mut [u8], (key, digit): (usize, usize), polynomial: &mut [F]) {
        let (count, rows) = (bundle.len() / self.key_len(), self.tables.rows.len());
        assert!(bundle.len() == count * self.key_len() && key < count && digit < rows);
        self.ntt.forward(polynomial);
        // The inverse transform is times n.
        let modulus = self.ntt.modulus();
        let scale = modulus.inv(self.ntt.n() as u64);
        let row = ROW * F::KEY_BYTES;
        for (bundle, values) in bundle.chunks_exact_mut(row * rows * count).zip(polynomial.chunks_exact(ROW)) {
            for (bytes, value) in bundle[row * (digit * count + key)..].chunks_exact_mut(F::KEY_BYTES).zip(values) {
                let scaled = modulus.mul(modulus.reduce_i64(value.to_i64()), scale);
                // Integers take residues without a sign, floats those of least magnitude.
                let word =
                    if self.ntt.has_integers() { scaled as i64 } else { plan::centred::<F>(modulus, scaled).to_i64() };
                bytes.copy_from_slice(&word.to_le_bytes()[..F::KEY_BYTES]);
            }
        }
    }

    /// The polynomial that [`NtruProduct::prepare_row`] took, to the bit: the inverse transform of what it put into its
    /// place.
    ///
    /// # Panics
    /// As [`NtruProduct::prepare_row`].
    pub fn restore_row(&self, bundle: &[u8], (key, digit): (usize, usize), polynomial: &mut [F]) {
        let (count, rows) = (bundle.len() / self.key_len(), self.tables.rows.len());
        assert!(bundle.len() == count * self.key_len() && key < count && digit < rows);
        let (modulus, row) = (self.ntt.modulus(), ROW * F::KEY_BYTES);
        let unused = 64 - 8 * F::KEY_BYTES as u32;
        for (bundle, values) in bundle.chunks_exact(row * rows * count).zip(polynomial.chunks_exact_mut(ROW)) {
            for (bytes, value) in bundle[row * (digit * count + key)..].chunks_exact(F::KEY_BYTES).zip(values) {
                let mut word = [0; 8];
                word[..F::KEY_BYTES].copy_from_slice(bytes);
                let word = i64::from_le_bytes(word);
                let signed = if self.ntt.has_integers() { word } else { word << unused >> unused };
                let scaled = modulus.mul(modulus.reduce_i64(signed), self.ntt.n() as u64);
                *value = plan::centred::<F>(modulus, scaled);
            }
        }
        self.ntt.inverse(polynomial);
    }

    /// Writes the residues of packed keys as words, which steps read faster.
    ///
    /// # Panics
    /// Unless there is a word for each residue.
    pub fn expand(&self, keys: &[u8], words: &mut [F]) {
        assert_eq!(keys.len(), words.len() * F::KEY_BYTES);
        self.ntt.run(Work::Expand { passes: self.ntt.passes(), keys, words });
    }

    /// `acc ← acc ⊡ key` for each accumulator.
    ///
    /// # Panics
    /// If a length isn't `n`, [`NtruProduct::key_len`] or [`NtruProduct::scratch_len`], or there are more than two
    /// accumulators.
    pub fn multiply<const A: usize, K: KeyWord<F>>(
        &self,
        accs: [&mut [F]; A],
        key: &[K],
        scratch: &mut [F],
        ahead: &[u8],
    ) {
        self.sweep(accs, None, (key, Weights::One), scratch, ahead);
    }

    /// `acc ← acc + ((X^e − 1)·acc) ⊡ key` for each accumulator and its exponent `e` in `0..2n`.
    ///
    /// # Panics
    /// As [`NtruProduct::multiply`], and if an exponent is too large.
    pub fn rotate_add<const A: usize, K: KeyWord<F>>(
        &self,
        accs: [(&mut [F], usize); A],
        key: &[K],
        scratch: &mut [F],
        ahead: &[u8],
    ) {
        let exponents = accs.each_ref().map(|(_, e)| *e);
        self.sweep(accs.map(|(acc, _)| acc), Some(exponents), (key, Weights::One), scratch, ahead);
    }

    /// `acc ← acc + ((X^e − 1)·acc) ⊡ Σ_j X^(e_j)·k_j` for each accumulator, its exponent `e` and those of its keys,
    /// else as [`NtruProduct::multiply_bundle`].
    ///
    /// # Panics
    /// As [`NtruProduct::rotate_add`] and [`NtruProduct::multiply_bundle`].
    pub fn rotate_add_bundle<const A: usize, K: KeyWord<F>>(
        &self,
        accs: [(&mut [F], usize, &[usize]); A],
        keys: &[K],
        scratch: &mut [F],
        ahead: &[u8],
    ) {
        let (turns, exponents) = (accs.each_ref().map(|acc| acc.1), accs.each_ref().map(|acc| acc.2));
        let weights = Weights::Monomials(sweep::both(exponents));
        self.sweep(accs.map(|acc| acc.0), Some(turns), (keys, weights), scratch, ahead);
    }

    /// `acc ← acc ⊡ Σ_j X^(e_j)·k_j` for each accumulator and its exponents `e_j` in `0..2n`, with the keys `k_j` of a
    /// bundle. A last exponent of 0 costs less than others.
    ///
    /// # Panics
    /// As [`NtruProduct::multiply`], if an exponent is too large, and unless there is a key for each exponent, and at
    /// most as many as the product was made for.
    pub fn multiply_bundle<const A: usize, K: KeyWord<F>>(
        &self,
        accs: [(&mut [F], &[usize]); A],
        keys: &[K],
        scratch: &mut [F],
        ahead: &[u8],
    ) {
        let exponents = accs.each_ref().map(|(_, e)| *e);
        self.sweep(accs.map(|(acc, _)| acc), None, (keys, Weights::Monomials(sweep::both(exponents))), scratch, ahead);
    }

    /// `acc ← acc + acc ⊡ Σ_j (X^(e_j) − 1)·k_j`, else as [`NtruProduct::multiply_bundle`].
    ///
    /// # Panics
    /// As [`NtruProduct::multiply_bundle`].
    pub fn add_bundle<const A: usize, K: KeyWord<F>>(
        &self,
        accs: [(&mut [F], &[usize]); A],
        keys: &[K],
        scratch: &mut [F],
        ahead: &[u8],
    ) {
        let exponents = accs.each_ref().map(|(_, e)| *e);
        self.sweep(accs.map(|(acc, _)| acc), None, (keys, Weights::LessOne(sweep::both(exponents))), scratch, ahead);
    }

    fn sweep<'a, const A: usize, K: KeyWord<F>>(
        &'a self,
        accs: [&'a mut [F]; A],
        turns: Option<[usize; A]>,
        (keys, weights): (&'a [K], Weights<'a>),
        scratch: &'a mut [F],
        ahead: &'a [u8],
    ) {
        let n = self.ntt.n();
        assert!((1..=MAX_TOGETHER).contains(&A), "{A} together");
        assert!(accs.iter().all(|acc| acc.len() == n) && scratch.len() == self.scratch_len());
        assert!(turns.is_none_or(|turns| turns.iter().all(|&e| e < 2 * n)), "exponents {turns:?}");
        let len = if K::PACKED { self.key_len() } else { self.words() };
        match weights {
            Weights::One => assert_eq!(keys.len(), len),
            Weights::Monomials(all) | Weights::LessOne(all) => {
                all.iter().for_each(|exponents| self.check_bundle(keys.len() / len, exponents));
                assert!(keys.len().is_multiple_of(len));
            }
        }
        let (key_count, packed, keys) = (keys.len() / len, K::PACKED, keys.as_ptr().cast());
        let (accs, scratch) = (accs.map(<[F]>::as_mut_ptr), scratch.as_mut_ptr());
        let (accs, turns) = (sweep::both(accs), turns.map(sweep::both));
        let (tables, passes) = (&self.tables, self.ntt.passes());
        let sweep = Sweep { tables, passes, count: A, accs, turns, keys, key_count, packed, weights, scratch, ahead };
        self.ntt.run(Work::Sweep(sweep));
    }

    /// Checks the number of keys and their exponents.
    fn check_bundle(&self, keys: usize, exponents: &[usize]) {
        assert!(exponents.len() <= self.max_keys && keys == exponents.len());
        assert!(exponents.iter().all(|&e| e < 2 * self.ntt.n()), "exponents {exponents:?}");
    }
}
