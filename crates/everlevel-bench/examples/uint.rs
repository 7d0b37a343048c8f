//! Times integers:
//! `cargo run --release -p everlevel-bench --example uint -- [set] [bits] [threads] [elements] [operations…]`, by
//! default `integer-4-128`, 32 bits, one thread, one element and all operations.
//!
//! Least and median of three calls, for each element: wall time, and CPU time of all threads in case the machine is
//! shared. Every answer is checked. Failure probability of a bootstrap at the set's largest `squared_norm`, and
//! security, stand beside each time.

use std::sync::Arc;
use std::time::Instant;

use everlevel_bench::timing::{Clock, Times};
use everlevel_binfhe::{Error, EvalKeys, Integers, SecretKey, UintArray, Width, sets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let set = sets::find(arguments.first().map_or("integer-4-128", String::as_str))?;
    let width = Width::from_bits(arguments.get(1).map_or(Ok(32), |bits| bits.parse())?)?;
    let threads = arguments.get(2).map_or(Ok(1), |threads| threads.parse())?;
    let len = arguments.get(3).map_or(Ok(1), |len| len.parse())?;
    let secret = SecretKey::generate(Arc::new(set.params()?))?;
    let keys = EvalKeys::generate(&secret)?;
    let integers = keys.integers()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    println!(
        "{len} of {} bits in blocks of {}, {threads} threads, set {}",
        width.bits(),
        integers.block_bits(),
        set.name
    );
    let asked = arguments.get(4..).unwrap_or_default().to_vec();
    pool.install(|| Bench { set, secret: &secret, integers, width, len, asked }.run())?;
    Ok(())
}

struct Bench<'k> {
    set: &'k sets::NamedSet,
    secret: &'k SecretKey,
    integers: Integers<'k>,
    width: Width,
    len: usize,
    /// Names of operations, or none for all.
    asked: Vec<String>,
}

impl Bench<'_> {
    fn run(&self) -> Result<(), Error> {
        let (int, max, bits) = (&self.integers, self.width.max(), self.width.bits());
        let (a, b, amount) = (0xdead_beef_0bad_cafe & max, 0x0123_4567_89ab_cdef & max, 5);
        let encrypt = |width, value| self.secret.encrypt_uints(width, &vec![value; self.len]);
        let (x, y) = (&encrypt(self.width, a)?, &encrypt(self.width, b)?);
        let by = &encrypt(Width::U8, u64::from(amount))?;
        let condition = &self.secret.encrypt_bools(&vec![true; self.len])?;
        let rotated = a << amount | a >> (bits - amount);
        let as_integers = |bools| int.uints_from_bools(self.width, &bools);
        self.measure("add", a.wrapping_add(b), |int| int.add(x, y))?;
        self.measure("checked_add", a.wrapping_add(b), |int| Ok(int.checked_add(x, y)?.0))?;
        self.measure("sub", a.wrapping_sub(b), |int| int.sub(x, y))?;
        self.measure("neg", a.wrapping_neg(), |int| int.neg(x))?;
        self.measure("eq", u64::from(a == b), |int| as_integers(int.eq(x, y)?))?;
        self.measure("lt", u64::from(a < b), |int| as_integers(int.lt(x, y)?))?;
        self.measure("max", a.max(b), |int| int.max(x, y))?;
        self.measure("select", a, |int| int.select(condition, x, y))?;
        self.measure("bitand", a & b, |int| int.bitand(x, y))?;
        self.measure("not", !a, |int| int.not(x))?;
        self.measure("shl by 5", a << amount, |int| int.shl(x, amount))?;
        self.measure("rotate_left by 5", rotated, |int| int.rotate_left(x, amount))?;
        self.measure("shl_by", a << amount, |int| int.shl_by(x, by))?;
        self.measure("rotate_left_by", rotated, |int| int.rotate_left_by(x, by))?;
        self.measure("mul", a.wrapping_mul(b), |int| int.mul(x, y))?;
        let ten = &int.constants(self.width, &vec![10; self.len])?;
        self.measure("div", a / b, |int| int.div(x, y))?;
        self.measure("rem", a % b, |int| int.rem(x, y))?;
        self.measure("div by 10", a / 10, |int| int.div(x, ten))?;
        self.measure("rem by 10", a % 10, |int| int.rem(x, ten))?;
        self.measure("checked_mul", a.wrapping_mul(b), |int| Ok(int.checked_mul(x, y)?.0))
    }

    fn measure(
        &self,
        name: &str,
        expected: u64,
        call: impl Fn(&Integers<'_>) -> Result<UintArray, Error>,
    ) -> Result<(), Error> {
        if !self.asked.is_empty() && !self.asked.iter().any(|asked| asked == name) {
            return Ok(());
        }
        let cost = self.integers.cost(&call)?;
        let (mut wall, mut cpu) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let start = Instant::now();
            let (seconds, found) = Clock::Process.time(|| call(&self.integers));
            wall.push(1e3 * start.elapsed().as_secs_f64() / self.len as f64);
            cpu.push(1e3 * seconds / self.len as f64);
            assert_eq!(self.secret.decrypt_uints(&found?)?, vec![expected & self.width.max(); self.len], "{name}");
        }
        let (wall, cpu) = (Times::of(wall), Times::of(cpu));
        println!(
            "{name:<18} wall {:>9.2} ({:.2}) ms, CPU {:>9.2} ({:.2}) ms; {:.0} bootstraps in {} rounds; p_fail 2^{:.1} a bootstrap, {:.0} bits",
            wall.least,
            wall.median,
            cpu.least,
            cpu.median,
            cost.bootstraps as f64 / self.len as f64,
            cost.rounds,
            self.set.log2_p_fail,
            self.set.security_bits
        );
        Ok(())
    }
}
