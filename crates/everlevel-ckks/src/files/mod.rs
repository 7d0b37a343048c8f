//! Keys, plaintexts and ciphertexts in containers (see [`everlevel_io`]).
//!
//! *What is in a file.* The metadata of every object have `kind`, `params` (the literal, JSON), `fingerprint`,
//! `primes`, `object` (what its type has beside polynomials, JSON) and, but for plaintexts, `secret_id`. A key adds
//! `seeded` and `keys`: for each switching key in it the digits, the special primes and the seed of its masks.
//!
//! *Polynomials.* A tensor of shape `[primes, stride]`: row `k` belongs to the `k`-th prime of the polynomial's set,
//! and holds `N` residues of six bytes, little-endian, in transform representation (see [`everlevel_ring::packed`]);
//! the rest of a row is zero. A switching key has one tensor for each digit's body, `NAME.body.ROW`, and
//! `NAME.mask.ROW` only where it is written [`Form::Expanded`]: the seed gives masks back. Plaintexts and ciphertexts
//! of several units have the tensors of each, `unit_K.NAME`. A secret key has its coefficients, two bits each.
//!
//! *What is not.* The plaintexts of bootstraps belong to the parameters: each context makes them when first needed.
//!
//! *Checks.* Kind, parameters and every shape always. What is read into memory is checked whole; a mapped key is used
//! as it is unless [`Loading::verify`] is asked for. The residues of ciphertexts, plaintexts and public keys are always
//! compared with their primes.
//!
//! *Map.* [`mod@literal`] parameters as text · `entries` the JSON of each type · `writer` · `reader` · `messages`
//! plaintexts and ciphertexts, both ways · `matrices` light plaintexts and matrices · `kinds` the others ·
//! [`mod@bundle`] several keys in one container.

pub mod bundle;
pub mod literal;

mod entries;
mod kinds;
mod matrices;
mod messages;
mod reader;
mod writer;

use everlevel_io::{Builder, Container};

use crate::{
    BootstrapKey, Ciphertext, ConjugationKey, Context, Error, FixedRotationKey, LightPlainMatrix, LightPlaintext,
    MatrixMultiplicationKey, PlainMatrix, Plaintext, PublicKey, RelinearizationKey, RotationKey, SecretKey,
    SmallBootstrapKey, Units,
};
use kinds::Parts;
use reader::Reader;
use writer::Writer;

/// Whether a key's masks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// Half the size: their seed is.
    #[default]
    Seeded,
    /// They are: a mapped key then computes without expanding them.
    Expanded,
}

/// How an object is made from a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Loading {
    /// Checks every byte and every residue even of a mapped file.
    pub verify: bool,
    /// Copies a mapped key into memory (on huge pages, where there are) instead of computing from the map.
    pub in_memory: bool,
    /// Expands the masks of seeded keys.
    pub expand: bool,
}

/// What a container can hold. Secret keys are no such thing: [`Context::export_secret_key`] writes them.
pub trait Stored: Parts {}

macro_rules! objects {
    ($($name:ident: $type:ty,)*) => {
        /// An object of whichever kind a container held.
        #[derive(Debug)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "one at a time, on its way to whoever asked for it")]
        pub enum Object {
            $(#[doc = concat!("[`", stringify!($name), "`].")] $name($type),)*
        }

        impl Context {
            /// The object in a container, whatever its kind, secret keys included.
            ///
            /// # Errors
            /// As [`Context::from_container`], and a kind that there is no support for.
            pub fn object_from_container(&self, container: &Container, loading: Loading) -> Result<Object, Error> {
                let kind = container.kind()?;
                $(if kind == <$type as Parts>::KIND {
                    return self.read_container(container, loading).map(Object::$name);
                })*
                if kind == bundle::BUNDLE_KIND {
                    // A file of several keys, where one object was asked for.
                    let expected = [$(<$type as Parts>::KIND),*].join(" or ");
                    return Err(everlevel_io::Error::WrongKind { found: kind.into(), expected }.into());
                }
                let supported = [$(<$type as Parts>::KIND),*].join(", ");
                Err(everlevel_io::Error::UnsupportedKind { found: kind.into(), supported }.into())
            }
        }
    };
}

objects! {
    Ciphertext: Units<Ciphertext>,
    Plaintext: Units<Plaintext>,
    SecretKey: SecretKey,
    PublicKey: PublicKey,
    RelinearizationKey: RelinearizationKey,
    ConjugationKey: ConjugationKey,
    RotationKey: RotationKey,
    FixedRotationKey: FixedRotationKey,
    BootstrapKey: BootstrapKey,
    LightPlaintext: Units<LightPlaintext>,
    PlainMatrix: PlainMatrix,
    LightPlainMatrix: LightPlainMatrix,
    MatrixMultiplicationKey: MatrixMultiplicationKey,
    SmallBootstrapKey: SmallBootstrapKey,
}

impl Context {
    /// An object, ready to be written.
    ///
    /// # Errors
    /// An object of other parameters.
    pub fn to_container<'a, T: Stored>(&self, object: &'a T, form: Form) -> Result<Builder<'a>, Error> {
        self.build_container(object, form)
    }

    /// A secret key, ready to be written: **whoever reads the file decrypts**. The copy of the coefficients that the
    /// builder holds is overwritten with it; the bytes that it gives are the caller's to erase. Files are for their
    /// owner alone.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn export_secret_key<'a>(&self, key: &'a SecretKey) -> Result<Builder<'a>, Error> {
        let mut builder = self.build_container(key, Form::Seeded)?;
        builder.keep_secret();
        Ok(builder)
    }

    /// The object in a container.
    ///
    /// # Errors
    /// Another kind or other parameters, damage, and what no writer of ours writes.
    pub fn from_container<T: Stored>(&self, container: &Container, loading: Loading) -> Result<T, Error> {
        self.read_container(container, loading)
    }

    /// The secret key in a container.
    ///
    /// # Errors
    /// As [`Context::from_container`].
    pub fn import_secret_key(&self, container: &Container) -> Result<SecretKey, Error> {
        self.read_container(container, Loading::default())
    }

    fn build_container<'a, T: Parts>(&self, object: &'a T, form: Form) -> Result<Builder<'a>, Error> {
        self.check_fingerprint("save", T::NAME, object.fingerprint())?;
        self.install(|inner| {
            let mut writer = Writer::new(inner, T::KIND, form);
            object.write(&mut writer);
            Ok(writer.finish())
        })
    }

    fn read_container<T: Parts>(&self, container: &Container, loading: Loading) -> Result<T, Error> {
        self.install(|inner| {
            let reader = Reader::new(inner, container, loading, T::KIND)?;
            let object = T::read(&reader)?;
            container.check_unchanged()?;
            Ok(object)
        })
    }
}
