//! Every integration test of this crate, in one program, whose modules are the files beside this one.

mod bootstraps;
mod faults;
mod lost;
mod moduli;
mod places;
mod pointwise;
mod ptx;
mod setup;
mod transforms;
