//! Sums of products of limbs, with the second factors as words or packed: methods of [`Modulus`].

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::prefetch::{LINE, prefetch_line};
use crate::simd::vector_prefix;
use crate::{Modulus, packed};

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod four_lanes;
pub(crate) mod sliding;

impl Modulus {
    /// `out_i = Σ_k x_k[i]·y_k[i]`, at most 64 terms.
    pub fn inner_product_into(&self, out: &mut [u64], x: &[&[u64]], y: &[&[u64]]) {
        assert_eq!(x.len(), y.len());
        assert!(x.len() <= 64);
        assert!(x.iter().chain(y).all(|s| s.len() == out.len()));
        let done = vector_prefix!(self.simd(), inner_product_into(self, out, x, y));
        self.sums_into(out, done, |i, sums| {
            for (x, y) in x.iter().zip(y) {
                for ((sum, &x), &y) in sums.iter_mut().zip(&x[i..]).zip(&y[i..]) {
                    *sum += u128::from(x) * u128::from(y);
                }
            }
        });
    }

    /// `out_i = Σ_k x_k[i]·y_k[i]` with the `y_k` in packed form (see [`packed`]), at most 64 terms.
    pub fn inner_product_packed_into(&self, out: &mut [u64], x: &[&[u64]], y: &[&[u8]]) {
        self.inner_products_packed_into::<_, false>([out], x, [y]);
    }

    /// `out_i = Σ_k x_k[i]·y_k[n − 1 − i]` of `n` residues, with the `y_k` in packed form:
    /// [`Self::inner_product_packed_into`] with mirrored second factors.
    pub fn inner_product_mirrored_into(&self, out: &mut [u64], x: &[&[u64]], y: &[&[u8]]) {
        self.inner_products_packed_into::<_, true>([out], x, [y]);
    }

    /// Two [`Modulus::inner_product_packed_into`] with the same `x_k`, which are read once.
    pub fn inner_product_packed_pair_into(
        &self,
        out0: &mut [u64],
        out1: &mut [u64],
        x: &[&[u64]],
        y0: &[&[u8]],
        y1: &[&[u8]],
    ) {
        self.inner_products_packed_into::<_, false>([out0, out1], x, [y0, y1]);
    }

    /// `out_p[i] = Σ_k x_{p,k}[i]·y_k[i / run]` for both parts `p`, where `y_k` has a value for every run of
    /// `2^log_run` residues, at most 64 terms.
    pub fn inner_product_pair_by_runs_into(
        &self,
        mut out: [&mut [u64]; 2],
        x: [&[&[u64]]; 2],
        y: &[&[u64]],
        log_run: u32,
    ) {
        check_pair(&out, x, y.len());
        assert!(y.iter().all(|y| out[0].len() <= y.len() << log_run));
        let outs = out.each_mut().map(|o| &mut **o);
        let done = vector_prefix!(self.simd(), inner_product_pair_by_runs_into(self, outs, x, y, log_run));
        for (out, x) in out.into_iter().zip(x) {
            self.sums_into(out, done, |at, sums| {
                for (x, y) in x.iter().zip(y) {
                    for (i, (sum, &x)) in (at..).zip(sums.iter_mut().zip(&x[at..])) {
                        *sum += u128::from(x) * u128::from(y[i >> log_run]);
                    }
                }
            });
        }
    }

    /// `out_p[i] = Σ_k x_{p,k}[i]·y_k[i]` for both parts `p`, with the `y_k` in packed form, at most 64 terms: every
    /// `y_k` is read once.
    pub fn inner_product_pair_by_packed_into(&self, mut out: [&mut [u64]; 2], x: [&[&[u64]]; 2], y: &[&[u8]]) {
        check_pair(&out, x, y.len());
        assert!(y.iter().all(|y| y.len() == packed::byte_len(out[0].len())));
        let outs = out.each_mut().map(|o| &mut **o);
        let done = vector_prefix!(self.simd(), inner_product_pair_by_packed_into(self, outs, x, y));
        for (out, x) in out.into_iter().zip(x) {
            self.sums_into(out, done, |at, sums| {
                for (x, y) in x.iter().zip(y) {
                    for ((sum, &x), y) in sums.iter_mut().zip(&x[at..]).zip(packed::residues_from(y, at)) {
                        *sum += u128::from(x) * u128::from(y);
                    }
                }
            });
        }
    }

    fn inner_products_packed_into<const OUTPUTS: usize, const MIRRORED: bool>(
        &self,
        mut out: [&mut [u64]; OUTPUTS],
        x: &[&[u64]],
        y: [&[&[u8]]; OUTPUTS],
    ) {
        let n = out[0].len();
        assert!(x.len() <= 64);
        assert!(x.iter().all(|s| s.len() == n) && out.iter().all(|s| s.len() == n));
        assert!(y.iter().all(|y| y.len() == x.len() && y.iter().all(|s| s.len() == packed::byte_len(n))));
        let outs = out.each_mut().map(|o| &mut **o);
        let done = match MIRRORED {
            true => vector_prefix!(self.simd(), inner_products_packed_into::<OUTPUTS, true>(self, outs, x, y)),
            false => vector_prefix!(self.simd(), inner_products_packed_into::<OUTPUTS, false>(self, outs, x, y)),
        };
        for (out, y) in out.iter_mut().zip(y) {
            self.sums_into(out, done, |i, sums| {
                for (x, y) in x.iter().zip(y) {
                    let add = |((sum, &x), y): ((&mut u128, &u64), u64)| *sum += u128::from(x) * u128::from(y);
                    let pairs = sums.iter_mut().zip(&x[i..]);
                    match MIRRORED {
                        true => pairs.zip(packed::residues_down_from(y, n - 1 - i)).for_each(add),
                        false => pairs.zip(packed::residues_from(y, i)).for_each(add),
                    }
                }
            });
        }
    }
}

/// Bytes between packed residues that are read and those that are asked for.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const AHEAD: usize = 24 * LINE;

/// Asks for the lines of packed residues that are read some steps later: after a step of `len`, or before it where they
/// are read from the last to the first.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline]
fn prefetch_ahead<const MIRRORED: bool>(step: &[u8], len: usize) {
    let first = step.as_ptr();
    let first = if MIRRORED { first.wrapping_sub(AHEAD) } else { first.wrapping_add(AHEAD) };
    for line in 0..(6 * len).div_ceil(LINE) {
        prefetch_line(first.wrapping_add(line * LINE));
    }
}

/// Two sums of so many terms have a first factor each, of the sums' length.
fn check_pair(out: &[&mut [u64]; 2], x: [&[&[u64]]; 2], terms: usize) {
    assert!(terms <= 64 && out[0].len() == out[1].len());
    assert!(x.iter().all(|x| x.len() == terms && x.iter().all(|x| x.len() == out[0].len())));
}
