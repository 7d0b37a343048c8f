//! Gates and tables beside tfhe-rs, in one run: `cargo bench -p everlevel-bench --features tfhe-rs --bench tfhe`.
//!
//! One thread; milliseconds of its CPU time, minimum and median. The two libraries take turns, so that a busy machine
//! slows both. Under `GLIBC_TUNABLES=glibc.malloc.hugetlb=1` tfhe-rs has huge pages too, which is the fairer
//! comparison.

use std::sync::Arc;

use everlevel_bench::timing::{Clock, Times};
use everlevel_binfhe::{Ciphertext, EvalKeys, Gate, SecretKey, Space, sets};

/// A call to be timed.
type Call = Box<dyn FnMut()>;

/// Minimum and median of each call, taken in turns.
fn measure(calls: &mut [(String, Call)], repeats: usize) -> Vec<Times> {
    let mut times = vec![Vec::new(); calls.len()];
    for round in 0..=repeats {
        for ((_, call), times) in calls.iter_mut().zip(&mut times) {
            let (seconds, ()) = Clock::Thread.time(call);
            if round > 0 {
                times.push(1e3 * seconds);
            }
        }
    }
    times.into_iter().map(Times::of).collect()
}

/// One bootstrap of a named set.
fn ours(name: &str) -> (String, Call) {
    let set = sets::find(name).expect("a named set");
    let secret = SecretKey::generate(Arc::new(set.params().expect("valid"))).expect("entropy");
    let keys = EvalKeys::generate(&secret).expect("entropy");
    let call: Call = match keys.params().space {
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
    (format!("everlevel {name}"), call)
}

#[cfg(feature = "tfhe-rs")]
mod peer {
    use super::Call;
    use tfhe::boolean::parameters::{self as boolean, BooleanParameters};
    use tfhe::boolean::prelude::BinaryBooleanGates;
    use tfhe::shortint::parameters::PARAM_MESSAGE_2_CARRY_2_KS_PBS;

    fn gate(name: &str, parameters: &BooleanParameters) -> (String, Call) {
        let client = tfhe::boolean::client_key::ClientKey::new(parameters);
        let server = tfhe::boolean::server_key::ServerKey::new(&client);
        let a = client.encrypt(true);
        (format!("tfhe-rs {name}"), Box::new(move || drop(server.nand(&a, &a))))
    }

    pub fn calls(group: &str) -> Vec<(String, Call)> {
        match group {
            "tfhe-lib" => vec![gate("TFHE_LIB", &boolean::TFHE_LIB_PARAMETERS)],
            "gate-64" => vec![
                gate("DEFAULT (2^-64)", &boolean::DEFAULT_PARAMETERS),
                gate("DEFAULT_KS_PBS (2^-64)", &boolean::DEFAULT_PARAMETERS_KS_PBS),
            ],
            "gate-128" => vec![gate("2^-165", &boolean::PARAMETERS_ERROR_PROB_2_POW_MINUS_165_KS_PBS)],
            _ => {
                let (client, server) = tfhe::shortint::gen_keys(PARAM_MESSAGE_2_CARRY_2_KS_PBS);
                let (a, table) = (client.encrypt(1), server.generate_lookup_table(|x| 3 - x % 4));
                let call: Call = Box::new(move || drop(server.apply_lookup_table(&a, &table)));
                vec![("tfhe-rs 2_2 (2^-128)".into(), call)]
            }
        }
    }
}

#[cfg(not(feature = "tfhe-rs"))]
mod peer {
    pub fn calls(_: &str) -> Vec<(String, super::Call)> {
        Vec::new()
    }
}

fn main() {
    // Before anything starts the global pool.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().expect("the first pool");
    let groups: [(&str, &[&str]); 4] = [
        ("tfhe-lib", &["tfhe-lib", "tfhe-lib-seven", "tfhe-lib-full"]),
        ("gate-64", &["gate-64"]),
        ("gate-128", &["gate-128"]),
        ("integer-4-128", &["integer-4-128"]),
    ];
    for (group, names) in groups {
        let mut calls: Vec<(String, Call)> = names.iter().map(|name| ours(name)).collect();
        let first = calls.len();
        calls.extend(peer::calls(group));
        let times = measure(&mut calls, 31);
        let best = times[first..].iter().map(|t| t.least).fold(f64::INFINITY, f64::min);
        for ((name, _), Times { least, median }) in calls.iter().zip(&times) {
            let ratio =
                if best.is_finite() { format!("{:.2} of the peer's best", least / best) } else { String::new() };
            println!("{name:<34} {least:>8.3} ms ({median:.3})  {ratio}");
        }
    }
}
