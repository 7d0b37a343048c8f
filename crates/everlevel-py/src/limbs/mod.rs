//! The part of the extension module that schemes over limbs share, their keys, and that of CKKS over limbs.

mod context;
mod files;
pub(crate) mod methods;
mod objects;

pub use context::{LimbsContext, limbs_sets};
pub use objects::{
    EncryptionKey, LimbsBootstrapKey, LimbsBridge, LimbsCiphertext, LimbsEvaluationKey, LimbsPublicKey, LimbsSecretKey,
};
