//! AES-128 in counter mode: AVX-512's and AES-NI's instructions here, everything else in the `aes` crate.

use aes::Aes128;
use aes::cipher::array::Array;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use zeroize::Zeroize;

/// AES-128 under a key, by the widest instructions that the CPU has.
pub(crate) enum Aes {
    #[cfg(target_arch = "x86_64")]
    X86(x86::RoundKeys),
    /// The `aes` crate, which erases its keys.
    Portable(Box<Aes128>),
}

impl Aes {
    pub(crate) fn new(key: &[u8; 16]) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(keys) = x86::RoundKeys::new(key) {
            return Self::X86(keys);
        }
        Self::portable(key)
    }

    fn portable(key: &[u8; 16]) -> Self {
        Self::Portable(Box::new(Aes128::new(&Array(*key))))
    }

    /// Fills `out` with the keystream from block `counter` on, two words a block, words little-endian: block `i` is AES
    /// of the 128-bit little-endian number `i`.
    ///
    /// # Panics
    /// If `out` has an odd number of words.
    pub(crate) fn keystream(&self, counter: u64, out: &mut [u64]) {
        assert!(out.len().is_multiple_of(2));
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::X86(keys) => keys.keystream(counter, out),
            Self::Portable(cipher) => {
                for (block, i) in out.as_chunks_mut::<2>().0.iter_mut().zip(counter..) {
                    *block = [i.to_le(), 0];
                }
                let blocks: &mut [[u8; 16]] = bytemuck::cast_slice_mut(&mut *out);
                cipher.encrypt_blocks(Array::cast_slice_from_core_mut(blocks));
                for word in out {
                    *word = u64::from_le(*word);
                }
            }
        }
    }
}

impl Zeroize for Aes {
    fn zeroize(&mut self) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::X86(keys) => keys.zeroize(),
            Self::Portable(_) => {}
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! Rounds of many blocks in registers: a block takes some ten cycles from its counter to its last round.

    use std::arch::x86_64::*;

    use zeroize::{Zeroize, ZeroizeOnDrop};

    /// The eleven round keys of AES-128, and whether blocks go four to a register.
    #[derive(Zeroize, ZeroizeOnDrop)]
    pub(crate) struct RoundKeys {
        keys: [[u8; 16]; 11],
        #[zeroize(skip)]
        is_wide: bool,
    }

    impl RoundKeys {
        /// The round keys of a key, where the CPU has AES' instructions.
        pub(super) fn new(key: &[u8; 16]) -> Option<Self> {
            let is_wide = crate::cpu::has_avx512() && is_x86_feature_detected!("vaes");
            // SAFETY: `has_aes` is true only where the CPU has AES-NI.
            crate::cpu::has_aes().then(|| Self { keys: unsafe { expanded(key) }, is_wide })
        }

        /// These round keys for registers of one block.
        #[cfg(test)]
        pub(super) fn narrow(self) -> Self {
            Self { keys: self.keys, is_wide: false }
        }

        /// See [`super::Aes::keystream`].
        pub(super) fn keystream(&self, counter: u64, out: &mut [u64]) {
            if self.is_wide {
                // SAFETY: `is_wide` is true only where the CPU has AVX-512 F and VAES.
                unsafe { wide(&self.keys, counter, out) };
            } else {
                // SAFETY: round keys exist only where the CPU has AES-NI.
                unsafe { narrow(&self.keys, counter, out) };
            }
        }
    }

    /// The key schedule of FIPS 197.
    #[target_feature(enable = "aes,sse2")]
    fn expanded(key: &[u8; 16]) -> [[u8; 16]; 11] {
        let mut keys = [_mm_setzero_si128(); 11];
        // SAFETY: sixteen readable bytes, and the load needs no alignment.
        keys[0] = unsafe { _mm_loadu_si128(key.as_ptr().cast()) };
        macro_rules! rounds {
            ($($round:literal $constant:literal),*) => {
                $(
                    let last = keys[$round - 1];
                    let turned = _mm_shuffle_epi32::<0xff>(_mm_aeskeygenassist_si128::<$constant>(last));
                    let mut next = last;
                    for _ in 0..3 {
                        next = _mm_xor_si128(last, _mm_slli_si128::<4>(next));
                    }
                    keys[$round] = _mm_xor_si128(next, turned);
                )*
            };
        }
        rounds!(1 0x01, 2 0x02, 3 0x04, 4 0x08, 5 0x10, 6 0x20, 7 0x40, 8 0x80, 9 0x1b, 10 0x36);
        let out = keys.map(|key| {
            let mut bytes = [0; 16];
            // SAFETY: sixteen writable bytes, and the store needs no alignment.
            unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), key) };
            bytes
        });
        keys.zeroize();
        out
    }

    /// A keystream, `$blocks` of `$registers` registers at a time.
    macro_rules! keystream {
        ($(#[$attributes:meta])* $name:ident, $registers:literal of $blocks:literal, $load_key:expr, $first:expr,
            $set:ident, $add:ident, $xor:ident, $round:ident, $last:ident, $store:ident) => {
            $(#[$attributes])*
            fn $name(keys: &[[u8; 16]; 11], counter: u64, out: &mut [u64]) {
                const WORDS: usize = 2 * $registers * $blocks;
                let keys = keys.each_ref().map($load_key);
                let (step, mut next) = ($set($blocks), $first(counter));
                let mut batch = |out: &mut [u64; WORDS]| {
                    let mut x = [next; $registers];
                    for x in &mut x {
                        *x = $xor(next, keys[0]);
                        next = $add(next, step);
                    }
                    for key in &keys[1..10] {
                        for x in &mut x {
                            *x = $round(*x, *key);
                        }
                    }
                    for (x, out) in x.into_iter().zip(out.as_chunks_mut::<{ 2 * $blocks }>().0) {
                        // SAFETY: `out` has the bytes of a register, and the store needs no alignment.
                        unsafe { $store(out.as_mut_ptr().cast(), $last(x, keys[10])) };
                    }
                };
                let (batches, rest) = out.as_chunks_mut::<WORDS>();
                for out in batches {
                    batch(out);
                }
                if !rest.is_empty() {
                    let mut whole = [0; WORDS];
                    batch(&mut whole);
                    rest.copy_from_slice(&whole[..rest.len()]);
                }
            }
        };
    }

    // The high halves of counters are zero, and steps leave them so.
    keystream! {
        #[target_feature(enable = "avx512f,vaes,aes")]
        wide, 8 of 4,
        // SAFETY: sixteen readable bytes, and the load needs no alignment.
        |key| _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(key.as_ptr().cast()) }),
        |i: u64| _mm512_setr_epi64(i as i64, 0, i as i64 + 1, 0, i as i64 + 2, 0, i as i64 + 3, 0),
        low_512, _mm512_add_epi64, _mm512_xor_si512, _mm512_aesenc_epi128, _mm512_aesenclast_epi128, _mm512_storeu_si512
    }
    keystream! {
        #[target_feature(enable = "aes,sse2")]
        narrow, 8 of 1,
        // SAFETY: sixteen readable bytes, and the load needs no alignment.
        |key| unsafe { _mm_loadu_si128(key.as_ptr().cast()) },
        |i: u64| _mm_set_epi64x(0, i as i64),
        low_128, _mm_add_epi64, _mm_xor_si128, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_storeu_si128
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn low_512(step: i64) -> __m512i {
        _mm512_setr_epi64(step, 0, step, 0, step, 0, step, 0)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn low_128(step: i64) -> __m128i {
        _mm_set_epi64x(0, step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every form of the cipher that this CPU has.
    fn forms(key: &[u8; 16]) -> Vec<Aes> {
        let mut all = vec![Aes::new(key), Aes::portable(key)];
        #[cfg(target_arch = "x86_64")]
        all.extend(x86::RoundKeys::new(key).map(|keys| Aes::X86(keys.narrow())));
        all
    }

    /// FIPS 197, appendix C.1: `0011…ff` under the key `0001…0f`.
    #[test]
    fn the_crates_blocks_are_those_of_the_standard() {
        let cipher = Aes128::new(&Array(std::array::from_fn(|i| i as u8)));
        let mut block = [Array(std::array::from_fn(|i| (0x11 * i) as u8))];
        cipher.encrypt_blocks(&mut block);
        let expected = "69c4e0d86a7b0430d8cdb78070b4c55a";
        assert_eq!(block[0].iter().map(|b| format!("{b:02x}")).collect::<String>(), expected);
    }

    #[test]
    fn counters_are_little_endian_and_go_on_in_every_form() {
        for seed in 0..20 {
            let key = std::array::from_fn(|i| (37 * i + 101 * seed) as u8);
            let single = Aes128::new(&Array(key));
            for (count, first) in [(0, 0), (1, 7), (9, 1), (150, u64::from(u32::MAX) - 3), (130, 1 << 40)] {
                let expected: Vec<u64> = (0..count)
                    .flat_map(|i| {
                        let mut block = [Array(u128::from(first + i).to_le_bytes())];
                        single.encrypt_blocks(&mut block);
                        bytemuck::cast::<[u8; 16], [u64; 2]>(block[0].0).map(u64::from_le)
                    })
                    .collect();
                for (form, cipher) in forms(&key).iter().enumerate() {
                    let mut words = vec![1; 2 * count as usize];
                    cipher.keystream(first, &mut words);
                    assert_eq!(words, expected, "form {form}, {count} blocks from {first}");
                }
            }
        }
    }
}
