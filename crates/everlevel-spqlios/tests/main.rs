//! Every test of this crate, in one program, whose modules are the files beside this one.

mod c;
mod gadgets;
mod oracle;
mod rnx;
mod rnx_products;
mod zn;
