//! Times integers: `cargo run --release -p everlevel-tfhe --example uint -- [set] [bits] [threads]`, by default `integer-4-128`, 32 bits and one thread.
//!
//! Least and median of three calls: wall time, and CPU time of all threads in case the machine is shared. Every answer is checked. Failure
//! probability of a bootstrap at the set's largest `norm2`, and security, stand beside each time.

use std::sync::Arc;
use std::time::Instant;

use everlevel_tfhe::{EncryptedBool, EncryptedUint, Error, EvalKeys, Integers, NamedSet, SecretKey, Width, sets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let set = sets::find(arguments.first().map_or("integer-4-128", String::as_str))?;
    let width = Width::from_bits(arguments.get(1).map_or(Ok(32), |bits| bits.parse())?)?;
    let threads = arguments.get(2).map_or(Ok(1), |threads| threads.parse())?;
    let secret = SecretKey::generate(Arc::new(set.params()?))?;
    let keys = EvalKeys::generate(&secret)?;
    let integers = keys.integers()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    println!("{} bits in blocks of {}, {threads} threads, set {}", width.bits(), integers.block_bits(), set.name);
    pool.install(|| Bench { set, secret: &secret, integers, width }.run())?;
    Ok(())
}

/// Seconds that this process has run, all threads together.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock writes to the structure that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

struct Bench<'k> {
    set: &'k NamedSet,
    secret: &'k SecretKey,
    integers: Integers<'k>,
    width: Width,
}

impl Bench<'_> {
    fn run(&self) -> Result<(), Error> {
        let (int, max, bits) = (&self.integers, self.width.max(), self.width.bits());
        let (a, b, amount) = (0xdead_beef_0bad_cafe & max, 0x0123_4567_89ab_cdef & max, 5);
        let (x, y) = (self.secret.encrypt_uint(self.width, a)?, self.secret.encrypt_uint(self.width, b)?);
        let by = self.secret.encrypt_uint(Width::U8, u64::from(amount))?;
        let condition = self.secret.encrypt_flag(true)?;
        let rotated = a << amount | a >> (bits - amount);
        self.integer("add", a.wrapping_add(b), || int.add(&x, &y))?;
        self.integer("checked_add", a.wrapping_add(b), || Ok(int.checked_add(&x, &y)?.0))?;
        self.integer("sub", a.wrapping_sub(b), || int.sub(&x, &y))?;
        self.integer("neg", a.wrapping_neg(), || int.neg(&x))?;
        self.flag("eq", a == b, || int.eq(&x, &y))?;
        self.flag("lt", a < b, || int.lt(&x, &y))?;
        self.integer("max", a.max(b), || int.max(&x, &y))?;
        self.integer("select", a, || int.select(&condition, &x, &y))?;
        self.integer("bitand", a & b, || int.bitand(&x, &y))?;
        self.integer("not", !a, || int.not(&x))?;
        self.integer("shl by 5", a << amount, || int.shl(&x, amount))?;
        self.integer("rotate_left by 5", rotated, || int.rotate_left(&x, amount))?;
        self.integer("shl_by", a << amount, || int.shl_by(&x, &by))?;
        self.integer("rotate_left_by", rotated, || int.rotate_left_by(&x, &by))?;
        self.integer("mul", a.wrapping_mul(b), || int.mul(&x, &y))?;
        self.integer("checked_mul", a.wrapping_mul(b), || Ok(int.checked_mul(&x, &y)?.0))
    }

    fn integer(
        &self,
        name: &str,
        expected: u64,
        call: impl FnMut() -> Result<EncryptedUint, Error>,
    ) -> Result<(), Error> {
        let found = self.secret.decrypt_uint(&self.measure(name, call)?)?;
        assert_eq!(found, expected & self.width.max(), "{name}");
        Ok(())
    }

    fn flag(
        &self,
        name: &str,
        expected: bool,
        call: impl FnMut() -> Result<EncryptedBool, Error>,
    ) -> Result<(), Error> {
        assert_eq!(self.secret.decrypt_flag(&self.measure(name, call)?)?, expected, "{name}");
        Ok(())
    }

    fn measure<R>(&self, name: &str, mut call: impl FnMut() -> Result<R, Error>) -> Result<R, Error> {
        let mut last = None;
        let (mut wall, mut cpu) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let (start, start_cpu) = (Instant::now(), cpu_seconds());
            last = Some(call()?);
            wall.push(1e3 * start.elapsed().as_secs_f64());
            cpu.push(1e3 * (cpu_seconds() - start_cpu));
        }
        wall.sort_by(f64::total_cmp);
        cpu.sort_by(f64::total_cmp);
        println!(
            "{name:<18} wall {:>9.2} ({:.2}) ms, CPU {:>9.2} ({:.2}) ms; p_fail 2^{:.1} a bootstrap, {:.0} bits",
            wall[0], wall[1], cpu[0], cpu[1], self.set.log2_p_fail, self.set.security_bits
        );
        Ok(last.unwrap_or_else(|| unreachable!("three calls")))
    }
}
