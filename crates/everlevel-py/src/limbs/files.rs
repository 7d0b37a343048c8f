//! Files of CKKS over limbs: keys and ciphertexts to containers, and back.

use std::path::PathBuf;

use everlevel_ckks::io::{self, Access, Builder, Container};
use everlevel_ckks::limbs::{BootstrapKey, Ciphertext, Context, Error, EvalKeys, PublicKey, SecretKey};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::run_any;
use crate::files::{Data, Noted, Notes, describe, file_methods, notes, written};
use crate::limbs::context::LimbsContext;
use crate::limbs::objects::{LimbsBootstrapKey, LimbsCiphertext, LimbsEvaluationKey, LimbsPublicKey, LimbsSecretKey};

/// Objects take what their files take, or twice as much: the front looks at files.
fn limited(context: &Context, _: Option<u64>) -> &Context {
    context
}

file_methods! { LimbsContext with Context, Error:
    Secret: LimbsSecretKey of SecretKey,
    Public: LimbsPublicKey of PublicKey,
    Evaluation: LimbsEvaluationKey of EvalKeys,
    Bootstrap: LimbsBootstrapKey of BootstrapKey,
    Ciphertext: LimbsCiphertext of Ciphertext,
}
