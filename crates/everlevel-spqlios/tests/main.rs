//! Every test of this crate, in one program, whose modules are the files beside this one.
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "tests call as programs in C do: with live modules, and vectors and objects of the lengths given beside them"
)]

mod c;
mod gadgets;
mod oracle;
mod rnx;
mod rnx_products;
mod zn;
