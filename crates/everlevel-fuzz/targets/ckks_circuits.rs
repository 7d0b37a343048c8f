//! [`everlevel_fuzz::ckks_circuits`] for cargo-fuzz.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| everlevel_fuzz::ckks_circuits(data));
