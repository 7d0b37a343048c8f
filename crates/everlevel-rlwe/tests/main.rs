//! Every integration test of this crate, in one program, whose modules are the files beside this one.

mod common;
mod gadget;
mod half_product;
mod limbs;
mod linear_transform;
mod noise;
mod representations;
