//! Every integration test of this crate, in one program, whose modules are the files beside this one.

mod conformance;
mod definitions;
mod fft;
#[allow(dead_code)]
mod fft_parts;
mod small_ntt;
