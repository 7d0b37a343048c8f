//! Every integration test of this crate, in one program, whose modules are the files beside this one.

mod claims;
mod ntru;
mod sparse;
