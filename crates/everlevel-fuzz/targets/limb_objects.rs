//! [`everlevel_fuzz::limb_objects`] for cargo-fuzz.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| everlevel_fuzz::limb_objects(data));
