//! Times circuit bootstraps and look-ups in large tables beside tables of one message:
//! `cargo run --release -p everlevel-bench --example lookup -- [set] [repeats]`, by default `integer-4-128` and 9.
//!
//! One thread, minima and medians of its CPU time (the machine may be shared), in turns in one process; the unit is one
//! table of one message. Every answer is checked. Beside an integer's table stands what it takes by tables of
//! messages alone: a tree of them, counted.

use std::hint::black_box;
use std::sync::Arc;

use everlevel_bench::timing::{Clock, Times};
use everlevel_binfhe::{CircuitKey, Error, EvalKeys, Indices, SecretKey, SeededCircuitKey, Width, noise, sets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let set = sets::find(arguments.first().map_or("integer-4-128", String::as_str))?;
    let repeats = arguments.get(1).map_or(Ok(9), |repeats| repeats.parse())?;
    let secret = SecretKey::generate(Arc::new(set.params()?))?;
    let keys = EvalKeys::generate(&secret)?;
    let seeded = SeededCircuitKey::generate(&secret)?;
    let circuit = seeded.prepare();
    let rotation = circuit.params().rotation().clone();
    println!(
        "{}: evaluation key {:.1} MB, look-up key {:.1} MB ({:.1} MB stored)",
        set.name,
        keys.nbytes() as f64 / 1e6,
        circuit.nbytes() as f64 / 1e6,
        seeded.nbytes() as f64 / 1e6
    );
    let bits = keys.params().margin_torus().log2().abs() as i32 - 2;
    let factor = f64::from(bits - 1).exp2();
    let at_table = rotation.noise().at_table(factor * factor * keys.params().noise().bootstrapped)
        + 63.0 * rotation.noise().mod_switch;
    println!("a circuit bootstrap's rotation of a digit fails with 2^{:.1}", noise::log2_p_fail(0.125, at_table));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| Bench { secret: &secret, keys: &keys, circuit: &circuit, repeats }.run())?;
    Ok(())
}

struct Bench<'k> {
    secret: &'k SecretKey,
    keys: &'k EvalKeys,
    circuit: &'k CircuitKey,
    repeats: usize,
}

impl Bench<'_> {
    fn run(&self) -> Result<(), Error> {
        let max = self.keys.params().space.max();
        let message = self.secret.encrypt_integers(&[max], max)?;
        let reversed: Vec<u64> = (0..=max).rev().collect();
        let bit = self.secret.encrypt_integers(&[1], 1)?;
        let byte = self.secret.encrypt_uints(Width::U8, &[0xa7])?;
        let word = self.secret.encrypt_uints(Width::U16, &[0xba7])?;
        let table = |bits: u32, max: u64| (0..1u64 << bits).map(|i| i.wrapping_mul(0x9d3) & max).collect::<Vec<_>>();
        let (of_8, of_12, of_16) = (table(8, 0xff), table(12, 0xffff), table(16, 0xffff));
        let n = self.keys.params().n();
        let (zero, one) = (vec![0; n], vec![1 << 62; n]);
        let uints = |x, bits: u32, table: &[u64], width| -> Result<u64, Error> {
            let found = self.circuit.lookup_uints(self.keys, Indices::Uints(x), bits, table, width)?;
            Ok(self.secret.decrypt_uints(&found)?[0])
        };
        type Call<'a> = (&'static str, Box<dyn Fn() -> Result<u64, Error> + 'a>, u64);
        let calls: Vec<Call<'_>> = vec![
            (
                "one table of a message",
                Box::new(|| Ok(self.secret.decrypt_integers(&self.keys.table(&message, &reversed)?)?[0])),
                0,
            ),
            (
                "circuit bootstrap of a bit, and a CMux",
                Box::new(|| {
                    let bits = self.circuit.circuit_bootstrap(&bit)?;
                    let phase = self.circuit.select(&bits[0], [&zero, &one], &[0])[0].phase(self.secret.big());
                    Ok(phase.wrapping_add(1 << 61) >> 62)
                }),
                1,
            ),
            (
                "circuit bootstrap of a bit",
                Box::new(|| Ok(black_box(self.circuit.circuit_bootstrap(&bit)?).len() as u64)),
                1,
            ),
            (
                "table of a message's bits",
                Box::new(|| {
                    let bits = max.count_ones();
                    let found =
                        self.circuit.lookup_messages(self.keys, Indices::Messages(&message), bits, &reversed)?;
                    Ok(self.secret.decrypt_integers(&found)?[0])
                }),
                0,
            ),
            ("table of 8 bits to 8", Box::new(|| uints(&byte, 8, &of_8, Width::U8)), of_8[0xa7]),
            ("table of 12 bits to 16", Box::new(|| uints(&word, 12, &of_12, Width::U16)), of_12[0xba7]),
            ("table of 16 bits to 16", Box::new(|| uints(&word, 16, &of_16, Width::U16)), of_16[0xba7]),
        ];
        let mut times = vec![Vec::new(); calls.len()];
        for repeat in 0..=self.repeats {
            for ((name, call, expected), times) in calls.iter().zip(&mut times) {
                let (seconds, found) = Clock::Thread.time(call);
                assert_eq!(found?, *expected, "{name}");
                // The first call brings into memory what is not there yet.
                if repeat > 0 {
                    times.push(1e3 * seconds);
                }
            }
        }
        let times: Vec<Times> = times.into_iter().map(Times::of).collect();
        println!("| what | ms (median) | in tables of a message |\n|---|---|---|");
        for ((name, ..), time) in calls.iter().zip(&times) {
            let units = [time.least / times[0].least, time.median / times[0].median];
            println!("| {name} | {:.2} ({:.2}) | {:.2} ({:.2}) |", time.least, time.median, units[0], units[1]);
        }
        Ok(())
    }
}
