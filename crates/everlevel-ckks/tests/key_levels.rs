//! Keys that are cut to levels, and keys that are made for them: results, sizes, files, and refusals above.

use crate::common::{self, Party, assert_headers_are_refused, depth, header, uniform, zip};
use crate::files::round_trip;
use everlevel_ckks::io::{Builder, Container, Error as FileError};
use everlevel_ckks::{
    Basis, BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, Ciphertext, ConjugationKey, Context, Entries, Error,
    FixedRotationKey, Form, Loading, MatrixMultiplicationKey, Options, Params, ParamsLiteral, Precision,
    RelinearizationKey, RotationKey, Stored, Units, no_progress,
};

const TOP: usize = 5;

/// Keys of every kind, for levels up to one.
struct Keys {
    relinearization: RelinearizationKey,
    conjugation: ConjugationKey,
    rotation: RotationKey,
    fixed: FixedRotationKey,
    matrices: MatrixMultiplicationKey,
}

impl Keys {
    fn made(p: &Party, level: usize) -> Self {
        let (ctx, secret) = (&p.ctx, &p.secret);
        Self {
            relinearization: ctx.relinearization_key_up_to(secret, level, &no_progress).unwrap(),
            conjugation: ctx.conjugation_key_up_to(secret, level, &no_progress).unwrap(),
            rotation: ctx.rotation_key_up_to(secret, level, &no_progress).unwrap(),
            fixed: ctx.fixed_rotation_key(secret, 3, level).unwrap(),
            matrices: ctx.matrix_multiplication_key(secret, level, &no_progress).unwrap(),
        }
    }

    fn cut(&self, ctx: &Context, level: usize) -> Self {
        Self {
            relinearization: ctx.key_at_level(&self.relinearization, level).unwrap().unwrap(),
            conjugation: ctx.key_at_level(&self.conjugation, level).unwrap().unwrap(),
            rotation: ctx.key_at_level(&self.rotation, level).unwrap().unwrap(),
            fixed: ctx.key_at_level(&self.fixed, level).unwrap().unwrap(),
            matrices: ctx.key_at_level(&self.matrices, level).unwrap().unwrap(),
        }
    }

    fn levels(&self, ctx: &Context) -> [usize; 5] {
        [
            ctx.key_level(&self.relinearization),
            ctx.key_level(&self.conjugation),
            ctx.key_level(&self.rotation),
            ctx.key_level(&self.fixed),
            ctx.key_level(&self.matrices),
        ]
    }

    /// Lengths of files: memory is in whole pages, which are more than the keys of small rings.
    fn lengths(&self, ctx: &Context) -> [usize; 5] {
        [
            length(ctx, &self.relinearization),
            length(ctx, &self.conjugation),
            length(ctx, &self.rotation),
            length(ctx, &self.fixed),
            length(ctx, &self.matrices),
        ]
    }

    /// Result of each kind for a ciphertext of a level from 2 on.
    fn results(&self, ctx: &Context, a: &Ciphertext) -> Vec<Result<Ciphertext, Error>> {
        let three = ctx.multiply_without_key(a, a).unwrap();
        let one = Units::from(a.clone());
        let matrix: Vec<f64> = (0..64).map(|k| f64::from(k % 7) / 64.0).collect();
        let product = ctx.multiply_entries(Entries::Real(&matrix), (8, 8), &one, &self.matrices);
        let both = ctx.rotate_many(a, &self.rotation, &[1, 5]);
        vec![
            ctx.multiply(a, a, &self.relinearization),
            ctx.relinearize(&three, &self.relinearization),
            ctx.evaluate_polynomial(a, Basis::Chebyshev, &[0.1, 0.2, 0.3], &self.relinearization),
            ctx.basis_element(a, Basis::Power, 3, &self.relinearization),
            ctx.conjugate(a, &self.conjugation),
            ctx.rotate(a, &self.rotation, 5),
            both.map(|mut both| both.remove(1)),
            ctx.rotate_fixed(a, &self.fixed),
            product.map(|product| product.first().clone()),
        ]
    }
}

fn length(ctx: &Context, key: &impl Stored) -> usize {
    ctx.to_container(key, Form::Seeded).unwrap().to_bytes().len()
}

fn bytes(ctx: &Context, ciphertext: Ciphertext) -> Vec<u8> {
    ctx.to_container(&Units::from(ciphertext), Form::Seeded).unwrap().to_bytes()
}

/// Expanded keys, seeded ones, and those of a chain with two primes a level.
fn parties() -> [Party; 3] {
    let seeded = Options { thread_count: 2, seeded_keys: true, ..Options::default() };
    let params = Params::try_from(ParamsLiteral::insecure_depth(9, TOP)).unwrap();
    let precision = Precision::Double;
    [
        depth(9, TOP),
        Party::of(common::context_with(params, seeded)),
        Party::new(ParamsLiteral { precision, ..ParamsLiteral::insecure_depth(9, TOP) }),
    ]
}

#[test]
fn cut_keys_give_the_same_bits_and_take_less() {
    for p in parties() {
        let full = Keys::made(&p, TOP);
        let x = uniform(p.ctx.slot_count(), 1);
        let mut larger = full.lengths(&p.ctx);
        for level in (0..TOP).rev() {
            let cut = full.cut(&p.ctx, level);
            assert_eq!(cut.levels(&p.ctx), [level; 5]);
            let lengths = cut.lengths(&p.ctx);
            assert!(lengths.iter().zip(larger).all(|(cut, larger)| *cut < larger), "{lengths:?}, {larger:?}");
            larger = lengths;
            for of_ciphertext in 2..=level {
                let a = p.encrypt(&x, of_ciphertext);
                for (result, expected) in cut.results(&p.ctx, &a).into_iter().zip(full.results(&p.ctx, &a)) {
                    assert!(bytes(&p.ctx, result.unwrap()) == bytes(&p.ctx, expected.unwrap()));
                }
            }
            // What is cut twice is cut to the lower level.
            if level > 0 {
                let again = p.ctx.key_at_level(&cut.rotation, level - 1).unwrap().unwrap();
                let once = p.ctx.key_at_level(&full.rotation, level - 1).unwrap().unwrap();
                let bytes = |key| p.ctx.to_container(key, Form::Expanded).unwrap().to_bytes();
                assert!(bytes(&again) == bytes(&once));
            }
        }
    }
}

#[test]
fn keys_are_made_for_a_level() {
    for p in parties() {
        let x = uniform(p.ctx.slot_count(), 2);
        for level in 1..=TOP {
            let made = Keys::made(&p, level);
            assert_eq!(made.levels(&p.ctx), [level; 5]);
            assert_eq!(p.ctx.relinearization_key_footprint(level).unwrap().held, made.relinearization.nbytes() as u64);
            assert_eq!(p.ctx.conjugation_key_footprint(level).unwrap().held, made.conjugation.nbytes() as u64);
            assert_eq!(p.ctx.rotation_key_footprint(level).unwrap().held, made.rotation.nbytes() as u64);
            let a = p.encrypt(&x, level);
            let square = p.ctx.square(&a, Some(&made.relinearization)).unwrap();
            p.assert_holds("square", &square, &zip(&x, &x, |x, y| x * y), level - 1, 24.0);
            let turned = p.ctx.rotate(&a, &made.rotation, 1).unwrap();
            let mut expected = x.clone();
            expected.rotate_right(1);
            p.assert_holds("rotation", &turned, &expected, level, 24.0);
        }
    }
}

#[test]
fn operands_come_down_to_the_level_of_a_key() {
    let p = depth(9, TOP);
    let key = p.ctx.key_at_level(&p.relinearization, 2).unwrap().unwrap();
    let x = uniform(p.ctx.slot_count(), 3);
    let [high, low] = [TOP, 2].map(|level| p.encrypt(&x, level));
    assert_eq!(p.ctx.multiply(&high, &low, &key).unwrap().level(), 1);
}

#[test]
fn keys_are_refused_above_their_levels() {
    let p = depth(9, TOP);
    let cut = Keys::made(&p, TOP).cut(&p.ctx, 2);
    let a = p.encrypt(&uniform(p.ctx.slot_count(), 4), 4);
    for result in cut.results(&p.ctx, &a) {
        let error = result.unwrap_err();
        // What is relinearized after a product is one level lower.
        assert!(matches!(error, Error::KeyLevel { level: 3 | 4, served: 2, .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("key serves levels up to 2, and the ciphertext is at level"), "{text}");
    }
    let error = p.ctx.key_at_level(&cut.conjugation, 3).unwrap_err();
    assert!(matches!(error, Error::LevelOutOfRange { op: "at_level", level: 3, max_level: 2 }), "{error}");
    assert!(p.ctx.key_at_level(&cut.conjugation, 2).unwrap().is_none());
    let stranger = depth(9, 2);
    assert!(matches!(stranger.ctx.key_at_level(&cut.conjugation, 1), Err(Error::Object(_))));
    for level in [TOP + 1, usize::MAX] {
        let made = p.ctx.relinearization_key_up_to(&p.secret, level, &no_progress);
        assert!(matches!(made, Err(Error::LevelOutOfRange { .. })));
        assert!(matches!(p.ctx.rotation_key_footprint(level), Err(Error::LevelOutOfRange { .. })));
    }
}

#[test]
fn bootstraps_take_whole_keys() {
    let p = Party::bootstrap(9);
    let level = p.ctx.max_level() - 1;
    let (small, rotation) = (p.small_key(), p.rotation_key());
    let key = p.bootstrap_key(3, BootstrapKeySize::Medium);
    let whole = p.keys(&key);
    let x = p.encrypt(&uniform(p.ctx.slot_count(), 5), 0);
    let run = |BootstrapKeys { relinearization, conjugation, bootstrap }: BootstrapKeys<'_>| {
        p.bootstrapper().bootstrap(&x, relinearization, conjugation, bootstrap, &no_progress)
    };
    let relinearization = p.ctx.key_at_level(&p.relinearization, level).unwrap().unwrap();
    let conjugation = p.ctx.conjugation_key_up_to(&p.secret, level, &no_progress).unwrap();
    let turns = p.ctx.key_at_level(&rotation, level).unwrap().unwrap();
    assert!(relinearization.key_count() == 1 && p.relinearization.key_count() == 2);
    let pair = BootstrapKeyRef::Small { key: &small, rotation: &turns, stage_count: 3 };
    for keys in [
        BootstrapKeys { relinearization: &relinearization, ..whole },
        BootstrapKeys { conjugation: &conjugation, ..whole },
        BootstrapKeys { bootstrap: pair, ..whole },
    ] {
        let error = run(keys).unwrap_err();
        assert!(matches!(error, Error::CutKey { served, .. } if served == level), "{error}");
    }
    run(whole).unwrap();
    // Below, they do what the whole ones do.
    let a = p.encrypt(&uniform(p.ctx.slot_count(), 6), level);
    for (cut, whole) in [
        (p.ctx.square(&a, Some(&relinearization)), p.ctx.square(&a, Some(&p.relinearization))),
        (p.ctx.rotate(&a, &turns, 7), p.ctx.rotate(&a, &rotation, 7)),
    ] {
        assert!(bytes(&p.ctx, cut.unwrap()) == bytes(&p.ctx, whole.unwrap()));
    }
}

#[test]
fn files_of_cut_keys_come_back() {
    for p in parties() {
        let full = Keys::made(&p, TOP);
        for keys in [full.cut(&p.ctx, 2), Keys::made(&p, 2), Keys::made(&p, 4).cut(&p.ctx, 1)] {
            let level = p.ctx.key_level(&keys.relinearization);
            assert_eq!(p.ctx.key_level(&round_trip(&p.ctx, &keys.relinearization)), level);
            assert_eq!(p.ctx.key_level(&round_trip(&p.ctx, &keys.conjugation)), level);
            assert_eq!(p.ctx.key_level(&round_trip(&p.ctx, &keys.rotation)), level);
            assert_eq!(p.ctx.key_level(&round_trip(&p.ctx, &keys.fixed)), level);
            assert_eq!(p.ctx.key_level(&round_trip(&p.ctx, &keys.matrices)), level);
        }
        // Files of whole keys are those of versions that know no levels of theirs.
        assert_eq!(header(&p.ctx, &p.relinearization), "{}");
        round_trip(&p.ctx, &p.relinearization);
    }
}

#[test]
fn files_with_other_levels_or_shapes_are_refused() {
    let p = depth(9, TOP);
    let full = Keys::made(&p, TOP);
    let cut = full.cut(&p.ctx, 2);
    let entry = "\"level\":2";
    let cases = |name| {
        [
            (entry, "\"level\":6", "level"),
            (entry, "\"level\":-1", "object"),
            (entry, "\"level\":2.5", "object"),
            (entry, "\"level\":3", name),
            (entry, "\"level\":1", name),
            (entry, "\"height\":2", "object"),
        ]
    };
    assert_headers_are_refused(&p.ctx, &cut.relinearization, &cases("message"));
    assert_headers_are_refused(&p.ctx, &cut.conjugation, &cases("message"));
    assert_headers_are_refused(&p.ctx, &cut.rotation, &cases("left_1"));
    assert_headers_are_refused(&p.ctx, &cut.matrices, &cases("left_1"));
    assert_headers_are_refused(&p.ctx, &cut.fixed, &cases("rotation"));
    assert_headers_are_refused(&p.ctx, &cut.relinearization, &[("{\"level\":2}", "{}", "message")]);
    // The tensors of one level under the words of another.
    let container = |key| {
        let bytes = p.ctx.to_container(key, Form::Seeded).unwrap().to_bytes();
        Container::from_bytes(bytes).unwrap()
    };
    let [words, tensors] = [&cut.relinearization, &full.relinearization].map(container);
    let mut builder = Builder::new(words.kind().unwrap());
    words.header().metadata.iter().for_each(|(name, value)| builder.describe(name, value));
    for (name, place) in tensors.header().in_order() {
        builder.tensor(name, &place.shape, tensors.bytes(name).unwrap());
    }
    let mixed = Container::from_bytes(builder.to_bytes()).unwrap();
    let error = p.ctx.from_container::<RelinearizationKey>(&mixed, Loading::default()).unwrap_err();
    assert!(matches!(&error, Error::Files(FileError::Header { .. })), "{error}");
}
