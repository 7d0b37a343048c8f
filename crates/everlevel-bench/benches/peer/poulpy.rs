//! poulpy's circuit bootstraps of a bit, by the parameters of its own bench of them and of its example, in doubles by
//! AVX-512: plans that are prepared, as its fastest way is.

use everlevel_security::{SecretDistribution, torus};
use poulpy_bin_fhe::blind_rotation::{BlindRotationKeyLayout, CGGI};
use poulpy_bin_fhe::circuit_bootstrapping::{
    CircuitBootstrappingKey, CircuitBootstrappingKeyEncryptSk, CircuitBootstrappingKeyLayout,
    CircuitBootstrappingKeyPrepared, CircuitBootstrappingKeyPreparedFactory,
};
use poulpy_core::api::{GLWESecretPreparedFactory, GLWESecretSampling, LWESecretSampling};
use poulpy_core::layouts::prepared::GLWESecretPrepared;
use poulpy_core::layouts::{
    GGLWEToGGSWKeyLayout, GGSW, GGSWAlloc, GGSWLayout, GLWEAutomorphismKeyLayout, GLWESecret, GLWESecretAlloc, LWE,
    LWEAlloc, LWELayout, LWEPlaintext, LWEPlaintextAlloc, LWESecret, LWESecretAlloc,
};
use poulpy_core::{DEFAULT_SIGMA_XE, GGSWNoise, LWEEncryptSk};
use poulpy_cpu_avx512::FFT64Avx512;
use poulpy_hal::api::{ScratchOwnedAlloc, ScratchOwnedBorrow};
use poulpy_hal::layouts::{Backend, Module, ScalarZnx, ScratchOwned, ZnxViewMut};
use poulpy_hal::source::Source;

use super::Timed;

type Owned = <FFT64Avx512 as Backend>::OwnedBuf;
type Word = <FFT64Avx512 as Backend>::ZnxWord;

const N: u32 = 1024;
const LWE_DIM: u32 = 574;
const BLOCK: usize = 7;
const LOG2_BASE: u32 = 13;
/// Digits of the result, and of all keys.
const DIGITS: (u32, u32) = (2, 3);

/// Sets of the bench, of rank 2, and of the example, of rank 1.
pub fn calls() -> Vec<Timed> {
    vec![bootstrap(2), bootstrap(1)]
}

/// Levels and security, by this library's estimates: of the small secret, of blocks, and of the large one, ternary.
fn about(rank: u32) -> String {
    let (digits, of_keys) = DIGITS;
    let error = |digits: u32| DEFAULT_SIGMA_XE.log2() - f64::from(LOG2_BASE * digits);
    let small = SecretDistribution::BlockBinary(LWE_DIM as usize / BLOCK);
    let bits =
        [(small, LWE_DIM as usize, error(1)), (SecretDistribution::Ternary, (rank * N) as usize, error(of_keys + 1))]
            .map(|(secret, dim, error)| {
                torus::estimate_of(secret, dim, error).expect("an instance").expect("one").log2_cost
            });
    format!("{digits} levels of 2^{LOG2_BASE}, {:.0} bits", bits[0].min(bits[1]))
}

fn bootstrap(rank: u32) -> Timed {
    let (digits, of_keys) = DIGITS;
    let (n, base2k, k_digit, k_aux) = (N.into(), LOG2_BASE.into(), LOG2_BASE.into(), LOG2_BASE.into());
    let dnum = of_keys.into();
    let of_key = CircuitBootstrappingKeyLayout {
        brk_layout: BlindRotationKeyLayout { n_glwe: n, n_lwe: LWE_DIM.into(), base2k, dnum, k_aux, rank: rank.into() },
        atk_layout: GLWEAutomorphismKeyLayout { n, base2k, dnum, k_aux, k_digit, rank: rank.into() },
        tsk_layout: GGLWEToGGSWKeyLayout { n, base2k, dnum, k_aux, k_digit, rank: rank.into() },
    };
    let of_result = GGSWLayout { n, base2k, k_aux, dnum: digits.into(), k_digit, rank: rank.into() };
    let of_bit = LWELayout { n: LWE_DIM.into(), k: LOG2_BASE.into(), base2k };
    let module = Module::<FFT64Avx512>::new(u64::from(N));
    let bytes = [
        module.lwe_encrypt_sk_tmp_bytes(&of_bit),
        module.circuit_bootstrapping_key_encrypt_sk_tmp_bytes(&of_key),
        CircuitBootstrappingKeyPreparedFactory::<CGGI, FFT64Avx512>::circuit_bootstrapping_key_prepare_tmp_bytes(
            &module, &of_key,
        ),
        module.ggsw_noise_tmp_bytes(&of_result),
    ];
    let mut scratch: ScratchOwned<FFT64Avx512> = ScratchOwned::alloc(bytes.into_iter().max().unwrap_or(0));
    let [mut secrets, mut masks, mut errors] = [1u8, 2, 3].map(|i| Source::new([i; 32]));
    let mut small: LWESecret<Owned, Word> = module.lwe_secret_alloc(LWE_DIM.into());
    module.lwe_secret_fill_binary_block(&mut small, BLOCK, &mut secrets);
    let mut ring: GLWESecret<Owned, Word> = module.glwe_secret_alloc(rank.into());
    module.glwe_secret_fill_ternary_prob(&mut ring, 0.5, &mut secrets);
    let mut message: LWEPlaintext<Owned, Word> = module.lwe_plaintext_alloc(base2k, 1u32.into());
    message.encode_i64(1, 2u32.into());
    let mut bit: LWE<Owned, Word> = module.lwe_alloc_from_infos(&of_bit);
    module.lwe_encrypt_sk(&mut bit, &message, &small, &mut errors, &mut masks, &mut scratch.borrow());
    let mut key: CircuitBootstrappingKey<Owned, CGGI, Word> =
        CircuitBootstrappingKey::alloc_from_infos(&module, &of_key);
    let borrowed = &mut scratch.borrow();
    module.circuit_bootstrapping_key_encrypt_sk(&mut key, &small, &ring, &mut errors, &mut masks, borrowed);
    let mut prepared: CircuitBootstrappingKeyPrepared<Owned, CGGI, FFT64Avx512> =
        CircuitBootstrappingKeyPrepared::alloc_from_infos(&module, &of_key);
    prepared.prepare(&module, &key, &mut scratch.borrow());

    let mut out: GGSW<Owned, Word> = module.ggsw_alloc_from_infos(&of_result);
    let plan = prepared.prepare_to_constant(&module, 1, 1, &of_result);
    let mut of_run: ScratchOwned<FFT64Avx512> = ScratchOwned::alloc(plan.execute_tmp_bytes(&module, &prepared));
    plan.execute(&module, &mut out, &bit, &prepared, &mut of_run.borrow());
    let mut one: ScalarZnx<Owned, Word> = module.scalar_znx_alloc(N as usize, 1);
    one.at_mut(0, 0)[0] = 1;
    let one = ScalarZnx::from_data(one.data.as_slice(), one.n(), one.cols());
    let mut ring_prepared: GLWESecretPrepared<Owned, FFT64Avx512> = module.glwe_secret_prepared_alloc(rank.into());
    module.glwe_secret_prepare(&mut ring_prepared, &ring);
    for (row, column) in (0..digits).flat_map(|row| (0..=rank).map(move |column| (row, column))) {
        let (row, column) = (row as usize, column as usize);
        let noise = out.noise_stats(&module, row, column, &one, &ring_prepared, &mut scratch.borrow());
        assert!(noise.std().log2() < -f64::from(LOG2_BASE * digits), "row {row}, column {column}");
    }
    let call = Box::new(move || plan.execute(&module, &mut out, &bit, &prepared, &mut of_run.borrow()));
    Timed { name: format!("poulpy FFT64, rank {rank}"), about: about(rank), call }
}
