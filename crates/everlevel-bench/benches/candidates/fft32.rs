//! A complex transform of real polynomials modulo `X^n + 1` in single precision, for `n = 1024`, on AVX-512: a
//! candidate for NTRU's ring that is measured here, and used nowhere, since it errs.
//!
//! Two halves of the coefficients are one complex number each, a polynomial modulo `X^512 − i`; a node `X^m − c` has
//! the children `X^(m/2) ∓ √c`. A level of the whole, then two blocks of sixteen rows of sixteen: four levels across
//! rows, a transposition, four levels across what were lanes.

use core::arch::x86_64::*;
use std::f64::consts::PI;

const HALF: usize = 512;
const ROW: usize = 16;
/// Twiddles of four levels.
const NODES: usize = ROW - 1;

/// A twiddle of a level, in each of sixteen lanes.
type Lanes = [f32; ROW];

/// The tables.
pub struct Fft32 {
    /// The twiddles of the first level, then those across the rows of each block: real parts, imaginary parts.
    across: [Vec<f32>; 2],
    /// The twiddles within rows, block by block.
    within: [Vec<Lanes>; 2],
}

/// The angle of the twiddle of node `k` of depth `d`, in turns: half of its constant's, which for the root is a fourth.
fn angle(depth: u32, node: usize) -> f64 {
    let reversed = if depth == 0 { 0 } else { node.reverse_bits() >> (usize::BITS - depth) };
    (0.25 + reversed as f64) / (2u64 << depth) as f64
}

/// The nodes of four levels below node `node` of depth `depth`, level by level.
fn below(depth: u32, node: usize) -> impl Iterator<Item = f64> {
    (0..4).flat_map(move |level| (0..1 << level).map(move |child| angle(depth + level, (node << level) + child)))
}

impl Fft32 {
    pub fn new() -> Self {
        let across: Vec<f64> = std::iter::once(angle(0, 0)).chain((0..2).flat_map(|block| below(1, block))).collect();
        let rows = |block: usize| (0..ROW).map(move |row| below(5, ROW * block + row).collect::<Vec<f64>>());
        let within = (0..2).flat_map(|block| {
            let rows: Vec<Vec<f64>> = rows(block).collect();
            (0..NODES).map(move |i| std::array::from_fn::<f64, ROW, _>(|row| rows[row][i]))
        });
        let within: Vec<[f64; ROW]> = within.collect();
        let parts = [|turns: f64| (2.0 * PI * turns).cos() as f32, |turns: f64| (2.0 * PI * turns).sin() as f32];
        Self {
            across: parts.map(|part| across.iter().map(|&x| part(x)).collect()),
            within: parts.map(|part| within.iter().map(|lanes| lanes.map(part)).collect()),
        }
    }

    /// The transform, in place: real parts, then imaginary parts, at places of the order that is fastest.
    ///
    /// # Safety
    /// The CPU has AVX-512 F and DQ.
    #[target_feature(enable = "avx512f,avx512dq")]
    pub unsafe fn forward(&self, x: &mut [f32; 2 * HALF]) {
        let p = x.as_mut_ptr();
        let twiddle = |i: usize| (_mm512_set1_ps(self.across[0][i]), _mm512_set1_ps(self.across[1][i]));
        for at in (0..HALF / 2).step_by(ROW) {
            // SAFETY: `at + 16 ≤ HALF/2`, so that all four loads and stores lie in the array of `2·HALF` floats, and
            // the caller vouches for AVX-512.
            unsafe {
                let low = (_mm512_loadu_ps(p.add(at)), _mm512_loadu_ps(p.add(HALF + at)));
                let high = (_mm512_loadu_ps(p.add(at + HALF / 2)), _mm512_loadu_ps(p.add(HALF + at + HALF / 2)));
                let (sum, difference) = butterfly(low, high, twiddle(0));
                store(p.add(at), sum);
                store(p.add(at + HALF / 2), difference);
            }
        }
        for block in 0..2 {
            // SAFETY: a block is `ROW` rows of `ROW` floats, two of which are `HALF`; their imaginary parts lie `HALF`
            // further in the array. Lanes of `within` are arrays of sixteen. The caller vouches for AVX-512.
            unsafe {
                let p = p.add(ROW * ROW * block);
                let mut rows = [(_mm512_setzero_ps(), _mm512_setzero_ps()); ROW];
                for (i, row) in rows.iter_mut().enumerate() {
                    *row = (_mm512_loadu_ps(p.add(ROW * i)), _mm512_loadu_ps(p.add(HALF + ROW * i)));
                }
                levels(&mut rows, |i| twiddle(1 + NODES * block + i));
                let mut parts = [[_mm512_setzero_ps(); ROW]; 2];
                for i in 0..ROW {
                    (parts[0][i], parts[1][i]) = rows[i];
                }
                transpose(&mut parts[0]);
                transpose(&mut parts[1]);
                for i in 0..ROW {
                    rows[i] = (parts[0][i], parts[1][i]);
                }
                levels(&mut rows, |i| {
                    let lanes = |part: usize| _mm512_loadu_ps(self.within[part][NODES * block + i].as_ptr());
                    (lanes(0), lanes(1))
                });
                for (i, &row) in rows.iter().enumerate() {
                    store(p.add(ROW * i), row);
                }
            }
        }
    }

    /// The exponents of the 2048th root of unity at the places.
    fn exponents() -> Vec<usize> {
        // The constant of a leaf is that of its twiddle's node, of depth nine, twice.
        let place = |i: usize| {
            let (block, i) = (i / (ROW * ROW), i % (ROW * ROW));
            ROW * ROW * block + ROW * (i % ROW) + i / ROW
        };
        (0..HALF).map(|i| (angle(9, place(i)) * 2.0 * 2048.0).round() as usize % 2048).collect()
    }

    /// The root of the mean square error, relative to that of the values, of a transform.
    pub fn relative_error(&self, x: &[f32; 2 * HALF]) -> f64 {
        let mut got = *x;
        // SAFETY: the bench measures, and asks for errors, only on backends with AVX-512.
        unsafe { self.forward(&mut got) };
        let (mut error, mut size) = (0.0, 0.0);
        for (place, e) in Self::exponents().into_iter().enumerate() {
            let (mut re, mut im) = (0.0, 0.0);
            for (j, &x) in x.iter().enumerate() {
                let turns = 2.0 * PI * ((e * j) % 2048) as f64 / 2048.0;
                re += f64::from(x) * turns.cos();
                im += f64::from(x) * turns.sin();
            }
            error += (re - f64::from(got[place])).powi(2) + (im - f64::from(got[HALF + place])).powi(2);
            size += re * re + im * im;
        }
        (error / size).sqrt()
    }
}

type Complex = (__m512, __m512);

/// # Safety
/// `p` is writable for sixteen floats, and for sixteen more `HALF` further.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(p: *mut f32, (re, im): Complex) {
    // SAFETY: the caller vouches for sixteen writable floats at `p`, and `HALF` further; stores are unaligned.
    unsafe {
        _mm512_storeu_ps(p, re);
        _mm512_storeu_ps(p.add(HALF), im);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn butterfly(x: Complex, y: Complex, w: Complex) -> (Complex, Complex) {
    let re = _mm512_fmsub_ps(y.0, w.0, _mm512_mul_ps(y.1, w.1));
    let im = _mm512_fmadd_ps(y.0, w.1, _mm512_mul_ps(y.1, w.0));
    let sum = (_mm512_add_ps(x.0, re), _mm512_add_ps(x.1, im));
    (sum, (_mm512_sub_ps(x.0, re), _mm512_sub_ps(x.1, im)))
}

/// Four levels of sixteen values, two at a time: four complex values are in registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn levels(a: &mut [Complex; ROW], w: impl Fn(usize) -> Complex) {
    for i in 0..4 {
        four(a, [i, i + 4, i + 8, i + 12], [w(0), w(1), w(2)]);
    }
    for i in 0..4 {
        four(a, [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3], [w(3 + i), w(7 + 2 * i), w(8 + 2 * i)]);
    }
}

/// Two levels of four of the values.
#[inline]
#[target_feature(enable = "avx512f")]
fn four(a: &mut [Complex; ROW], i: [usize; 4], w: [Complex; 3]) {
    let (x, z) = butterfly(a[i[0]], a[i[2]], w[0]);
    let (y, t) = butterfly(a[i[1]], a[i[3]], w[0]);
    (a[i[0]], a[i[1]]) = butterfly(x, y, w[1]);
    (a[i[2]], a[i[3]]) = butterfly(z, t, w[2]);
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn transpose(rows: &mut [__m512; ROW]) {
    for i in (0..ROW).step_by(4) {
        let [a, b, c, d] = [rows[i], rows[i + 1], rows[i + 2], rows[i + 3]];
        let (low, high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let (low_2, high_2) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        rows[i] = _mm512_shuffle_ps::<0x44>(low, low_2);
        rows[i + 1] = _mm512_shuffle_ps::<0xee>(low, low_2);
        rows[i + 2] = _mm512_shuffle_ps::<0x44>(high, high_2);
        rows[i + 3] = _mm512_shuffle_ps::<0xee>(high, high_2);
    }
    for c in 0..4 {
        let [a, b, d, e] = [rows[c], rows[4 + c], rows[8 + c], rows[12 + c]];
        let (ab, ab_2) = (_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xdd>(a, b));
        let (de, de_2) = (_mm512_shuffle_f32x4::<0x88>(d, e), _mm512_shuffle_f32x4::<0xdd>(d, e));
        rows[c] = _mm512_shuffle_f32x4::<0x88>(ab, de);
        rows[4 + c] = _mm512_shuffle_f32x4::<0x88>(ab_2, de_2);
        rows[8 + c] = _mm512_shuffle_f32x4::<0xdd>(ab, de);
        rows[12 + c] = _mm512_shuffle_f32x4::<0xdd>(ab_2, de_2);
    }
}
