//! Key switches and products of poulpy, three primes of 42 bits by AVX-512 IFMA: what `limbs` and `limbs_ckks` time.
//!
//! `RUSTFLAGS="-C target-cpu=native" cargo +nightly run --release -p everlevel-bench --features poulpy --example
//! limbs_poulpy`
//!
//! For each degree and number of limbs of a digit: bits of the key's modulus and of the ciphertext, and milliseconds on
//! one thread, median and least.

use everlevel_bench::timing::Times;
use poulpy_core::api::{
    GLWEEncryptSk, GLWEKeyswitch, GLWESecretPreparedFactory, GLWESecretSampling, GLWESwitchingKeyEncryptSk,
    GLWESwitchingKeyPreparedFactory, GLWETensorKeyEncryptSk, GLWETensorKeyPreparedFactory, GLWETensoring,
};
use poulpy_core::layouts::prepared::{
    GGLWEPreparedToBackendRef, GLWESecretPrepared, GLWESwitchingKeyPrepared, GLWETensorKeyPrepared,
};
use poulpy_core::layouts::{
    GLWE, GLWEAlloc, GLWELayout, GLWEPlaintext, GLWEPlaintextAlloc, GLWESecret, GLWESecretAlloc, GLWESwitchingKey,
    GLWESwitchingKeyAlloc, GLWESwitchingKeyLayout, GLWETensorKey, GLWETensorKeyAlloc, GLWETensorKeyLayout,
    TorusPrecision, k_digit_of,
};
use poulpy_cpu_avx512::NTT3x42Ifma;
use poulpy_hal::api::{ScratchOwnedAlloc, ScratchOwnedBorrow};
use poulpy_hal::layouts::{Backend, Module, ScratchOwned};
use poulpy_hal::source::Source;

type Owned = <NTT3x42Ifma as Backend>::OwnedBuf;
type Word = <NTT3x42Ifma as Backend>::ZnxWord;

/// poulpy's own tests have bases of 50 and 52 bits.
const LOG2_BASE: u32 = 52;

fn time(log_n: u32, key_bits: u32, digit_limbs: u32) {
    let (n, base2k, rank) = ((1u32 << log_n).into(), LOG2_BASE.into(), 1u32.into());
    let module = Module::<NTT3x42Ifma>::new(1 << log_n);
    let limbs = key_bits / LOG2_BASE - digit_limbs;
    let (bits, size) = (limbs * LOG2_BASE, limbs as usize);
    let (dnum, k_aux) = (limbs.div_ceil(digit_limbs).into(), (digit_limbs * LOG2_BASE).into());
    let k_digit = k_digit_of(LOG2_BASE, digit_limbs);
    let of_ciphertext = GLWELayout { n, base2k, k: bits.into(), rank };
    let of_key = GLWESwitchingKeyLayout {
        n,
        base2k,
        dnum,
        k_aux,
        k_digit,
        k_offset: TorusPrecision(0),
        rank_in: rank,
        rank_out: rank,
    };
    let of_tensor_key = GLWETensorKeyLayout { n, base2k, dnum, k_aux, rank, k_digit };
    let mut key: GLWESwitchingKey<Owned, Word> = module.glwe_switching_key_alloc_from_infos(&of_key);
    let mut tensor_key: GLWETensorKey<Owned, Word> = module.glwe_tensor_key_alloc_from_infos(&of_tensor_key);
    let [mut a, mut b, mut out] =
        [(); 3].map(|()| -> GLWE<Owned, Word> { module.glwe_alloc_from_infos(&of_ciphertext) });
    let zero: GLWEPlaintext<Owned, Word> = module.glwe_plaintext_alloc_from_infos(&of_ciphertext);
    let [mut secrets, mut errors, mut masks] = [1u8, 2, 3].map(|i| Source::new([i; 32]));
    let bytes = [
        module.glwe_encrypt_sk_tmp_bytes(&of_ciphertext),
        module.glwe_switching_key_encrypt_sk_tmp_bytes(&of_key),
        module.glwe_switching_key_prepare_tmp_bytes(&of_key),
        module.glwe_keyswitch_tmp_bytes(&of_ciphertext, &of_ciphertext, &of_key),
        module.glwe_tensor_key_encrypt_sk_tmp_bytes(&of_tensor_key),
        module.glwe_tensor_key_prepare_tmp_bytes(&of_tensor_key),
        module.glwe_mul_relinearize_tmp_bytes(&of_ciphertext, size, size, TorusPrecision(bits), &of_tensor_key),
    ];
    let mut scratch: ScratchOwned<NTT3x42Ifma> = ScratchOwned::alloc(bytes.into_iter().max().unwrap_or(0));
    let mut secret: GLWESecret<Owned, Word> = module.glwe_secret_alloc(rank);
    module.glwe_secret_fill_ternary_prob(&mut secret, 0.5, &mut secrets);
    let mut prepared_secret: GLWESecretPrepared<Owned, NTT3x42Ifma> = module.glwe_secret_prepared_alloc(rank);
    module.glwe_secret_prepare(&mut prepared_secret, &secret);
    for ct in [&mut a, &mut b] {
        module.glwe_encrypt_sk(ct, &zero, &prepared_secret, &mut errors, &mut masks, &mut scratch.borrow());
    }
    let line = |what: &str, times: Times| {
        let (times, key) = (times.scaled(1e3), bits + digit_limbs * LOG2_BASE);
        let Times { median, least, .. } = times;
        println!("| {what}, K = {LOG2_BASE}, D = {digit_limbs} | {key} | {bits} | {median:.1} ms ({least:.1}) |");
    };
    module.glwe_switching_key_encrypt_sk(&mut key, &secret, &secret, &mut errors, &mut masks, &mut scratch.borrow());
    let mut prepared: GLWESwitchingKeyPrepared<Owned, NTT3x42Ifma> =
        module.glwe_switching_key_prepared_alloc_from_infos(&of_key);
    module.glwe_switching_key_prepare(&mut prepared, &key, &mut scratch.borrow());
    let key = GGLWEPreparedToBackendRef::to_backend_ref(&prepared);
    line("key switch", Times::of_calls(7, || module.glwe_keyswitch(&mut out, &a, &key, &mut scratch.borrow())));

    module.glwe_tensor_key_encrypt_sk(&mut tensor_key, &secret, &mut errors, &mut masks, &mut scratch.borrow());
    let mut prepared: GLWETensorKeyPrepared<Owned, NTT3x42Ifma> =
        module.glwe_tensor_key_prepared_alloc_from_infos(&of_tensor_key);
    module.glwe_tensor_key_prepare(&mut prepared, &tensor_key, &mut scratch.borrow());
    let mut product = || {
        module.glwe_mul_relinearize(bits as usize, &mut out, bits.into(), &a, &b, &prepared, &mut scratch.borrow());
    };
    line("product", Times::of_calls(7, &mut product));
}

fn main() {
    println!("| poulpy | key bits | ciphertext bits | median (least) |");
    println!("|---|---|---|---|");
    for (log_n, key_bits, digits) in [(15, 865, vec![1, 2, 4]), (16, 1729, vec![4, 8])] {
        println!("| N = 2^{log_n} | | | |");
        for digit_limbs in digits {
            time(log_n, key_bits, digit_limbs);
        }
    }
}
