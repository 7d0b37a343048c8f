//! Gates, tables and integers beside tfhe-rs, in one run:
//! `cargo bench -p everlevel-bench --features tfhe-rs --bench tfhe -- [gate-64 | gate-128 | gate-165 | integer-4-128 |
//! insecure-tfhe-lib | new-keys-1 … new-keys-8 | uint32 | uint64 | uint32x16 | uint64x16 | lists |
//! circuit-bootstrap]…`; `new-keys` is that of 5 bits beside sets of 2^-64. Integers `x16` are sixteen in one array,
//! with the time of each beside that of the peer's, whose calls take one. `lists` are the sizes and times of fresh
//! integers by public keys and of results in lists.
//!
//! `circuit-bootstrap` has poulpy beside both, too, with its feature, Rust's nightly and
//! `RUSTFLAGS="-C target-cpu=native"`: `cargo +nightly bench … --features tfhe-rs,poulpy …`.
//!
//! One thread; milliseconds of its CPU time, minimum and median. The two libraries take turns, so that a busy machine
//! slows both. Under `GLIBC_TUNABLES=glibc.malloc.hugetlb=1` tfhe-rs has huge pages too, which is the fairer
//! comparison; it has its default features, and so its kernels for AVX-512.
//!
//! Failure probabilities of both are by this library's formulas: for inputs that combine bootstrapped ciphertexts with
//! 2-norm 2, which our gates are made for, and √8, which tfhe-rs' are.

use std::sync::Arc;

use everlevel_bench::new_keys;
use everlevel_bench::timing::{Clock, Times};
use everlevel_binfhe::{
    AnyArray, Ciphertext, CircuitParams, EvalKeys, Gadget, Gate, KeySwitch, Literal, Params, ParamsLiteral, PublicKey,
    SecretKey, SeededCircuitKey, SeededCompressionKey, Space, Width, sets,
};
use everlevel_testkit::artifact;

/// A call to be timed, with its name and its failures or precision.
struct Timed {
    name: String,
    about: String,
    call: Box<dyn FnMut()>,
}

/// Minimum and median of each call, taken in turns.
fn measure(calls: &mut [Timed], repeats: usize) -> Vec<Times> {
    let mut times = vec![Vec::new(); calls.len()];
    for round in 0..=repeats {
        for (timed, times) in calls.iter_mut().zip(&mut times) {
            let (seconds, ()) = Clock::Thread.time(&mut timed.call);
            if round > 0 {
                times.push(1e3 * seconds);
            }
        }
    }
    times.into_iter().map(Times::of).collect()
}

/// The failures at two norms, in words.
fn told(squared_norms: [f64; 2], log2_p_fail: impl Fn(f64) -> f64) -> String {
    let [first, second] = squared_norms.map(|norm| format!("2^{:.0} at 2-norm {:.2}", log2_p_fail(norm), norm.sqrt()));
    format!("{first}, {second}")
}

/// The norms that failure probabilities are told at.
fn norms(space: Space) -> [f64; 2] {
    if space == Space::Bit { [4.0, 8.0] } else { [17.0, 25.0] }
}

/// The numbers of a named set of TFHE's.
fn literal(name: &str) -> ParamsLiteral {
    sets::find(name).expect("a named set").literal().tfhe().expect("a set of TFHE's")
}

/// One bootstrap.
fn ours(name: &str, literal: impl Into<Literal>) -> Timed {
    let params = Arc::new(Params::try_from(literal.into()).expect("valid"));
    let about = told(norms(params.space), |squared_norm| params.log2_p_fail(squared_norm));
    let secret = SecretKey::generate(params).expect("entropy");
    let keys = EvalKeys::generate(&secret).expect("entropy");
    let call: Box<dyn FnMut()> = match keys.params().space {
        Space::Bit => {
            let a: Vec<Ciphertext> = secret.encrypt_bits(&[true]).expect("entropy");
            Box::new(move || drop(keys.gates(&[Gate::Nand], &a, &a).expect("a gate")))
        }
        Space::Integer { bits } => {
            let a = secret.encrypt_integers(&[1], 1).expect("entropy");
            let table: Vec<u64> = (0..1 << bits).rev().collect();
            Box::new(move || drop(keys.table(&a, &table).expect("a table")))
        }
    };
    Timed { name: format!("everlevel {name}"), about, call }
}

/// Parameters that are made for what the peer's gate of 2^-165 is: inputs of 2-norm √8. No named set has them.
fn gate_165() -> ParamsLiteral {
    ParamsLiteral {
        lwe_dim: 704,
        lwe_log2_std_dev: -14.81,
        body_gadget: Gadget::new(15, 1),
        key_switch: KeySwitch { gadget: Gadget::new(2, 7), ring: 32 },
        squared_norm: 8.0,
        max_log2_p_fail: -165.0,
        ..literal("gate-128")
    }
}

/// The number of bits that a group of sets with new secrets is for.
fn bits_of(group: &str) -> Option<u32> {
    group.strip_prefix("new-keys-")?.parse().ok()
}

/// The sets of the artifact of ePrint 2023/979 for messages of so many bits.
fn of_artifact(bits: u32) -> impl Iterator<Item = Timed> {
    let sets = artifact::sets().into_iter().filter(move |set| set.bits == bits);
    sets.map(|set| ours(&format!("{} bits, {:?}", set.bits, set.kind), new_keys::literal(&set)))
}

/// The operands of integers, of which those of 32 bits have the lower half.
const OPERANDS: [u64; 2] = [0x5555_aaaa_dead_beef, 0x89ab_cdef_0123_4567];

/// Operations on integers, and how often each is timed.
const OPERATIONS: [(&str, usize); 3] = [("add", 5), ("compare", 5), ("multiply", 1)];

/// The groups of integers: their bits, and how many are in an array.
const INTEGERS: [(&str, u32, usize); 4] =
    [("uint32", 32, 1), ("uint32x16", 32, 16), ("uint64", 64, 1), ("uint64x16", 64, 16)];

/// Operations on arrays of integers, by name.
fn our_integers(set: &str, bits: u32, len: usize) -> Vec<(&'static str, Timed)> {
    let (literal, width) = (literal(set), Width::from_bits(bits).expect("a width"));
    let secret = SecretKey::generate(Arc::new(Params::try_from(literal).expect("valid"))).expect("entropy");
    let keys = Arc::new(EvalKeys::generate(&secret).expect("entropy"));
    let [a, b] = OPERANDS.map(|x| secret.encrypt_uints(width, &vec![x & width.max(); len]).expect("entropy"));
    let timed = |(operation, _): (&'static str, usize)| {
        let (keys, a, b) = (Arc::clone(&keys), a.clone(), b.clone());
        let call: Box<dyn FnMut()> = Box::new(move || {
            let integers = keys.integers().expect("a set of 4 bits");
            match operation {
                "add" => drop(integers.add(&a, &b).expect("a sum")),
                "multiply" => drop(integers.mul(&a, &b).expect("a product")),
                _ => drop(integers.lt(&a, &b).expect("a comparison")),
            }
        });
        (operation, Timed { name: format!("everlevel {operation}, {set}"), about: String::new(), call })
    };
    OPERATIONS.map(timed).into()
}

/// Integers of 32 bits in lists.
const LISTED: usize = 1000;

/// Encryption of an integer of 32 bits by a public key, and lists of a thousand results.
fn our_lists(set: &str) -> Vec<(&'static str, Timed)> {
    let secret = SecretKey::generate(Arc::new(Params::try_from(literal(set)).expect("valid"))).expect("entropy");
    let public = PublicKey::generate(&secret).expect("a set with public keys");
    let key = SeededCompressionKey::generate(&secret).expect("a set with lists").prepare();
    let results = AnyArray::Uints(secret.encrypt_uints(Width::U32, &[OPERANDS[0] >> 32; LISTED]).expect("entropy"));
    let each = key.compress(&results).expect("room").nbytes() as f64 / LISTED as f64;
    let encrypt = Box::new(move || drop(public.encrypt_uints(Width::U32, &[77]).expect("entropy")));
    let list = Box::new(move || drop(key.compress(&results).expect("room")));
    let timed = |name: &str, about: String, call| Timed { name: format!("everlevel {name}"), about, call };
    vec![
        ("encrypt", timed("uint32 by a public key, ready", String::new(), encrypt)),
        ("list", timed("list of 1000", format!("{each:.1} bytes each"), list)),
    ]
}

/// A circuit bootstrap of a bit.
fn our_circuit_bootstrap(name: &str) -> Timed {
    let outer = Arc::new(Params::try_from(literal(name)).expect("valid"));
    let secret = SecretKey::generate(Arc::clone(&outer)).expect("entropy");
    let key = SeededCircuitKey::generate(&secret).expect("a set with look-ups").prepare();
    let bit = secret.encrypt_integers(&[1], 1).expect("entropy");
    let about = format!(
        "{} and {} levels of 2^{}, {} bits, fails with 2^{:.1} at most",
        CircuitParams::TREE.digits,
        CircuitParams::TREE_BODY.digits,
        CircuitParams::TREE.log2_base,
        CircuitParams::SECURITY_BITS,
        key.params().rotation().max_log2_p_fail,
    );
    let call = Box::new(move || drop(key.circuit_bootstrap(&bit).expect("a bit")));
    Timed { name: format!("everlevel {name}"), about, call }
}

#[cfg(feature = "poulpy")]
#[path = "peer/poulpy.rs"]
mod poulpy;

#[cfg(not(feature = "poulpy"))]
mod poulpy {
    use super::Timed;

    pub fn calls() -> Vec<Timed> {
        Vec::new()
    }
}

#[cfg(feature = "tfhe-rs")]
mod peer {
    mod circuit;
    mod new_keys;

    use everlevel_testkit::artifact;
    use tfhe::boolean::parameters::{self as boolean, BooleanParameters};
    use tfhe::boolean::prelude::BinaryBooleanGates;
    use tfhe::prelude::{FheEncrypt, FheOrd};
    use tfhe::safe_serialization::safe_serialized_size;
    use tfhe::shortint::parameters::{
        AtomicPatternParameters, COMP_PARAM_MESSAGE_2_CARRY_2, PARAM_MESSAGE_2_CARRY_2_KS_PBS,
        PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128,
        current_params::V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128,
    };
    use tfhe::{
        CompactCiphertextList, CompactPublicKey, CompressedCiphertextListBuilder, ConfigBuilder, FheUint32, FheUint64,
        ServerKey, generate_keys, set_server_key,
    };

    use everlevel_binfhe::{Order, Secrets, noise};

    use super::{Gadget, KeySwitch, LISTED, OPERANDS, OPERATIONS, Params, ParamsLiteral, Space, Timed, norms, told};

    /// The numbers of a gate's parameters, for the formulas of noise.
    fn literal(p: &BooleanParameters) -> ParamsLiteral {
        let gadget = |base: tfhe::core_crypto::prelude::DecompositionBaseLog, digits: usize| {
            Gadget::new(base.0 as u32, digits as u32)
        };
        let order = match p.encryption_key_choice {
            tfhe::shortint::EncryptionKeyChoice::Big => Order::KeySwitchFirst,
            tfhe::shortint::EncryptionKeyChoice::Small => Order::BootstrapFirst,
        };
        let external = gadget(p.pbs_base_log, p.pbs_level.0);
        ParamsLiteral {
            torus_bits: 32,
            lwe_dim: p.lwe_dimension.0,
            lwe_log2_std_dev: p.lwe_noise_distribution.gaussian_std_dev().0.log2(),
            rank: p.glwe_dimension.0,
            log_n: p.polynomial_size.0.ilog2(),
            log2_extension: 0,
            bits_per_step: 1,
            glwe_log2_std_dev: p.glwe_noise_distribution.gaussian_std_dev().0.log2(),
            secrets: Secrets::default(),
            landings: Vec::new(),
            mask_gadget: external,
            body_gadget: external,
            key_switch: KeySwitch { gadget: gadget(p.ks_base_log, p.ks_level.0), ring: 1 },
            order,
            space: Space::Bit,
            squared_norm: 4.0,
            max_log2_p_fail: 0.0,
            insecure: true,
        }
    }

    /// The variance that a modulus switch without the centred mean of ours has above it: `n/2` roundings, not `n/4`.
    fn more_rounding(params: &Params) -> f64 {
        params.lwe_dim as f64 / 4.0 / (12.0 * (2.0 * params.table_len() as f64).powi(2))
    }

    /// log2 of the failure probability of a bootstrap whose input has each of two norms, by the peer's modulus switch.
    fn failures(literal: ParamsLiteral, squared_norms: [f64; 2]) -> String {
        let params = Params::try_from(literal).expect("sound numbers");
        told(squared_norms, |squared_norm| {
            let noise = params.mean_noise();
            let variance = noise.at_table(squared_norm * noise.bootstrapped) + more_rounding(&params);
            noise::log2_p_fail(params.margin_torus(), variance)
        })
    }

    fn gate(name: &str, parameters: &BooleanParameters) -> Timed {
        let client = tfhe::boolean::client_key::ClientKey::new(parameters);
        let server = tfhe::boolean::server_key::ServerKey::new(&client);
        let a = client.encrypt(true);
        Timed {
            name: format!("tfhe-rs {name}"),
            about: failures(literal(parameters), norms(Space::Bit)),
            call: Box::new(move || drop(server.nand(&a, &a))),
        }
    }

    /// Sets of 2 bits and 2 of carry: the same messages as ours of 4 bits. Those that there are for one thread; the
    /// first is that of the peer's published times.
    fn sets() -> [(&'static str, AtomicPatternParameters, &'static str); 3] {
        [
            ("2_2", PARAM_MESSAGE_2_CARRY_2_KS_PBS.into(), "2^-129.6 at 2-norm 5"),
            ("2_2, Gaussian", V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128.into(), "2^-128.6 at 2-norm 5"),
            ("2_2, KS32", PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128.into(), "2^-129.6 at 2-norm 5"),
        ]
    }

    fn table((name, parameters, about): (&str, AtomicPatternParameters, &str)) -> Timed {
        let (client, server) = tfhe::shortint::gen_keys(parameters);
        let (a, table) = (client.encrypt(1), server.generate_lookup_table(|x| 3 - x % 4));
        Timed {
            name: format!("tfhe-rs {name}"),
            about: format!("{about} (its own figure)"),
            call: Box::new(move || drop(server.apply_lookup_table(&a, &table))),
        }
    }

    /// The sets of the artifact of ePrint 2023/979 for messages of so many bits, by the peer's experimental algorithms.
    fn new_secrets(bits: u32) -> Vec<Timed> {
        artifact::sets().iter().filter(|set| set.bits == bits).map(new_keys::table).collect()
    }

    pub fn calls(group: &str) -> Vec<Timed> {
        match group {
            "insecure-tfhe-lib" => vec![gate("TFHE_LIB", &boolean::TFHE_LIB_PARAMETERS)],
            "gate-64" => vec![
                gate("DEFAULT", &boolean::DEFAULT_PARAMETERS),
                gate("DEFAULT_KS_PBS", &boolean::DEFAULT_PARAMETERS_KS_PBS),
            ],
            "gate-165" => vec![gate("2^-165, KS_PBS", &boolean::PARAMETERS_ERROR_PROB_2_POW_MINUS_165_KS_PBS)],
            "integer-4-128" => sets().map(table).into(),
            "new-keys" => new_secrets(5),
            "circuit-bootstrap" => circuit::calls(),
            _ => super::bits_of(group).map(new_secrets).unwrap_or_default(),
        }
    }

    /// Operations on integers, by name; of 64 bits by the set that is the fastest on one thread.
    pub fn integers(bits: u32) -> Vec<(&'static str, Timed)> {
        let of_set = |(name, parameters, _): (&'static str, AtomicPatternParameters, _)| {
            let (client, server) = generate_keys(ConfigBuilder::with_custom_parameters(parameters).build());
            let operations: Vec<Box<dyn FnMut()>> = if bits == 32 {
                let [a, b] = OPERANDS.map(|x| FheUint32::encrypt(x as u32, &client));
                let calls: [fn(&FheUint32, &FheUint32); 3] =
                    [|a, b| drop(a + b), |a, b| drop(a.lt(b)), |a, b| drop(a * b)];
                calls.map(|call| with_server(&server, (a.clone(), b.clone()), call)).into()
            } else {
                let [a, b] = OPERANDS.map(|x| FheUint64::encrypt(x, &client));
                let calls: [fn(&FheUint64, &FheUint64); 3] =
                    [|a, b| drop(a + b), |a, b| drop(a.lt(b)), |a, b| drop(a * b)];
                calls.map(|call| with_server(&server, (a.clone(), b.clone()), call)).into()
            };
            OPERATIONS.into_iter().zip(operations).map(move |((operation, _), call)| {
                (operation, Timed { name: format!("tfhe-rs {operation}, {name}"), about: String::new(), call })
            })
        };
        let skipped = if bits == 32 { 0 } else { sets().len() - 1 };
        sets().into_iter().skip(skipped).flat_map(of_set).collect()
    }

    /// A call of the thread that has the server's key.
    fn with_server<T: 'static>(server: &ServerKey, (a, b): (T, T), call: fn(&T, &T)) -> Box<dyn FnMut()> {
        let server = server.clone();
        Box::new(move || {
            set_server_key(server.clone());
            call(&a, &b);
        })
    }

    /// Encryption of an integer of 32 bits by a compact public key, alone and with what makes it ready for computing;
    /// and lists of a thousand results.
    pub fn lists() -> Vec<(&'static str, Timed)> {
        let config = ConfigBuilder::with_custom_parameters(PARAM_MESSAGE_2_CARRY_2_KS_PBS);
        let (client, server) = generate_keys(config.enable_compression(COMP_PARAM_MESSAGE_2_CARRY_2).build());
        set_server_key(server.clone());
        let public = CompactPublicKey::new(&client);
        let encrypt = move || CompactCiphertextList::builder(&public).push(77u32).build();
        let ready = {
            let (encrypt, server) = (encrypt.clone(), server.clone());
            move || {
                set_server_key(server.clone());
                encrypt().expand().expect("a list")
            }
        };
        let result = FheUint32::encrypt(OPERANDS[0] as u32, &client);
        let list = move || {
            set_server_key(server.clone());
            let mut builder = CompressedCiphertextListBuilder::new();
            builder.extend((0..LISTED).map(|_| result.clone()));
            builder.build().expect("keys of compression")
        };
        let each = safe_serialized_size(&list()).expect("a size") as f64 / LISTED as f64;
        let timed = |name: &str, about: String, call| Timed { name: format!("tfhe-rs {name}"), about, call };
        vec![
            ("encrypt", timed("uint32 by a public key", String::new(), Box::new(move || drop(encrypt())))),
            ("encrypt", timed("uint32 by a public key, ready", String::new(), Box::new(move || drop(ready())))),
            ("list", timed("list of 1000", format!("{each:.1} bytes each"), Box::new(move || drop(list())))),
        ]
    }
}

#[cfg(not(feature = "tfhe-rs"))]
mod peer {
    use super::Timed;

    pub fn calls(_: &str) -> Vec<Timed> {
        Vec::new()
    }

    pub fn integers(_: u32) -> Vec<(&'static str, Timed)> {
        Vec::new()
    }

    pub fn lists() -> Vec<(&'static str, Timed)> {
        Vec::new()
    }
}

/// Takes the calls in turns, and prints their times, ours as parts of the peer's best.
fn compare(calls: Vec<Timed>, repeats: usize) {
    compare_arrays(calls, repeats, 1);
}

/// [`compare`] with so many elements in our calls, and one in the peer's: times are those of each.
fn compare_arrays(mut calls: Vec<Timed>, repeats: usize, len: usize) {
    let mut times = measure(&mut calls, repeats);
    let ours = calls.iter().zip(&mut times).filter(|(timed, _)| timed.name.starts_with("everlevel"));
    ours.for_each(|(_, times)| *times = times.scaled(1.0 / len as f64));
    let theirs = calls.iter().zip(&times).filter(|(timed, _)| !timed.name.starts_with("everlevel"));
    let best = theirs.map(|(_, times)| times.least).fold(f64::INFINITY, f64::min);
    for (Timed { name, about, .. }, Times { least, median }) in calls.iter().zip(&times) {
        let ratio = if best.is_finite() { format!("{:.2} of the peer's best", least / best) } else { String::new() };
        println!("{name:<36} {least:>9.3} ms ({median:.3})  {ratio:<24} {about}");
    }
}

fn main() {
    // Before anything starts the global pool.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().expect("the first pool");
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |group: &str| asked.is_empty() || asked.iter().any(|name| name == group);
    let named = |name: &str| ours(name, sets::find(name).expect("a named set").literal());
    for (group, names) in [
        ("insecure-tfhe-lib", &["insecure-tfhe-lib", "insecure-tfhe-lib-seven", "insecure-tfhe-lib-full"][..]),
        ("gate-64", &["gate-64", "ntru-gate-64", "ntru-gate-64-blocks-experimental"]),
        ("gate-128", &["gate-128", "ntru-gate-128"]),
        ("gate-165", &[]),
        ("integer-4-128", &["integer-4-128"]),
        ("new-keys", &["integer-5-64", "integer-5-64-experimental", "integer-5-64-blocks-experimental"]),
    ] {
        if wanted(group) {
            let mut calls: Vec<Timed> = names.iter().map(|name| named(name)).collect();
            if group == "gate-165" {
                calls.push(ours("2^-165 at 2-norm √8", gate_165()));
            }
            if group == "new-keys" {
                calls.extend(of_artifact(5));
            }
            calls.extend(peer::calls(group));
            compare(calls, 31);
        }
    }
    for group in (1..=8).map(|bits| format!("new-keys-{bits}")).filter(|group| wanted(group)) {
        let bits = bits_of(&group).expect("a number of bits");
        let named =
            ["baseline", "chain-experimental", "experimental"].map(|end| named(&format!("integer-{bits}-14-{end}")));
        let mut calls = Vec::from(named);
        calls.extend(of_artifact(bits));
        calls.extend(peer::calls(&group));
        compare(calls, if bits < 6 { 31 } else { 5 });
    }
    if wanted("circuit-bootstrap") {
        let mut calls = vec![our_circuit_bootstrap("integer-4-64"), our_circuit_bootstrap("integer-4-128")];
        calls.extend(peer::calls("circuit-bootstrap"));
        calls.extend(poulpy::calls());
        compare(calls, 9);
    }
    for (group, bits, len) in INTEGERS {
        if wanted(group) {
            println!("{group}");
            let calls = our_integers("integer-4-128", bits, len).into_iter().chain(peer::integers(bits)).collect();
            by_name(calls, &OPERATIONS, len);
        }
    }
    if wanted("lists") {
        by_name(
            our_lists("integer-4-128").into_iter().chain(peer::lists()).collect(),
            &[("encrypt", 31), ("list", 3)],
            1,
        );
    }
}

/// [`compare_arrays`] of the calls of each name, so often.
fn by_name(mut all: Vec<(&'static str, Timed)>, names: &[(&str, usize)], len: usize) {
    for &(wanted, repeats) in names {
        let (these, rest) = all.into_iter().partition::<Vec<_>, _>(|(name, _)| *name == wanted);
        all = rest;
        compare_arrays(these.into_iter().map(|(_, timed)| timed).collect(), repeats, len);
    }
}
