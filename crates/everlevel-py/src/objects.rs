//! Classes of CKKS' keys, plaintexts and ciphertexts: immutable, with the properties that Python shows.

use everlevel_ckks as ckks;
use pyo3::prelude::*;

use crate::properties::properties;

/// Frozen classes around types of the core.
macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident($type:ty);)*) => {
        $(
            $(#[$doc])*
            #[pyclass(frozen, module = "everlevel._native")]
            pub struct $name(pub $type);
        )*

        properties! { [$($name)*] as object {
            nbytes: usize = object.0.nbytes();
        } }
    };
}

classes! {
    /// Decrypts.
    SecretKey(ckks::SecretKey);
    /// Encrypts.
    PublicKey(ckks::PublicKey);
    /// Brings products back to two polynomials.
    RelinearizationKey(ckks::RelinearizationKey);
    /// Conjugates.
    ConjugationKey(ckks::ConjugationKey);
    /// Rotates by any amount.
    RotationKey(ckks::RotationKey);
    /// Rotates by one amount.
    FixedRotationKey(ckks::FixedRotationKey);
    /// Rotates for products with matrices.
    MatrixMultiplicationKey(ckks::MatrixMultiplicationKey);
    /// Raises levels.
    BootstrapKey(ckks::BootstrapKey);
    /// Raises levels, with a rotation key beside it.
    SmallBootstrapKey(ckks::SmallBootstrapKey);
    /// An encoded message, of one unit or several.
    Plaintext(ckks::Units<ckks::Plaintext>);
    /// An encoded message without its primes, of one unit or several.
    LightPlaintext(ckks::Units<ckks::LightPlaintext>);
    /// An encoded matrix.
    PlainMatrix(ckks::PlainMatrix);
    /// An encoded matrix without its primes.
    LightPlainMatrix(ckks::LightPlainMatrix);
    /// An encrypted message, of one unit or several.
    Ciphertext(ckks::Units<ckks::Ciphertext>);
}

properties! { [SecretKey PublicKey] as key {
    secret_id: u64 = key.0.secret_id().0;
} }

properties! { [SecretKey] as key {
    release_budget: u64 = key.0.release_budget().limit();
    released: u64 = key.0.release_budget().used();
} }

properties! {
    [RelinearizationKey ConjugationKey RotationKey FixedRotationKey MatrixMultiplicationKey BootstrapKey
    SmallBootstrapKey] as key {
        secret_id: u64 = key.0.secret_id().0;
        is_seeded: bool = key.0.is_seeded();
        seeded_nbytes: usize = key.0.seeded_nbytes();
    }
}

properties! { [FixedRotationKey] as key {
    delta: i64 = key.0.delta();
} }

properties! { [BootstrapKey] as key {
    stage_count: usize = key.0.stage_count();
    kind: &'static str = key.0.kind().name();
    size: &'static str = match key.0.size() {
        ckks::BootstrapKeySize::Medium => "medium",
        ckks::BootstrapKeySize::Large => "large",
    };
} }

properties! { [Plaintext LightPlaintext Ciphertext] as message {
    unit_count: usize = message.0.count();
    level: usize = message.0.first().level();
} }

properties! { [Plaintext Ciphertext] as message {
    log2_scale: f64 = message.0.first().scale().log2();
} }

properties! { [PlainMatrix LightPlainMatrix] as matrix {
    level: usize = matrix.0.level();
    shape: (usize, usize) = matrix.0.dimensions();
    diagonal_count: usize = matrix.0.diagonal_count();
    rotations: Vec<i64> = matrix.0.rotations();
} }

properties! { [Ciphertext] as ciphertext {
    polynomial_count: usize = ciphertext.0.first().polynomial_count();
    precision_bits: f64 = ciphertext.0.precision_bits();
    precision_floor: f64 = ciphertext.0.precision_floor();
    bound: f64 = ciphertext.0.bound().size();
    bound_of_values: f64 = ciphertext.0.bound_of_values().size();
    interval: (f64, f64) = ciphertext.0.bound().interval();
    interval_of_values: (f64, f64) = ciphertext.0.bound_of_values().interval();
    bound_kind: &'static str = ciphertext.0.bound().kind().name();
    is_bound_declared: bool = ciphertext.0.bound().is_declared();
    secret_id: u64 = ciphertext.0.first().secret_id().0;
    /// Where its polynomials are: `cpu`, or a device's place.
    place: String = ciphertext.0.first().place().into();
    slot_count: usize = ciphertext.0.first().slot_count();
} }

macro_rules! on_reals {
    ($($class:ident)*) => {$(
        #[pymethods]
        impl $class {
            /// This object, whose values are real numbers, or may not be.
            fn on_reals(&self, is_real: bool) -> Self {
                Self(self.0.clone().on_reals(is_real))
            }
        }
    )*};
}

on_reals! { Plaintext LightPlaintext }

#[pymethods]
impl Ciphertext {
    /// This ciphertext, whose values are real numbers, or may not be.
    fn on_reals(&self, is_real: bool) -> Self {
        Self(self.0.clone().on_reals(is_real))
    }

    /// This ciphertext as a quotient: a product with a rounded inverse.
    fn quotient(&self) -> Self {
        Self(self.0.clone().quotient())
    }

    /// Each unit as a ciphertext of its own.
    fn units(&self) -> Vec<Self> {
        self.0.split().into_iter().map(Self).collect()
    }
}

macro_rules! keys {
    ($($name:ident)*) => {
        /// An evaluation key.
        #[derive(FromPyObject)]
        #[allow(clippy::enum_variant_names, reason = "the names are the classes'")]
        pub enum Key {
            $($name(Py<$name>),)*
        }

        impl Key {
            pub fn as_ref(&self) -> ckks::KeyRef<'_> {
                match self {
                    $(Self::$name(key) => ckks::KeyRef::$name(&key.get().0),)*
                }
            }
        }
    };
}

keys! {
    RelinearizationKey ConjugationKey RotationKey FixedRotationKey MatrixMultiplicationKey BootstrapKey SmallBootstrapKey
}

/// Keys for rotations by any amount, and by one each.
pub type Rotations<'py> = (Option<PyRef<'py, RotationKey>>, Vec<PyRef<'py, FixedRotationKey>>);

/// The keys by one amount each.
pub fn fixed_keys<'a>((_, fixed): &'a Rotations<'_>) -> Vec<&'a ckks::FixedRotationKey> {
    fixed.iter().map(|key| &key.0).collect()
}

/// The kernels that this build runs on this machine, and the GPU that there is.
#[pyfunction]
pub fn build_info() -> Vec<(&'static str, String)> {
    let simd = everlevel_math::Simd::best().name();
    let available: Vec<_> = everlevel_math::Simd::available().iter().map(|s| s.name()).collect();
    vec![("kernels", format!("{simd} (available: {})", available.join(", "))), ("gpu", everlevel_gpu::summary())]
}
