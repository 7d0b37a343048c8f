//! Operations on integers of 8 to 64 bits against Rust's own, on arrays.

use everlevel_binfhe::{BoolArray, Error, EvalKeys, Extreme, Integers, SecretKey, UintArray, Width};
use proptest::prelude::*;

/// Widths whose integers are one word each.
pub const OF_ONE_WORD: [Width; 4] = [Width::U8, Width::U16, Width::U32, Width::U64];

/// Compares operations on arrays, encrypted and in the clear.
pub struct Bench<'k> {
    pub secret: &'k SecretKey,
    pub integers: Integers<'k>,
    pub width: Width,
}

impl<'k> Bench<'k> {
    pub fn new(keys: &'k (SecretKey, EvalKeys), width: Width) -> Self {
        Self { secret: &keys.0, integers: keys.1.integers().unwrap(), width }
    }

    pub fn encrypt(&self, values: &[u64]) -> UintArray {
        self.secret.encrypt_uints(self.width, values).unwrap()
    }

    pub fn are(&self, what: &str, found: &UintArray, expected: impl IntoIterator<Item = u64>) {
        let found = self.secret.decrypt_uints(found).unwrap();
        let expected: Vec<u64> = expected.into_iter().map(|value| value & self.width.max()).collect();
        assert_eq!(found, expected, "{what}, {:?}", self.width);
    }

    pub fn bools(&self, what: &str, found: &BoolArray, expected: impl IntoIterator<Item = bool>) {
        let expected: Vec<bool> = expected.into_iter().collect();
        assert_eq!(self.secret.decrypt_bools(found).unwrap(), expected, "{what}, {:?}", self.width);
    }

    pub fn arithmetic(&self, a: &[u64], b: &[u64]) -> Result<(), Error> {
        let (x, y, int, max) = (self.encrypt(a), self.encrypt(b), &self.integers, self.width.max());
        self.are("add", &int.add(&x, &y)?, zip(a, b).map(|(a, b)| a.wrapping_add(b)));
        self.are("sub", &int.sub(&x, &y)?, zip(a, b).map(|(a, b)| a.wrapping_sub(b)));
        self.are("neg", &int.neg(&x)?, a.iter().map(|a| a.wrapping_neg()));
        let (sum, overflow) = int.checked_add(&x, &y)?;
        self.are("checked_add", &sum, zip(a, b).map(|(a, b)| a.wrapping_add(b)));
        self.bools("checked_add", &overflow, zip(a, b).map(|(a, b)| u128::from(a) + u128::from(b) > u128::from(max)));
        let (difference, overflow) = int.checked_sub(&x, &y)?;
        self.are("checked_sub", &difference, zip(a, b).map(|(a, b)| a.wrapping_sub(b)));
        self.bools("checked_sub", &overflow, zip(a, b).map(|(a, b)| b > a));
        let clipped = |a: u64, b: u64| u128::from(max).min(u128::from(a) + u128::from(b)) as u64;
        self.are("saturating_add", &int.saturating_add(&x, &y)?, zip(a, b).map(|(a, b)| clipped(a, b)));
        self.are("saturating_sub", &int.saturating_sub(&x, &y)?, zip(a, b).map(|(a, b)| a.saturating_sub(b)));
        Ok(())
    }

    pub fn products(&self, a: &[u64], b: &[u64]) -> Result<(), Error> {
        let (x, y, int, max) = (self.encrypt(a), self.encrypt(b), &self.integers, self.width.max());
        self.are("mul", &int.mul(&x, &y)?, zip(a, b).map(|(a, b)| a.wrapping_mul(b)));
        self.are(
            "mul by a constant",
            &int.mul(&x, &int.constants(self.width, b)?)?,
            zip(a, b).map(|(a, b)| a.wrapping_mul(b)),
        );
        let (product, overflow) = int.checked_mul(&x, &y)?;
        self.are("checked_mul", &product, zip(a, b).map(|(a, b)| a.wrapping_mul(b)));
        self.bools("checked_mul", &overflow, zip(a, b).map(|(a, b)| u128::from(a) * u128::from(b) > u128::from(max)));
        let clipped = |a: u64, b: u64| u128::from(max).min(u128::from(a) * u128::from(b)) as u64;
        self.are("saturating_mul", &int.saturating_mul(&x, &y)?, zip(a, b).map(|(a, b)| clipped(a, b)));
        Ok(())
    }

    pub fn quotients(&self, a: &[u64], b: &[u64]) -> Result<(), Error> {
        let (x, y, int, max) = (self.encrypt(a), self.encrypt(b), &self.integers, self.width.max());
        let quotient = |a: u64, b: u64| a.checked_div(b).unwrap_or(max);
        let remainder = |a: u64, b: u64| a.checked_rem(b).unwrap_or(a);
        let public = int.constants(self.width, b)?;
        for (what, x, y) in [
            ("encrypted", &x, &y),
            ("by public", &x, &public),
            ("of public", &int.constants(self.width, a)?, &y),
            ("both public", &int.constants(self.width, a)?, &public),
        ] {
            let (found, by_zero) = int.checked_div(x, y)?;
            self.are(&format!("div, {what}"), &found, zip(a, b).map(|(a, b)| quotient(a, b)));
            self.bools("div by zero", &by_zero, b.iter().map(|&b| b == 0));
            let (found, by_zero) = int.checked_rem(x, y)?;
            self.are(&format!("rem, {what}"), &found, zip(a, b).map(|(a, b)| remainder(a, b)));
            self.bools("rem by zero", &by_zero, b.iter().map(|&b| b == 0));
            if what.starts_with("encrypted") || b.iter().all(|&b| b != 0) {
                let (q, r) = int.div_rem(x, y)?;
                self.are("div_rem", &q, zip(a, b).map(|(a, b)| quotient(a, b)));
                self.are("div_rem", &r, zip(a, b).map(|(a, b)| remainder(a, b)));
            }
        }
        Ok(())
    }

    pub fn comparisons(&self, a: &[u64], b: &[u64]) -> Result<(), Error> {
        let (x, y, int) = (self.encrypt(a), self.encrypt(b), &self.integers);
        self.bools("eq", &int.eq(&x, &y)?, zip(a, b).map(|(a, b)| a == b));
        self.bools("ne", &int.ne(&x, &y)?, zip(a, b).map(|(a, b)| a != b));
        self.bools("lt", &int.lt(&x, &y)?, zip(a, b).map(|(a, b)| a < b));
        self.bools("le", &int.le(&x, &y)?, zip(a, b).map(|(a, b)| a <= b));
        self.bools("gt", &int.gt(&x, &y)?, zip(a, b).map(|(a, b)| a > b));
        self.bools("ge", &int.ge(&x, &y)?, zip(a, b).map(|(a, b)| a >= b));
        self.are("min", &int.min(&x, &y)?, zip(a, b).map(|(a, b)| a.min(b)));
        self.are("max", &int.max(&x, &y)?, zip(a, b).map(|(a, b)| a.max(b)));
        Ok(())
    }

    pub fn bits(&self, a: &[u64], b: &[u64]) -> Result<(), Error> {
        let (x, y, int) = (self.encrypt(a), self.encrypt(b), &self.integers);
        self.are("bitand", &int.bitand(&x, &y)?, zip(a, b).map(|(a, b)| a & b));
        self.are("bitor", &int.bitor(&x, &y)?, zip(a, b).map(|(a, b)| a | b));
        self.are("bitxor", &int.bitxor(&x, &y)?, zip(a, b).map(|(a, b)| a ^ b));
        self.are("not", &int.not(&x)?, a.iter().map(|a| !a));
        let conditions: Vec<bool> = a.iter().map(|a| a & 1 > 0).collect();
        for conditions in [&conditions, &vec![true; a.len()], &vec![false; a.len()]] {
            let expected = || zip(a, b).zip(conditions).map(|((a, b), &condition)| if condition { a } else { b });
            let condition = self.secret.encrypt_bools(conditions)?;
            self.are("select", &int.select(&condition, &x, &y)?, expected());
            let (known_a, known_b) = (int.constants(self.width, a)?, int.constants(self.width, b)?);
            for (x, y) in [(&known_a, &y), (&x, &known_b), (&known_a, &known_b)] {
                self.are("select with constants", &int.select(&condition, x, y)?, expected());
            }
            for width in OF_ONE_WORD {
                let found = self.secret.decrypt_uints(&int.with_width(&x, width)?)?;
                assert_eq!(found, a.iter().map(|a| a & width.max()).collect::<Vec<_>>());
            }
            let public = int.constant_bools(conditions);
            self.are("public select", &int.select(&public, &x, &y)?, expected());
            self.are(
                "uints_from_bools",
                &int.uints_from_bools(self.width, &condition)?,
                conditions.iter().map(|&c| c.into()),
            );
        }
        Ok(())
    }

    pub fn shifts(&self, a: &[u64], amounts: &[u32]) -> Result<(), Error> {
        let (x, int, bits, max) = (self.encrypt(a), &self.integers, self.width.bits(), self.width.max());
        let amounts: Vec<u32> = amounts.iter().map(|amount| amount % bits).collect();
        let left = |a: u64, amount: u32| a << amount & max | a.checked_shr(bits - amount).unwrap_or(0);
        let right = |a: u64, amount: u32| a >> amount | a.checked_shl(bits - amount).unwrap_or(0) & max;
        let amount = amounts[0];
        self.are("shl", &int.shl(&x, amount)?, a.iter().map(|a| a << amount));
        self.are("shr", &int.shr(&x, amount)?, a.iter().map(|a| a >> amount));
        self.are("rotate_left", &int.rotate_left(&x, amount + bits)?, a.iter().map(|&a| left(a, amount)));
        self.are("rotate_right", &int.rotate_right(&x, amount + bits)?, a.iter().map(|&a| right(a, amount)));
        // Encrypted amounts of another width. Bits above the width's don't count for rotations.
        let far: Vec<u64> = amounts.iter().map(|&amount| u64::from(amount) + u64::from(bits) * 3 % 256).collect();
        let near = self.secret.encrypt_uints(Width::U8, &amounts.iter().copied().map(u64::from).collect::<Vec<_>>())?;
        let by = self.secret.encrypt_uints(Width::U8, &far)?;
        let each = |f: &dyn Fn(u64, u32) -> u64| a.iter().zip(&amounts).map(|(&a, &by)| f(a, by)).collect::<Vec<_>>();
        self.are("shl_by", &int.shl_by(&x, &near)?, each(&|a, by| a << by));
        self.are("shr_by", &int.shr_by(&x, &near)?, each(&|a, by| a >> by));
        // Amounts of the width or more leave nothing, whichever bit of theirs says so.
        let powers = (0..a.len() as u32).map(|i| u64::from(bits) << (i % (8 - bits.ilog2()))).collect::<Vec<_>>();
        for by in [&by, &self.secret.encrypt_uints(Width::U8, &powers)?] {
            self.are("shl_by beyond", &int.shl_by(&x, by)?, vec![0; a.len()]);
            self.are("shr_by beyond", &int.shr_by(&x, by)?, vec![0; a.len()]);
        }
        self.are("rotate_left_by", &int.rotate_left_by(&x, &by)?, each(&left));
        self.are("rotate_right_by", &int.rotate_right_by(&x, &by)?, each(&right));
        Ok(())
    }

    /// Results of operations go into others, selections among them, whose noise is twice a bootstrap's.
    pub fn chain(&self, a: &[u64], b: &[u64]) -> Result<(), Error> {
        let (x, y, int) = (self.encrypt(a), self.encrypt(b), &self.integers);
        let (low, high) = (int.min(&x, &y)?, int.max(&x, &y)?);
        let (width, len) = (self.width.max(), a.len());
        self.bools("chained lt", &int.lt(&high, &low)?, vec![false; len]);
        self.are("chained sub", &int.sub(&high, &low)?, zip(a, b).map(|(a, b)| a.abs_diff(b)));
        let bits = int.bitxor(&int.not(&low)?, &high)?;
        self.are("chained bitxor", &bits, zip(a, b).map(|(a, b)| !a.min(b) ^ a.max(b)));
        let by = int.constants(self.width, &vec![3; len])?;
        let shifted = int.shl_by(&low, &by)?;
        let sum = int.add(&shifted, &int.shl_by(&shifted, &by)?)?;
        self.are("chained add", &sum, zip(a, b).map(|(a, b)| (a.min(b) << 3).wrapping_add((a.min(b) << 6) & width)));
        let five = int.constants(self.width, &vec![5; len])?;
        self.are("chained mul", &int.mul(&low, &five)?, zip(a, b).map(|(a, b)| a.min(b).wrapping_mul(5)));
        let both = int.combine_bools(&int.ge(&high, &low)?, &int.ne(&x, &y)?, |p, q| p & q)?;
        self.bools("combine_bools", &both, zip(a, b).map(|(a, b)| a != b));
        Ok(())
    }

    /// Reductions of `rows` rows of two.
    pub fn reductions(&self, a: &[u64]) -> Result<(), Error> {
        let (x, int, rows) = (self.encrypt(a), &self.integers, a.len() / 2);
        let column = |i: usize| a.iter().skip(i).step_by(2).copied();
        self.are("sum", &int.sum_rows(&x, rows)?, (0..2).map(|i| column(i).fold(0, u64::wrapping_add)));
        for (extreme, best) in [(Extreme::Min, u64::min as fn(u64, u64) -> u64), (Extreme::Max, u64::max)] {
            let expected = [0, 1].map(|i| column(i).reduce(best).unwrap());
            self.are("extreme", &int.extreme_row(&x, rows, extreme)?, expected);
            let places = self.secret.decrypt_uints(&int.place_of_extreme(&x, rows, extreme)?)?;
            let first = |i: usize| column(i).position(|value| value == expected[i]).unwrap() as u64;
            assert_eq!(places, [first(0), first(1)], "place of {extreme:?} of {a:?}");
        }
        let bits: Vec<bool> = a.iter().map(|a| a & 1 > 0).collect();
        let any = int.any_row(&self.secret.encrypt_bools(&bits)?, rows)?;
        self.bools("any", &any, (0..2).map(|i| column(i).any(|value| value & 1 > 0)));
        Ok(())
    }
}

pub fn zip(a: &[u64], b: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    a.iter().copied().zip(b.iter().copied())
}

/// Values at which carries run far, and any others.
pub fn operand() -> impl Strategy<Value = u64> {
    let edges =
        prop::sample::select(vec![0, 1, 2, 3, 0x55, 0x7f, 0x80, u64::MAX, u64::MAX - 1, u64::MAX << 8, 1 << 63]);
    prop_oneof![2 => any::<u64>(), 1 => edges, 1 => (0u32..64).prop_map(|bit| 1 << bit), 1 => 0..300u64]
}

pub fn width() -> impl Strategy<Value = Width> {
    prop::sample::select(OF_ONE_WORD.to_vec())
}

/// Arrays of one or two pairs.
pub fn operands() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((operand(), operand()), 1..=2)
}

pub fn split(pairs: &[(u64, u64)], width: Width) -> (Vec<u64>, Vec<u64>) {
    pairs.iter().map(|(a, b)| (a & width.max(), b & width.max())).unzip()
}
