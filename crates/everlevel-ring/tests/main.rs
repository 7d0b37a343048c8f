//! Every integration test of this crate that needs no process of its own, in one program, whose modules are the files
//! beside this one.

mod base2k;
mod limb_ring;
mod properties;
