//! Every integration test of this crate, in one program, whose modules are the files beside this one.

mod arithmetic;
mod bootstrap;
mod bootstrap_inputs;
mod cancel;
mod circuits_argmax;
mod circuits_deep;
mod circuits_sign;
mod claims;
mod common;
mod double_precision;
mod errors;
mod files;
mod footprint;
mod golden;
mod keys;
mod matrix;
mod matrix_blocks;
mod parameters;
mod polynomial;
mod precise;
mod programs;
mod rotation;
mod small_key;
mod stored_files;
mod units;
mod variants;
