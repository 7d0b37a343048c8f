//! TFHE.
pub mod key_switch;
pub mod lwe;
pub mod noise;
pub mod params;
pub mod secret;
mod torus;
mod error;
mod exact;
pub use error::Error;
pub use lwe::Lwe;
pub use params::{Gadget, KeySwitch, Order, Params, ParamsLiteral, Space};
pub use secret::SecretKey;
