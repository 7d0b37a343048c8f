//! Files of TFHE: keys and arrays of ciphertexts to containers, and back.

use std::path::PathBuf;

use everlevel_binfhe::files::NamedParams;
use everlevel_binfhe::{
    BoolArray, Ciphertext, CompressedList, Error, KeptCircuitKey, KeptCompressionKey, KeptEvalKeys, KeptPackingKey,
    KeptRingSwitchKey, PublicKey, SecretKey, UintArray,
};
use everlevel_ckks::io::{self, Access, Builder, Container};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::run_any;
use crate::files::{Data, Noted, Notes, describe, file_methods, notes, written};
use crate::tfhe::arrays::{TfheBoolArray, TfheCiphertext, TfheUintArray};
use crate::tfhe::compression::TfheCompressedList;
use crate::tfhe::context::TfheContext;
use crate::tfhe::keys::{
    TfheCompressionKey, TfheEvaluationKey, TfheLookupKey, TfhePackingKey, TfhePublicKey, TfheRingSwitchKey,
    TfheSecretKey,
};

impl TfheContext {
    fn on_threads<T: Send>(&self, work: impl FnOnce(&NamedParams<'_>) -> T + Send) -> T {
        self.0.install(|| work(&self.0.named_params()))
    }
}

/// Arrays of ciphertexts may take a hundred times as much memory as their files.
fn limited<'p>(named: &NamedParams<'p>, max_bytes: Option<u64>) -> NamedParams<'p> {
    NamedParams { max_bytes, ..*named }
}

file_methods! { TfheContext with NamedParams<'_>, Error:
    Secret: TfheSecretKey of SecretKey,
    Public: TfhePublicKey of PublicKey,
    Evaluation: TfheEvaluationKey of KeptEvalKeys,
    Lookup: TfheLookupKey of KeptCircuitKey,
    Compression: TfheCompressionKey of KeptCompressionKey,
    RingSwitch: TfheRingSwitchKey of KeptRingSwitchKey,
    Packing: TfhePackingKey of KeptPackingKey,
    List: TfheCompressedList of CompressedList,
    Ciphertext: TfheCiphertext of Vec<Ciphertext>,
    Uints: TfheUintArray of UintArray,
    Bools: TfheBoolArray of BoolArray,
}
