//! Times encryption, with the secret key and with a public one, and re-randomisation:
//! `cargo run --release -p everlevel-bench --example public_key -- [set] [bits] [elements]`, by default
//! `integer-4-128`, 32 bits and one element.
//!
//! Least and median of 200 calls, of this thread's time. What a public key encrypts is ready for computing: nothing is
//! switched and nothing bootstrapped. Noise of a public encryption and of a bootstrap, failure probability and security
//! stand beside the times.

use std::sync::Arc;

use everlevel_bench::timing::Times;
use everlevel_binfhe::{PublicKey, SecretKey, Width, sets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let set = sets::find(arguments.first().map_or("integer-4-128", String::as_str))?;
    let width = Width::from_bits(arguments.get(1).map_or(Ok(32), |bits| bits.parse())?)?;
    let len: usize = arguments.get(2).map_or(Ok(1), |len| len.parse())?;
    let params = Arc::new(set.params()?);
    let secret = SecretKey::generate(Arc::clone(&params))?;
    let public = PublicKey::generate(&secret)?;
    let noise = public.params().public_key_variance("bench")?.log2() / 2.0;
    println!(
        "{len} of {} bits, set {}: public key of {} bytes, σ 2^{noise:.1} (bootstrap 2^{:.1}), p_fail 2^{:.1}, {:.1} bits",
        width.bits(),
        set.name,
        public.nbytes(),
        params.noise().bootstrapped.log2() / 2.0,
        set.log2_p_fail,
        set.security_bits
    );
    let values: Vec<u64> = (0..len as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & width.max()).collect();
    let fresh = public.encrypt_uints(width, &values)?;
    assert_eq!(secret.decrypt_uints(&public.rerandomize_uints(&fresh)?)?, values);
    let show = |what: &str, times: Times| {
        let times = times.scaled(1e3);
        println!("{what:<28} {:.3} ms, median {:.3}", times.least, times.median);
    };
    show("create_public_key", Times::of_calls(20, || PublicKey::generate(&secret).expect("randomness")));
    show("encrypt, secret key", Times::of_calls(200, || secret.encrypt_uints(width, &values).expect("randomness")));
    show("encrypt, public key", Times::of_calls(200, || public.encrypt_uints(width, &values).expect("randomness")));
    show("rerandomize", Times::of_calls(200, || public.rerandomize_uints(&fresh).expect("randomness")));
    Ok(())
}
