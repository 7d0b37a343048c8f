//! Methods that the contexts of all schemes over limbs have.

/// Gives a context of a scheme over limbs its keys, its memory, and its operations of ciphertexts alone.
macro_rules! limb_methods {
    ($Context:ident of $scheme:ident, $Ciphertext:ident) => {
        impl $Context {
            /// A context and its threads.
            fn of(
                thread_count: usize,
                seeded_keys: bool,
                params: Result<$scheme::Params, $scheme::Error>,
            ) -> Result<Self, $scheme::Error> {
                let pool = Pool::new(thread_count).map_err(|error| $scheme::Error::Parameter {
                    what: "thread_count",
                    found: format!("{thread_count} ({error})"),
                    needed: "as many threads as the system gives".into(),
                })?;
                let params = params?;
                let context = pool.install(|| $scheme::Context::new(params))?.with_seeded_keys(seeded_keys);
                Ok(Self { context, pool })
            }

            /// A call on the context's threads.
            pub fn on_threads<T: Send>(&self, work: impl FnOnce(&$scheme::Context) -> T + Send) -> T {
                self.pool.install(|| work(&self.context))
            }

            /// A call on the context's threads that makes a ciphertext.
            fn run(
                &self,
                work: impl FnOnce(&$scheme::Context) -> Result<$scheme::Ciphertext, $scheme::Error> + Send,
            ) -> PyResult<$Ciphertext> {
                run_any(|| self.on_threads(work)).map($Ciphertext)
            }
        }

        #[pymethods]
        impl $Context {
            /// Bytes that evaluation keys of so many keys hold, and that making them takes besides.
            fn keys_nbytes(&self, count: usize) -> (u64, u64) {
                let footprint = self.context.keys_footprint(count);
                (footprint.held, footprint.work)
            }

            /// Bytes that so many ciphertexts hold.
            fn ciphertexts_nbytes(&self, count: usize) -> u64 {
                self.context.params().shape().ciphertexts_footprint(count).held
            }

            fn secret_key(&self) -> PyResult<LimbsSecretKey> {
                run_any(|| self.on_threads(|context| context.secret_key())).map(LimbsSecretKey)
            }

            fn public_key(&self, secret_key: &LimbsSecretKey) -> PyResult<LimbsPublicKey> {
                run_any(|| self.on_threads(|context| context.public_key(&secret_key.0))).map(LimbsPublicKey)
            }

            fn add(&self, a: &$Ciphertext, b: &$Ciphertext) -> PyResult<$Ciphertext> {
                self.run(|context| context.add(&a.0, &b.0))
            }

            fn subtract(&self, a: &$Ciphertext, b: &$Ciphertext) -> PyResult<$Ciphertext> {
                self.run(|context| context.subtract(&a.0, &b.0))
            }

            fn negate(&self, a: &$Ciphertext) -> PyResult<$Ciphertext> {
                self.run(|context| context.negate(&a.0))
            }

            fn rotate(&self, a: &$Ciphertext, amount: i64, key: &LimbsEvaluationKey) -> PyResult<$Ciphertext> {
                self.run(|context| context.rotate(&a.0, amount, &key.0))
            }

            fn sum(&self, a: &$Ciphertext, key: &LimbsEvaluationKey, report: Report) -> PyResult<$Ciphertext> {
                run_reporting(report, |progress| self.on_threads(|context| context.sum(&a.0, &key.0, progress)))
                    .map($Ciphertext)
            }
        }
    };
}

pub(crate) use limb_methods;
