//! Keys, ciphertexts, results and files from one seed are those of earlier versions, to the bit.
//!
//! A change here is a change of what users' seeds and files mean: the changelog names it, or it is a fault.

mod common;

use std::sync::Arc;

use everlevel_binfhe::{EvalKeys, Gate, Params, SecretKey, SeededEvalKeys, files, sets};
use everlevel_rand::{Seed, SeedSource};
use everlevel_testkit::golden::Golden;

fn words(all: &[everlevel_binfhe::Ciphertext]) -> impl Iterator<Item = u64> + '_ {
    all.iter().flat_map(|ciphertext| ciphertext.lwe().words().iter().copied())
}

fn secret(literal: everlevel_binfhe::ParamsLiteral) -> SecretKey {
    let seeds = SeedSource::insecure(Seed::from_bytes([0x61; 32]));
    SecretKey::with_seeds(Arc::new(Params::try_from(literal).unwrap()), seeds).unwrap()
}

/// Keys as files, and gates or a table.
fn run(golden: &mut Golden, name: &str, secret: &SecretKey) {
    golden.add(&format!("{name} secret_key"), &files::secret_key_to_container(secret, name).to_bytes());
    let seeded = SeededEvalKeys::generate(secret).unwrap();
    golden.add(&format!("{name} evaluation_key"), &files::eval_keys_to_container(&seeded, name).to_bytes());
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
        ("tfhe-lib", 8),
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

const SETS: &str = "
    tfhe-lib secret_key 2eab61ca88e7245efa361a9a
    tfhe-lib evaluation_key 8d043555628e7344c4c325ed
    tfhe-lib encrypt d8abc626b5babb887d1a78e1
    tfhe-lib gate 4f63dc43d79083ddeca78ed8
    tfhe-lib gates c817636c3ea312de3f71ac26
    gate-64 secret_key 30fbb338e4485d50bd31a81e
    gate-64 evaluation_key d376e244941eac9df072ba87
    gate-64 encrypt 38ba8dae437f7f4f55e21b17
    gate-64 gate 75d982cbd70430b91a09f6e1
    gate-64 gates 68e42f10e1e2de92d5bf4766
    gate-128 secret_key c5dd69dcc982151d6bdebcca
    gate-128 evaluation_key 9d2f0ae93ae0c4021b021200
    gate-128 encrypt 38ba8dae437f7f4f55e21b17
    gate-128 gate 75d982cbd70430b91a09f6e1
    gate-128 gates 68e42f10e1e2de92d5bf4766
    integer-2-64 secret_key 78b5032309d948380c206599
    integer-2-64 evaluation_key 7fbcbb599b85d44181986f54
    integer-2-64 encrypt 658bccd2869e17da940148a5
    integer-2-64 table of one ff9256b8d993dabb8df16a0f
    integer-2-64 table 30baed77291b05e1d3887d2f
    integer-4-128 secret_key 4d35d0bec4573df7110e4a2e
    integer-4-128 evaluation_key b34b77091b8fa52d7df44e5c
    integer-4-128 encrypt d38dd9752419f59a3c19da33
    integer-4-128 table of one ebe40193fa09177c05d29006
    integer-4-128 table d9304ef1227080ccd36dab69
    integer-6-64 secret_key b1dc110476fc81b1af532b88
    integer-6-64 evaluation_key 5744ed6ff7f4d036890996ae
    integer-6-64 encrypt b568bf118451b0bddac52910
    integer-6-64 table of one 1d86617ca50e6bfdeb83c38f
    integer-6-64 table f60924c04d6a4e730252b086
";
const SHAPES: &str = "
    32 KeySwitchFirst 32 secret_key e167166015d5205cd8209a0c
    32 KeySwitchFirst 32 evaluation_key cedf196d3d177993ad93e845
    32 KeySwitchFirst 32 encrypt d6a263b1b4f9d70091e5c5bf
    32 KeySwitchFirst 32 gate 332399d68abe5c4055c1bde0
    32 KeySwitchFirst 32 gates 371d6cccb6c68ad820cd47d6
    32 BootstrapFirst 1 secret_key 0f3573455a4f35e1041fc211
    32 BootstrapFirst 1 evaluation_key 0a4ea5798cd00d1d486e8a3d
    32 BootstrapFirst 1 encrypt e2e0e98bf2f7b9ca4fbfec8a
    32 BootstrapFirst 1 gate b908188dc21653c7c8c17029
    32 BootstrapFirst 1 gates ed2287931ed27945b500dfdd
    32 KeySwitchFirst 1 secret_key 0e681f7353cc6c93930dc6fb
    32 KeySwitchFirst 1 evaluation_key 984d738087b6c5929ae2ad8c
    32 KeySwitchFirst 1 encrypt d6a263b1b4f9d70091e5c5bf
    32 KeySwitchFirst 1 gate 85e9132a2de6039fe58f0ed0
    32 KeySwitchFirst 1 gates b1d34b732004f2870f57cefc
    64 KeySwitchFirst 32 secret_key 70bd45054ff4170a856b7815
    64 KeySwitchFirst 32 evaluation_key 090f45c808bd0476c696d3c9
    64 KeySwitchFirst 32 encrypt d6a263b1b4f9d70091e5c5bf
    64 KeySwitchFirst 32 gate 9159390935f924be2127d5d8
    64 KeySwitchFirst 32 gates a805d6eb6defb0f4bbf30ade
    64 BootstrapFirst 1 secret_key c937820ebd7d87f32901ef36
    64 BootstrapFirst 1 evaluation_key 6e84cf900df44eff0a2fa471
    64 BootstrapFirst 1 encrypt e2e0e98bf2f7b9ca4fbfec8a
    64 BootstrapFirst 1 gate 0288d08c964e41edf5e3d070
    64 BootstrapFirst 1 gates a0cf65b356a07a808a59d879
    64 KeySwitchFirst 1 secret_key 4c337d77d61986525584cdf9
    64 KeySwitchFirst 1 evaluation_key 96219876a5d245b2b8945cde
    64 KeySwitchFirst 1 encrypt d6a263b1b4f9d70091e5c5bf
    64 KeySwitchFirst 1 gate da3d7ae9b6bc44ffa60c2d5f
    64 KeySwitchFirst 1 gates 3bd3bc6c46e7dd3887959d67
";
