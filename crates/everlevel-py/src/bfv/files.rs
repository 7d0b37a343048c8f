//! Files of BFV: keys and ciphertexts to containers, and back.

use std::path::PathBuf;

use everlevel_bfv::{Ciphertext, Context, Error, EvalKeys, PublicKey, SecretKey};
use everlevel_ckks::io::{self, Access, Builder, Container};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bfv::context::BfvContext;
use crate::bfv::objects::BfvCiphertext;
use crate::call::run_any;
use crate::files::{Data, Noted, Notes, describe, file_methods, notes, written};
use crate::limbs::{LimbsEvaluationKey, LimbsPublicKey, LimbsSecretKey};

/// Objects take what their files take, or twice as much: the front looks at files.
fn limited(context: &Context, _: Option<u64>) -> &Context {
    context
}

file_methods! { BfvContext with Context, Error:
    Secret: LimbsSecretKey of SecretKey,
    Public: LimbsPublicKey of PublicKey,
    Evaluation: LimbsEvaluationKey of EvalKeys,
    Ciphertext: BfvCiphertext of Ciphertext,
}
