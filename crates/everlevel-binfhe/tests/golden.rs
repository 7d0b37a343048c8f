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
    let named = NamedParams { params: secret.params(), name, max_bytes: None };
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
    ntru-gate-64 encrypt 6dc4596143355a11980c2aac
    ntru-gate-64 gate 7785bde179cd495a1e8d8e3a
    ntru-gate-64 gates 03a2a761859d274277351f47
    ntru-gate-64-conservative secret_key 232abc9c6c161cdd1e392bce
    ntru-gate-64-conservative evaluation_key 395a6135521fcd11e21a49fc
    ntru-gate-64-conservative encrypt 41b3de9f89325e6b66515260
    ntru-gate-64-conservative gate 90a8f321d4e35bc6c89ee2b4
    ntru-gate-64-conservative gates e63dfed87c8205f00f0313a0
    ntru-integer-2-64 secret_key da4aa2342b004be5f7ff81df
    ntru-integer-2-64 evaluation_key 78b4a836bfe634a5234a004f
    ntru-integer-2-64 encrypt 8298aeb5c74a1cdcd4ac70f7
    ntru-integer-2-64 table of one cda4772061fb647491922f76
    ntru-integer-2-64 table b23886b7e0ae9820c2798bd7
    ntru-gate-64-blocks-experimental secret_key d5fa0ede848163dde25f1490
    ntru-gate-64-blocks-experimental evaluation_key f3e60be25e49ef789282d8e9
    ntru-gate-64-blocks-experimental encrypt 6dc4596143355a11980c2aac
    ntru-gate-64-blocks-experimental gate a1ce685615562b8906baba5f
    ntru-gate-64-blocks-experimental gates 635a781ff6e95dcffbd2d3fd
    ntru-gate-64-sparse-experimental secret_key 4fb3aae3b00078c61d499a08
    ntru-gate-64-sparse-experimental evaluation_key 87db75962d4e21ccb192f4bc
    ntru-gate-64-sparse-experimental encrypt 6dc4596143355a11980c2aac
    ntru-gate-64-sparse-experimental gate dafcd120e644090e25905911
    ntru-gate-64-sparse-experimental gates 1dc70b7efb7348775c265284
    ntru-insecure-xzd-p128t secret_key 559985876a69cad08ff298c7
    ntru-insecure-xzd-p128t evaluation_key dfa06d1cd8f51eff9e2d3a2a
    ntru-insecure-xzd-p128t encrypt 6dc4596143355a11980c2aac
    ntru-insecure-xzd-p128t gate ad3202863b57fd65a7b44e89
    ntru-insecure-xzd-p128t gates 4a876c09e53d64f11229c553
    ntru-insecure-final secret_key 46966178c3ac24ba7289397b
    ntru-insecure-final evaluation_key 83c9222ee37c00812121ae7a
    ntru-insecure-final encrypt 6dc4596143355a11980c2aac
    ntru-insecure-final gate ea7f669f9dd6529617db48a1
    ntru-insecure-final gates 60c25d31df53b0b0013a448b
";
const SETS: &str = "
    insecure-tfhe-lib secret_key f49d639f147c63ccaafa9107
    insecure-tfhe-lib evaluation_key e179da8e9f1fb945a205f4cc
    insecure-tfhe-lib encrypt c8597734bbc87eee43cc7672
    insecure-tfhe-lib gate b5b9d52dcf8dce43be34e62b
    insecure-tfhe-lib gates 6dbefd99654067dacce967e0
    gate-64 secret_key 30fbb338e4485d50bd31a81e
    gate-64 evaluation_key d376e244941eac9df072ba87
    gate-64 encrypt 73f0a3aab4684761e77aa687
    gate-64 gate c6124c3122d86860b755df47
    gate-64 gates c9b42bee727e2e87430fdf06
    gate-128 secret_key c5dd69dcc982151d6bdebcca
    gate-128 evaluation_key 9d2f0ae93ae0c4021b021200
    gate-128 encrypt 73f0a3aab4684761e77aa687
    gate-128 gate c6124c3122d86860b755df47
    gate-128 gates c9b42bee727e2e87430fdf06
    integer-2-64 secret_key 78b5032309d948380c206599
    integer-2-64 evaluation_key 7fbcbb599b85d44181986f54
    integer-2-64 encrypt 995019e4e67e691c1a1aff08
    integer-2-64 table of one 6ff1c59f76d992c838e8d33c
    integer-2-64 table 1fca4ea875fda42749109c9c
    integer-4-128 secret_key 4d35d0bec4573df7110e4a2e
    integer-4-128 evaluation_key b34b77091b8fa52d7df44e5c
    integer-4-128 encrypt 1b13b367e31c627b786af489
    integer-4-128 table of one 26a543cd5f2eab2b0754770b
    integer-4-128 table 54a6a6d89e2b10a87158e933
    integer-6-64 secret_key 5f4058a5f0ff4ed3ec51b698
    integer-6-64 evaluation_key 8fa54df491718be75e350f48
    integer-6-64 encrypt 349eb5d126650998cda3d1d6
    integer-6-64 table of one df2047729828b3a777599297
    integer-6-64 table 2df4aed2c955e0c00020db32
";
const OTHERS: &str = "
    gate-64-limbs-baseline secret_key 502167629d05ba9e21ea00c4
    gate-64-limbs-baseline evaluation_key 7da26c7e5b31b0016369223b
    gate-64-limbs-baseline encrypt 73f0a3aab4684761e77aa687
    gate-64-limbs-baseline gate b5e7f6ed5d6d1583b0f11e44
    gate-64-limbs-baseline gates 0c7249490926d10975e2eb8e
    integer-4-64-partial-experimental secret_key 6a3c4e9b3bf05ac5b56f0bc3
    integer-4-64-partial-experimental evaluation_key d54609947fed642bcaa37541
    integer-4-64-partial-experimental encrypt 2cdb7d66e675c0a090acc53d
    integer-4-64-partial-experimental table of one 305a3393c28cdc3ce280aace
    integer-4-64-partial-experimental table 0cf542708ef2f79eda242150
    integer-4-64-partial-shared-experimental secret_key 54147bb3b996141977eef8ce
    integer-4-64-partial-shared-experimental evaluation_key 7ceaa7e6879abe587454c2ac
    integer-4-64-partial-shared-experimental encrypt 2cdb7d66e675c0a090acc53d
    integer-4-64-partial-shared-experimental table of one 0fdfbe154875205d8d7daa72
    integer-4-64-partial-shared-experimental table de40ee7d2ab79f9d4e5d6e24
    integer-2-14-experimental secret_key 641fc5e2cf5c8e0a012efbbf
    integer-2-14-experimental evaluation_key e46dae33e083af9a13f56533
    integer-2-14-experimental encrypt 995019e4e67e691c1a1aff08
    integer-2-14-experimental table of one 767feebe2b391d772539fec4
    integer-2-14-experimental table 252bfe4ab64d7da8cff72af5
    integer-2-14-chain-experimental secret_key dd8a38ba1cb71cfcaec7cddb
    integer-2-14-chain-experimental evaluation_key 0e917cb8126cddec4c0ee9ca
    integer-2-14-chain-experimental encrypt 995019e4e67e691c1a1aff08
    integer-2-14-chain-experimental table of one bf54c3309a1ebab85d44c4db
    integer-2-14-chain-experimental table fd3f462a1fe2d90ecca4c316
    ntru-gate-64-eight-keys secret_key 32c7f923577d818c13d45da6
    ntru-gate-64-eight-keys evaluation_key 263fc1f4936e9a45edc070af
    ntru-gate-64-eight-keys encrypt 6dc4596143355a11980c2aac
    ntru-gate-64-eight-keys gate 3fba09de30d3f73fc9e5f8ae
    ntru-gate-64-eight-keys gates 0954d95d1fd2fa0205223e9d
    ntru-gate-64-three-keys secret_key 7802b0ef7692bcbc8c3c2cae
    ntru-gate-64-three-keys evaluation_key d5fee19789a4bfc7ecfb551b
    ntru-gate-64-three-keys encrypt 6dc4596143355a11980c2aac
    ntru-gate-64-three-keys gate fedc4ed1c92e8448a58da98f
    ntru-gate-64-three-keys gates 0863f04b55395c292c9698da
    ntru-gate-64-ternary-baseline secret_key f31de3d73db9e1c08da06492
    ntru-gate-64-ternary-baseline evaluation_key e125ef411a129d7217247ea4
    ntru-gate-64-ternary-baseline encrypt 6dc4596143355a11980c2aac
    ntru-gate-64-ternary-baseline gate d3e688a4e0b1e40358b0221d
    ntru-gate-64-ternary-baseline gates a8c875f5f5411d4c619d74c0
    ntru-gate-64-two-sweeps-baseline secret_key 011315e87d078bd0b6a6152a
    ntru-gate-64-two-sweeps-baseline evaluation_key 06ddf40ed65691f1e0db9088
    ntru-gate-64-two-sweeps-baseline encrypt 6dc4596143355a11980c2aac
    ntru-gate-64-two-sweeps-baseline gate 098741a50c3348f7138efc52
    ntru-gate-64-two-sweeps-baseline gates d9c289781f5ac5da36f06c66
    ntru-gate-64-hybrid-window-baseline secret_key c95133a616999877bc404ccc
    ntru-gate-64-hybrid-window-baseline evaluation_key 10a967cba9b823345d6ffeda
    ntru-gate-64-hybrid-window-baseline encrypt 6dc4596143355a11980c2aac
    ntru-gate-64-hybrid-window-baseline gate 23e2e77131e7759f7c61bb87
    ntru-gate-64-hybrid-window-baseline gates 9d4138f973eff68c8b3a4160
";
const SHAPES: &str = "
    32 KeySwitchFirst 32 secret_key e167166015d5205cd8209a0c
    32 KeySwitchFirst 32 evaluation_key cedf196d3d177993ad93e845
    32 KeySwitchFirst 32 encrypt 1f259146658266c82e599c8d
    32 KeySwitchFirst 32 gate d271b333f1abeda5e828f541
    32 KeySwitchFirst 32 gates c502aa8d368708df73a97c75
    32 BootstrapFirst 1 secret_key 0f3573455a4f35e1041fc211
    32 BootstrapFirst 1 evaluation_key 0a4ea5798cd00d1d486e8a3d
    32 BootstrapFirst 1 encrypt 0e9653b5384be0503122a47a
    32 BootstrapFirst 1 gate 588171355d3c9b2f445857aa
    32 BootstrapFirst 1 gates 3491be05ebbb4eb945a51a41
    32 KeySwitchFirst 1 secret_key 0e681f7353cc6c93930dc6fb
    32 KeySwitchFirst 1 evaluation_key 984d738087b6c5929ae2ad8c
    32 KeySwitchFirst 1 encrypt 1f259146658266c82e599c8d
    32 KeySwitchFirst 1 gate 5567f0bfb1899732f006c710
    32 KeySwitchFirst 1 gates 1fd9c52ca1f1dc42e7a0cae0
    64 KeySwitchFirst 32 secret_key 70bd45054ff4170a856b7815
    64 KeySwitchFirst 32 evaluation_key 090f45c808bd0476c696d3c9
    64 KeySwitchFirst 32 encrypt 1f259146658266c82e599c8d
    64 KeySwitchFirst 32 gate 61be6b3512ada82fa350b2bb
    64 KeySwitchFirst 32 gates 39b3cd0ad0c1990220d2ccd4
    64 BootstrapFirst 1 secret_key c937820ebd7d87f32901ef36
    64 BootstrapFirst 1 evaluation_key 6e84cf900df44eff0a2fa471
    64 BootstrapFirst 1 encrypt 0e9653b5384be0503122a47a
    64 BootstrapFirst 1 gate d4a32360309b9b35b0857123
    64 BootstrapFirst 1 gates 57dbeb52a542597ee3a99e5e
    64 KeySwitchFirst 1 secret_key 4c337d77d61986525584cdf9
    64 KeySwitchFirst 1 evaluation_key 96219876a5d245b2b8945cde
    64 KeySwitchFirst 1 encrypt 1f259146658266c82e599c8d
    64 KeySwitchFirst 1 gate 69cc0c7758ff5fb98b058f2f
    64 KeySwitchFirst 1 gates b7dd2e8354f1b94fca02ef83
";
