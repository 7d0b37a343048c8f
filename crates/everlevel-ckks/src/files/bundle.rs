//! Several evaluation keys of one secret in one container.
//!
//! *What is in the file.* The kind is `evaluation_key`, `object` lists the keys' kinds in their order, and whatever a
//! key's own file would have under a name, this one has under `KIND.INDEX/name`. `secret_id` and `seeded` hold for all
//! of them.

use everlevel_io::{Builder, Container, Error as FileError};
use everlevel_rlwe::{SecretId, SwitchingKey};

use crate::files::content::{BUNDLE_KIND, FileContent};
use crate::files::entries;
use crate::files::form::{Form, Loading};
use crate::files::objects::Object;
use crate::files::reader::{Reader, loading_footprint};
use crate::files::writer::Writer;
use crate::{
    BootstrapKey, ConjugationKey, Context, Error, FixedRotationKey, MatrixMultiplicationKey, RelinearizationKey,
    RotationKey, SmallBootstrapKey,
};

macro_rules! keys {
    ($($name:ident)*) => {
        /// An evaluation key of any kind.
        #[derive(Debug, Clone, Copy)]
        #[non_exhaustive]
        pub enum KeyRef<'a> {
            $(#[doc = concat!("[`", stringify!($name), "`].")] $name(&'a $name),)*
        }

        impl<'a> KeyRef<'a> {
            fn kind(self) -> &'static str {
                match self { $(Self::$name(_) => $name::KIND,)* }
            }

            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$name(_) => $name::NAME,)* }
            }

            pub(crate) fn fingerprint(self) -> u64 {
                match self { $(Self::$name(key) => key.fingerprint(),)* }
            }

            /// Switching keys of the evaluation key.
            pub(crate) fn switching_keys(self) -> Vec<&'a SwitchingKey> {
                match self { $(Self::$name(key) => key.switching_keys(),)* }
            }

            fn secret_id(self) -> SecretId {
                match self { $(Self::$name(key) => key.secret_id(),)* }
            }

            fn write(self, writer: &mut Writer<'_, 'a>) {
                match self { $(Self::$name(key) => key.write(writer),)* }
            }
        }

        fn read(reader: &Reader<'_>, kind: &str) -> Result<Object, Error> {
            $(if kind == $name::KIND {
                return $name::read(reader).map(Object::$name);
            })*
            let supported = [$($name::KIND),*].join(", ");
            Err(FileError::UnsupportedKind { found: kind.into(), supported }.into())
        }
    };
}

keys! {
    RelinearizationKey ConjugationKey RotationKey FixedRotationKey MatrixMultiplicationKey BootstrapKey SmallBootstrapKey
}

impl KeyRef<'_> {
    /// Forgets the bootstraps that devices have recorded with the key.
    pub(crate) fn forget_recordings(self) {
        match self {
            Self::BootstrapKey(key) => key.top.recordings.forget(),
            Self::SmallBootstrapKey(key) => key.top.recordings.forget(),
            _ => {}
        }
    }
}

fn prefix(index: usize, kind: &str) -> String {
    format!("{kind}.{index}/")
}

impl Context {
    /// Keys of one secret, ready to be written into one file.
    ///
    /// # Errors
    /// No keys, keys of other parameters, or of more than one secret.
    pub fn keys_to_container<'a>(&self, keys: &[KeyRef<'a>], form: Form) -> Result<Builder<'a>, Error> {
        let Some(first) = keys.first() else {
            return Err(Error::parameter("keys", "none", "at least one"));
        };
        for key in keys {
            self.check_fingerprint("save", key.name(), key.fingerprint())?;
            if key.secret_id() != first.secret_id() {
                let found = format!("{:?} and {:?}", first.secret_id(), key.secret_id());
                return Err(Error::parameter("secrets of the keys", found, "one"));
            }
        }
        self.install(|core| {
            let mut writer = Writer::new(core, Builder::new(BUNDLE_KIND), form);
            writer.object(&entries::Bundle { keys: keys.iter().map(|key| key.kind().into()).collect() });
            for (index, key) in keys.iter().enumerate() {
                writer.begin_part(prefix(index, key.kind()));
                key.write(&mut writer);
            }
            Ok(writer.finish())
        })
    }

    /// The keys in a container, in their order. Each is used from the map, or is read into memory, as a key in a file
    /// of its own would be.
    ///
    /// # Errors
    /// As [`Context::from_container`].
    pub fn keys_from_container(&self, container: &Container, loading: Loading) -> Result<Vec<Object>, Error> {
        self.install_large("load", loading_footprint(container, loading), |core| {
            let reader = Reader::new(core, container, loading, BUNDLE_KIND)?;
            let entries::Bundle { keys } = reader.object()?;
            let part = |(index, kind): (usize, &String)| read(&reader.part(prefix(index, kind))?, kind);
            let keys = keys.iter().enumerate().map(part).collect::<Result<_, _>>()?;
            container.check_unchanged()?;
            Ok(keys)
        })
    }
}
