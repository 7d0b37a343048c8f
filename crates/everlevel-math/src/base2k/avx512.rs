//! Steps of the carry on residues, eight integers at a time, in words of 52 bits.

use core::arch::x86_64::*;

use super::residues::{MASK, ResidueCarry, ResidueDigits, WORD};
use super::words::Base;
use crate::lanes::avx512::{Consts, Factor, add_mul_shoup, canonical, canonical4, factor, mul_shoup, read, write};

/// A word in every lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn all(x: u64) -> __m512i {
    _mm512_set1_epi64(x.cast_signed())
}

/// An integer in words of 52 bits, in every lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn words(x: u128, above: u64) -> [__m512i; 3] {
    [all(x as u64 & MASK), all((x >> WORD) as u64 & MASK), all((x >> (2 * WORD)) as u64 + above)]
}

/// [`ResidueDigits::step`] on a prefix, whose length is returned.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn step<const PRIMES: usize>(
    digits: &ResidueDigits,
    base: Base,
    out: &mut [i64],
    x: [&[u64]; PRIMES],
    carry: &mut ResidueCarry,
) -> usize {
    let last = PRIMES - 1;
    let (p, q, r) = (&digits.moduli[0], &digits.moduli[1], &digits.moduli[last]);
    let (at_q, at_r) = (Consts::new(q.q()), Consts::new(r.q()));
    let first: Factor = factor(q, digits.first);
    let second: [Factor; 2] = [factor(r, digits.second[0]), factor(r, digits.second[1])];
    let half = all(r.q() / 2);
    let pair = u128::from(p.q()) * u128::from(q.q());
    // Q = q_0·q_1·q_2 in words, or q_0·q_1.
    let modulus = if PRIMES == 2 {
        words(pair, 0)
    } else {
        let low = (pair & u128::from(MASK)) * u128::from(r.q());
        let high = (pair >> WORD) * u128::from(r.q()) + (low >> WORD);
        [all(low as u64 & MASK), all(high as u64 & MASK), all((high >> WORD) as u64)]
    };
    let [pair_low, pair_high, _] = words(pair, 0);
    let (p_word, zero, mask) = (all(p.q()), _mm512_setzero_si512(), all(MASK));
    let k = base.log2();
    let (extend, beyond) = (_mm_cvtsi32_si128(64 - k as i32), _mm_cvtsi32_si128(k.abs_diff(WORD) as i32));
    let (down, up) = (_mm_cvtsi32_si128(k as i32), _mm_cvtsi32_si128((2 * WORD - k.min(2 * WORD)) as i32));
    let len = out.len() / 8 * 8;
    for at in (0..len).step_by(8) {
        let mut residues = [zero; PRIMES];
        for (residue, x) in residues.iter_mut().zip(x) {
            *residue = read(&x[at..].as_chunks::<8>().0[0]);
        }
        let (r0, r1) = (residues[0], residues[1]);
        let d1 = mul_shoup(&at_q, _mm512_sub_epi64(_mm512_add_epi64(r1, at_q.q2), r0), first);
        let d1 = canonical(&at_q, d1);
        let top = if PRIMES == 2 {
            d1
        } else {
            let x = mul_shoup(&at_r, _mm512_sub_epi64(_mm512_add_epi64(residues[last], at_r.q2), r0), second[0]);
            canonical4(&at_r, add_mul_shoup(&at_r, x, d1, second[1]))
        };
        let mut w0 = _mm512_madd52lo_epu64(r0, p_word, d1);
        let mut w1 = _mm512_madd52hi_epu64(zero, p_word, d1);
        let mut w2 = zero;
        if PRIMES == 3 {
            w0 = _mm512_madd52lo_epu64(w0, pair_low, top);
            w1 = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(w1, pair_low, top), pair_high, top);
            w2 = _mm512_madd52hi_epu64(zero, pair_high, top);
        }
        let negative = _mm512_cmpgt_epu64_mask(top, half);
        w0 = _mm512_mask_sub_epi64(w0, negative, w0, modulus[0]);
        w1 = _mm512_mask_sub_epi64(w1, negative, w1, modulus[1]);
        w2 = _mm512_mask_sub_epi64(w2, negative, w2, modulus[2]);
        // The carry, whose upper word goes to two.
        let (low, high) = carry_words(carry, at);
        let upper = read(bytemuck::cast_ref(&*high));
        w0 = _mm512_add_epi64(w0, read(low));
        w1 = _mm512_add_epi64(w1, _mm512_srai_epi64::<WORD>(w0));
        w0 = _mm512_and_si512(w0, mask);
        w1 = _mm512_add_epi64(w1, _mm512_and_si512(upper, mask));
        w2 = _mm512_add_epi64(w2, _mm512_add_epi64(_mm512_srai_epi64::<WORD>(w1), _mm512_srai_epi64::<WORD>(upper)));
        w1 = _mm512_and_si512(w1, mask);
        // The digit is the sign-extended low bits.
        let word = _mm512_or_si512(w0, _mm512_slli_epi64::<WORD>(w1));
        let digit = _mm512_sra_epi64(_mm512_sll_epi64(word, extend), extend);
        let (mut c0, c1) = if k > WORD {
            let c0 = _mm512_or_si512(_mm512_srl_epi64(w1, beyond), _mm512_sll_epi64(w2, up));
            (c0, _mm512_sra_epi64(w2, beyond))
        } else {
            let c0 = _mm512_or_si512(_mm512_srl_epi64(w0, down), _mm512_sll_epi64(w1, beyond));
            (c0, _mm512_or_si512(_mm512_srl_epi64(w1, down), _mm512_sll_epi64(w2, beyond)))
        };
        c0 = _mm512_add_epi64(_mm512_and_si512(c0, mask), _mm512_srli_epi64::<63>(digit));
        // A carry out of the lower word.
        let (over, c0) = (_mm512_srli_epi64::<WORD>(c0), _mm512_and_si512(c0, mask));
        let (low, high) = carry_words(carry, at);
        let mut upper = [0; 8];
        write(low, c0);
        write(&mut upper, _mm512_add_epi64(c1, over));
        *high = bytemuck::cast(upper);
        let mut words = [0; 8];
        write(&mut words, digit);
        out[at..at + 8].copy_from_slice(bytemuck::cast_slice(&words));
    }
    len
}

/// Eight carries.
#[inline]
fn carry_words(carry: &mut ResidueCarry, at: usize) -> (&mut [u64; 8], &mut [i64; 8]) {
    (&mut carry.low[at..].as_chunks_mut::<8>().0[0], &mut carry.high[at..].as_chunks_mut::<8>().0[0])
}
