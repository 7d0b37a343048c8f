//! Modules of the transform in doubles that nothing outside of it sees, compiled here with their own unit tests.

#[path = "../src/fft/digits.rs"]
mod digits;
#[path = "../src/fft/plan.rs"]
mod plan;
#[path = "../src/fft/rounding.rs"]
mod rounding;
#[path = "../src/fft/twiddles.rs"]
mod twiddles;
