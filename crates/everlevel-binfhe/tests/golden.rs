//! Keys, ciphertexts, results and files from one seed are those of earlier versions, to the bit.
//!
//! A change here is a change of what users' seeds and files mean: the changelog names it, or it is a fault.

use crate::common;

use std::sync::Arc;

use everlevel_binfhe::files::NamedParams;
use everlevel_binfhe::{EvalKeys, Gate, Params, SecretKey, SeededEvalKeys, sets};
use everlevel_io::Stored;
use everlevel_rand::{Seed, SeedSource};
use everlevel_testkit::golden::Golden;

fn words(all: &[everlevel_binfhe::Ciphertext]) -> impl Iterator<Item = u64> + '_ {
    all.iter().flat_map(|ciphertext| ciphertext.lwe().words().iter().copied())
}

fn secret(literal: impl Into<everlevel_binfhe::Literal>) -> SecretKey {
    let seeds = SeedSource::insecure(Seed::from_bytes([0x61; 32]));
    SecretKey::with_seeds(Arc::new(Params::try_from(literal.into()).unwrap()), seeds).unwrap()
}

/// Keys as files, and gates or a table.
fn run(golden: &mut Golden, name: &str, secret: &SecretKey) {
    let named = NamedParams { params: secret.params(), name };
    golden.add(&format!("{name} secret_key"), &secret.to_container(&named).unwrap().to_bytes());
    let seeded = SeededEvalKeys::generate(secret).unwrap();
    golden.add(&format!("{name} evaluation_key"), &seeded.to_container(&named).unwrap().to_bytes());
    let keys: EvalKeys = seeded.prepare();
    if let Ok(bits) = secret.encrypt_bits(&[false, true, true]) {
        golden.add_words(&format!("{name} encrypt"), words(&bits));
        let one = keys.gate(Gate::Nand, &bits[0], &bits[1]).unwrap();
        golden.add_words(&format!("{name} gate"), words(&[one]));
        let many = keys.gates(&[Gate::And, Gate::Xor], &bits[..2], &bits[1..]).unwrap();
        golden.add_words(&format!("{name} gates"), words(&many));
        return;
    }
    let max = keys.max_integer().unwrap();
    let values: Vec<u64> = (0..5).map(|i| i % (max + 1)).collect();
    let integers = secret.encrypt_integers(&values, max).unwrap();
    golden.add_words(&format!("{name} encrypt"), words(&integers));
    let table: Vec<u64> = (0..=max).map(|m| (m * 3 + 1) % (max + 1)).collect();
    golden.add_words(&format!("{name} table of one"), words(&keys.table(&integers[..1], &table).unwrap()));
    golden.add_words(&format!("{name} table"), words(&keys.table(&integers, &table).unwrap()));
}

#[test]
fn named_sets_at_small_rings() {
    let mut golden = Golden::default();
    for (name, log_n) in [
        ("insecure-tfhe-lib", 8),
        ("gate-64", 8),
        ("gate-128", 8),
        ("integer-2-64", 9),
        ("integer-4-128", 10),
        ("integer-6-64", 10),
    ] {
        run(&mut golden, name, &secret(sets::find(name).unwrap().insecure_literal(log_n)));
    }
    golden.assert(SETS);
}

/// Sets that reach what the sets above don't: limbs, partial secrets and key switches by transforms, and those of
/// NTRU's rotations that have no other set.
#[test]
fn named_sets_of_other_kinds() {
    let mut golden = Golden::default();
    for (name, log_n) in [
        ("gate-64-limbs-baseline", 8),
        ("integer-4-64-partial-experimental", 10),
        ("integer-4-64-partial-shared-experimental", 10),
        ("integer-2-14-experimental", 9),
        ("integer-2-14-chain-experimental", 9),
        ("ntru-gate-64-eight-keys", 8),
        ("ntru-gate-64-three-keys", 8),
        ("ntru-gate-64-ternary-baseline", 8),
        ("ntru-gate-64-two-sweeps-baseline", 8),
        ("ntru-gate-64-hybrid-window-baseline", 8),
    ] {
        run(&mut golden, name, &secret(sets::find(name).unwrap().insecure_literal(log_n)));
    }
    golden.assert(OTHERS);
}

/// Shapes that no named set has: ranks, words, orders, the plain key switch.
#[test]
fn other_shapes() {
    use everlevel_binfhe::{Gadget, KeySwitch, Order, Space};
    let mut golden = Golden::default();
    for torus_bits in [32, 64] {
        for (order, ring) in [(Order::KeySwitchFirst, 32), (Order::BootstrapFirst, 1), (Order::KeySwitchFirst, 1)] {
            let mut literal = common::literal(torus_bits, Space::Bit);
            literal.order = order;
            literal.key_switch = KeySwitch { gadget: Gadget::new(3, 5), ring };
            run(&mut golden, &format!("{torus_bits} {order:?} {ring}"), &secret(literal));
        }
    }
    golden.assert(SHAPES);
}

/// NTRU's keys, of each kind of small secret.
#[test]
fn ntru() {
    let mut golden = Golden::default();
    for (name, log_n) in [
        ("ntru-gate-64", 8),
        ("ntru-gate-64-conservative", 9),
        ("ntru-integer-2-64", 9),
        ("ntru-gate-64-blocks-experimental", 8),
        ("ntru-gate-64-sparse-experimental", 8),
        ("ntru-insecure-xzd-p128t", 8),
        ("ntru-insecure-final", 8),
    ] {
        run(&mut golden, name, &secret(sets::find(name).unwrap().insecure_literal(log_n)));
    }
    golden.assert(NTRU);
}

const NTRU: &str = "
    ntru-gate-64 secret_key 63a1b733c06e27eaa0a5f8bb
    ntru-gate-64 evaluation_key 878e0972cd021d9826964e11
    ntru-gate-64 encrypt 25a85d2b5b32a1aeaaccb548
    ntru-gate-64 gate c2073ebeeeeed7af539b95bd
    ntru-gate-64 gates 7d645610c47d581b9a46d551
    ntru-gate-64-conservative secret_key 232abc9c6c161cdd1e392bce
    ntru-gate-64-conservative evaluation_key 395a6135521fcd11e21a49fc
    ntru-gate-64-conservative encrypt 1adf5c4cddca7d93f213701f
    ntru-gate-64-conservative gate b768f38becc114f0e979168a
    ntru-gate-64-conservative gates 26e966447f2e975df35a9ebb
    ntru-integer-2-64 secret_key da4aa2342b004be5f7ff81df
    ntru-integer-2-64 evaluation_key 78b4a836bfe634a5234a004f
    ntru-integer-2-64 encrypt b547c31d00c40b87b9e6686b
    ntru-integer-2-64 table of one 3554d5963d87fef419658a6c
    ntru-integer-2-64 table b19d99808ecc3c742015e2a4
    ntru-gate-64-blocks-experimental secret_key d5fa0ede848163dde25f1490
    ntru-gate-64-blocks-experimental evaluation_key f3e60be25e49ef789282d8e9
    ntru-gate-64-blocks-experimental encrypt 25a85d2b5b32a1aeaaccb548
    ntru-gate-64-blocks-experimental gate ae9ca9c9406c3727106e34fb
    ntru-gate-64-blocks-experimental gates b5f2cc59f9f4c12c0bb162f7
    ntru-gate-64-sparse-experimental secret_key 4fb3aae3b00078c61d499a08
    ntru-gate-64-sparse-experimental evaluation_key 87db75962d4e21ccb192f4bc
    ntru-gate-64-sparse-experimental encrypt 25a85d2b5b32a1aeaaccb548
    ntru-gate-64-sparse-experimental gate ad09025835cdcce553e22461
    ntru-gate-64-sparse-experimental gates 099ef2686c999bcb854e5df4
    ntru-insecure-xzd-p128t secret_key 559985876a69cad08ff298c7
    ntru-insecure-xzd-p128t evaluation_key dfa06d1cd8f51eff9e2d3a2a
    ntru-insecure-xzd-p128t encrypt 25a85d2b5b32a1aeaaccb548
    ntru-insecure-xzd-p128t gate 128fd328523e20e95ed37173
    ntru-insecure-xzd-p128t gates e88009ced1a27204f776a3c1
    ntru-insecure-final secret_key 46966178c3ac24ba7289397b
    ntru-insecure-final evaluation_key 83c9222ee37c00812121ae7a
    ntru-insecure-final encrypt 25a85d2b5b32a1aeaaccb548
    ntru-insecure-final gate 9b5f024060bee06891e7e68c
    ntru-insecure-final gates 433102bbea6ad582cec4b092
";
const SETS: &str = "
    insecure-tfhe-lib secret_key f49d639f147c63ccaafa9107
    insecure-tfhe-lib evaluation_key e179da8e9f1fb945a205f4cc
    insecure-tfhe-lib encrypt d8abc626b5babb887d1a78e1
    insecure-tfhe-lib gate 8a2b4a1a94e249ec02523667
    insecure-tfhe-lib gates 09aa59206ebd92580501ad55
    gate-64 secret_key 30fbb338e4485d50bd31a81e
    gate-64 evaluation_key d376e244941eac9df072ba87
    gate-64 encrypt 38ba8dae437f7f4f55e21b17
    gate-64 gate 1856aee34cb4bb35d942a416
    gate-64 gates a6d4dca161a7441442bcc7ed
    gate-128 secret_key c5dd69dcc982151d6bdebcca
    gate-128 evaluation_key 9d2f0ae93ae0c4021b021200
    gate-128 encrypt 38ba8dae437f7f4f55e21b17
    gate-128 gate 1856aee34cb4bb35d942a416
    gate-128 gates a6d4dca161a7441442bcc7ed
    integer-2-64 secret_key 78b5032309d948380c206599
    integer-2-64 evaluation_key 7fbcbb599b85d44181986f54
    integer-2-64 encrypt 658bccd2869e17da940148a5
    integer-2-64 table of one 335bed0e46ca67fe9b90aaf3
    integer-2-64 table 5ce17ead011682b056da4173
    integer-4-128 secret_key 4d35d0bec4573df7110e4a2e
    integer-4-128 evaluation_key b34b77091b8fa52d7df44e5c
    integer-4-128 encrypt d38dd9752419f59a3c19da33
    integer-4-128 table of one 70cba12024a3b0d693da2583
    integer-4-128 table 8fc805fb7db42eb2a7b74695
    integer-6-64 secret_key 5f4058a5f0ff4ed3ec51b698
    integer-6-64 evaluation_key 8fa54df491718be75e350f48
    integer-6-64 encrypt b568bf118451b0bddac52910
    integer-6-64 table of one 7a85557034d9c71cb66f9525
    integer-6-64 table 02991490f7f51455968c3808
";
const OTHERS: &str = "
    gate-64-limbs-baseline secret_key 502167629d05ba9e21ea00c4
    gate-64-limbs-baseline evaluation_key 7da26c7e5b31b0016369223b
    gate-64-limbs-baseline encrypt 38ba8dae437f7f4f55e21b17
    gate-64-limbs-baseline gate a7746f755e7d76d5875d2d06
    gate-64-limbs-baseline gates 01b0dd74a08a787bcc5fbeee
    integer-4-64-partial-experimental secret_key 6a3c4e9b3bf05ac5b56f0bc3
    integer-4-64-partial-experimental evaluation_key d54609947fed642bcaa37541
    integer-4-64-partial-experimental encrypt 73404eb7cdca90e53c83cc84
    integer-4-64-partial-experimental table of one f1a202c31935e644a0675e60
    integer-4-64-partial-experimental table 390e779e9b8e833dc56393d7
    integer-4-64-partial-shared-experimental secret_key 54147bb3b996141977eef8ce
    integer-4-64-partial-shared-experimental evaluation_key 7ceaa7e6879abe587454c2ac
    integer-4-64-partial-shared-experimental encrypt 73404eb7cdca90e53c83cc84
    integer-4-64-partial-shared-experimental table of one 2261497e0465bc56e5e42501
    integer-4-64-partial-shared-experimental table deb3f70dec8bd54b574c7d7c
    integer-2-14-experimental secret_key 641fc5e2cf5c8e0a012efbbf
    integer-2-14-experimental evaluation_key e46dae33e083af9a13f56533
    integer-2-14-experimental encrypt 658bccd2869e17da940148a5
    integer-2-14-experimental table of one 183202369599b95b0b20f179
    integer-2-14-experimental table 08a514874329151aae48c532
    integer-2-14-chain-experimental secret_key dd8a38ba1cb71cfcaec7cddb
    integer-2-14-chain-experimental evaluation_key 0e917cb8126cddec4c0ee9ca
    integer-2-14-chain-experimental encrypt 658bccd2869e17da940148a5
    integer-2-14-chain-experimental table of one 2091482069b9b6d8466429e7
    integer-2-14-chain-experimental table 6c355ecaf0dffb3940e902ac
    ntru-gate-64-eight-keys secret_key 32c7f923577d818c13d45da6
    ntru-gate-64-eight-keys evaluation_key 263fc1f4936e9a45edc070af
    ntru-gate-64-eight-keys encrypt 25a85d2b5b32a1aeaaccb548
    ntru-gate-64-eight-keys gate 994b2c4b96e05d0fc6f558a6
    ntru-gate-64-eight-keys gates 2e45ebbb293ecc98ce1d6da3
    ntru-gate-64-three-keys secret_key 7802b0ef7692bcbc8c3c2cae
    ntru-gate-64-three-keys evaluation_key d5fee19789a4bfc7ecfb551b
    ntru-gate-64-three-keys encrypt 25a85d2b5b32a1aeaaccb548
    ntru-gate-64-three-keys gate 053002f6315b40400920b643
    ntru-gate-64-three-keys gates 079889fc620bb2252cc0d810
    ntru-gate-64-ternary-baseline secret_key f31de3d73db9e1c08da06492
    ntru-gate-64-ternary-baseline evaluation_key e125ef411a129d7217247ea4
    ntru-gate-64-ternary-baseline encrypt 25a85d2b5b32a1aeaaccb548
    ntru-gate-64-ternary-baseline gate 3bf09b90eaa373f6aca5c751
    ntru-gate-64-ternary-baseline gates e135ba2f68d2160bbd180fe6
    ntru-gate-64-two-sweeps-baseline secret_key 011315e87d078bd0b6a6152a
    ntru-gate-64-two-sweeps-baseline evaluation_key 06ddf40ed65691f1e0db9088
    ntru-gate-64-two-sweeps-baseline encrypt 25a85d2b5b32a1aeaaccb548
    ntru-gate-64-two-sweeps-baseline gate 54474e9f71f7bb079feabd83
    ntru-gate-64-two-sweeps-baseline gates 79b13f0498c56a570e45b865
    ntru-gate-64-hybrid-window-baseline secret_key c95133a616999877bc404ccc
    ntru-gate-64-hybrid-window-baseline evaluation_key 10a967cba9b823345d6ffeda
    ntru-gate-64-hybrid-window-baseline encrypt 25a85d2b5b32a1aeaaccb548
    ntru-gate-64-hybrid-window-baseline gate a03ea5c65313f88e430e6bc9
    ntru-gate-64-hybrid-window-baseline gates a35d5c78113a4d785dd7fb7f
";
const SHAPES: &str = "
    32 KeySwitchFirst 32 secret_key e167166015d5205cd8209a0c
    32 KeySwitchFirst 32 evaluation_key cedf196d3d177993ad93e845
    32 KeySwitchFirst 32 encrypt d6a263b1b4f9d70091e5c5bf
    32 KeySwitchFirst 32 gate d0c9eff9a0e69b0e3c256966
    32 KeySwitchFirst 32 gates c693ea3dcd76ee62b8193338
    32 BootstrapFirst 1 secret_key 0f3573455a4f35e1041fc211
    32 BootstrapFirst 1 evaluation_key 0a4ea5798cd00d1d486e8a3d
    32 BootstrapFirst 1 encrypt e2e0e98bf2f7b9ca4fbfec8a
    32 BootstrapFirst 1 gate 0a0720cb9f65f184159c1072
    32 BootstrapFirst 1 gates 832f6875b3b938c85588b7cf
    32 KeySwitchFirst 1 secret_key 0e681f7353cc6c93930dc6fb
    32 KeySwitchFirst 1 evaluation_key 984d738087b6c5929ae2ad8c
    32 KeySwitchFirst 1 encrypt d6a263b1b4f9d70091e5c5bf
    32 KeySwitchFirst 1 gate e47d4f8acdebfd8cd8351602
    32 KeySwitchFirst 1 gates 8045cd251bc521032ef6e7d1
    64 KeySwitchFirst 32 secret_key 70bd45054ff4170a856b7815
    64 KeySwitchFirst 32 evaluation_key 090f45c808bd0476c696d3c9
    64 KeySwitchFirst 32 encrypt d6a263b1b4f9d70091e5c5bf
    64 KeySwitchFirst 32 gate 1e853c9ce3fdf9067a265d79
    64 KeySwitchFirst 32 gates 4dd8f8bb49c8828d5b7f30d0
    64 BootstrapFirst 1 secret_key c937820ebd7d87f32901ef36
    64 BootstrapFirst 1 evaluation_key 6e84cf900df44eff0a2fa471
    64 BootstrapFirst 1 encrypt e2e0e98bf2f7b9ca4fbfec8a
    64 BootstrapFirst 1 gate 8a3348116c836e0565ad88ab
    64 BootstrapFirst 1 gates fee5e13c3088523532b0ee3b
    64 KeySwitchFirst 1 secret_key 4c337d77d61986525584cdf9
    64 KeySwitchFirst 1 evaluation_key 96219876a5d245b2b8945cde
    64 KeySwitchFirst 1 encrypt d6a263b1b4f9d70091e5c5bf
    64 KeySwitchFirst 1 gate 95b85bcb4b5c03f2896c372f
    64 KeySwitchFirst 1 gates 00d0a9ff70ac07964a681f5a
";
