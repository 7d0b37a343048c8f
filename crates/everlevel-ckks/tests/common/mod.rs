//! Parties, messages and assertions of the integration tests.
#![allow(dead_code, missing_docs)]

use everlevel_ckks::{
    BootstrapKey, BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Complex64,
    ConjugationKey, Context, Form, Loading, Options, Params, ParamsLiteral, PublicKey, RelinearizationKey, RotationKey,
    SecretKey, SmallBootstrapKey, Stored, io, no_progress,
};
use everlevel_rand::{Seed, SeedSource};

/// A context whose keys and ciphertexts are the same at every run.
pub fn context(params: Params, slot_count: Option<usize>, thread_count: usize) -> Context {
    context_with(params, Options { slot_count, thread_count, ..Options::default() })
}

/// [`context`] with options.
pub fn context_with(params: Params, options: Options) -> Context {
    let seeds = SeedSource::insecure(Seed::from_bytes(everlevel_testkit::seeds::next()));
    Context::with_seeds(params, options, seeds).unwrap()
}

/// A context with the general keys of one secret.
pub struct Party {
    pub ctx: Context,
    pub secret: SecretKey,
    pub public: PublicKey,
    pub relinearization: RelinearizationKey,
    pub conjugation: ConjugationKey,
    bootstrapper: Option<Bootstrapper>,
}

impl Party {
    pub fn new(literal: ParamsLiteral) -> Self {
        Self::of(context(Params::try_from(literal).unwrap(), None, 2))
    }

    /// Fresh keys for a context.
    pub fn of(ctx: Context) -> Self {
        let secret = ctx.secret_key().unwrap();
        Self {
            public: ctx.public_key(&secret).unwrap(),
            relinearization: ctx.relinearization_key(&secret, &no_progress).unwrap(),
            conjugation: ctx.conjugation_key(&secret, &no_progress).unwrap(),
            bootstrapper: Bootstrapper::new(&ctx).ok(),
            secret,
            ctx,
        }
    }

    /// The bootstrapping chain: real parameters for `log_n = 16`, insecure ones below.
    pub fn bootstrap(log_n: u32) -> Self {
        Self::of(context(bootstrap_params(log_n), None, 2))
    }

    pub fn bootstrapper(&self) -> &Bootstrapper {
        self.bootstrapper.as_ref().unwrap()
    }

    pub fn bootstrap_key(&self, stage_count: usize, size: BootstrapKeySize) -> BootstrapKey {
        self.bootstrapper().bootstrap_key(&self.secret, stage_count, size, &no_progress).unwrap()
    }

    pub fn lossy_key(&self, stage_count: usize) -> BootstrapKey {
        let size = BootstrapKeySize::Large;
        self.bootstrapper()
            .bootstrap_key_of(BootstrapKind::Lossy, &self.secret, stage_count, size, &no_progress)
            .unwrap()
    }

    pub fn key_of(&self, kind: BootstrapKind, stage_count: usize) -> BootstrapKey {
        let size = BootstrapKeySize::Medium;
        self.bootstrapper().bootstrap_key_of(kind, &self.secret, stage_count, size, &no_progress).unwrap()
    }

    pub fn small_key(&self) -> SmallBootstrapKey {
        self.bootstrapper().small_bootstrap_key(&self.secret, &no_progress).unwrap()
    }

    pub fn rotation_key(&self) -> RotationKey {
        self.ctx.rotation_key(&self.secret, &no_progress).unwrap()
    }

    pub fn keys<'a>(&'a self, bootstrap: impl Into<BootstrapKeyRef<'a>>) -> BootstrapKeys<'a> {
        BootstrapKeys {
            relinearization: &self.relinearization,
            conjugation: &self.conjugation,
            bootstrap: bootstrap.into(),
        }
    }

    pub fn encrypt(&self, message: &[Complex64], level: usize) -> everlevel_ckks::Ciphertext {
        self.ctx.encrypt(&self.ctx.encode(message, level).unwrap(), &self.public).unwrap()
    }

    pub fn decrypt(&self, ct: &everlevel_ckks::Ciphertext) -> Vec<Complex64> {
        self.ctx.decode(&self.ctx.decrypt(ct, &self.secret).unwrap()).unwrap()
    }
}

/// The bootstrapping chain: real parameters for `log_n = 16`, insecure ones below.
pub fn bootstrap_params(log_n: u32) -> Params {
    let literal = match log_n {
        16 => ParamsLiteral::bootstrap(),
        _ => ParamsLiteral::insecure_bootstrap(log_n),
    };
    Params::try_from(literal).unwrap()
}

/// Uniform complex numbers in the square [−1, 1]², from a fixed generator.
pub fn uniform(count: usize, seed: u64) -> Vec<Complex64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| Complex64::new(next(), next())).collect()
}

/// Errors of one vector against another.
#[derive(Debug, Clone, Copy)]
pub struct Precision {
    /// Mean of `−log2 |error|`.
    pub mean_bits: f64,
    /// `−log2` of the largest error.
    pub worst_bits: f64,
    /// Root mean square of `|error|`.
    pub rms: f64,
}

pub fn precision(actual: &[Complex64], expected: &[Complex64]) -> Precision {
    assert_eq!(actual.len(), expected.len());
    let errors: Vec<f64> = actual.iter().zip(expected).map(|(a, b)| (a - b).norm()).collect();
    let count = errors.len() as f64;
    Precision {
        mean_bits: errors.iter().map(|e| -e.max(1e-300).log2()).sum::<f64>() / count,
        worst_bits: -errors.iter().fold(0.0f64, |m, e| m.max(*e)).log2(),
        rms: (errors.iter().map(|e| e * e).sum::<f64>() / count).sqrt(),
    }
}

/// The ring degree of tests that can run at any: `EVERLEVEL_TEST_LOG_N`, 11 by default.
pub fn log_n() -> u32 {
    std::env::var("EVERLEVEL_TEST_LOG_N").ok().and_then(|s| s.parse().ok()).unwrap_or(11)
}

/// An insecure chain of `max_level` levels at degree `2^log_n`.
pub fn depth(log_n: u32, max_level: usize) -> Party {
    Party::new(ParamsLiteral::insecure_depth(log_n, max_level))
}

/// Asserts that the worst slot agrees to `bits` bits.
#[track_caller]
pub fn assert_close(what: &str, actual: &[Complex64], expected: &[Complex64], bits: f64) {
    let p = precision(actual, expected);
    assert!(p.worst_bits >= bits, "{what}: worst slot {:.2} bits, needs {bits}", p.worst_bits);
}

impl Party {
    /// Asserts the level, its canonical scale and the values of a ciphertext, and that its error estimate is sensible.
    #[track_caller]
    pub fn assert_holds(
        &self,
        what: &str,
        ct: &everlevel_ckks::Ciphertext,
        expected: &[Complex64],
        level: usize,
        bits: f64,
    ) {
        assert_eq!(ct.level(), level, "{what}: level");
        assert_eq!(Some(ct.scale()), self.ctx.scale_at(level), "{what}: the level's canonical scale, exactly");
        assert_eq!(ct.slot_count(), self.ctx.slot_count());
        assert_eq!(ct.secret_id(), self.secret.secret_id());
        assert_close(what, &self.decrypt(ct), expected, bits);
    }
}

/// `f` of two vectors, slot by slot.
pub fn zip(a: &[Complex64], b: &[Complex64], f: impl Fn(Complex64, Complex64) -> Complex64) -> Vec<Complex64> {
    a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
}

/// An object written and read again, which writes the same bytes, and these.
pub fn round_trip<T: Stored>(ctx: &Context, object: &T) -> (T, Vec<u8>) {
    let bytes = ctx.to_container(object, Form::Seeded).unwrap().to_bytes();
    let container = io::Container::from_bytes(bytes.clone()).unwrap();
    let back: T = ctx.from_container(&container, Loading { verify: true, ..Loading::default() }).unwrap();
    assert_eq!(ctx.to_container(&back, Form::Seeded).unwrap().to_bytes(), bytes);
    (back, bytes)
}

/// The properties of a matrix in its file's header.
pub fn header<T: Stored>(ctx: &Context, object: &T) -> String {
    let bytes = ctx.to_container(object, Form::Seeded).unwrap().to_bytes();
    io::Container::from_bytes(bytes).unwrap().metadata("object").unwrap().to_string()
}

/// An object is refused when `from` in its header is `to`, with an error that says `what`, for each `(from, to, what)`.
pub fn assert_headers_are_refused<T: Stored + std::fmt::Debug>(
    ctx: &Context,
    stored: &T,
    cases: &[(&str, &str, &str)],
) {
    let object = header(ctx, stored);
    for (from, to, what) in cases {
        assert!(object.contains(from), "{from} in {object}");
        let mut tampered = ctx.to_container(stored, Form::Seeded).unwrap();
        tampered.describe("object", object.replacen(from, to, 1));
        let container = io::Container::from_bytes(tampered.to_bytes()).unwrap();
        let error = ctx.from_container::<T>(&container, Loading::default()).unwrap_err();
        assert!(error.to_string().contains(what), "{to}: {error}");
    }
}
