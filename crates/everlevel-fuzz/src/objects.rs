//! Objects of every kind, from containers whose checksums are right.

use std::fmt::Debug;
use std::sync::{Arc, LazyLock};

use everlevel_bfv as bfv;
use everlevel_binfhe::files::NamedParams;
use everlevel_binfhe::{
    BoolArray, Ciphertext, CompressedList, Params as TfheParams, PublicKey, SecretKey, SeededCompressionKey,
    SeededEvalKeys, UintArray,
};
use everlevel_ckks::limbs;
use everlevel_ckks::{BUNDLE_KIND, Context, Form, KeyRef, Loading, Object, Params, ParamsLiteral, Stored, Units};
use everlevel_io::{Access, Builder, Container};

use crate::sealed::sealed;

/// The secret keys that the stored files belong to, which say their parameters.
macro_rules! stored_secret_key {
    ($crate_folder:literal, $name:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../", $crate_folder, "/tests/files/0.1.0/", $name, ".everlevel")
    };
}

fn opened(path: &str) -> Container {
    Container::open(path.as_ref(), Access::Read).expect("a stored file")
}

/// The contexts of CKKS's stored files.
static CKKS: LazyLock<[Context; 2]> = LazyLock::new(|| {
    [stored_secret_key!("everlevel-ckks", "secret_key"), stored_secret_key!("everlevel-ckks", "secret_key.bootstraps")]
        .map(|path| {
            let literal = ParamsLiteral::from_json(opened(path).metadata("params").expect("parameters"));
            let params = Params::try_from(literal.expect("a literal")).expect("parameters that were accepted");
            Context::new(params, Some(4), 1).expect("a context")
        })
});

/// The parameters of TFHE's stored files.
static TFHE: LazyLock<[Arc<TfheParams>; 2]> = LazyLock::new(|| {
    [
        stored_secret_key!("everlevel-binfhe", "tfhe_secret_key"),
        stored_secret_key!("everlevel-binfhe", "tfhe_secret_key.integers"),
    ]
    .map(|path| {
        let literal: everlevel_binfhe::ParamsLiteral = opened(path).json("params").expect("a literal");
        Arc::new(TfheParams::try_from(literal).expect("parameters that were accepted"))
    })
});

/// Reads the object, of CKKS, in a container; what is read writes a file that reads as the same.
///
/// # Panics
/// At a fault.
pub fn ckks_objects(data: &[u8]) {
    let Ok(container) = Container::from_bytes(sealed(data)) else { return };
    let loading = Loading { verify: true, ..Loading::default() };
    for ctx in &*CKKS {
        if container.kind().is_ok_and(|kind| kind == BUNDLE_KIND) {
            if let Ok(keys) = ctx.keys_from_container(&container, loading) {
                check_keys(ctx, &keys);
            }
        } else if let Ok(object) = ctx.object_from_container(&container, loading) {
            check_object(ctx, &object);
        }
    }
}

fn written(builder: &Builder<'_>) -> (Vec<u8>, Container) {
    let bytes = builder.to_bytes();
    let container = Container::from_bytes(bytes.clone()).expect("what was written");
    (bytes, container)
}

fn check_keys(ctx: &Context, keys: &[Object]) {
    let write = |keys: &[Object]| written(&ctx.keys_to_container(&references(keys), Form::Seeded).expect("keys")).0;
    if keys.is_empty() {
        return;
    }
    let bytes = write(keys);
    let again = Container::from_bytes(bytes.clone()).expect("what was written");
    let again = ctx.keys_from_container(&again, Loading::default()).expect("what was written");
    assert_eq!(write(&again), bytes);
}

fn references(keys: &[Object]) -> Vec<KeyRef<'_>> {
    keys.iter().map(reference).collect()
}

fn reference(key: &Object) -> KeyRef<'_> {
    match key {
        Object::RelinearizationKey(key) => KeyRef::RelinearizationKey(key),
        Object::ConjugationKey(key) => KeyRef::ConjugationKey(key),
        Object::RotationKey(key) => KeyRef::RotationKey(key),
        Object::FixedRotationKey(key) => KeyRef::FixedRotationKey(key),
        Object::MatrixMultiplicationKey(key) => KeyRef::MatrixMultiplicationKey(key),
        Object::BootstrapKey(key) => KeyRef::BootstrapKey(key),
        Object::SmallBootstrapKey(key) => KeyRef::SmallBootstrapKey(key),
        other => panic!("a bundle held {other:?}"),
    }
}

fn check_object(ctx: &Context, object: &Object) {
    match object {
        Object::Ciphertext(units) => {
            check_same(ctx, units);
            let _ = units.try_map(|x| ctx.multiply_without_key(x, x));
            let _ = units.try_map(|x| ctx.add(x, x)).map(|sum| check_same::<Units<_>>(ctx, &sum));
            let _ = units.try_map(|x| ctx.level_down(x, 0));
        }
        Object::Plaintext(units) => {
            check_same(ctx, units);
            let _ = ctx.decode_units(units);
        }
        Object::LightPlaintext(units) => {
            check_same(ctx, units);
            let _ = units.try_map(|x| ctx.expand(x, x.level()));
        }
        Object::SecretKey(key) => {
            let (bytes, container) = written(&ctx.export_secret_key(key).expect("a key"));
            let again = ctx.import_secret_key(&container).expect("what was written");
            assert_eq!(ctx.export_secret_key(&again).expect("a key").to_bytes(), bytes);
        }
        Object::PublicKey(key) => check_same(ctx, key),
        Object::RelinearizationKey(key) => check_same(ctx, key),
        Object::ConjugationKey(key) => check_same(ctx, key),
        Object::RotationKey(key) => check_same(ctx, key),
        Object::FixedRotationKey(key) => check_same(ctx, key),
        Object::MatrixMultiplicationKey(key) => check_same(ctx, key),
        Object::BootstrapKey(key) => check_same(ctx, key),
        Object::SmallBootstrapKey(key) => check_same(ctx, key),
        Object::PlainMatrix(matrix) => check_same(ctx, matrix),
        Object::LightPlainMatrix(matrix) => check_same(ctx, matrix),
        other => panic!("a kind without a check: {other:?}"),
    }
}

/// Checks that an object that was read writes a file that reads as the same: its data, since estimates may be rounded.
fn check_same<T: Stored>(ctx: &Context, object: &T) {
    let (bytes, container) = written(&ctx.to_container(object, Form::Seeded).expect("an object of this context"));
    let again: T = ctx.from_container(&container, Loading::default()).expect("what was written");
    let (_, again) = written(&ctx.to_container(&again, Form::Seeded).expect("an object"));
    assert!(again.header().tensors == container.header().tensors, "{bytes:?}");
}

/// Reads bytes as every object of TFHE, as [`ckks_objects`] does for CKKS.
///
/// # Panics
/// At a fault.
pub fn tfhe_objects(data: &[u8]) {
    let Ok(container) = Container::from_bytes(sealed(data)) else { return };
    for params in &*TFHE {
        let named = NamedParams::from(params);
        let _ = back::<SecretKey, _>(&named, &container);
        let _ = back::<PublicKey, _>(&named, &container);
        let _ = back::<SeededEvalKeys, _>(&named, &container);
        let _ = back::<Vec<Ciphertext>, _>(&named, &container);
        let _ = back::<UintArray, _>(&named, &container);
        let _ = back::<BoolArray, _>(&named, &container);
        let _ = back::<SeededCompressionKey, _>(&named, &container);
        let _ = back::<CompressedList, _>(&named, &container);
    }
}

/// The object in a container, if it is one of this kind; what it writes reads as the same. Arrays of nothing have no
/// files.
fn back<T: everlevel_io::Stored<C>, C>(context: &C, container: &Container) -> Option<T>
where
    T::Error: Debug,
{
    let bytes = |object: &T| object.to_container(context).ok().map(|builder| builder.to_bytes());
    let object = T::from_container(context, container).ok()?;
    if let Some(written) = bytes(&object) {
        let again = Container::from_bytes(written.clone()).expect("what was written");
        let again = T::from_container(context, &again).expect("what was written");
        assert!(bytes(&again) == Some(written), "another {}", T::KIND);
    }
    Some(object)
}

/// The contexts of the files that are stored of schemes over limbs.
static LIMBS: LazyLock<(limbs::Context, bfv::Context)> = LazyLock::new(|| {
    let of_ckks = limbs::Params::of_set("n13", None, Some(5)).expect("a set");
    let of_bfv = bfv::Params::of_set("n13", None, Some(5)).expect("a set");
    (limbs::Context::new(of_ckks).expect("a context"), bfv::Context::new(of_bfv).expect("a context"))
});

/// Reads bytes as every object of CKKS over limbs and of BFV; ciphertexts are computed with, too.
///
/// # Panics
/// At a fault.
pub fn limb_objects(data: &[u8]) {
    let Ok(container) = Container::from_bytes(sealed(data)) else { return };
    let (of_ckks, of_bfv) = &*LIMBS;
    let _ = back::<limbs::SecretKey, _>(of_ckks, &container);
    let _ = back::<limbs::EvalKeys, _>(of_ckks, &container);
    if let Some(x) = back::<limbs::Ciphertext, _>(of_ckks, &container) {
        let half = x.budget_bits() / 2;
        for y in [of_ckks.add(&x, &x), of_ckks.negate(&x), of_ckks.rescale(&x, 7), of_ckks.lower(&x, half)] {
            y.into_iter().for_each(|y| comes_back(of_ckks, &y));
        }
    }
    let _ = back::<bfv::SecretKey, _>(of_bfv, &container);
    let _ = back::<bfv::EvalKeys, _>(of_bfv, &container);
    if let Some(x) = back::<bfv::Ciphertext, _>(of_bfv, &container) {
        [of_bfv.add(&x, &x), of_bfv.negate(&x)].into_iter().flatten().for_each(|y| comes_back(of_bfv, &y));
    }
}

/// Writes what was computed, and reads it.
fn comes_back<T: everlevel_io::Stored<C>, C>(context: &C, object: &T)
where
    T::Error: Debug,
{
    let bytes = object.to_container(context).expect("an object of this context").to_bytes();
    let container = Container::from_bytes(bytes).expect("what was written");
    back::<T, C>(context, &container).expect("what was computed");
}
