//! Objects of every kind as calls of a context.

use everlevel_io::{Builder, Container};

use crate::files::content::{BUNDLE_KIND, FileContent, Stored};
use crate::files::form::{Form, Loading};
use crate::files::reader::{Reader, loading_footprint};
use crate::files::writer::Writer;
use crate::{
    BootstrapKey, Ciphertext, ConjugationKey, Context, Error, FixedRotationKey, LightPlainMatrix, LightPlaintext,
    MatrixMultiplicationKey, PlainMatrix, Plaintext, PublicKey, RelinearizationKey, RotationKey, SecretKey,
    SmallBootstrapKey, Units,
};

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
                $(if kind == <$type as FileContent>::KIND {
                    return self.read_container(container, loading).map(Object::$name);
                })*
                if kind == BUNDLE_KIND {
                    // A file of several keys, where one object was asked for.
                    let expected = [$(<$type as FileContent>::KIND),*].join(" or ");
                    return Err(everlevel_io::Error::WrongKind { found: kind.into(), expected }.into());
                }
                let supported = [$(<$type as FileContent>::KIND),*].join(", ");
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
        self.build_container(object, Builder::new(T::KIND), form)
    }

    /// An object, ready to go to another process at once: in memory, and without checksums (see
    /// [`Builder::in_transit`]).
    ///
    /// # Errors
    /// An object of other parameters.
    pub fn to_transit<'a, T: Stored>(&self, object: &'a T) -> Result<Builder<'a>, Error> {
        self.build_container(object, Builder::in_transit(T::KIND), Form::Seeded)
    }

    /// A secret key, ready to be written: **whoever reads the file decrypts**. The copy of the coefficients that the
    /// builder holds is overwritten with it; the bytes that it gives are the caller's to erase. Files are for their
    /// owner alone.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn export_secret_key<'a>(&self, key: &'a SecretKey) -> Result<Builder<'a>, Error> {
        let mut builder = self.build_container(key, Builder::new(SecretKey::KIND), Form::Seeded)?;
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

    fn build_container<'a, T: FileContent>(
        &self,
        object: &'a T,
        builder: Builder<'a>,
        form: Form,
    ) -> Result<Builder<'a>, Error> {
        self.check_fingerprint("save", T::NAME, object.fingerprint())?;
        self.install(|core| {
            let mut writer = Writer::new(core, builder, form);
            object.write(&mut writer);
            Ok(writer.finish())
        })
    }

    fn read_container<T: FileContent>(&self, container: &Container, loading: Loading) -> Result<T, Error> {
        self.install_large("load", loading_footprint(container, loading), |core| {
            let reader = Reader::new(core, container, loading, T::KIND)?;
            let object = T::read(&reader)?;
            container.check_unchanged()?;
            Ok(object)
        })
    }
}
