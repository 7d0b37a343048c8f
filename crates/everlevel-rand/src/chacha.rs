//! ChaCha20 keystream in batches of 16 blocks: AVX-512 here, everything else in the `chacha20` crate.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};

/// Blocks in a batch: the lanes of a 512-bit register.
pub(crate) const BATCH_BLOCKS: usize = 16;
/// Words in a batch.
pub(crate) const BATCH_WORDS: usize = BATCH_BLOCKS * 8;

/// Fills `out`, whole batches, with the keystream from block `counter` on, words little-endian.
///
/// # Panics
/// If `out` is not whole batches or the 32-bit block counter would wrap.
pub(crate) fn keystream(key: &[u8; 32], nonce: &[u8; 12], counter: u32, out: &mut [u64]) {
    assert!(out.len().is_multiple_of(BATCH_WORDS));
    assert!(counter as u64 + out.len() as u64 / 8 <= u32::MAX as u64);
    #[cfg(target_arch = "x86_64")]
    if crate::cpu::has_avx512() {
        // SAFETY: `has_avx512` is true only where the CPU has AVX-512 F.
        unsafe { avx512::keystream(key, nonce, counter, out) };
        return;
    }
    keystream_portable(key, nonce, counter, out);
}

fn keystream_portable(key: &[u8; 32], nonce: &[u8; 12], counter: u32, out: &mut [u64]) {
    let mut cipher = ChaCha20::new(key.into(), nonce.into());
    cipher.seek(counter as u64 * 64);
    out.fill(0);
    cipher.apply_keystream(bytemuck::cast_slice_mut(out));
    for word in out {
        *word = u64::from_le(*word);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    //! Sixteen blocks at once: register `i` holds word `i` of every block, one block a lane.

    use std::arch::x86_64::*;

    use super::BATCH_WORDS;

    /// "expand 32-byte k"
    const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

    /// [`super::keystream`] on AVX-512, sixteen blocks at a time.
    #[target_feature(enable = "avx512f")]
    pub(super) fn keystream(key: &[u8; 32], nonce: &[u8; 12], counter: u32, out: &mut [u64]) {
        let word = |bytes: &[u8], i: usize| u32::from_le_bytes(std::array::from_fn(|j| bytes[4 * i + j]));
        let mut initial = [_mm512_setzero_si512(); 16];
        for i in 0..4 {
            initial[i] = _mm512_set1_epi32(CONSTANTS[i] as i32);
        }
        for i in 0..8 {
            initial[4 + i] = _mm512_set1_epi32(word(key, i) as i32);
        }
        for i in 0..3 {
            initial[13 + i] = _mm512_set1_epi32(word(nonce, i) as i32);
        }
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        initial[12] = _mm512_add_epi32(_mm512_set1_epi32(counter as i32), lanes);
        let (batches, rest) = out.as_chunks_mut::<BATCH_WORDS>();
        assert!(rest.is_empty());
        for batch in batches {
            let mut v = initial;
            for _ in 0..10 {
                double_round(&mut v);
            }
            for i in 0..16 {
                v[i] = _mm512_add_epi32(v[i], initial[i]);
            }
            store(&v, batch);
            initial[12] = _mm512_add_epi32(initial[12], _mm512_set1_epi32(16));
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn double_round(v: &mut [__m512i; 16]) {
        for shift in [0, 1] {
            let quarters: [[usize; 4]; 4] = if shift == 0 {
                [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]
            } else {
                [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]]
            };
            macro_rules! step {
                ($a:literal, $b:literal, $d:literal, $rotation:literal) => {
                    for q in quarters {
                        v[q[$a]] = _mm512_add_epi32(v[q[$a]], v[q[$b]]);
                        v[q[$d]] = _mm512_rol_epi32::<$rotation>(_mm512_xor_si512(v[q[$d]], v[q[$a]]));
                    }
                };
            }
            step!(0, 1, 3, 16);
            step!(2, 3, 1, 12);
            step!(0, 1, 3, 8);
            step!(2, 3, 1, 7);
        }
    }

    /// Transposes words × blocks into blocks × words.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(v: &[__m512i; 16], out: &mut [u64; BATCH_WORDS]) {
        // rows[j][g], 128-bit lane L: words 4g..4g+4 of block 4L + j.
        let mut rows = [[_mm512_setzero_si512(); 4]; 4];
        for g in 0..4 {
            let low_01 = _mm512_unpacklo_epi32(v[4 * g], v[4 * g + 1]);
            let low_23 = _mm512_unpacklo_epi32(v[4 * g + 2], v[4 * g + 3]);
            let high_01 = _mm512_unpackhi_epi32(v[4 * g], v[4 * g + 1]);
            let high_23 = _mm512_unpackhi_epi32(v[4 * g + 2], v[4 * g + 3]);
            rows[0][g] = _mm512_unpacklo_epi64(low_01, low_23);
            rows[1][g] = _mm512_unpackhi_epi64(low_01, low_23);
            rows[2][g] = _mm512_unpacklo_epi64(high_01, high_23);
            rows[3][g] = _mm512_unpackhi_epi64(high_01, high_23);
        }
        for (j, row) in rows.iter().enumerate() {
            let even_01 = _mm512_shuffle_i32x4::<0b10_00_10_00>(row[0], row[1]);
            let even_23 = _mm512_shuffle_i32x4::<0b10_00_10_00>(row[2], row[3]);
            let odd_01 = _mm512_shuffle_i32x4::<0b11_01_11_01>(row[0], row[1]);
            let odd_23 = _mm512_shuffle_i32x4::<0b11_01_11_01>(row[2], row[3]);
            let blocks = [
                _mm512_shuffle_i32x4::<0b10_00_10_00>(even_01, even_23),
                _mm512_shuffle_i32x4::<0b10_00_10_00>(odd_01, odd_23),
                _mm512_shuffle_i32x4::<0b11_01_11_01>(even_01, even_23),
                _mm512_shuffle_i32x4::<0b11_01_11_01>(odd_01, odd_23),
            ];
            for (lane, block) in blocks.into_iter().enumerate() {
                let words: &mut [u64; 8] = out[8 * (4 * lane + j)..].first_chunk_mut().expect("16 blocks");
                // SAFETY: `words` is 64 writable bytes, and the store needs no alignment.
                unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), block) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One generator of whole batches.
    type Backend = fn(&[u8; 32], &[u8; 12], u32, &mut [u64]);

    fn backends() -> Vec<(&'static str, Backend)> {
        let mut all: Vec<(&'static str, Backend)> = vec![("chosen", keystream), ("portable", keystream_portable)];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the feature was just detected.
            all.push(("avx512", |key, nonce, counter, out| unsafe { avx512::keystream(key, nonce, counter, out) }));
        }
        all
    }

    /// RFC 8439 §2.1: the oracle, one block at a time.
    fn block_rfc8439(key: &[u8; 32], nonce: &[u8; 12], counter: u32) -> [u64; 8] {
        let mut bytes = b"expand 32-byte k".to_vec();
        bytes.extend(key);
        bytes.extend(counter.to_le_bytes());
        bytes.extend(nonce);
        let initial: Vec<u32> = bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let mut s = initial.clone();
        for _ in 0..10 {
            for [a, b, c, d] in [
                [0, 4, 8, 12],
                [1, 5, 9, 13],
                [2, 6, 10, 14],
                [3, 7, 11, 15],
                [0, 5, 10, 15],
                [1, 6, 11, 12],
                [2, 7, 8, 13],
                [3, 4, 9, 14],
            ] {
                for (x, y, z, rotation) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
                    s[x] = s[x].wrapping_add(s[y]);
                    s[z] = (s[z] ^ s[x]).rotate_left(rotation);
                }
            }
        }
        let word = |i: usize| s[i].wrapping_add(initial[i]) as u64;
        std::array::from_fn(|i| word(2 * i) | (word(2 * i + 1) << 32))
    }

    #[test]
    fn every_backend_equals_the_rfc() {
        let key: [u8; 32] = std::array::from_fn(|i| (i * 37 + 11) as u8);
        let nonce: [u8; 12] = std::array::from_fn(|i| (i * 91 + 200) as u8);
        for counter in [0, 1, 0x7fff_fff8, u32::MAX - 48] {
            let expected: Vec<u64> = (0..48).flat_map(|i| block_rfc8439(&key, &nonce, counter + i)).collect();
            for (name, backend) in backends() {
                let mut out = vec![u64::MAX; 3 * BATCH_WORDS];
                backend(&key, &nonce, counter, &mut out);
                assert_eq!(out, expected, "{name}, counter {counter}");
            }
        }
    }

    #[test]
    #[should_panic]
    fn the_block_counter_never_wraps() {
        keystream(&[0; 32], &[0; 12], u32::MAX - 15, &mut [0; BATCH_WORDS]);
    }
}
