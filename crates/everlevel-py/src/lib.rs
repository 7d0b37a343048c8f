//! `everlevel._native`: the extension module behind the Python package.
//!
//! *Rules.* A function converts, calls and wraps; code that is worth testing lives elsewhere. Every class is frozen.
//! Long calls run detached from the interpreter, in `call::run`; `error` makes an exception of every error and panic.
#![forbid(unsafe_code)]

mod bfv;
mod bulk;
mod call;
mod circuits;
mod context;
mod device;
mod error;
mod files;
mod integers;
mod limbs;
mod matrices;
mod objects;
mod properties;
mod tfhe;

/// The extension module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::bfv::{BfvCiphertext, BfvContext, bfv_sets};
    #[pymodule_export]
    use crate::bulk::{bulk_gate, bulk_integers, bulk_invert, bulk_select};
    #[pymodule_export]
    use crate::call::provoke_panic;
    #[pymodule_export]
    use crate::circuits::{
        argument_of_slots, deep_polynomials, extremum_of_slots, of_difference, of_sign, plan_sign, polynomial_steps,
        refresh, split_polynomial,
    };
    #[pymodule_export]
    use crate::context::Context;
    #[pymodule_export]
    use crate::device::{kernel_sources, lacking_kernels, provide_kernels};
    #[pymodule_export]
    use crate::error::error_codes;
    #[pymodule_export]
    use crate::files::{
        deserialize, file_kinds, from_transit, inspect_bytes, inspect_file, load, save, serialize, to_transit,
        verify_file,
    };
    #[pymodule_export]
    use crate::limbs::{
        LimbsBootstrapKey, LimbsBridge, LimbsCiphertext, LimbsContext, LimbsEvaluationKey, LimbsPublicKey,
        LimbsSecretKey, limbs_sets,
    };
    #[pymodule_export]
    use crate::matrices::{
        change_level, change_matrix_level, encode_light, encode_light_matrix, encode_matrix, expand, level_down_matrix,
        matrix_multiplication_key, multiply_matrix, rotations_of_diagonals,
    };
    #[pymodule_export]
    use crate::objects::{
        BootstrapKey, Ciphertext, ConjugationKey, FixedRotationKey, LightPlainMatrix, LightPlaintext,
        MatrixMultiplicationKey, PlainMatrix, Plaintext, PublicKey, RelinearizationKey, RotationKey, SecretKey,
        SmallBootstrapKey, build_info,
    };
    #[pymodule_export]
    use crate::tfhe::{
        TfheBoolArray, TfheCiphertext, TfheCompressedList, TfheCompressionKey, TfheContext, TfheEvaluationKey,
        TfheLookupKey, TfhePackingKey, TfhePublicKey, TfheRingSwitchKey, TfheSecretKey, TfheUintArray, tfhe_sets,
    };
}
