//! Objects in containers: bit-exact round trips, refusals, mapped keys.
#![allow(missing_docs)]

use crate::common;

use std::sync::LazyLock;

use crate::common::{Party, assert_close, assert_headers_are_refused, uniform};
use everlevel_ckks::io::{Access, Builder, Container, Error as FileError};
use everlevel_ckks::{
    BootstrapKey, BootstrapKeySize, Bound, Ciphertext, Context, Error, FixedRotationKey, Form, KeyRef, Loading, Object,
    ObjectError, Params, ParamsLiteral, Plaintext, PublicKey, RelinearizationKey, RotationKey, SecretKey, Stored,
    no_progress,
};
use everlevel_testkit::stored::with_fingerprint;
use num_complex::Complex64;

static SMALL: LazyLock<Party> = LazyLock::new(|| common::depth(9, 3));
pub static DEEP: LazyLock<Party> = LazyLock::new(|| Party::bootstrap(9));

fn reopened(builder: &Builder) -> Container {
    Container::from_bytes(builder.to_bytes()).unwrap()
}

pub fn from_bytes<T: Stored>(ctx: &Context, bytes: Vec<u8>) -> Result<T, Error> {
    ctx.from_container(&Container::from_bytes(bytes)?, Loading::default())
}

/// Writes, reads and writes again, in every form, and sends: the bytes are the same.
pub fn round_trip<T: Stored>(ctx: &Context, object: &T) -> T {
    let seeded = ctx.to_container(object, Form::Seeded).unwrap().to_bytes();
    let expanded = ctx.to_container(object, Form::Expanded).unwrap().to_bytes();
    for bytes in [&seeded, &expanded] {
        for loading in [Loading::default(), Loading { verify: true, in_memory: true, expand: true }] {
            let container = Container::from_bytes(bytes.clone()).unwrap();
            let back: T = ctx.from_container(&container, loading).unwrap();
            assert_eq!(ctx.to_container(&back, Form::Seeded).unwrap().to_bytes(), seeded);
            assert_eq!(ctx.to_container(&back, Form::Expanded).unwrap().to_bytes(), expanded);
        }
    }
    let sent = Container::in_transit(ctx.to_transit(object).unwrap().to_bytes()).unwrap();
    let arrived: T = ctx.from_container(&sent, Loading::default()).unwrap();
    assert_eq!(ctx.to_container(&arrived, Form::Seeded).unwrap().to_bytes(), seeded);
    from_bytes(ctx, seeded).unwrap()
}

#[test]
fn messages_come_back_bit_for_bit() {
    let p = &*SMALL;
    let values = uniform(p.ctx.slot_count(), 1);
    for level in 0..=3 {
        let plaintext = round_trip(&p.ctx, &p.ctx.encode(&values, level).unwrap());
        assert_eq!((plaintext.level(), Some(plaintext.scale())), (level, p.ctx.scale_at(level)));
        let ciphertext = p.encrypt(&values, level);
        let back = round_trip(&p.ctx, &ciphertext);
        assert_eq!(p.decrypt(&back), p.decrypt(&ciphertext));
        assert!((back.precision_bits() - ciphertext.precision_bits()).abs() < 1e-6);
        assert_eq!(back.precision_floor(), ciphertext.precision_floor());
        assert_eq!(back.bound(), ciphertext.bound());
        assert_eq!(back.scale().to_bits(), ciphertext.scale().to_bits());
        round_trip(&p.ctx, &p.ctx.decrypt(&ciphertext, &p.secret).unwrap());
    }
    let product = p.ctx.multiply_without_key(&p.encrypt(&values, 2), &p.encrypt(&values, 2)).unwrap();
    assert_eq!(product.polynomial_count(), 3);
    assert_eq!(p.decrypt(&round_trip(&p.ctx, &product)), p.decrypt(&product));
}

#[test]
fn keys_come_back_and_compute_the_same() {
    let p = &*SMALL;
    let values = uniform(p.ctx.slot_count(), 2);
    let a = p.encrypt(&values, 3);
    let same = |x: &Ciphertext, y: &Ciphertext| assert_eq!(p.decrypt(x), p.decrypt(y));

    let public = round_trip(&p.ctx, &p.public);
    let fresh = p.ctx.encrypt(&p.ctx.encode(&values, 3).unwrap(), &public).unwrap();
    assert_close("encrypted with the key that was read", &p.decrypt(&fresh), &values, 20.0);
    let relinearization = round_trip(&p.ctx, &p.relinearization);
    let square = |key| p.ctx.multiply(&a, &a, key).unwrap();
    same(&square(&relinearization), &square(&p.relinearization));
    let conjugation = round_trip(&p.ctx, &p.conjugation);
    same(&p.ctx.conjugate(&a, &conjugation).unwrap(), &p.ctx.conjugate(&a, &p.conjugation).unwrap());
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let rotate = |key| p.ctx.rotate(&a, key, 7).unwrap();
    same(&rotate(&round_trip(&p.ctx, &rotation)), &rotate(&rotation));
    let fixed = p.ctx.fixed_rotation_key(&p.secret, -3, 2).unwrap();
    let back = round_trip(&p.ctx, &fixed);
    assert_eq!(back.delta(), -3);
    let low = p.ctx.level_down(&a, 2).unwrap();
    same(&p.ctx.rotate_fixed(&low, &back).unwrap(), &p.ctx.rotate_fixed(&low, &fixed).unwrap());
}

#[test]
fn secret_keys_are_exported_and_imported() {
    let p = &*SMALL;
    let container = reopened(&p.ctx.export_secret_key(&p.secret).unwrap());
    let secret = p.ctx.import_secret_key(&container).unwrap();
    assert_eq!(secret.secret_id(), p.secret.secret_id());
    let a = p.encrypt(&uniform(p.ctx.slot_count(), 3), 1);
    assert_eq!(p.ctx.decrypt(&a, &secret).map(|m| p.ctx.decode(&m).unwrap()).unwrap(), p.decrypt(&a));
    assert_eq!(container.kind().unwrap(), "secret_key");
    assert_eq!(container.bytes("coefficients").unwrap().len(), p.ctx.ring().n() / 4);
    assert_eq!(
        p.ctx.export_secret_key(&secret).unwrap().to_bytes(),
        p.ctx.export_secret_key(&p.secret).unwrap().to_bytes()
    );
}

#[test]
fn dense_secrets_too() {
    let ctx = common::context(Params::try_from(ParamsLiteral::for_depth(1).unwrap()).unwrap(), None, 1);
    let secret = ctx.secret_key().unwrap();
    let builder = ctx.export_secret_key(&secret).unwrap();
    let back = ctx.import_secret_key(&reopened(&builder)).unwrap();
    assert_eq!(ctx.export_secret_key(&back).unwrap().to_bytes(), builder.to_bytes());
}

#[test]
fn a_seeded_key_is_half_of_an_expanded_one() {
    let p = &*SMALL;
    let size = |form| p.ctx.to_container(&p.relinearization, form).unwrap().to_bytes().len() as f64;
    let ratio = size(Form::Expanded) / size(Form::Seeded);
    assert!((1.8..2.0).contains(&ratio), "{ratio}");
    let back: RelinearizationKey =
        from_bytes(&p.ctx, p.ctx.to_container(&p.relinearization, Form::Seeded).unwrap().to_bytes()).unwrap();
    assert!(back.is_seeded());
}

#[test]
fn the_kind_is_found_out() {
    let p = &*SMALL;
    let open = |builder: Builder| p.ctx.object_from_container(&reopened(&builder), Loading::default()).unwrap();
    let plaintext = p.ctx.encode(&uniform(4, 5), 1).unwrap();
    assert!(matches!(open(p.ctx.to_container(&plaintext, Form::Seeded).unwrap()), Object::Plaintext(_)));
    assert!(matches!(open(p.ctx.to_container(&p.public, Form::Seeded).unwrap()), Object::PublicKey(_)));
    assert!(matches!(open(p.ctx.export_secret_key(&p.secret).unwrap()), Object::SecretKey(_)));
    let unknown = reopened(&Builder::new("matrix_key"));
    let error = p.ctx.object_from_container(&unknown, Loading::default()).unwrap_err();
    assert!(
        matches!(&error, Error::Files(FileError::UnsupportedKind { found, .. }) if found == "matrix_key"),
        "{error}"
    );
}

#[test]
fn another_kind_is_refused() {
    let p = &*SMALL;
    let bytes = p.ctx.to_container(&p.conjugation, Form::Seeded).unwrap().to_bytes();
    let refused = |error: Error| {
        assert!(
            matches!(&error, Error::Files(FileError::WrongKind { found, .. }) if found == "conjugation_key"),
            "{error}"
        );
    };
    refused(from_bytes::<RelinearizationKey>(&p.ctx, bytes.clone()).unwrap_err());
    refused(from_bytes::<Ciphertext>(&p.ctx, bytes.clone()).unwrap_err());
    refused(from_bytes::<Plaintext>(&p.ctx, bytes.clone()).unwrap_err());
    refused(from_bytes::<PublicKey>(&p.ctx, bytes.clone()).unwrap_err());
    refused(from_bytes::<RotationKey>(&p.ctx, bytes.clone()).unwrap_err());
    refused(from_bytes::<FixedRotationKey>(&p.ctx, bytes.clone()).unwrap_err());
    refused(from_bytes::<BootstrapKey>(&p.ctx, bytes.clone()).unwrap_err());
    let container = Container::from_bytes(bytes).unwrap();
    refused(p.ctx.import_secret_key(&container).map(|_: SecretKey| ()).unwrap_err());
}

#[test]
fn other_parameters_are_refused_with_both_fingerprints() {
    let (p, other) = (&*SMALL, common::depth(9, 2));
    let bytes = p.ctx.to_container(&p.public, Form::Seeded).unwrap().to_bytes();
    let error = from_bytes::<PublicKey>(&other.ctx, bytes).unwrap_err();
    let (file, engine) = (p.ctx.params().fingerprint(), other.ctx.params().fingerprint());
    assert!(
        matches!(error, Error::Files(FileError::WrongParameters { found, expected, .. }) if (found, expected) == (file, engine))
    );
    assert!(matches!(
        other.ctx.to_container(&p.public, Form::Seeded),
        Err(Error::Object(ObjectError::OtherParameters { op: "save", .. }))
    ));
    assert!(matches!(other.ctx.export_secret_key(&p.secret), Err(Error::Object(ObjectError::OtherParameters { .. }))));
}

/// The fingerprint of version 2 depends on the literal and the primes alone, and files that have it are read.
#[test]
fn files_with_fingerprints_of_version_2_are_read() {
    let prints = SMALL.ctx.params().fingerprints();
    assert_eq!(prints.all(), [SMALL.ctx.params().fingerprint(), 0x05e5_cd69_aedd_ae10]);
    let bytes = SMALL.ctx.to_container(&SMALL.public, Form::Seeded).unwrap().to_bytes();
    let later = with_fingerprint(&bytes, prints.v2);
    let read: PublicKey = from_bytes(&SMALL.ctx, later.clone()).unwrap();
    assert_eq!(SMALL.ctx.to_container(&read, Form::Seeded).unwrap().to_bytes(), bytes);
    let refused = from_bytes::<PublicKey>(&common::depth(9, 2).ctx, later).unwrap_err();
    assert!(matches!(refused, Error::Files(FileError::WrongParameters { found, .. }) if found == prints.v2));
}

#[test]
fn other_slot_counts_are_refused() {
    let p = &*SMALL;
    let params = Params::try_from(ParamsLiteral::insecure_depth(9, 3)).unwrap();
    let narrow = common::context(params, Some(16), 1);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    for bytes in [
        p.ctx.to_container(&rotation, Form::Seeded).unwrap().to_bytes(),
        p.ctx.to_container(&p.encrypt(&uniform(4, 6), 1), Form::Seeded).unwrap().to_bytes(),
    ] {
        let container = Container::from_bytes(bytes).unwrap();
        let error = narrow.object_from_container(&container, Loading::default()).unwrap_err();
        assert!(error.to_string().contains("slot_count is 256, and should be 16"), "{error}");
    }
    // What does not depend on the slots may be shared.
    let public = p.ctx.to_container(&p.public, Form::Seeded).unwrap().to_bytes();
    from_bytes::<PublicKey>(&narrow, public).unwrap();
}

/// This container with one tensor's bytes changed, its checksums right.
fn tampered(bytes: &[u8], name: &str, change: impl Fn(&mut [u8])) -> Vec<u8> {
    let container = Container::from_bytes(bytes.to_vec()).unwrap();
    let mut builder = Builder::new(container.kind().unwrap());
    for (name, value) in &container.header().metadata {
        builder.describe(name, value);
    }
    for (tensor, place) in container.header().in_order() {
        let mut bytes = container.bytes(tensor).unwrap().to_vec();
        if tensor == name {
            change(&mut bytes);
        }
        builder.tensor(tensor, &place.shape, bytes);
    }
    builder.to_bytes()
}

fn is_not_canonical(error: &Error) -> bool {
    matches!(error, Error::Files(FileError::NonCanonical { index: 3, value, .. }) if *value == (1 << 48) - 1)
}

#[test]
fn residues_that_are_none_are_refused() {
    let p = &*SMALL;
    let change = |bytes: &mut [u8]| bytes[18..24].fill(0xff);
    for part in ["c0", "c1"] {
        let bytes = p.ctx.to_container(&p.encrypt(&uniform(4, 7), 2), Form::Seeded).unwrap().to_bytes();
        let error = from_bytes::<Ciphertext>(&p.ctx, tampered(&bytes, part, change)).unwrap_err();
        assert!(is_not_canonical(&error), "{error}");
    }
    let bytes = p.ctx.to_container(&p.relinearization, Form::Seeded).unwrap().to_bytes();
    let container = Container::from_bytes(tampered(&bytes, "message.body.0", change)).unwrap();
    let load =
        |verify| p.ctx.from_container::<RelinearizationKey>(&container, Loading { verify, ..Loading::default() });
    load(false).unwrap();
    assert!(is_not_canonical(&load(true).unwrap_err()));
    let exported = p.ctx.export_secret_key(&p.secret).unwrap().to_bytes();
    for byte in [0xff, 0x55] {
        let broken = tampered(&exported, "coefficients", |bytes| bytes[..8].fill(byte));
        let error = p.ctx.import_secret_key(&Container::from_bytes(broken).unwrap()).unwrap_err();
        assert!(matches!(error, Error::Files(FileError::Header { .. })), "{error}");
    }
}

#[test]
fn intervals_that_no_writer_writes_are_refused() {
    let p = &*SMALL;
    let plaintext = p.ctx.encode(&[Complex64::new(0.5, 0.0)], 1).unwrap().on_reals(true);
    let declared = p.ctx.declare(plaintext, Bound::declared_between(0.25, 1.0).unwrap()).unwrap();
    let ciphertext = p.ctx.encrypt(&declared, &p.public).unwrap();
    let ends = "\"interval\":[0.25,1.0]";
    let cases = [
        (ends, "\"interval\":[1.0,0.25]", "interval is"),
        (ends, "\"interval\":[0.25,0.5]", "interval is"),
        (ends, "\"interval\":[-2.0,1.0]", "interval is"),
        (ends, "\"interval\":[0.25,1e999]", "object"),
        (ends, "\"interval\":[0.25]", "object"),
        (ends, "\"interval\":\"all\"", "object"),
        ("\"bound\":1.0", "\"bound\":2.0", "interval is"),
        ("\"bound\":1.0,", "", "bound is none"),
        ("\"is_real\":true", "\"is_real\":false", "interval is"),
    ];
    assert_headers_are_refused(&p.ctx, &ciphertext, &cases);
}

#[test]
fn what_is_said_must_fit_what_is_there() {
    let p = &*SMALL;
    let bytes = p.ctx.to_container(&p.encrypt(&uniform(4, 8), 2), Form::Seeded).unwrap().to_bytes();
    let container = Container::from_bytes(bytes).unwrap();
    let with = |from: &str, to: &str| {
        let mut builder = Builder::new("ciphertext");
        for (name, value) in &container.header().metadata {
            builder.describe(name, value.replace(from, to));
        }
        for (name, place) in container.header().in_order() {
            builder.tensor(name, &place.shape, container.bytes(name).unwrap());
        }
        from_bytes::<Ciphertext>(&p.ctx, builder.to_bytes()).map(|_| ())
    };
    with("no such text", "").unwrap();
    for (from, to) in [
        ("\"level\":2", "\"level\":1"),
        ("\"level\":2", "\"level\":99"),
        ("\"level\":2", "\"level\":-2"),
        ("\"level\":2,", ""),
        ("\"level\":2", "\"height\":2"),
        ("\"primes\":[0,1,2]", "\"primes\":[2,1,0]"),
        ("\"primes\":[0,1,2]", "\"primes\":[0,1]"),
        ("\"primes\":[0,1,2]", "\"primes\":[0,1,200]"),
        ("\"primes\":[0,1,2]", "\"primes\":[]"),
        ("\"scale\":", "\"scale\":-"),
        ("\"polynomial_count\":2", "\"polynomial_count\":3"),
        ("\"polynomial_count\":2", "\"polynomial_count\":7"),
        ("\"slot_count\":256", "\"slot_count\":128"),
    ] {
        let error = with(from, to).expect_err(to);
        let refused = matches!(error, Error::Files(FileError::Header { .. } | FileError::Unlike { .. }));
        assert!(refused, "{to}: {error}");
    }
}

#[test]
fn claims_that_no_writer_makes_are_refused() {
    let p = &*SMALL;
    let plaintext = p.ctx.encode(&uniform(4, 8), 2).unwrap();
    let declared = p.ctx.declare(plaintext.clone(), Bound::declared(2.0).unwrap()).unwrap();
    let ciphertext = |plaintext| p.ctx.encrypt(plaintext, &p.public).unwrap();
    let containers = [
        reopened(&p.ctx.to_container(&ciphertext(&plaintext), Form::Seeded).unwrap()),
        reopened(&p.ctx.to_container(&ciphertext(&declared), Form::Seeded).unwrap()),
        reopened(&p.ctx.to_container(&plaintext, Form::Seeded).unwrap()),
    ];
    let with = |container: &Container, name: &str, value: &str| {
        let mut builder = Builder::new(container.kind().unwrap());
        for (entry, text) in &container.header().metadata {
            let start = text.find(&format!("\"{name}\":")).map(|at| at + name.len() + 3);
            let changed = start.filter(|_| entry == "object").map(|start| {
                let end = start + text[start..].find([',', '}']).unwrap();
                format!("{}{value}{}", &text[..start], &text[end..])
            });
            builder.describe(entry, changed.as_deref().unwrap_or(text));
        }
        for (tensor, place) in container.header().in_order() {
            builder.tensor(tensor, &place.shape, container.bytes(tensor).unwrap());
        }
        p.ctx.object_from_container(&Container::from_bytes(builder.to_bytes()).unwrap(), Loading::default()).map(|_| ())
    };
    let scale = p.ctx.scale_at(2).unwrap();
    let scales = [0.0, -scale, 2.0 * scale, scale * (1.0 + 1e-9), 1e300, 5e-324].map(|s| format!("{s:e}"));
    let numbers = ["-1", "-1e-30", "1e300", "1e400"];
    let is_refused = |container: &Container, name: &str, value: &str| {
        let error = with(container, name, value).expect_err(&format!("{name} {value}"));
        assert!(matches!(error, Error::Files(_)), "{name} {value}: {error}");
    };
    for container in &containers {
        with(container, "scale", &format!("{scale:e}")).unwrap();
        scales.iter().for_each(|value| is_refused(container, "scale", value));
    }
    for container in &containers[..2] {
        for name in ["bound", "error", "sampled_size"] {
            with(container, name, "0.5").unwrap();
            numbers.iter().for_each(|value| is_refused(container, name, value));
        }
        for name in ["worst_error", "certain_error"] {
            ["-1", "-1e-30", "1e400"].iter().for_each(|value| is_refused(container, name, value));
        }
    }
    is_refused(&containers[1], "bound", "null");
}

#[test]
fn bounds_that_say_nothing_come_back_as_such() {
    let p = &*SMALL;
    let mut ct = p.encrypt(&uniform(4, 9), 1);
    for _ in 0..40 {
        ct = p.ctx.multiply_scalar(&ct, 1e8.into()).unwrap();
        let back = round_trip(&p.ctx, &ct);
        assert!(back.bound().size() >= ct.bound().size() && !back.bound().is_declared());
        assert!(back.precision_bits().is_nan() && ct.precision_bits().is_nan() || ct.bound().size() < 1e20);
    }
    assert!(ct.bound().size() > 1e300);
}

#[test]
fn damage_is_found_before_anything_is_made() {
    let p = &*SMALL;
    let bytes = p.ctx.to_container(&p.public, Form::Seeded).unwrap().to_bytes();
    for at in (0..bytes.len()).step_by(97) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        assert!(matches!(from_bytes::<PublicKey>(&p.ctx, flipped), Err(Error::Files(_))), "{at}");
        assert!(matches!(from_bytes::<PublicKey>(&p.ctx, bytes[..at].to_vec()), Err(Error::Files(_))), "{at}");
    }
}

#[test]
fn mapped_keys_compute_as_those_in_memory() {
    let p = &*DEEP;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bootstrap.key");
    let key = p.bootstrap_key(5, BootstrapKeySize::Medium);
    let exhausted = p.encrypt(&uniform(p.ctx.slot_count(), 9), 0);
    let run = |bootstrap: &BootstrapKey| {
        let out = p
            .bootstrapper()
            .bootstrap(&exhausted, &p.relinearization, &p.conjugation, bootstrap, &no_progress)
            .unwrap();
        p.decrypt(&out)
    };
    let expected = run(&key);
    for form in [Form::Seeded, Form::Expanded] {
        p.ctx.to_container(&key, form).unwrap().write(&path).unwrap();
        for loading in [
            Loading::default(),
            Loading { in_memory: true, ..Loading::default() },
            Loading { expand: true, ..Loading::default() },
        ] {
            let container = Container::open(&path, Access::Map).unwrap();
            let mapped: BootstrapKey = p.ctx.from_container(&container, loading).unwrap();
            assert_eq!(mapped.is_seeded(), form == Form::Seeded && !loading.expand);
            drop(container);
            std::fs::remove_file(&path).unwrap();
            assert_eq!(run(&mapped), expected);
            p.ctx.to_container(&key, form).unwrap().write(&path).unwrap();
        }
    }
}

#[test]
fn a_file_changed_while_it_is_mapped_is_refused() {
    let p = &*SMALL;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    p.ctx.to_container(&p.relinearization, Form::Seeded).unwrap().write(&path).unwrap();
    let container = Container::open(&path, Access::Map).unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 30).unwrap();
    let error = p.ctx.from_container::<RelinearizationKey>(&container, Loading::default()).unwrap_err();
    assert!(matches!(error, Error::Files(FileError::Changed { .. })), "{error}");
}

#[test]
fn literals_are_text_and_back() {
    for literal in [
        ParamsLiteral::bootstrap(),
        ParamsLiteral::for_depth(7).unwrap(),
        ParamsLiteral::insecure_depth(10, 4),
        ParamsLiteral::insecure_bootstrap(11),
    ] {
        assert_eq!(ParamsLiteral::from_json(&literal.to_json()).unwrap(), literal);
    }
    for text in ["", "{}", "[]", "{\"log_n\":13}", "{\"log_n\":-1,\"max_level\":1}"] {
        assert!(matches!(ParamsLiteral::from_json(text), Err(Error::Files(FileError::Header { .. }))), "{text}");
    }
}

#[test]
fn keys_of_one_secret_share_a_file() {
    let p = &*SMALL;
    let [up, down] = [1, -3].map(|delta| p.ctx.fixed_rotation_key(&p.secret, delta, 3).unwrap());
    let conjugation = p.ctx.conjugation_key(&p.secret, &no_progress).unwrap();
    let matrices = p.ctx.matrix_multiplication_key(&p.secret, 1, &no_progress).unwrap();
    let keys = [
        KeyRef::RelinearizationKey(&p.relinearization),
        KeyRef::FixedRotationKey(&up),
        KeyRef::ConjugationKey(&conjugation),
        KeyRef::FixedRotationKey(&down),
        KeyRef::MatrixMultiplicationKey(&matrices),
    ];
    for form in [Form::Seeded, Form::Expanded] {
        let container = reopened(&p.ctx.keys_to_container(&keys, form).unwrap());
        let back = p.ctx.keys_from_container(&container, Loading { verify: true, ..Loading::default() }).unwrap();
        let back: [Object; 5] = back.try_into().unwrap();
        // Each writes as it did alone.
        let [
            Object::RelinearizationKey(relinearization),
            Object::FixedRotationKey(up_again),
            Object::ConjugationKey(conjugated),
            Object::FixedRotationKey(down_again),
            Object::MatrixMultiplicationKey(matrices_again),
        ] = back
        else {
            panic!("other kinds, or another order");
        };
        let same = |a: Builder, b: Builder| assert_eq!(a.to_bytes(), b.to_bytes());
        let bytes = |key: &FixedRotationKey| p.ctx.to_container(key, form).unwrap().to_bytes();
        same(
            p.ctx.to_container(&relinearization, form).unwrap(),
            p.ctx.to_container(&p.relinearization, form).unwrap(),
        );
        same(p.ctx.to_container(&conjugated, form).unwrap(), p.ctx.to_container(&conjugation, form).unwrap());
        same(p.ctx.to_container(&matrices_again, form).unwrap(), p.ctx.to_container(&matrices, form).unwrap());
        assert_eq!((bytes(&up_again), bytes(&down_again)), (bytes(&up), bytes(&down)));
    }
    let container = reopened(&p.ctx.keys_to_container(&keys, Form::Seeded).unwrap());
    let error = p.ctx.object_from_container(&container, Loading::default()).unwrap_err();
    assert!(
        matches!(error, Error::Files(FileError::WrongKind { ref found, .. }) if found == "evaluation_key"),
        "{error}"
    );
}

#[test]
fn keys_of_two_secrets_do_not_and_neither_does_nothing() {
    let p = &*SMALL;
    let other = p.ctx.relinearization_key(&p.ctx.secret_key().unwrap(), &no_progress).unwrap();
    let keys = [KeyRef::RelinearizationKey(&p.relinearization), KeyRef::RelinearizationKey(&other)];
    for keys in [&keys[..], &[]] {
        assert!(matches!(p.ctx.keys_to_container(keys, Form::Seeded), Err(Error::Parameter { .. })));
    }
}
