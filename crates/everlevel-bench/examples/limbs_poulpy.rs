//! Key switches of poulpy, three primes of 42 bits by AVX-512 IFMA: what `limbs` times of ours.
//!
//! `RUSTFLAGS="-C target-cpu=native" cargo +nightly run --release -p everlevel-bench --features poulpy --example
//! limbs_poulpy`
//!
//! For each degree and number of limbs of a digit: bits of the key's modulus and of the ciphertext, and milliseconds on
//! one thread.

use everlevel_bench::timing::Times;
use poulpy_core::api::{GLWESecretPreparedFactory, GLWESecretSampling, GLWESwitchingKeyPreparedFactory};
use poulpy_core::layouts::prepared::{GGLWEPreparedToBackendRef, GLWESecretPrepared, GLWESwitchingKeyPrepared};
use poulpy_core::layouts::{
    GLWE, GLWEAlloc, GLWELayout, GLWEPlaintext, GLWEPlaintextAlloc, GLWESecret, GLWESecretAlloc, GLWESwitchingKey,
    GLWESwitchingKeyAlloc, GLWESwitchingKeyLayout, TorusPrecision, k_digit_of,
};
use poulpy_core::{GLWEEncryptSk, GLWEKeyswitch, GLWESwitchingKeyEncryptSk};
use poulpy_cpu_avx512::NTT3x42Ifma;
use poulpy_hal::api::{ScratchOwnedAlloc, ScratchOwnedBorrow};
use poulpy_hal::layouts::{Backend, Module, ScratchOwned};
use poulpy_hal::source::Source;

type Owned = <NTT3x42Ifma as Backend>::OwnedBuf;
type Word = <NTT3x42Ifma as Backend>::ZnxWord;

/// Its own tests have bases of 50 and 52 bits.
const LOG2_BASE: u32 = 52;

fn switch(log_n: u32, key_bits: u32, digit_limbs: u32) {
    let n = 1u32 << log_n;
    let module = Module::<NTT3x42Ifma>::new(n.into());
    let limbs = key_bits / LOG2_BASE - digit_limbs;
    let (bits, base2k, rank) = (limbs * LOG2_BASE, LOG2_BASE.into(), 1u32.into());
    let of_ciphertext = GLWELayout { n: n.into(), base2k, k: bits.into(), rank };
    let of_key = GLWESwitchingKeyLayout {
        n: n.into(),
        base2k,
        dnum: limbs.div_ceil(digit_limbs).into(),
        k_aux: (digit_limbs * LOG2_BASE).into(),
        k_digit: k_digit_of(LOG2_BASE, digit_limbs),
        k_offset: TorusPrecision(0),
        rank_in: rank,
        rank_out: rank,
    };
    let mut key: GLWESwitchingKey<Owned, Word> = module.glwe_switching_key_alloc_from_infos(&of_key);
    let mut ct: GLWE<Owned, Word> = module.glwe_alloc_from_infos(&of_ciphertext);
    let mut out: GLWE<Owned, Word> = module.glwe_alloc_from_infos(&of_ciphertext);
    let zero: GLWEPlaintext<Owned, Word> = module.glwe_plaintext_alloc_from_infos(&of_ciphertext);
    let [mut secrets, mut errors, mut masks] = [1u8, 2, 3].map(|i| Source::new([i; 32]));
    let bytes = module
        .glwe_switching_key_encrypt_sk_tmp_bytes(&of_key)
        .max(module.glwe_encrypt_sk_tmp_bytes(&of_ciphertext))
        .max(module.glwe_switching_key_prepare_tmp_bytes(&of_key))
        .max(module.glwe_keyswitch_tmp_bytes(&of_ciphertext, &of_ciphertext, &of_key));
    let mut scratch: ScratchOwned<NTT3x42Ifma> = ScratchOwned::alloc(bytes);
    let mut secret: GLWESecret<Owned, Word> = module.glwe_secret_alloc(rank);
    module.glwe_secret_fill_ternary_prob(&mut secret, 0.5, &mut secrets);
    let mut prepared_secret: GLWESecretPrepared<Owned, NTT3x42Ifma> = module.glwe_secret_prepared_alloc(rank);
    module.glwe_secret_prepare(&mut prepared_secret, &secret);
    module.glwe_switching_key_encrypt_sk(&mut key, &secret, &secret, &mut errors, &mut masks, &mut scratch.borrow());
    module.glwe_encrypt_sk(&mut ct, &zero, &prepared_secret, &mut errors, &mut masks, &mut scratch.borrow());
    let mut prepared: GLWESwitchingKeyPrepared<Owned, NTT3x42Ifma> =
        module.glwe_switching_key_prepared_alloc_from_infos(&of_key);
    module.glwe_switching_key_prepare(&mut prepared, &key, &mut scratch.borrow());
    let time = Times::of_calls(7, || {
        module.glwe_keyswitch(&mut out, &ct, &prepared.to_backend_ref(), &mut scratch.borrow());
    });
    let times = time.scaled(1e3);
    println!(
        "| poulpy, K = {LOG2_BASE}, D = {digit_limbs} | {} | {bits} | {:.1} ms ({:.1}) |",
        bits + digit_limbs * LOG2_BASE,
        times.median,
        times.least
    );
}

fn main() {
    println!("| | key bits | ciphertext bits | key switch, median (least) |\n|---|---|---|---|");
    for (log_n, key_bits, digits) in [(15, 865, vec![1, 2, 4]), (16, 1729, vec![4, 8])] {
        println!("| N = 2^{log_n} | | | |");
        for digit_limbs in digits {
            switch(log_n, key_bits, digit_limbs);
        }
    }
}
