//! Classes of CKKS' keys, plaintexts and ciphertexts: immutable, with the properties that Python shows.

use everlevel_ckks as ckks;
use pyo3::prelude::*;

/// A frozen class around a type of the core.
macro_rules! class {
    ($(#[$doc:meta])* seeded $name:ident { $($methods:tt)* }) => {
        class!(
            $(#[$doc])*
            $name {
                #[getter]
                fn is_seeded(&self) -> bool {
                    self.0.is_seeded()
                }

                #[getter]
                fn seeded_nbytes(&self) -> usize {
                    self.0.seeded_nbytes()
                }

                $($methods)*
            }
        );
    };
    ($(#[$doc:meta])* units $name:ident { $($methods:tt)* }) => {
        class!(
            $(#[$doc])*
            $name(ckks::Units<ckks::$name>) {
                #[getter]
                fn unit_count(&self) -> usize {
                    self.0.count()
                }

                #[getter]
                fn level(&self) -> usize {
                    self.0.first().level()
                }

                #[getter]
                fn log2_scale(&self) -> f64 {
                    self.0.first().scale().log2()
                }

                $($methods)*
            }
        );
    };
    ($(#[$doc:meta])* $name:ident { $($methods:tt)* }) => {
        class!($(#[$doc])* $name(ckks::$name) { $($methods)* });
    };
    ($(#[$doc:meta])* $name:ident($type:ty) { $($methods:tt)* }) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "everlevel._native")]
        pub struct $name(pub $type);

        #[pymethods]
        impl $name {
            $($methods)*

            #[getter]
            fn nbytes(&self) -> usize {
                self.0.nbytes()
            }
        }
    };
}

class!(
    /// Decrypts.
    SecretKey {
        #[getter]
        fn release_budget(&self) -> u64 {
            self.0.release_budget().limit()
        }

        #[getter]
        fn released(&self) -> u64 {
            self.0.release_budget().used()
        }

        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.secret_id().0
        }
    }
);

class!(
    /// Encrypts.
    PublicKey {
        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.secret_id().0
        }
    }
);

class!(
    /// Brings products back to two polynomials.
    seeded RelinearizationKey {
        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.secret_id().0
        }
    }
);

class!(
    /// Conjugates.
    seeded ConjugationKey {
        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.secret_id().0
        }
    }
);

class!(
    /// Rotates by any amount.
    seeded RotationKey {
        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.secret_id().0
        }
    }
);

class!(
    /// Rotates by one amount.
    seeded FixedRotationKey {
        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.secret_id().0
        }

        #[getter]
        fn delta(&self) -> i64 {
            self.0.delta()
        }
    }
);

class!(
    /// Raises levels.
    seeded BootstrapKey {
        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.secret_id().0
        }

        #[getter]
        fn stage_count(&self) -> usize {
            self.0.stage_count()
        }

        #[getter]
        fn kind(&self) -> &'static str {
            self.0.kind().name()
        }

        #[getter]
        fn size(&self) -> &'static str {
            match self.0.size() {
                ckks::BootstrapKeySize::Medium => "medium",
                ckks::BootstrapKeySize::Large => "large",
            }
        }
    }
);

class!(
    /// Raises levels, with a rotation key beside it.
    seeded SmallBootstrapKey {
        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.secret_id().0
        }
    }
);

class!(
    /// An encoded message, of one unit or several.
    units Plaintext {}
);

class!(
    /// An encrypted message, of one unit or several.
    units Ciphertext {
        #[getter]
        fn polynomial_count(&self) -> usize {
            self.0.first().polynomial_count()
        }

        #[getter]
        fn precision_bits(&self) -> f64 {
            self.0.first().precision_bits()
        }

        #[getter]
        fn precision_floor(&self) -> f64 {
            self.0.first().precision_floor()
        }

        #[getter]
        fn bound(&self) -> f64 {
            self.0.bound().size()
        }

        #[getter]
        fn is_bound_declared(&self) -> bool {
            self.0.bound().is_declared()
        }

        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.first().secret_id().0
        }

        #[getter]
        fn slot_count(&self) -> usize {
            self.0.first().slot_count()
        }

        /// Each unit as a ciphertext of its own.
        fn units(&self) -> Vec<Self> {
            self.0.split().into_iter().map(Self).collect()
        }
    }
);

class!(
    /// An encoded message without its primes, of one unit or several.
    LightPlaintext(ckks::Units<ckks::LightPlaintext>) {
        #[getter]
        fn unit_count(&self) -> usize {
            self.0.count()
        }

        #[getter]
        fn level(&self) -> usize {
            self.0.first().level()
        }
    }
);

/// A matrix's class.
macro_rules! matrix_class {
    ($(#[$doc:meta])* $name:ident) => {
        class!(
            $(#[$doc])*
            $name {
                #[getter]
                fn level(&self) -> usize {
                    self.0.level()
                }

                #[getter]
                fn shape(&self) -> (usize, usize) {
                    self.0.dimensions()
                }

                #[getter]
                fn diagonal_count(&self) -> usize {
                    self.0.diagonal_count()
                }
            }
        );
    };
}

matrix_class!(
    /// An encoded matrix.
    PlainMatrix
);

matrix_class!(
    /// An encoded matrix without its primes.
    LightPlainMatrix
);

class!(
    /// Rotates for products with matrices.
    seeded MatrixMultiplicationKey {
        #[getter]
        fn secret_id(&self) -> u64 {
            self.0.secret_id().0
        }
    }
);

/// What this build runs on this machine, by name.
#[pyfunction]
pub fn build_info() -> Vec<(&'static str, String)> {
    let simd = everlevel_math::Simd::best().name();
    let available: Vec<_> = everlevel_math::Simd::available().iter().map(|s| s.name()).collect();
    vec![("kernels", format!("{simd} (available: {})", available.join(", ")))]
}
