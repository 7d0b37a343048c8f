//! Files of every kind that this version or an earlier one wrote are read, and compute what they did.

use crate::common::{assert_close, uniform};
use everlevel_ckks::io::{Access, Container, kinds};
use everlevel_ckks::{
    BootstrapKey, BootstrapKeyRef, BootstrapKeySize, BootstrapKind, Bootstrapper, Ciphertext, Complex64,
    ConjugationKey, Context, Entries, FixedRotationKey, Form, KeyRef, LightPlainMatrix, LightPlaintext, Loading,
    MatrixMultiplicationKey, Object, Options, Params, ParamsLiteral, PlainMatrix, Plaintext, PublicKey,
    RelinearizationKey, RotationKey, SecretKey, SmallBootstrapKey, Stored, Units, no_progress,
};
use everlevel_rand::{Seed, SeedSource};
use everlevel_testkit::stored::{StoredFiles, kind_of};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");
const SLOTS: usize = 4;
const TOP: usize = 1;
/// The matrix of the stored ones, row by row.
const MATRIX: [f64; 6] = [0.5, -0.25, 0.125, 0.75, 0.0, -0.5];
const SHAPE: (usize, usize) = (2, 3);
const STAGES: usize = 2;
/// Stages of CoeffsToSlots of the stored bootstrap key.
const COEFFS_TO_SLOTS_STAGES: usize = 2;
/// In the names of files without their data: keys of bootstraps, which have megabytes. The seed of [`context`] makes
/// the same data again (`golden.rs` says so), and the checksums in the header are theirs.
const HEADER: &str = ".header";
/// Error of the worst slot, in all that is read but bootstraps.
const BITS: f64 = 18.0;
const BOOTSTRAP_BITS: f64 = 12.0;
/// The begin of the name of files for a chain with bootstraps.
const BOOTSTRAPS: &str = "bootstraps";

/// Parameters of one of the two chains, at the smallest degree: no security at all.
fn context(bootstraps: bool) -> Context {
    let literal = if bootstraps { ParamsLiteral::insecure_bootstrap(9) } else { ParamsLiteral::insecure_depth(9, TOP) };
    let options = Options { slot_count: Some(SLOTS), ..Options::default() };
    let seeds = SeedSource::insecure(Seed::from_bytes([0x67; 32]));
    Context::with_seeds(Params::try_from(literal).unwrap(), options, seeds).unwrap()
}

/// The values of all stored messages.
fn values() -> Vec<Complex64> {
    [(0.5, -0.25), (-0.75, 0.0), (0.125, 0.875), (0.0, -1.0)].map(|(re, im)| Complex64::new(re, im)).into()
}

fn longer_values() -> Vec<Complex64> {
    [values(), uniform(SLOTS, 9)].concat()
}

fn squared() -> Vec<Complex64> {
    values().iter().map(|z| z * z).collect()
}

/// Left by one.
fn rotated(by: usize) -> Vec<Complex64> {
    (0..SLOTS).map(|i| values()[(i + by) % SLOTS]).collect()
}

fn product() -> Vec<Complex64> {
    let row = |i: usize| (0..SHAPE.1).map(|j| MATRIX[i * SHAPE.1 + j] * values()[j]).sum();
    (0..SLOTS).map(|i| if i < SHAPE.0 { row(i) } else { Complex64::default() }).collect()
}

/// Adds the files that this version's folder lacks.
fn write(files: &StoredFiles) {
    fn add<T: Stored>(ctx: &Context, files: &StoredFiles, name: &str, object: &T, form: Form) {
        files.add(name, &ctx.to_container(object, form).unwrap().to_bytes());
    }
    for bootstraps in [false, true] {
        let ctx = &context(bootstraps);
        let name = if bootstraps { format!("{}.{BOOTSTRAPS}", kinds::SECRET_KEY) } else { kinds::SECRET_KEY.into() };
        if !files.path(&name).exists() {
            files.add(&name, &ctx.export_secret_key(&ctx.secret_key().unwrap()).unwrap().to_bytes());
        }
        let secret = &Chain::new(files, bootstraps).secret;
        if bootstraps {
            for kind in [kinds::BOOTSTRAP_KEY, kinds::SMALL_BOOTSTRAP_KEY] {
                files.add(&format!("{kind}{HEADER}"), parts(&key_of_bootstraps(files, kind)).0);
            }
            continue;
        }
        let public = ctx.public_key(secret).unwrap();
        add(ctx, files, kinds::PUBLIC_KEY, &public, Form::Seeded);
        let relinearization = ctx.relinearization_key(secret, &no_progress).unwrap();
        add(ctx, files, kinds::RELINEARIZATION_KEY, &relinearization, Form::Seeded);
        add(ctx, files, "relinearization_key.expanded", &relinearization, Form::Expanded);
        let conjugation = ctx.conjugation_key(secret, &no_progress).unwrap();
        add(ctx, files, kinds::CONJUGATION_KEY, &conjugation, Form::Seeded);
        let rotation = ctx.rotation_key(secret, &no_progress).unwrap();
        add(ctx, files, kinds::ROTATION_KEY, &rotation, Form::Seeded);
        let fixed = ctx.fixed_rotation_key(secret, 3, TOP).unwrap();
        add(ctx, files, kinds::FIXED_ROTATION_KEY, &fixed, Form::Seeded);
        let matrix = ctx.matrix_multiplication_key(secret, TOP, &no_progress).unwrap();
        add(ctx, files, kinds::MATRIX_MULTIPLICATION_KEY, &matrix, Form::Seeded);
        let both = [KeyRef::RelinearizationKey(&relinearization), KeyRef::FixedRotationKey(&fixed)];
        files.add(kinds::EVALUATION_KEY, &ctx.keys_to_container(&both, Form::Seeded).unwrap().to_bytes());

        let plain = ctx.encode(&values(), TOP).unwrap();
        add(ctx, files, kinds::PLAINTEXT, &plain, Form::Seeded);
        let light = ctx.encode_light(&values(), TOP).unwrap();
        add(ctx, files, kinds::LIGHT_PLAINTEXT, &Units::from(light), Form::Seeded);
        let x = ctx.encrypt(&plain, &public).unwrap();
        add(ctx, files, kinds::CIPHERTEXT, &x, Form::Seeded);
        let square = ctx.multiply_without_key(&x, &x).unwrap();
        add(ctx, files, "ciphertext.three_polynomials", &square, Form::Seeded);
        let units = ctx.encode_units(&longer_values(), 0).unwrap();
        let units = units.try_map(|plain| ctx.encrypt_with_secret(plain, secret)).unwrap();
        add(ctx, files, "ciphertext.units", &units, Form::Seeded);
        let matrix = ctx.encode_matrix(Entries::Real(&MATRIX), SHAPE, TOP, None).unwrap();
        add(ctx, files, kinds::PLAIN_MATRIX, &matrix, Form::Seeded);
        let matrix = ctx.encode_light_matrix(Entries::Real(&MATRIX), SHAPE, TOP, None).unwrap();
        add(ctx, files, kinds::LIGHT_PLAIN_MATRIX, &matrix, Form::Seeded);
    }
}

/// The header and the data of a file.
fn parts(file: &[u8]) -> (&[u8], &[u8]) {
    let header_len = u64::from_le_bytes(*file.first_chunk().unwrap()) as usize;
    file.split_at(8 + header_len)
}

/// The file of a key of bootstraps: the first that the context makes, for the stored secret.
fn key_of_bootstraps(files: &StoredFiles, kind: &str) -> Vec<u8> {
    let Chain { ctx, secret, .. } = Chain::new(files, true);
    let bootstrapper = Bootstrapper::new(&ctx).unwrap();
    if kind == kinds::BOOTSTRAP_KEY {
        let (stages, size) = ((STAGES, COEFFS_TO_SLOTS_STAGES), BootstrapKeySize::Medium);
        let key = bootstrapper.bootstrap_key_with(BootstrapKind::Regular, &secret, stages, size, &no_progress).unwrap();
        return ctx.to_container(&key, Form::Seeded).unwrap().to_bytes();
    }
    let key = bootstrapper.small_bootstrap_key(&secret, &no_progress).unwrap();
    ctx.to_container(&key, Form::Seeded).unwrap().to_bytes()
}

/// A version's files for one of the two chains, with its secret key.
struct Chain<'f> {
    files: &'f StoredFiles,
    ctx: Context,
    secret: SecretKey,
}

impl<'f> Chain<'f> {
    fn new(files: &'f StoredFiles, bootstraps: bool) -> Self {
        let ctx = context(bootstraps);
        let name = if bootstraps { format!("{}.{BOOTSTRAPS}", kinds::SECRET_KEY) } else { kinds::SECRET_KEY.into() };
        let container = Container::open(&files.path(&name), Access::Read).unwrap();
        let secret = ctx.import_secret_key(&container).unwrap();
        Self { files, ctx, secret }
    }

    fn open(&self, name: &str, access: Access) -> Container {
        Container::open(&self.files.path(name), access).unwrap()
    }

    /// The object as it is read from memory; a mapped one writes the same data. What they say of the values that errors
    /// are estimated with is drawn anew.
    fn read<T: Stored>(&self, name: &str) -> T {
        let (read, mapped) = (self.open(name, Access::Read), self.open(name, Access::Map));
        let all = Loading { verify: true, ..Loading::default() };
        let object = self.ctx.from_container(&read, all).unwrap();
        let same: T = self.ctx.from_container(&mapped, all).unwrap();
        let written = |object: &T| self.ctx.to_container(object, Form::Expanded).unwrap().to_bytes();
        assert!(parts(&written(&object)).1 == parts(&written(&same)).1, "{name}, mapped");
        object
    }

    /// The object of a stored header and of data that are made again.
    fn read_with_data<T: Stored>(&self, name: &str) -> T {
        let header = std::fs::read(self.files.path(name)).unwrap();
        let file = [&header, parts(&key_of_bootstraps(self.files, kind_of(name))).1].concat();
        self.ctx.from_container(&Container::from_bytes(file).unwrap(), Loading::default()).unwrap()
    }

    /// The stored values, freshly encrypted under the stored secret.
    fn encrypted(&self, level: usize) -> Ciphertext {
        self.ctx.encrypt_with_secret(&self.ctx.encode(&values(), level).unwrap(), &self.secret).unwrap()
    }

    fn assert_decrypts(&self, name: &str, ct: &Ciphertext, expected: &[Complex64]) {
        let plain = self.ctx.decrypt(ct, &self.secret).unwrap();
        assert_close(name, &self.ctx.decode(&plain).unwrap(), expected, BITS);
    }

    /// Reads a file and uses what is in it.
    fn check(&self, name: &str) {
        let (ctx, fresh) = (&self.ctx, self.encrypted(TOP));
        let relinearized = |key: &RelinearizationKey| ctx.multiply(&fresh, &fresh, key).unwrap();
        match kind_of(name) {
            kinds::SECRET_KEY => self.assert_decrypts(name, &fresh, &values()),
            kinds::PUBLIC_KEY => {
                let key: PublicKey = self.read(name);
                let ct = ctx.encrypt(&ctx.encode(&values(), TOP).unwrap(), &key).unwrap();
                self.assert_decrypts(name, &ct, &values());
            }
            kinds::RELINEARIZATION_KEY => self.assert_decrypts(name, &relinearized(&self.read(name)), &squared()),
            kinds::CONJUGATION_KEY => {
                let key: ConjugationKey = self.read(name);
                let expected: Vec<Complex64> = values().iter().map(Complex64::conj).collect();
                self.assert_decrypts(name, &ctx.conjugate(&fresh, &key).unwrap(), &expected);
            }
            kinds::ROTATION_KEY => {
                let key: RotationKey = self.read(name);
                self.assert_decrypts(name, &ctx.rotate(&fresh, &key, -1).unwrap(), &rotated(1));
            }
            kinds::FIXED_ROTATION_KEY => {
                let key: FixedRotationKey = self.read(name);
                self.assert_decrypts(name, &ctx.rotate_fixed(&fresh, &key).unwrap(), &rotated(SLOTS - 3));
            }
            kinds::MATRIX_MULTIPLICATION_KEY => {
                let key: MatrixMultiplicationKey = self.read(name);
                let ct = ctx.multiply_entries(Entries::Real(&MATRIX), SHAPE, &fresh.into(), &key).unwrap();
                self.assert_decrypts(name, ct.first(), &product());
            }
            kinds::EVALUATION_KEY => {
                let keys = ctx.keys_from_container(&self.open(name, Access::Read), Loading::default()).unwrap();
                let [Object::RelinearizationKey(key), Object::FixedRotationKey(fixed)] = &keys[..] else {
                    panic!("{name} holds {keys:?}");
                };
                self.assert_decrypts(name, &relinearized(key), &squared());
                self.assert_decrypts(name, &ctx.rotate_fixed(&fresh, fixed).unwrap(), &rotated(SLOTS - 3));
            }
            kinds::PLAINTEXT => {
                let plain: Plaintext = self.read(name);
                assert_close(name, &ctx.decode(&plain).unwrap(), &values(), BITS);
            }
            kinds::LIGHT_PLAINTEXT => {
                let light: Units<LightPlaintext> = self.read(name);
                let plain = ctx.expand(light.first(), TOP).unwrap();
                assert_close(name, &ctx.decode(&plain).unwrap(), &values(), BITS);
            }
            kinds::CIPHERTEXT => {
                let units: Units<Ciphertext> = self.read(name);
                let expected = match name {
                    "ciphertext" => values(),
                    "ciphertext.three_polynomials" => squared(),
                    _ => longer_values(),
                };
                assert_eq!(units.count(), expected.len() / SLOTS, "{name}");
                for (unit, expected) in units.all().iter().zip(expected.chunks(SLOTS)) {
                    self.assert_decrypts(name, unit, expected);
                }
            }
            kind @ (kinds::PLAIN_MATRIX | kinds::LIGHT_PLAIN_MATRIX) => {
                let key = ctx.rotation_key(&self.secret, &no_progress).unwrap();
                let x = fresh.into();
                let ct = if kind == kinds::PLAIN_MATRIX {
                    ctx.multiply_matrix(&self.read::<PlainMatrix>(name), &x, &key)
                } else {
                    ctx.multiply_light_matrix(&self.read::<LightPlainMatrix>(name), &x, &key)
                };
                self.assert_decrypts(name, ct.unwrap().first(), &product());
            }
            kinds::BOOTSTRAP_KEY => {
                let key: BootstrapKey = self.read_with_data(name);
                self.check_bootstrap(name, BootstrapKeyRef::from(&key));
            }
            kinds::SMALL_BOOTSTRAP_KEY => {
                let key: SmallBootstrapKey = self.read_with_data(name);
                let rotation = ctx.rotation_key(&self.secret, &no_progress).unwrap();
                let small = BootstrapKeyRef::Small { key: &key, rotation: &rotation, stage_count: STAGES };
                self.check_bootstrap(name, small);
            }
            kind => panic!("{kind} is read by no test"),
        }
    }

    fn check_bootstrap(&self, name: &str, key: BootstrapKeyRef<'_>) {
        let ctx = &self.ctx;
        let bootstrapper = Bootstrapper::new(ctx).unwrap();
        let relinearization = ctx.relinearization_key(&self.secret, &no_progress).unwrap();
        let conjugation = ctx.conjugation_key(&self.secret, &no_progress).unwrap();
        let exhausted = self.encrypted(0);
        let out = bootstrapper.bootstrap(&exhausted, &relinearization, &conjugation, key, &no_progress).unwrap();
        let plain = ctx.decrypt(&out, &self.secret).unwrap();
        assert_close(name, &ctx.decode(&plain).unwrap(), &values(), BOOTSTRAP_BITS);
    }
}

#[test]
fn files_of_every_kind_and_version_are_read() {
    if let Some(files) = StoredFiles::to_be_written(CRATE) {
        write(&files);
    }
    let own = kinds::ALL.iter().filter(|(_, scheme)| *scheme == "ckks").map(|(kind, _)| *kind);
    for files in StoredFiles::of_each_version(CRATE) {
        let names = files.of_every_kind(own.clone());
        let (depth, bootstraps) = (Chain::new(&files, false), Chain::new(&files, true));
        // Those over limbs are read in `limbs.rs`.
        for name in names.iter().filter(|name| !name.starts_with("limbs_")) {
            let of_bootstraps =
                name.contains(BOOTSTRAPS) || matches!(kind_of(name), kinds::BOOTSTRAP_KEY | kinds::SMALL_BOOTSTRAP_KEY);
            if of_bootstraps { &bootstraps } else { &depth }.check(name);
        }
    }
}
