//! The class of BFV's ciphertexts: immutable, with the properties that Python shows. Keys are those of `limbs`.

use everlevel_bfv as bfv;
use pyo3::prelude::*;

use crate::properties::properties;

/// An encrypted vector of integers.
#[pyclass(frozen, module = "everlevel._native")]
pub struct BfvCiphertext(pub bfv::Ciphertext);

#[pymethods]
impl BfvCiphertext {
    fn units(&self) -> Vec<Self> {
        self.0.units().into_iter().map(Self).collect()
    }
}

properties! { [BfvCiphertext] as ciphertext {
    secret_id: u64 = ciphertext.0.secret_id().0;
    nbytes: usize = ciphertext.0.nbytes();
    unit_count: usize = ciphertext.0.unit_count();
    budget_bits: f64 = ciphertext.0.budget_bits();
    log2_noise: f64 = ciphertext.0.log2_noise();
} }
