//! Fuzz targets: every reader of bytes, and circuits beside plain arithmetic.
//!
//! A target is a function of bytes that panics at a fault: `make fuzz` runs each with cargo-fuzz, and the tests of this
//! crate run all of them on the kept seeds, with no more than a stable compiler.
//!
//! *Map.* [`container()`], [`header()`] containers of any bytes, and of any header whose checksums are right ·
//! [`ckks_objects`], [`tfhe_objects`], [`limb_objects`] objects of every kind · [`parameters()`] literals ·
//! [`ckks_circuits`], [`tfhe_circuits`] random programs, encrypted and in the clear · [`mod@sealed`] bytes with the
//! checksums that belong to them, without which a fuzzer sees nothing but refused checksums.
//!
//! *Seeds.* `seeds/TARGET` has the inputs that found faults, and small ones that reach far; files of every kind are
//! those in `tests/files` of the schemes' crates.
#![forbid(unsafe_code)]

pub mod sealed;

mod ckks_circuits;
mod container;
mod objects;
mod parameters;
mod tfhe_circuits;

pub use ckks_circuits::ckks_circuits;
pub use container::{container, header};
pub use objects::{ckks_objects, limb_objects, tfhe_objects};
pub use parameters::parameters;
pub use tfhe_circuits::tfhe_circuits;

/// A function of bytes that panics at a fault.
pub type Target = fn(&[u8]);

/// Every target, by its name.
pub const TARGETS: [(&str, Target); 8] = [
    ("container", container),
    ("header", header),
    ("ckks_objects", ckks_objects),
    ("tfhe_objects", tfhe_objects),
    ("limb_objects", limb_objects),
    ("parameters", parameters),
    ("ckks_circuits", ckks_circuits),
    ("tfhe_circuits", tfhe_circuits),
];
