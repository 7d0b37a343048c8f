//! Evaluation keys for whoever computes with them and may write them again, as Python's engines do.

use std::borrow::Cow;

use crate::{
    CircuitKey, CompressionKey, EvalKeys, PackingKey, RingSwitchKey, SeededCircuitKey, SeededCompressionKey,
    SeededEvalKeys, SeededPackingKey, SeededRingSwitchKey,
};

/// Evaluation keys ready for use, beside what a file of them has and the ready ones don't give back.
///
/// TFHE's transforms round, so that the bodies of its bootstrapping key are kept. NTRU's are exact: its bodies are
/// computed back when a file is written.
#[derive(Debug)]
pub struct KeptEvalKeys {
    ready: EvalKeys,
    /// The stored keys, without the bootstrapping key's bodies if the ready key gives them back.
    seeded: SeededEvalKeys,
}

impl KeptEvalKeys {
    /// Makes the keys ready.
    pub fn new(mut seeded: SeededEvalKeys) -> Self {
        let ready = seeded.prepare();
        if seeded.params().literal().is_ntru() {
            seeded.bootstrap.bodies = Vec::new();
        }
        Self { ready, seeded }
    }

    /// The keys ready for use.
    pub fn ready(&self) -> &EvalKeys {
        &self.ready
    }

    /// The keys as seeds and bodies.
    pub fn seeded(&self) -> Cow<'_, SeededEvalKeys> {
        match self.ready.bootstrap_key().bodies() {
            Some(bodies) => {
                let mut seeded = self.seeded.clone();
                seeded.bootstrap.bodies = bodies;
                Cow::Owned(seeded)
            }
            None => Cow::Borrowed(&self.seeded),
        }
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.ready.nbytes() + self.seeded.nbytes()
    }
}

/// A key ready for use, beside the seed and bodies that a file of it has.
macro_rules! kept {
    ($($(#[$doc:meta])* $kept:ident: $seeded:ident to $ready:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $kept {
            ready: $ready,
            seeded: $seeded,
        }

        impl $kept {
            /// Makes the key ready.
            pub fn new(seeded: $seeded) -> Self {
                Self { ready: seeded.prepare(), seeded }
            }

            /// The key ready for use.
            pub fn ready(&self) -> &$ready {
                &self.ready
            }

            /// The key as a seed and bodies.
            pub fn seeded(&self) -> &$seeded {
                &self.seeded
            }

            /// Bytes held.
            pub fn nbytes(&self) -> usize {
                self.ready.nbytes() + self.seeded.nbytes()
            }
        }
    )*};
}

kept! {
    /// A key of circuit bootstraps ready for use, beside what a file of it has.
    KeptCircuitKey: SeededCircuitKey to CircuitKey;
    /// A key of compression ready for use, beside what a file of it has.
    KeptCompressionKey: SeededCompressionKey to CompressionKey;
    /// A key of ring switches ready for use, beside what a file of it has.
    KeptRingSwitchKey: SeededRingSwitchKey to RingSwitchKey;
    /// A packing key ready for use, beside what a file of it has.
    KeptPackingKey: SeededPackingKey to PackingKey;
}
