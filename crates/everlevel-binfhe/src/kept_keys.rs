//! Evaluation keys for whoever computes with them and may write them again, as Python's engines do.

use std::borrow::Cow;

use crate::{CircuitKey, CompressionKey, EvalKeys, SeededCircuitKey, SeededCompressionKey, SeededEvalKeys};

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

/// A key of circuit bootstraps ready for use, beside what a file of it has.
#[derive(Debug)]
pub struct KeptCircuitKey {
    ready: CircuitKey,
    seeded: SeededCircuitKey,
}

impl KeptCircuitKey {
    /// Makes the key ready.
    pub fn new(seeded: SeededCircuitKey) -> Self {
        Self { ready: seeded.prepare(), seeded }
    }

    /// The key ready for use.
    pub fn ready(&self) -> &CircuitKey {
        &self.ready
    }

    /// The key as seeds and bodies.
    pub fn seeded(&self) -> &SeededCircuitKey {
        &self.seeded
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.ready.nbytes() + self.seeded.nbytes()
    }
}

/// A key of compression ready for use, beside what a file of it has.
#[derive(Debug)]
pub struct KeptCompressionKey {
    ready: CompressionKey,
    seeded: SeededCompressionKey,
}

impl KeptCompressionKey {
    /// Makes the key ready.
    pub fn new(seeded: SeededCompressionKey) -> Self {
        Self { ready: seeded.prepare(), seeded }
    }

    /// The key ready for use.
    pub fn ready(&self) -> &CompressionKey {
        &self.ready
    }

    /// The key as a seed and bodies.
    pub fn seeded(&self) -> &SeededCompressionKey {
        &self.seeded
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.ready.nbytes() + self.seeded.nbytes()
    }
}
