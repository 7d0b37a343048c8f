//! tfhe-rs' circuit bootstraps of a bit, by the sets that it has for them: `circuit_bootstrap_boolean`.

use everlevel_binfhe::noise;
use everlevel_security::torus;
use tfhe::boolean::parameters::DEFAULT_PARAMETERS_KS_PBS;
use tfhe::core_crypto::fft_impl::fft64::crypto::wop_pbs::{
    circuit_bootstrap_boolean, circuit_bootstrap_boolean_scratch,
};
use tfhe::core_crypto::fft_impl::fft64::math::fft::Fft;
use tfhe::core_crypto::prelude::*;
use tfhe::shortint::parameters::WopbsParameters;
use tfhe::shortint::parameters::parameters_wopbs::{
    LEGACY_WOPBS_ONLY_4_BLOCKS_PARAM_MESSAGE_2_CARRY_2_KS_PBS, LEGACY_WOPBS_PARAM_MESSAGE_1_CARRY_0_KS_PBS,
    LEGACY_WOPBS_PARAM_MESSAGE_1_CARRY_1_KS_PBS, LEGACY_WOPBS_PARAM_MESSAGE_2_CARRY_2_KS_PBS,
};

use super::super::{Gadget, KeySwitch, Params, ParamsLiteral, Timed};
use super::more_rounding;

/// The sets: that of messages of 4 bits, that of 4 bits in four blocks, and those of bits.
pub fn calls() -> Vec<Timed> {
    [
        ("2_2", LEGACY_WOPBS_PARAM_MESSAGE_2_CARRY_2_KS_PBS),
        ("2_2, 4 blocks", LEGACY_WOPBS_ONLY_4_BLOCKS_PARAM_MESSAGE_2_CARRY_2_KS_PBS),
        ("1_0", LEGACY_WOPBS_PARAM_MESSAGE_1_CARRY_0_KS_PBS),
        ("1_1", LEGACY_WOPBS_PARAM_MESSAGE_1_CARRY_1_KS_PBS),
    ]
    .map(|(name, parameters)| bootstrap(name, &parameters))
    .into()
}

/// The set's levels, its security by this library's estimates, and how often a bootstrap fails by its formulas: of the
/// lowest bit of a message as a bootstrap gives it, which is scaled by the message's size before the key switch.
fn about(p: &WopbsParameters) -> String {
    let [small, large] = [p.lwe_noise_distribution, p.glwe_noise_distribution].map(|x| x.gaussian_std_dev().0.log2());
    let big_dim = p.glwe_dimension.0 * p.polynomial_size.0;
    let bits = [(p.lwe_dimension.0, small), (big_dim, large)]
        .map(|(dim, error)| torus::estimate(dim, error).expect("an instance").expect("an attack").log2_cost);
    let digits =
        |base: DecompositionBaseLog, count: DecompositionLevelCount| Gadget::new(base.0 as u32, count.0 as u32);
    let external = digits(p.pbs_base_log, p.pbs_level);
    let literal = ParamsLiteral {
        torus_bits: 64,
        lwe_dim: p.lwe_dimension.0,
        lwe_log2_std_dev: small,
        rank: p.glwe_dimension.0,
        log_n: p.polynomial_size.0.ilog2(),
        glwe_log2_std_dev: large,
        mask_gadget: external,
        body_gadget: external,
        key_switch: KeySwitch { gadget: digits(p.ks_base_log, p.ks_level), ring: 1 },
        squared_norm: 1.0,
        ..super::literal(&DEFAULT_PARAMETERS_KS_PBS)
    };
    let params = Params::try_from(literal).expect("sound numbers");
    let found = params.mean_noise();
    let factor = (p.message_modulus.0 * p.carry_modulus.0) as f64;
    let log2_p_fail =
        noise::log2_p_fail(0.25, found.at_table(factor * factor * found.bootstrapped) + more_rounding(&params));
    format!(
        "{} levels of 2^{}, {:.0} bits, fails with 2^{log2_p_fail:.1}",
        p.cbs_level.0,
        p.cbs_base_log.0,
        bits[0].min(bits[1])
    )
}

/// The bootstrap of a bit under the small secret: ours begins with the key switch to it, which isn't timed here.
fn bootstrap(name: &str, p: &WopbsParameters) -> Timed {
    let mut seeder = new_seeder();
    let mut secrets = SecretRandomGenerator::<DefaultRandomGenerator>::new(seeder.seed());
    let mut random = EncryptionRandomGenerator::<DefaultRandomGenerator>::new(seeder.seed(), seeder.as_mut());
    let (modulus, size) = (p.ciphertext_modulus, p.polynomial_size);
    let small = allocate_and_generate_new_binary_lwe_secret_key::<u64, _>(p.lwe_dimension, &mut secrets);
    let ring: GlweSecretKeyOwned<u64> =
        allocate_and_generate_new_binary_glwe_secret_key(p.glwe_dimension, size, &mut secrets);
    let standard = allocate_and_generate_new_lwe_bootstrap_key(
        &small,
        &ring,
        p.pbs_base_log,
        p.pbs_level,
        p.glwe_noise_distribution,
        modulus,
        &mut random,
    );
    let mut key = FourierLweBootstrapKey::new(
        p.lwe_dimension,
        p.glwe_dimension.to_glwe_size(),
        size,
        p.pbs_base_log,
        p.pbs_level,
    );
    convert_standard_lwe_bootstrap_key_to_fourier(&standard, &mut key);
    let switches = par_allocate_and_generate_new_circuit_bootstrap_lwe_pfpksk_list(
        &ring.clone().into_lwe_secret_key(),
        &ring,
        p.pfks_base_log,
        p.pfks_level,
        p.pfks_noise_distribution,
        modulus,
        &mut random,
    );
    // A bit as the peer's extraction gives it: the uppermost one.
    let place = DeltaLog(63);
    let bit = allocate_and_encrypt_new_lwe_ciphertext(
        &small,
        Plaintext(1 << place.0),
        p.lwe_noise_distribution,
        modulus,
        &mut random,
    );
    let rank = p.glwe_dimension.to_glwe_size();
    let mut out = GgswCiphertext::new(0u64, rank, size, p.cbs_base_log, p.cbs_level, modulus);
    let fft = Fft::new(size);
    let need = circuit_bootstrap_boolean_scratch::<u64>(
        bit.lwe_size(),
        key.output_lwe_dimension().to_lwe_size(),
        rank,
        size,
        fft.as_view(),
    );
    let mut memory = dyn_stack::PodBuffer::new(need);
    let mut run = move |out: &mut GgswCiphertextOwned<u64>| {
        circuit_bootstrap_boolean(
            key.as_view(),
            bit.as_view(),
            out.as_mut_view(),
            place,
            switches.as_view(),
            fft.as_view(),
            dyn_stack::PodStack::new(&mut memory),
        );
    };
    run(&mut out);
    check(&out, &ring);
    Timed { name: format!("tfhe-rs {name}"), about: about(p), call: Box::new(move || run(&mut out)) }
}

/// The body's row of the finest level, which is the first, is one in units of the level.
fn check(out: &GgswCiphertextOwned<u64>, ring: &GlweSecretKeyOwned<u64>) {
    let list = out.as_glwe_list();
    let row = list.get(out.glwe_size().0 - 1);
    let mut phase = PlaintextList::new(0u64, PlaintextCount(out.polynomial_size().0));
    decrypt_glwe_ciphertext(ring, &row, &mut phase);
    let shift = 64 - out.decomposition_base_log().0 * out.decomposition_level_count().0;
    let rounded = |x: &u64| x.wrapping_add(1 << (shift - 1)) >> shift;
    assert!(phase.as_ref().iter().map(rounded).eq((0..phase.entity_count()).map(|i| u64::from(i == 0))));
}
