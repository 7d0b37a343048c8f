//! Operations that need no transform, on limbs as lists of slices: sums, carries and shifts, other bases,
//! automorphisms, other degrees.

use everlevel_math::base2k::{Base, split_wide};
use everlevel_math::monomial;
use rayon::prelude::*;

use super::layout::{BLOCK, blocks, blocks_mut, items_of_a_task};

/// `out_j = f(a_j, b_j)`, limb by limb, with 0 for limbs that an operand lacks. No carries.
fn zip_into(out: &mut [&mut [i64]], a: &[&[i64]], b: &[&[i64]], f: impl Fn(i64, i64) -> i64 + Sync) {
    let at_once = items_of_a_task(out.first().map_or(0, |limb| limb.len()));
    out.par_iter_mut().enumerate().with_min_len(at_once).for_each(|(j, out)| match (a.get(j), b.get(j)) {
        (Some(a), Some(b)) => out.iter_mut().zip(a.iter().zip(*b)).for_each(|(o, (&a, &b))| *o = f(a, b)),
        (Some(a), None) => out.iter_mut().zip(*a).for_each(|(o, &a)| *o = f(a, 0)),
        (None, Some(b)) => out.iter_mut().zip(*b).for_each(|(o, &b)| *o = f(0, b)),
        (None, None) => out.fill(f(0, 0)),
    });
}

/// `a_j = f(a_j, b_j)` for the limbs that both have.
fn assign(a: &mut [&mut [i64]], b: &[&[i64]], f: impl Fn(i64, i64) -> i64 + Sync) {
    let at_once = items_of_a_task(a.first().map_or(0, |limb| limb.len()));
    let each = a.par_iter_mut().zip(b).with_min_len(at_once);
    each.for_each(|(a, b)| a.iter_mut().zip(*b).for_each(|(a, &b)| *a = f(*a, b)));
}

/// `out = a + b`, limb by limb modulo `2^64`, without carries.
pub fn add_into(out: &mut [&mut [i64]], a: &[&[i64]], b: &[&[i64]]) {
    zip_into(out, a, b, i64::wrapping_add);
}

/// `out = a − b`, limb by limb modulo `2^64`, without carries.
pub fn sub_into(out: &mut [&mut [i64]], a: &[&[i64]], b: &[&[i64]]) {
    zip_into(out, a, b, i64::wrapping_sub);
}

/// `a += b`, limb by limb modulo `2^64`, without carries.
pub fn add_assign(a: &mut [&mut [i64]], b: &[&[i64]]) {
    assign(a, b, i64::wrapping_add);
}

/// `a −= b`, limb by limb modulo `2^64`, without carries.
pub fn sub_assign(a: &mut [&mut [i64]], b: &[&[i64]]) {
    assign(a, b, i64::wrapping_sub);
}

/// `out = a·2^log2_factor` modulo 1, normalised, and rounded to the limbs of `out`: with a factor of 1, carries alone.
/// Words of `a` may be any; with a factor that isn't a whole number of limbs, `±2^62` at most.
pub fn shift_into(base: Base, out: &mut [&mut [i64]], a: &[&[i64]], log2_factor: i64) {
    let k = i64::from(base.log2());
    let (offset, shift) = (log2_factor.div_euclid(k), log2_factor.rem_euclid(k) as u32);
    let last = (a.len() as i64).max(out.len() as i64 + offset);
    let n = out.first().map_or(0, |limb| limb.len());
    let sources = if a.is_empty() { vec![Vec::new(); n.div_ceil(BLOCK)] } else { blocks(a.iter().copied(), BLOCK) };
    let at_once = items_of_a_task(BLOCK * out.len());
    let targets = blocks_mut(out.iter_mut().map(|limb| &mut **limb), BLOCK);
    sources.into_par_iter().zip(targets).with_min_len(at_once).for_each(|(a, mut out)| {
        let len = out[0].len();
        let (mut carry, mut surplus) = ([0; BLOCK], [0; BLOCK]);
        let (carry, surplus) = (&mut carry[..len], &mut surplus[..len]);
        for i in (offset..last).rev() {
            let digits = match out.get_mut((i - offset) as usize) {
                Some(limb) => &mut **limb,
                None => &mut *surplus,
            };
            match usize::try_from(i).ok().and_then(|i| a.get(i)) {
                Some(x) => base.step(digits, x, carry, shift),
                None => base.step_zero(digits, carry),
            }
        }
    });
}

/// Rounds limb `count − 1` so that it ends with as many zero bits, fewer than a limb has, to even at ties. A limb below
/// it, if there is one, is the rest of the number, and isn't read further. No carries: with zeros, a limb may be
/// `2^(K − 1)`.
pub(super) fn round_to_even(base: Base, a: &mut [&mut [i64]], count: usize, zeros: u32) {
    let (kept, below) = a.split_at_mut(count);
    let (Some(last), below) = (kept.last_mut(), below.first()) else { return };
    let half_limb = -1i64 << (base.log2() - 1);
    match (zeros.checked_sub(1), below) {
        // A balanced rest is at most half a unit already, and a tie where it is its least.
        (None, Some(below)) => last.iter_mut().zip(&**below).for_each(|(x, &rest)| *x &= !i64::from(rest == half_limb)),
        (None, None) => (),
        (Some(half), Some(below)) => {
            last.iter_mut().zip(&**below).for_each(|(x, &rest)| *x = rounded(*x, half, rest.signum()))
        }
        (Some(half), None) => last.iter_mut().for_each(|x| *x = rounded(*x, half, 0)),
    }
}

/// A word with a little more, of which the sign is known, as the nearest multiple of `2^(half + 1)`, the even one at
/// ties.
#[inline(always)]
fn rounded(x: i64, half: u32, sign: i64) -> i64 {
    let up = x + (1 << half);
    let quotient = up >> (half + 1);
    let is_tie = i64::from(up == quotient << (half + 1));
    // Less than a tie goes down, which `up` has lifted; a tie goes down where the quotient is odd.
    let down = is_tie * (i64::from(sign < 0) + i64::from(sign == 0) * (quotient & 1));
    (quotient - down) << (half + 1)
}

/// `out = a`, from one base to another: `a` need not be normalised, `out` is, and is rounded where it has less
/// precision.
pub fn convert_base_into(to: Base, out: &mut [&mut [i64]], from: Base, a: &[&[i64]]) {
    let (bits, target) = (from.log2(), to.log2());
    // Zeros below the last limb make the limbs of both bases end at the same place.
    let pad = (target - (a.len() as u32 * bits) % target) % target;
    let count = (a.len() * bits as usize + pad as usize) / target as usize;
    let n = out.first().map_or(0, |limb| limb.len());
    for limb in out.iter_mut().skip(count) {
        limb.fill(0);
    }
    for i in 0..n {
        let (mut sum, mut held, mut next, mut carry) = (0i128, pad, count, 0i128);
        for limb in a.iter().rev() {
            let (digit, above) = split_wide(i128::from(limb[i]) + carry, bits);
            carry = above;
            sum += digit << held;
            held += bits;
            while held >= target {
                let (digit, above) = split_wide(sum, target);
                (sum, held, next) = (above, held - target, next - 1);
                if let Some(limb) = out.get_mut(next) {
                    limb[i] = digit as i64;
                }
            }
        }
    }
}

/// `out = a·word` for an integer and normalised limbs, normalised, and rounded to the limbs of `out`, so many of which
/// are above the point. What is above all of these vanishes.
pub(super) fn multiply_word_into(base: Base, out: &mut [&mut [i64]], above: usize, a: &[&[i64]], word: i64) {
    for limb in out.iter_mut().skip(above + a.len()) {
        limb.fill(0);
    }
    let sources = blocks(a.iter().copied(), BLOCK);
    let targets = blocks_mut(out.iter_mut().map(|limb| &mut **limb), BLOCK);
    sources.into_par_iter().zip(targets).for_each(|(a, mut out)| {
        let (mut carry, mut surplus) = ([0; BLOCK], [0; BLOCK]);
        let len = a[0].len();
        for j in (0..above + a.len()).rev() {
            let out = out.get_mut(j).map_or(&mut surplus[..len], |out| &mut **out);
            match j.checked_sub(above) {
                Some(j) => base.step_times(out, a[j], word, &mut carry[..len]),
                None => base.step_zero(out, &mut carry[..len]),
            }
        }
    });
}

/// `out = X^exponent·a`; limbs that `a` lacks are 0.
pub fn rotate_into(out: &mut [&mut [i64]], a: &[&[i64]], exponent: i64) {
    let two_n = 2 * out.first().map_or(1, |limb| limb.len() as i64);
    each_limb(out, a, |out, a| monomial::rotate(out, a, exponent.rem_euclid(two_n) as usize));
}

/// `out = a(X^galois_elt)`; limbs that `a` lacks are 0.
///
/// # Panics
/// If the element is even.
pub fn automorphism_into(out: &mut [&mut [i64]], a: &[&[i64]], galois_elt: u64) {
    each_limb(out, a, |out, a| monomial::automorphism(out, a, galois_elt));
}

fn each_limb(out: &mut [&mut [i64]], a: &[&[i64]], f: impl Fn(&mut [i64], &[i64]) + Sync) {
    let at_once = items_of_a_task(out.first().map_or(0, |limb| limb.len()));
    out.par_iter_mut().enumerate().with_min_len(at_once).for_each(|(j, out)| match a.get(j) {
        Some(a) => f(out, a),
        None => out.fill(0),
    });
}

/// One limb of degree `n` as `m` of degree `n/m`: `a = Σ_k X^k·part_k(X^m)`.
///
/// # Panics
/// If the lengths aren't such.
pub fn split_into(parts: &mut [&mut [i64]], a: &[i64]) {
    let m = parts.len();
    for (k, part) in parts.iter_mut().enumerate() {
        assert_eq!(part.len() * m, a.len());
        part.iter_mut().zip(a[k..].iter().step_by(m)).for_each(|(out, &x)| *out = x);
    }
}

/// The inverse of [`split_into`].
///
/// # Panics
/// As [`split_into`].
pub fn merge_into(out: &mut [i64], parts: &[&[i64]]) {
    let m = parts.len();
    for (k, part) in parts.iter().enumerate() {
        assert_eq!(part.len() * m, out.len());
        out[k..].iter_mut().step_by(m).zip(*part).for_each(|(out, &x)| *out = x);
    }
}
