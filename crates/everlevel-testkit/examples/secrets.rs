//! Every computation on secrets, once, for Valgrind's memcheck: `make test-secrets` builds and runs this.
//!
//! Seeds are marked as secret ([`everlevel_rand::secrecy`]), so that secret keys, noise and all that is made of them
//! are. Without an argument nothing here may branch on them or index by them, and memcheck finds nothing; with the name
//! of a plant it must find the one that is planted there.

#[cfg(not(everlevel_memcheck))]
fn main() {
    eprintln!("secrets: built without --cfg everlevel_memcheck; `make test-secrets` builds and runs it");
    std::process::exit(2);
}

#[cfg(everlevel_memcheck)]
fn main() {
    assert!(everlevel_rand::secrecy::is_checked(), "secrets: not run by Valgrind; `make test-secrets` does that");
    match std::env::args().nth(1) {
        None => {
            checked::samplers();
            checked::ckks();
            checked::bootstrap_keys();
            checked::tfhe();
            checked::public_keys();
            checked::bfv();
            checked::ntru();
        }
        Some(name) if name == "--plants" => planted::ALL.iter().for_each(|(name, _)| println!("{name}")),
        Some(name) => {
            let (_, plant) = planted::ALL.iter().find(|(plant, _)| *plant == name).expect("the name of a plant");
            println!("{}", plant());
        }
    }
}

#[cfg(everlevel_memcheck)]
mod checked {
    //! Operations that must not depend on secrets.

    use std::sync::Arc;

    use everlevel_bfv as bfv;
    use everlevel_binfhe as tfhe;
    use everlevel_binfhe::{Gadget, KeySwitch, Order, PrimeGadget, Rotation, SmallSecret, Space};
    use everlevel_ckks::{
        BootstrapKeySize, Bootstrapper, Complex64, Context, Options, Params, ParamsLiteral, no_progress,
    };
    use everlevel_rand::secrecy::{classify, declassify};
    use everlevel_rand::{Domain, Seed, SeedSource, sampler};
    use everlevel_ring::TorusRing;
    use everlevel_rlwe::lwe::CompactPublicKey;
    use everlevel_security::SecretDistribution;

    /// A seed that memcheck takes for secret.
    pub fn secret_seed(tag: u8) -> Seed {
        let mut bytes = [tag; 32];
        classify(&mut bytes);
        Seed::from_bytes(bytes)
    }

    /// A source all of whose seeds are secret.
    fn secret_seeds(tag: u8) -> SeedSource {
        SeedSource::insecure(secret_seed(tag))
    }

    pub fn samplers() {
        let stream = |index| secret_seed(1).stream(Domain::Test, index);
        // Longer than the samplers' chunks, and no whole number of vectors.
        let (mut small, mut wide) = (vec![0i8; 1100], vec![0i64; 1100]);
        sampler::ternary(&mut stream(0), &mut small);
        sampler::binary(&mut stream(1), &mut small);
        sampler::fixed_weight(&mut stream(2), &mut small, 192).expect("a weight below the length");
        sampler::binary_weight(&mut stream(4), &mut small, 192).expect("a weight below the length");
        sampler::one_hot(&mut stream(5), &mut small, 16);
        for sigma in [3.2, 100.0, 1e9] {
            sampler::gaussian(&mut stream(3), &mut wide, sigma).expect("a deviation in range");
        }
    }

    fn context(literal: ParamsLiteral, slots: usize, seeded_keys: bool) -> Context {
        let options = Options { slot_count: Some(slots), seeded_keys, ..Options::default() };
        Context::with_seeds(Params::try_from(literal).expect("parameters"), options, secret_seeds(2))
            .expect("a context")
    }

    pub fn ckks() {
        let sparse = ParamsLiteral::insecure_depth(9, 2);
        let dense = ParamsLiteral { secret: SecretDistribution::Ternary, ..sparse.clone() };
        for (literal, seeded_keys) in [(sparse, false), (dense, true)] {
            let ctx = context(literal, 4, seeded_keys);
            let secret = ctx.secret_key().expect("a key");
            let public = ctx.public_key(&secret).expect("a key");
            let relinearization = ctx.relinearization_key(&secret, &no_progress).expect("a key");
            ctx.conjugation_key(&secret, &no_progress).expect("a key");
            ctx.rotation_key(&secret, &no_progress).expect("a key");
            ctx.fixed_rotation_key(&secret, 1, 1).expect("a key");
            ctx.matrix_multiplication_key(&secret, 1, &no_progress).expect("a key");

            let values = vec![Complex64::new(0.5, -0.25); 4];
            // Decryptions have two primes: a plaintext of level 1 has no more.
            let plain = ctx.encode(&values, 1).expect("small values");
            let mine = ctx.encrypt_with_secret(&plain, &secret).expect("fresh seeds");
            let theirs = ctx.encrypt(&plain, &public).expect("fresh seeds");
            let sum = ctx.add(&mine, &theirs).expect("operands of one context");
            // A plaintext that is secret: one that was decrypted.
            let again = ctx.decrypt(&sum, &secret).expect("our secret");
            let again = ctx.encrypt(&again, &public).expect("fresh seeds");
            let product = ctx.multiply(&again, &mine, &relinearization).expect("operands of one context");
            let three = ctx.multiply_without_key(&again, &mine).expect("operands of one context");
            for ct in [product, three] {
                let found = ctx.decode(&ctx.decrypt(&ct, &secret).expect("our secret")).expect("our parameters");
                assert!(found.iter().zip(&values).all(|(z, x)| (z - 2.0 * x * x).norm() < 1e-4), "{found:?}");
            }
        }
    }

    pub fn bootstrap_keys() {
        let ctx = context(ParamsLiteral::insecure_bootstrap(9), 4, true);
        let bootstrapper = Bootstrapper::new(&ctx).expect("a chain with bootstraps");
        let secret = ctx.secret_key().expect("a key");
        ctx.relinearization_key(&secret, &no_progress).expect("a key");
        ctx.conjugation_key(&secret, &no_progress).expect("a key");
        bootstrapper.bootstrap_key(&secret, 2, BootstrapKeySize::Medium, &no_progress).expect("a key");
        bootstrapper.small_bootstrap_key(&secret, &no_progress).expect("a key");
    }

    /// Keys of the smallest size, without security.
    pub fn tfhe_secret(torus_bits: u32, order: Order, ring: usize, space: Space) -> tfhe::SecretKey {
        let literal = tfhe::ParamsLiteral {
            torus_bits,
            lwe_dim: 16,
            lwe_log2_std_dev: -20.0,
            rank: 1,
            log_n: 8,
            log2_extension: 0,
            bits_per_step: if ring == 1 { 2 } else { 1 },
            glwe_log2_std_dev: -28.0,
            secrets: tfhe::Secrets::default(),
            landings: Vec::new(),
            mask_gadget: Gadget::new(7, 3),
            body_gadget: Gadget::new(7, 2),
            key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring },
            order,
            space,
            squared_norm: 4.0,
            max_log2_p_fail: 0.0,
            insecure: true,
        };
        let params = Arc::new(tfhe::Params::try_from(literal).expect("parameters"));
        tfhe::SecretKey::with_seeds(params, secret_seeds(3)).expect("a key")
    }

    pub fn tfhe() {
        for torus_bits in [32, 64] {
            for (order, ring) in [(Order::KeySwitchFirst, 16), (Order::BootstrapFirst, 1)] {
                let secret = tfhe_secret(torus_bits, order, ring, Space::Bit);
                tfhe::SeededEvalKeys::generate(&secret).expect("keys");
                let clear = [true, false, true];
                let mut bits = clear;
                classify(&mut bits);
                let encrypted = secret.encrypt_bits(&bits).expect("fresh seeds");
                let found = secret.decrypt_bits(&encrypted).expect("our secret");
                declassify(&found);
                assert_eq!(found, clear);
            }
        }
        let secret = tfhe_secret(64, Order::KeySwitchFirst, 16, Space::Integer { bits: 2 });
        let encrypted = secret.encrypt_integers(&[3, 0, 1], 3).expect("fresh seeds");
        let found = secret.decrypt_integers(&encrypted).expect("our secret");
        declassify(&found);
        assert_eq!(found, [3, 0, 1]);
    }

    /// Public keys of a secret, and lists that they encrypt.
    pub fn public_keys() {
        let secret = tfhe_secret(64, Order::KeySwitchFirst, 16, Space::Bit);
        let key = tfhe::PublicKey::generate(&secret).expect("a key");
        let clear = [true, false, true];
        let mut bits = clear;
        classify(&mut bits);
        let encrypted = key.encrypt_bits(&bits).expect("fresh seeds");
        let again = key.rerandomize(&encrypted).expect("fresh seeds");
        let found = secret.decrypt_bits(&again).expect("our secret");
        declassify(&found);
        assert_eq!(found, clear);
        // With an ephemeral secret and errors that memcheck knows of.
        let (ring, error) = (TorusRing::<u64>::new(8).expect("a size"), sampler::Gaussian::new(1e9).expect("in range"));
        let mut coeffs = vec![0i8; 512];
        sampler::binary(&mut secret_seed(5).stream(Domain::Test, 0), &mut coeffs);
        let own = everlevel_rlwe::SecretKey::from_coeffs(&ring, everlevel_rlwe::SecretId(1), coeffs);
        let key = CompactPublicKey::generate(&ring, &own, &error, &secret_seed(6));
        key.encrypt(&ring, &error, &[1 << 62, 3 << 62], 512, &secret_seed(7));
    }

    pub fn bfv() {
        // The smallest degree whose cap on the modulus leaves room for a base's least bits.
        let params = bfv::Params::try_from(bfv::named("n13").expect("a set").literal).expect("parameters");
        let ctx = bfv::Context::with_seeds(params, secret_seeds(4)).expect("a context");
        let secret = ctx.secret_key().expect("a key");
        ctx.eval_keys(&secret, &[1], false, &everlevel_ring::no_progress).expect("keys");
        let encrypted = ctx.encrypt(&secret, &[3, -1, 4]).expect("fresh seeds");
        assert_eq!(ctx.decrypt(&secret, &encrypted).expect("our secret")[..3], [3, -1, 4]);
    }

    /// Every kind of small secret, and the bits that the keys of its rotation encrypt.
    pub fn ntru() {
        // Rotations are not run, but their kernels are to be in the program, for the scan of it.
        std::hint::black_box(tfhe::SeededEvalKeys::prepare as fn(&_) -> _);
        for (rotation, secret) in [
            (Rotation::FourKeys, SmallSecret::Binary),
            (Rotation::EightKeys, SmallSecret::Binary),
            (Rotation::Sequential, SmallSecret::Ternary),
            (Rotation::Blocks, SmallSecret::OneHot { block: 4 }),
            (Rotation::Buckets { count: 8 }, SmallSecret::Sparse { weight: 3 }),
            (Rotation::OneSweep { window: 2 }, SmallSecret::Ternary),
        ] {
            let literal = tfhe::NtruLiteral {
                modulus: 1_032_193,
                log_n: 8,
                lwe_dim: 16,
                secret,
                lwe_log2_std_dev: -20.0,
                big_log2_std_dev: -28.0,
                gadget: PrimeGadget::new(5, 3, 5),
                rotation,
                key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring: 16 },
                order: Order::KeySwitchFirst,
                space: Space::Bit,
                squared_norm: 4.0,
                max_log2_p_fail: 0.0,
                insecure: true,
            };
            let params = Arc::new(tfhe::Params::try_from(literal).expect("parameters"));
            let secret = tfhe::SecretKey::with_seeds(params, secret_seeds(4)).expect("a key");
            tfhe::SeededEvalKeys::generate(&secret).expect("keys");
            let encrypted = secret.encrypt_bits(&[true, false]).expect("fresh seeds");
            let found = secret.decrypt_bits(&encrypted).expect("our secret");
            declassify(&found);
            assert_eq!(found, [true, false]);
        }
    }
}

#[cfg(everlevel_memcheck)]
mod planted {
    //! Leaks that memcheck must find: if it doesn't, marks are lost on the way, and the check above says nothing.

    use std::hint::black_box;

    use everlevel_binfhe::{Order, Space};
    use everlevel_rand::{Domain, sampler};
    use everlevel_ring::{PrimeSet, Ring};
    use everlevel_rlwe::{Rlwe, SecretKey};

    use crate::checked::{secret_seed, tfhe_secret};

    /// A plant's name, and what it computes.
    type Plant = (&'static str, fn() -> &'static str);

    pub const ALL: &[Plant] = &[
        ("branch on a sample of noise", noise),
        ("branch on a secret's coefficient", secret_coefficient),
        ("branch on a phase", phase),
        ("index by a bit of a secret", secret_bit),
        ("branch on a decrypted bit", decrypted_bit),
    ];

    fn branch(condition: bool) -> &'static str {
        // The boxes keep the compiler from choosing without a branch.
        if black_box(condition) { black_box("set") } else { black_box("clear") }
    }

    fn ring() -> Ring {
        let primes: Vec<u64> = everlevel_math::primes::ntt_primes_below(48, 9).take(2).collect();
        Ring::new(9, &primes).expect("primes of this degree")
    }

    fn noise() -> &'static str {
        let mut noise = [0i64; 8];
        sampler::gaussian(&mut secret_seed(1).stream(Domain::Test, 0), &mut noise, 3.2).expect("a deviation in range");
        branch(noise[0] > 0)
    }

    fn secret_coefficient() -> &'static str {
        let secret = SecretKey::sample(&ring(), &secret_seed(2), 0, Some(64)).expect("a weight below the degree");
        branch(secret.coeffs()[0] == 1)
    }

    fn phase() -> &'static str {
        let (ring, set) = (ring(), PrimeSet::new(0..2));
        let secret = SecretKey::sample(&ring, &secret_seed(3), 0, None).expect("no weight");
        let zero = Rlwe::encrypt_zero(&ring, &set, &secret, &secret_seed(4));
        branch(zero.phase(&ring, &secret).limbs()[0][0] > 1 << 40)
    }

    fn secret_bit() -> &'static str {
        let secret = tfhe_secret(64, Order::KeySwitchFirst, 16, Space::Bit);
        black_box(["clear", "set"])[secret.small()[0] as usize]
    }

    fn decrypted_bit() -> &'static str {
        let secret = tfhe_secret(32, Order::KeySwitchFirst, 16, Space::Bit);
        let bits = secret.encrypt_bits(&[true]).expect("fresh seeds");
        branch(secret.decrypt_bits(&bits).expect("our secret")[0])
    }
}
