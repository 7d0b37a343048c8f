//! Integers of 8 to 64 bits against Rust's own, on small, insecure parameters; and on a real set.

mod common;

use std::sync::OnceLock;

use everlevel_tfhe::{
    Ciphertext, EncryptedBool, EncryptedUint, Error, EvalKeys, Gadget, Integers, KeySwitch, NoiseSum, ParamsLiteral,
    SecretKey, Space, Width, sets,
};
use proptest::prelude::*;

type Keys = (SecretKey, EvalKeys);

/// A bootstrap in a tenth of a millisecond, with `norm2` as in the named sets.
fn literal(bits: u32) -> ParamsLiteral {
    ParamsLiteral {
        lwe_dim: 32,
        log_n: if bits < 6 { 9 } else { 12 },
        rank: 1,
        glwe_log2_std_dev: -45.0,
        mask_gadget: Gadget::new(10, 3),
        body_gadget: Gadget::new(10, 2),
        lwe_log2_std_dev: -26.0,
        key_switch: KeySwitch { gadget: Gadget::new(4, 5), ring: 32 },
        max_log2_p_fail: -40.0,
        norm2: f64::from((1 << bits.div_ceil(2)) + 1).powi(2),
        ..common::literal(64, Space::Integer { bits })
    }
}

/// Keys with digits of 2 bits.
fn two_bits() -> &'static Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(|| common::keys(literal(4)))
}

/// Keys with digits of 4 bits.
fn four_bits() -> &'static Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(|| common::keys(literal(8)))
}

/// One thread carries block by block, four by prefix.
fn on_threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(f)
}

/// What an operation gives, encrypted and in the clear.
struct Bench<'k> {
    secret: &'k SecretKey,
    integers: Integers<'k>,
    width: Width,
}

impl<'k> Bench<'k> {
    fn new(keys: &'k Keys, width: Width) -> Self {
        Self { secret: &keys.0, integers: keys.1.integers().unwrap(), width }
    }

    fn encrypt(&self, value: u64) -> EncryptedUint {
        self.secret.encrypt_uint(self.width, value).unwrap()
    }

    fn is(&self, what: &str, found: &EncryptedUint, expected: u64) {
        let found = self.secret.decrypt_uint(found).unwrap();
        assert_eq!(found, expected & self.width.max(), "{what}, {:?}", self.width);
    }

    fn flag(&self, what: &str, found: &EncryptedBool, expected: bool) {
        assert_eq!(self.secret.decrypt_flag(found).unwrap(), expected, "{what}, {:?}", self.width);
    }

    fn arithmetic(&self, a: u64, b: u64) -> Result<(), Error> {
        let (x, y, int, max) = (self.encrypt(a), self.encrypt(b), &self.integers, self.width.max());
        self.is("add", &int.add(&x, &y)?, a.wrapping_add(b));
        self.is("sub", &int.sub(&x, &y)?, a.wrapping_sub(b));
        self.is("neg", &int.neg(&x)?, a.wrapping_neg());
        let (sum, overflow) = int.checked_add(&x, &y)?;
        self.is("checked_add", &sum, a.wrapping_add(b));
        self.flag("checked_add", &overflow, u128::from(a) + u128::from(b) > u128::from(max));
        let (difference, overflow) = int.checked_sub(&x, &y)?;
        self.is("checked_sub", &difference, a.wrapping_sub(b));
        self.flag("checked_sub", &overflow, b > a);
        Ok(())
    }

    fn products(&self, a: u64, b: u64) -> Result<(), Error> {
        let (x, y, int, max) = (self.encrypt(a), self.encrypt(b), &self.integers, self.width.max());
        self.is("mul", &int.mul(&x, &y)?, a.wrapping_mul(b));
        let (product, overflow) = int.checked_mul(&x, &y)?;
        self.is("checked_mul", &product, a.wrapping_mul(b));
        self.flag("checked_mul", &overflow, u128::from(a) * u128::from(b) > u128::from(max));
        Ok(())
    }

    fn comparisons(&self, a: u64, b: u64) -> Result<(), Error> {
        let (x, y, int) = (self.encrypt(a), self.encrypt(b), &self.integers);
        self.flag("eq", &int.eq(&x, &y)?, a == b);
        self.flag("ne", &int.ne(&x, &y)?, a != b);
        self.flag("lt", &int.lt(&x, &y)?, a < b);
        self.flag("le", &int.le(&x, &y)?, a <= b);
        self.flag("gt", &int.gt(&x, &y)?, a > b);
        self.flag("ge", &int.ge(&x, &y)?, a >= b);
        self.is("min", &int.min(&x, &y)?, a.min(b));
        self.is("max", &int.max(&x, &y)?, a.max(b));
        Ok(())
    }

    fn bits(&self, a: u64, b: u64) -> Result<(), Error> {
        let (x, y, int) = (self.encrypt(a), self.encrypt(b), &self.integers);
        self.is("bitand", &int.bitand(&x, &y)?, a & b);
        self.is("bitor", &int.bitor(&x, &y)?, a | b);
        self.is("bitxor", &int.bitxor(&x, &y)?, a ^ b);
        self.is("not", &int.not(&x)?, !a);
        for condition in [false, true] {
            let flag = self.secret.encrypt_flag(condition)?;
            self.is("select", &int.select(&flag, &x, &y)?, if condition { a } else { b });
        }
        Ok(())
    }

    fn shifts(&self, a: u64, amount: u32) -> Result<(), Error> {
        let (x, int, bits, max) = (self.encrypt(a), &self.integers, self.width.bits(), self.width.max());
        let amount = amount % bits;
        let left = a << amount & max | a.checked_shr(bits - amount).unwrap_or(0);
        let right = a >> amount | a.checked_shl(bits - amount).unwrap_or(0) & max;
        self.is("shl", &int.shl(&x, amount)?, a << amount);
        self.is("shr", &int.shr(&x, amount)?, a >> amount);
        self.is("rotate_left", &int.rotate_left(&x, amount + bits)?, left);
        self.is("rotate_right", &int.rotate_right(&x, amount + bits)?, right);
        // An encrypted amount of another width; the bits above the width's don't count.
        let by = self.secret.encrypt_uint(Width::U8, u64::from(amount) + u64::from(bits) * 3 % 256)?;
        self.is("shl_by", &int.shl_by(&x, &by)?, a << amount);
        self.is("shr_by", &int.shr_by(&x, &by)?, a >> amount);
        self.is("rotate_left_by", &int.rotate_left_by(&x, &by)?, left);
        self.is("rotate_right_by", &int.rotate_right_by(&x, &by)?, right);
        Ok(())
    }

    /// What operations give goes into others, selections among them, whose noise is twice a bootstrap's.
    fn chain(&self, a: u64, b: u64) -> Result<(), Error> {
        let (x, y, int) = (self.encrypt(a), self.encrypt(b), &self.integers);
        let (low, high) = (int.min(&x, &y)?, int.max(&x, &y)?);
        let width = self.width.max();
        self.flag("chained lt", &int.lt(&high, &low)?, false);
        self.is("chained sub", &int.sub(&high, &low)?, a.abs_diff(b));
        self.is("chained bitxor", &int.bitxor(&int.not(&low)?, &high)?, !a.min(b) ^ a.max(b));
        let by = int.constant(self.width, 3)?;
        let shifted = int.shl_by(&low, &by)?;
        self.is(
            "chained add",
            &int.add(&shifted, &int.shl_by(&shifted, &by)?)?,
            (a.min(b) << 3) + ((a.min(b) << 6) & width),
        );
        self.is("chained mul", &int.mul(&low, &int.constant(self.width, 5)?)?, a.min(b).wrapping_mul(5));
        let both = int.combine_flags(&int.ge(&high, &low)?, &int.ne(&x, &y)?, |p, q| p & q)?;
        self.flag("combine_flags", &both, a != b);
        Ok(())
    }
}

/// Values at which carries run far, and any others.
fn operand() -> impl Strategy<Value = u64> {
    let edges =
        prop::sample::select(vec![0, 1, 2, 3, 0x55, 0x7f, 0x80, u64::MAX, u64::MAX - 1, u64::MAX << 8, 1 << 63]);
    prop_oneof![2 => any::<u64>(), 1 => edges, 1 => (0u32..64).prop_map(|bit| 1 << bit), 1 => 0..300u64]
}

fn width() -> impl Strategy<Value = Width> {
    prop::sample::select(Width::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sums_are_rusts(width in width(), a in operand(), b in operand(), threads in 1usize..=4) {
        let bench = Bench::new(two_bits(), width);
        on_threads(threads, || bench.arithmetic(a & width.max(), b & width.max())).unwrap();
    }

    #[test]
    fn comparisons_are_rusts(width in width(), a in operand(), b in operand(), alike in 0u32..64) {
        let bench = Bench::new(two_bits(), width);
        // Operands that differ in low bits only, or not at all.
        let near = a ^ (b >> alike >> 1);
        for b in [a, b, near] {
            bench.comparisons(a & width.max(), b & width.max()).unwrap();
        }
    }

    #[test]
    fn bits_are_rusts(width in width(), a in operand(), b in operand()) {
        Bench::new(two_bits(), width).bits(a & width.max(), b & width.max()).unwrap();
    }

    #[test]
    fn shifts_are_rusts(width in width(), a in operand(), amount in 0u32..64) {
        Bench::new(two_bits(), width).shifts(a & width.max(), amount).unwrap();
    }

    #[test]
    fn operations_follow_one_another(width in width(), a in operand(), b in operand(), threads in 1usize..=4) {
        let bench = Bench::new(two_bits(), width);
        on_threads(threads, || bench.chain(a & width.max(), b & width.max())).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn products_are_rusts(width in width(), a in operand(), b in operand(), shift in 0u32..64, threads in 1usize..=4) {
        let bench = Bench::new(two_bits(), width);
        // Products on both sides of an overflow.
        let (a, b) = (a & width.max(), (b & width.max()) >> (shift % width.bits()));
        on_threads(threads, || bench.products(a, b)).unwrap();
    }
}

/// The largest product that fits and the smallest that doesn't, and all carries at once.
#[test]
fn edges_of_every_width() {
    for width in Width::ALL {
        let bench = Bench::new(two_bits(), width);
        for threads in [1, 4] {
            for (a, b) in [(width.max(), 1), (width.max(), width.max()), (0, 1), (0, 0)] {
                on_threads(threads, || bench.arithmetic(a, b)).unwrap();
            }
        }
    }
    let bench = Bench::new(two_bits(), Width::U8);
    for (a, b) in [(15, 17), (16, 16), (255, 1), (255, 255), (128, 2), (2, 127), (3, 86), (64, 4), (0, 255)] {
        bench.products(a, b).unwrap();
    }
}

/// Digits of 4 bits in messages of 8.
#[test]
fn wider_digits() {
    let bench = Bench::new(four_bits(), Width::U16);
    assert_eq!(bench.integers.block_bits(), 4);
    for (a, b, threads) in [(0xfedc, 0x0124, 1), (0x00ff, 0x0101, 4)] {
        on_threads(threads, || {
            bench.arithmetic(a, b).unwrap();
            bench.products(a, b).unwrap();
            bench.chain(a, b).unwrap();
        });
    }
    let bench = Bench::new(four_bits(), Width::U8);
    bench.comparisons(0x5a, 0x5b).unwrap();
    bench.shifts(0xc5, 3).unwrap();
}

#[test]
fn refusals_carry_both_values() {
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let (others, _) = four_bits();
    let (a, b) = (secret.encrypt_uint(Width::U8, 200).unwrap(), secret.encrypt_uint(Width::U16, 200).unwrap());
    let foreign = others.encrypt_uint(Width::U8, 1).unwrap();
    assert_eq!(
        int.add(&a, &b).unwrap_err().to_string(),
        "add: operands have 8 and 16 bits; encrypt both with one width"
    );
    assert!(matches!(int.lt(&a, &b), Err(Error::WidthMismatch { op: "lt", left: 8, right: 16 })));
    assert!(matches!(int.mul(&a, &foreign), Err(Error::ForeignObject { op: "mul", .. })));
    assert!(matches!(int.shl_by(&a, &foreign), Err(Error::ForeignObject { op: "shl_by", .. })));
    assert!(matches!(others.decrypt_uint(&a), Err(Error::ForeignObject { .. })));
    let (ours, theirs) = (secret.encrypt_flag(true).unwrap(), others.encrypt_flag(true).unwrap());
    assert!(matches!(int.select(&theirs, &a, &a), Err(Error::ForeignObject { op: "select", .. })));
    let refused = int.combine_flags(&ours, &theirs, |p, q| p & q);
    assert!(matches!(refused, Err(Error::ForeignObject { op: "combine_flags", .. })));
    assert_eq!(
        int.shr(&a, 8).unwrap_err().to_string(),
        "shr: the amount is 8, an integer of 8 bits is shifted by 0 to 7; reduce it"
    );
    assert_eq!(
        secret.encrypt_uint(Width::U8, 256).unwrap_err().to_string(),
        "encrypt_uint: 256 is not below 2^8; reduce it or choose a larger width"
    );
    assert!(matches!(int.constant(Width::U32, 1 << 32), Err(Error::ValueTooLarge { bits: 32, .. })));
    assert!(matches!(Width::from_bits(24), Err(Error::UnknownWidth { bits: 24 })));
    let blocks = a.blocks().to_vec();
    assert_eq!(int.uint_from_blocks(Width::U8, blocks.clone()).unwrap(), a);
    assert!(matches!(int.uint_from_blocks(Width::U16, blocks), Err(Error::LengthMismatch { left: 4, right: 8, .. })));
    let full = secret.encrypt_integers(&[9; 4], 15).unwrap();
    assert!(matches!(int.flag_from_block(full[0].clone()), Err(Error::ValueOutOfSpace { value: 15, max: 1, .. })));
    assert!(matches!(int.uint_from_blocks(Width::U8, full), Err(Error::ValueOutOfSpace { value: 15, max: 3, .. })));
    let (small, keys) = common::keys(common::literal(64, Space::Bit));
    assert!(matches!(keys.integers(), Err(Error::WrongSpace { .. })));
    assert!(matches!(small.encrypt_uint(Width::U8, 1), Err(Error::WrongSpace { .. })));
}

/// Blocks at the edge of the budget are bootstrapped before they are multiplied; beyond it they are refused.
#[test]
fn noise_is_counted() {
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let noisy = |factor: f64| {
        let blocks = secret.encrypt_integers(&[1, 2, 3, 0], 3).unwrap();
        let variance = factor * keys.params().noise().bootstrapped;
        let blocks =
            blocks.iter().map(|x| Ciphertext::from_parts(x.lwe().clone(), x.key(), NoiseSum::of(x.lwe(), variance), 3));
        int.uint_from_blocks(Width::U8, blocks.collect()).unwrap()
    };
    let fresh = secret.encrypt_uint(Width::U8, 0b11_0000).unwrap();
    // The largest factors by which a bootstrap, and a multiplication by 4, still work.
    let limit = |x: f64| keys.params().log2_p_fail(x) <= keys.params().max_log2_p_fail;
    let edge = (0..).map(|i| 1.1f64.powi(i)).take_while(|&x| limit(x)).last().unwrap();
    let settled = int.bitand(&noisy(edge / 1.2), &fresh).unwrap();
    assert_eq!(secret.decrypt_uint(&settled).unwrap(), 0b11_0000);
    assert!(!limit(16.0 * edge / 1.2));
    for refused in [int.bitand(&noisy(edge * 1.3), &fresh), int.add(&noisy(edge * 1.3), &fresh)] {
        let Err(Error::NoiseExhausted { log2_p_fail, max_log2_p_fail, .. }) = refused else { panic!("{refused:?}") };
        assert!(log2_p_fail > max_log2_p_fail);
    }
}

/// The same at 128 bits of security: every operation is within the set's noise budget, twice in a row.
#[test]
#[ignore = "slow: real parameters"]
fn real_set() {
    let keys = common::keys(sets::find("integer-4-128").unwrap().literal());
    let bench = Bench::new(&keys, Width::U16);
    let (a, b) = (0xbeef, 0x1234);
    bench.arithmetic(a, b).unwrap();
    bench.comparisons(a, b).unwrap();
    bench.bits(a, b).unwrap();
    bench.shifts(a, 5).unwrap();
    bench.chain(a, b).unwrap();
    on_threads(4, || bench.arithmetic(a, b)).unwrap();
    Bench::new(&keys, Width::U8).products(0xd7, 0x4b).unwrap();
}
