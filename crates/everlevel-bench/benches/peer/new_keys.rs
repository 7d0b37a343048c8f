//! tfhe-rs' experimental algorithms on sets of the artifact of ePrint 2023/979: classic secrets, shared ones with a
//! key-switch chain, and shared ones with a key switch by transforms. It has those of 5 bits in its own tests.

use everlevel_testkit::artifact::{Kind, Set};
use tfhe::core_crypto::experimental::prelude::*;
use tfhe::core_crypto::prelude::*;

use super::super::Timed;

const MODULUS: CiphertextModulus<u64> = CiphertextModulus::new_native();

struct Randomness {
    secret: SecretRandomGenerator<DefaultRandomGenerator>,
    encryption: EncryptionRandomGenerator<DefaultRandomGenerator>,
}

fn gaussian(log2_std_dev: f64) -> DynamicDistribution<u64> {
    DynamicDistribution::new_gaussian_from_std_dev(StandardDev(log2_std_dev.exp2()))
}

fn gadget((log2_base, digits): (u32, u32)) -> (DecompositionBaseLog, DecompositionLevelCount) {
    (DecompositionBaseLog(log2_base as usize), DecompositionLevelCount(digits as usize))
}

fn lwe(dim: usize) -> LweCiphertextOwned<u64> {
    LweCiphertext::new(0, LweDimension(dim).to_lwe_size(), MODULUS)
}

type Switch = Box<dyn FnMut(&LweCiphertextOwned<u64>, &mut LweCiphertextOwned<u64>)>;

/// A key switch from the large secret to one that shares nothing with it.
fn plain(set: &Set, large: &LweSecretKeyOwned<u64>, small: &LweSecretKeyOwned<u64>, random: &mut Randomness) -> Switch {
    let switch = set.switches[0];
    let (base, levels) = gadget(switch.digits);
    let error = gaussian(switch.log2_std_dev);
    let encryption = &mut random.encryption;
    let key = allocate_and_generate_new_lwe_keyswitch_key(large, small, base, levels, error, MODULUS, encryption);
    Box::new(move |from, to| keyswitch_lwe_ciphertext(&key, from, to))
}

/// Key switches by way of an intermediate secret.
fn chain(set: &Set, large: &LweSecretKeyOwned<u64>, random: &mut Randomness) -> Switch {
    let shrinking = |from: &LweSecretKeyOwned<u64>, index: usize, to_dim: usize, random: &mut Randomness| {
        let (base, levels) = gadget(set.switches[index].digits);
        let (shared, error) = (LweSecretKeySharedCoefCount(to_dim), gaussian(set.switches[index].log2_std_dev));
        let encryption = &mut random.encryption;
        allocate_and_generate_new_lwe_shrinking_keyswitch_key(from, shared, base, levels, error, MODULUS, encryption)
    };
    let between = set.drawn - set.switches[0].switched;
    let middle = allocate_and_generate_fully_shared_binary_lwe_secret_key(large, LweDimension(between));
    let first = shrinking(large, 0, between, random);
    let second = shrinking(&middle, 1, set.lwe_dim, random);
    let mut inter = lwe(between);
    Box::new(move |from, to| {
        shrinking_keyswitch_lwe_ciphertext(&first, from, &mut inter);
        shrinking_keyswitch_lwe_ciphertext(&second, &inter, to);
    })
}

/// A key switch in a ring.
fn transforms(set: &Set, big: &GlweSecretKeyOwned<u64>, random: &mut Randomness) -> Switch {
    let (switch, dim) = (set.switches[0], set.lwe_dim);
    let degree = PolynomialSize(switch.degree);
    let rank = |coefficients: usize| GlweDimension(coefficients.div_ceil(switch.degree));
    let (from_rank, to_rank) = (rank(switch.switched), rank(dim));
    let shared = GlweSecretKeySharedCoefCount(dim);
    let small = allocate_and_generate_new_shared_glwe_secret_key_from_glwe_secret_key(big, to_rank, shared, degree);
    let mut unshared = GlweSecretKey::new_empty_key(0, from_rank, degree);
    unshared.as_mut()[..switch.switched].copy_from_slice(&big.as_ref()[dim..set.drawn]);
    let (base, levels) = gadget(switch.digits);
    let (from_size, to_size) = (from_rank.to_glwe_size(), to_rank.to_glwe_size());
    let mut plain = PseudoGgswCiphertext::new(0, from_size, to_size, degree, base, levels, MODULUS);
    let error = gaussian(switch.log2_std_dev);
    encrypt_pseudo_ggsw_ciphertext(&small, &unshared, &mut plain, error, &mut random.encryption);
    let fft = Fft::new(degree);
    let mut buffers = ComputationBuffers::new();
    let of_key = convert_standard_ggsw_ciphertext_to_fourier_mem_optimized_requirement(fft.as_view());
    // The library's requirement counts the output alone, and is too small for inputs of more polynomials.
    let larger = if from_size.0 > to_size.0 { from_size } else { to_size };
    let of_switch = glwe_fast_keyswitch_requirement::<u64>(larger, degree, fft.as_view());
    buffers.resize(of_key.unaligned_bytes_required().max(of_switch.unaligned_bytes_required()));
    let mut key = PseudoFourierGgswCiphertext::new(from_size, to_size, degree, base, levels);
    convert_standard_pseudo_ggsw_ciphertext_to_fourier_mem_optimized(&plain, &mut key, fft.as_view(), buffers.stack());
    let (mut own, mut input) = (lwe(switch.switched), GlweCiphertext::new(0, from_size, degree, MODULUS));
    let mut output = GlweCiphertext::new(0, to_size, degree, MODULUS);
    let drawn = set.drawn;
    Box::new(move |from, to| {
        own.get_mut_mask().as_mut().copy_from_slice(&from.as_ref()[dim..drawn]);
        partial_convert_lwe_ciphertext_into_constant_glwe_ciphertext(&own, &mut input, own.lwe_size().0 - 1);
        output.as_mut().fill(0);
        glwe_fast_keyswitch(&mut output, &key, &input, fft.as_view(), buffers.stack());
        partial_extract_lwe_sample_from_glwe_ciphertext(&output, to, MonomialDegree(0), dim);
        let body = from.as_ref()[from.as_ref().len() - 1];
        let kept = from.as_ref()[..dim].iter().chain([&body]);
        to.as_mut().iter_mut().zip(kept).for_each(|(to, &kept)| *to = to.wrapping_add(kept));
    })
}

/// A table of a message: the key switch, and the bootstrap.
pub fn table(set: &Set) -> Timed {
    let mut seeder = new_seeder();
    let mut random = Randomness {
        secret: SecretRandomGenerator::new(seeder.seed()),
        encryption: EncryptionRandomGenerator::new(seeder.seed(), seeder.as_mut()),
    };
    let (rank, degree) = (GlweDimension(set.rank), PolynomialSize(1 << set.log_n));
    let fill = PartialGlweSecretKeyRandomCoefCount(set.drawn);
    let big = allocate_and_generate_new_partial_binary_glwe_secret_key(rank, degree, fill, &mut random.secret);
    let large = big.clone().into_lwe_secret_key();
    let small = match set.kind {
        Kind::Classic => allocate_and_generate_new_binary_lwe_secret_key(LweDimension(set.lwe_dim), &mut random.secret),
        _ => allocate_and_generate_fully_shared_binary_lwe_secret_key(&large, LweDimension(set.lwe_dim)),
    };
    let mut switch = match set.kind {
        Kind::Classic => plain(set, &large, &small, &mut random),
        Kind::Chain => chain(set, &large, &mut random),
        Kind::Transforms => transforms(set, &big, &mut random),
    };
    let ((base, levels), error) = (gadget(set.digits), gaussian(set.log2_std_dev));
    let (size, encryption) = (rank.to_glwe_size(), &mut random.encryption);
    let key = par_allocate_and_generate_new_lwe_bootstrap_key(&small, &big, base, levels, error, MODULUS, encryption);
    let mut rotation = FourierLweBootstrapKey::new(small.lwe_dimension(), size, degree, base, levels);
    par_convert_standard_lwe_bootstrap_key_to_fourier(&key, &mut rotation);
    let fft = Fft::new(degree);
    let mut buffers = ComputationBuffers::new();
    let needed = programmable_bootstrap_lwe_ciphertext_mem_optimized_requirement::<u64>(size, degree, fft.as_view());
    buffers.resize(needed.unaligned_bytes_required());
    let (messages, delta) = (1u64 << set.bits, 1u64 << (63 - set.bits));
    let last = messages - 1;
    let accumulator =
        generate_programmable_bootstrap_glwe_lut(degree, size, messages as usize, MODULUS, delta, |x| last - x);
    let input =
        allocate_and_encrypt_new_lwe_ciphertext(&large, Plaintext(delta), error, MODULUS, &mut random.encryption);
    let (mut switched, mut out) = (lwe(set.lwe_dim), lwe(large.lwe_dimension().0));
    let mut bootstrap = move || {
        switch(&input, &mut switched);
        let stack = buffers.stack();
        let fft = fft.as_view();
        programmable_bootstrap_lwe_ciphertext_mem_optimized(&switched, &mut out, &accumulator, &rotation, fft, stack);
        out.clone()
    };
    let found = decrypt_lwe_ciphertext(&large, &bootstrap()).0;
    assert_eq!((found.wrapping_add(delta / 2)) / delta, last - 1, "{:?}", set.kind);
    Timed {
        name: format!("tfhe-rs {} bits, {:?}", set.bits, set.kind),
        about: "the artifact's set, 2^-14".into(),
        call: Box::new(move || drop(bootstrap())),
    }
}
