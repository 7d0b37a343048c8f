//! Keys, ciphertexts, results and files from one seed are those of earlier versions, to the bit.
//!
//! A change here is a change of what users' seeds and files mean: the changelog names it, or it is a fault. Constant
//! messages and integer factors keep floating point out of all but the bootstraps, whose plaintexts come from the
//! platform's sine: they are compared where that is the one of the recorded digests.

use std::io::Write as _;

use crate::common::{bootstrap_params, uniform};
use everlevel_ckks::{
    BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Complex64, Context, Form, Method, Options, Params,
    ParamsLiteral, SlotType, Stored, no_progress,
};
use everlevel_rand::{Seed, SeedSource};
use everlevel_testkit::golden::Golden;

fn context(params: Params) -> Context {
    let seeds = SeedSource::insecure(Seed::from_bytes([0x60; 32]));
    Context::with_seeds(params, Options { thread_count: 2, ..Options::default() }, seeds).unwrap()
}

/// The tensors of an object, without the estimates that its header has in decimal.
fn tensors<T: Stored>(ctx: &Context, object: &T) -> Vec<u8> {
    let bytes = ctx.to_container(object, Form::Expanded).unwrap().to_bytes();
    let header_len = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    bytes[8 + header_len..].to_vec()
}

fn file<T: Stored>(ctx: &Context, object: &T) -> Vec<u8> {
    let mut bytes = ctx.to_container(object, Form::Seeded).unwrap().to_bytes();
    bytes.extend(ctx.to_container(object, Form::Expanded).unwrap().to_bytes());
    bytes
}

#[test]
fn keys_ciphertexts_and_results() {
    let ctx = context(Params::try_from(ParamsLiteral::insecure_depth(10, 5)).unwrap());
    let mut golden = Golden::default();
    let secret = ctx.secret_key().unwrap();
    golden.add("secret_key", &ctx.export_secret_key(&secret).unwrap().to_bytes());
    let public = ctx.public_key(&secret).unwrap();
    golden.add("public_key", &file(&ctx, &public));
    let relinearization = ctx.relinearization_key(&secret, &no_progress).unwrap();
    golden.add("relinearization_key", &file(&ctx, &relinearization));
    let conjugation = ctx.conjugation_key(&secret, &no_progress).unwrap();
    golden.add("conjugation_key", &file(&ctx, &conjugation));
    let rotation = ctx.rotation_key(&secret, &no_progress).unwrap();
    golden.add("rotation_key", &file(&ctx, &rotation));
    let fixed = ctx.fixed_rotation_key(&secret, 3, 4).unwrap();
    golden.add("fixed_rotation_key", &file(&ctx, &fixed));
    let matrix = ctx.matrix_multiplication_key(&secret, 2, &no_progress).unwrap();
    golden.add("matrix_multiplication_key", &file(&ctx, &matrix));

    let constant = |x: f64| vec![Complex64::new(x, 0.0); ctx.slot_count()];
    let plain = ctx.encode(&constant(0.5), 5).unwrap();
    let x = ctx.encrypt(&plain, &public).unwrap();
    golden.add("encrypt", &tensors(&ctx, &everlevel_ckks::Units::from(x.clone())));
    let y = ctx.encrypt_with_secret(&ctx.encode(&constant(-0.25), 4).unwrap(), &secret).unwrap();
    golden.add("encrypt_with_secret", &tensors(&ctx, &everlevel_ckks::Units::from(y.clone())));
    let mut result = |name: &str, ct: everlevel_ckks::Ciphertext| {
        golden.add(name, &tensors(&ctx, &everlevel_ckks::Units::from(ct)));
    };
    result("add", ctx.add(&x, &y).unwrap());
    result("subtract", ctx.subtract(&y, &x).unwrap());
    result("negate", ctx.negate(&x).unwrap());
    result("add_plain", ctx.add_plain(&x, &plain).unwrap());
    result("multiply", ctx.multiply(&x, &y, &relinearization).unwrap());
    result("multiply_without_key", ctx.multiply_without_key(&x, &y).unwrap());
    result("square", ctx.square(&x, Some(&relinearization)).unwrap());
    result("multiply_plain", ctx.multiply_plain(&x, &plain).unwrap());
    result("multiply_scalar", ctx.multiply_scalar(&x, Complex64::new(0.5, 0.25)).unwrap());
    result("multiply_i", ctx.multiply_scalar(&x, Complex64::i()).unwrap());
    result("add_scalar", ctx.add_scalar(&x, Complex64::new(0.5, 0.25)).unwrap());
    result("level_down", ctx.level_down(&x, 2).unwrap());
    result("conjugate", ctx.conjugate(&x, &conjugation).unwrap());
    result("rotate", ctx.rotate(&x, &rotation, 5).unwrap());
    result("rotate_fixed", ctx.rotate_fixed(&y, &fixed).unwrap());
    golden.assert(KEYS);
}

#[test]
fn bootstraps() {
    let ctx = context(bootstrap_params(10));
    let bootstrapper = Bootstrapper::new(&ctx).unwrap();
    let mut sine = Golden::default();
    sine.add_words(
        "cis",
        (0..4096).flat_map(|k| {
            let root = Complex64::cis(2.0 * std::f64::consts::PI * f64::from(k) / 4096.0);
            [root.re.to_bits(), root.im.to_bits()]
        }),
    );
    if std::panic::catch_unwind(|| sine.assert(SINE)).is_err() {
        // A test that passes shows nothing that macros print.
        let skipped = "skipped: golden bootstraps, since this platform's sine is not that of the recorded ones\n";
        std::io::stderr().write_all(skipped.as_bytes()).unwrap();
        return;
    }
    let mut golden = Golden::default();
    let secret = ctx.secret_key().unwrap();
    let relinearization = ctx.relinearization_key(&secret, &no_progress).unwrap();
    golden.add("relinearization_key", &file(&ctx, &relinearization));
    let conjugation = ctx.conjugation_key(&secret, &no_progress).unwrap();
    golden.add("conjugation_key", &file(&ctx, &conjugation));
    let rotation = ctx.rotation_key(&secret, &no_progress).unwrap();
    let small = bootstrapper.small_bootstrap_key(&secret, &no_progress).unwrap();
    golden.add("small_bootstrap_key", &file(&ctx, &small));
    let key = |kind, stages, size| bootstrapper.bootstrap_key_of(kind, &secret, stages, size, &no_progress).unwrap();
    let regular = key(BootstrapKind::Regular, 3, BootstrapKeySize::Large);
    golden.add("bootstrap_key large 3", &file(&ctx, &regular));
    golden.add("bootstrap_key medium 4", &file(&ctx, &key(BootstrapKind::Regular, 4, BootstrapKeySize::Medium)));
    let lossy = key(BootstrapKind::Lossy, 3, BootstrapKeySize::Large);
    golden.add("lossy_bootstrap_key large 3", &file(&ctx, &lossy));

    let x = ctx.encrypt_with_secret(&ctx.encode(&uniform(ctx.slot_count(), 1), 3).unwrap(), &secret).unwrap();
    let both = key(BootstrapKind::Both, 3, BootstrapKeySize::Medium);
    golden.add("bootstrap_key both medium 3", &file(&ctx, &both));
    let keys = |bootstrap| BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap };
    let mut result = |name: &str, ct: everlevel_ckks::Ciphertext| {
        golden.add(name, &tensors(&ctx, &everlevel_ckks::Units::from(ct)));
    };
    result("encrypt", x.clone());
    let out = bootstrapper.bootstrap(&x, &relinearization, &conjugation, &regular, &no_progress).unwrap();
    result("bootstrap", out);
    let lossy_keys = keys((&lossy).into());
    result("lossy", bootstrapper.bootstrap_by(Method::Lossy, &x, lossy_keys, SlotType::Complex, &no_progress).unwrap());
    let usual = |keys, slot_type| {
        let all = bootstrapper.bootstrap_many(Method::Usual, &[&x], keys, slot_type, &no_progress);
        all.unwrap().remove(0)
    };
    result("usual", usual(keys((&both).into()), SlotType::Complex));
    result(
        "lossy real",
        bootstrapper.bootstrap_by(Method::Lossy, &x, lossy_keys, SlotType::Real, &no_progress).unwrap(),
    );
    result("sign", bootstrapper.bootstrap_by(Method::Sign, &x, lossy_keys, SlotType::Real, &no_progress).unwrap());
    let small_keys = keys(everlevel_ckks::BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count: 3 });
    result(
        "small",
        bootstrapper
            .bootstrap_many(Method::Regular, &[&x], small_keys, SlotType::Complex, &no_progress)
            .unwrap()
            .remove(0),
    );
    let [a, b] = bootstrapper.merge_bootstrap(Method::Regular, &x, &x, keys((&regular).into()), &no_progress).unwrap();
    result("merge, real", a);
    result("merge, imaginary", b);
    golden.assert(BOOTSTRAPS);
}

const KEYS: &str = "
    secret_key c80ab46578c605df1efe59a8
    public_key da01dd704cc2536aeeed7d7c
    relinearization_key d9f07d961b5883eb06b3cd83
    conjugation_key 9d3985bad17e0a99e6474288
    rotation_key db344c1293ff08e12baf90ee
    fixed_rotation_key b2dd61b81fdc0fcc665266c1
    matrix_multiplication_key 5d9ba1c74ae78f0100a6a97c
    encrypt 95775c63bfaaae564b553174
    encrypt_with_secret 32dc630c92d660a2ee2014c9
    add 77bebb89423761963d80f175
    subtract 28d9e99a11e382c5fa173931
    negate ed5ae0fb4798f4d002743fe1
    add_plain b95d210a9fea4f0d8daaddb5
    multiply bb05370d93c27bacf723faa9
    multiply_without_key 8f6e0bba2646fb31ba852342
    square 5251ef32d9794aa56e7c4267
    multiply_plain da7ecd2c855c62b534cb9b46
    multiply_scalar 86d0f7c6c6b520bbabc6080a
    multiply_i 06a52c1c48bc1d7a2dda6e12
    add_scalar 067c0d330be4e5b622f6b189
    level_down 6bb7fd6869a144fd2709e7d8
    conjugate 7902ada249569d8b57040d9c
    rotate 6b56596c0dbd2b02b5d2e44f
    rotate_fixed f6c5394c7ca499c642213dcb
";
const SINE: &str = "
    cis 3510908b34372334179495b4
";
const BOOTSTRAPS: &str = "
    relinearization_key 97c351326d9700f56909a543
    conjugation_key 969fa9a83154f5df2d947e65
    small_bootstrap_key bef0f736821b61a4eb236b44
    bootstrap_key large 3 6627bd1a36140dbcfe05865a
    bootstrap_key medium 4 c5cbb6ec50a6ee654c76a178
    lossy_bootstrap_key large 3 65d2ebd88b03c4c5de001a87
    bootstrap_key both medium 3 2f9081e92c9a2186296ace7b
    encrypt c30a50c0e471bfbeb0d9ca13
    bootstrap 2431c5414265c5ad034c4e54
    lossy 40d031c1b38cc173c446fa1c
    usual f8e3d2a0e4993802031c475d
    lossy real fef5e00a10267a1b9d45af05
    sign 76af998dc9ef3970cc95243c
    small df0f8f96761fa1689c09df23
    merge, real 6436016ad9f92fed00445eb3
    merge, imaginary df7947f2006d64418dbe2845
";
