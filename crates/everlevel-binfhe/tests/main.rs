//! Every integration test of this crate, in one program, whose modules are the files beside this one.

mod artifact;
mod between_keys;
mod circuit;
mod claims;
mod common;
mod containers;
mod context;
mod extension;
mod failures;
mod files;
mod fresh_files;
mod gates;
mod golden;
mod key_noise;
mod limbs;
mod messages;
mod named;
mod noise;
mod ntru;
mod public_keys;
mod random;
mod secrets;
mod signed;
mod stored_files;
mod uint;
mod uint_costs;
