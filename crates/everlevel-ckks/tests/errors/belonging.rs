//! Keys, ciphertexts and plaintexts of another secret, of other parameters, of another slot count.

use everlevel_ckks::Basis;
use everlevel_ckks::{Error, ObjectError, Params, ParamsLiteral, no_progress};

use super::world::{MAX_LEVEL, World, assert_refused, c};
use crate::common::{self, depth};

#[test]
fn keys_and_ciphertexts_of_another_secret_are_refused() {
    World::new().unchanged(|w| {
        let (ctx, a) = (w.ctx(), &w.at[2]);
        let other = ctx.secret_key().unwrap();
        let ids = [w.party.secret.secret_id(), other.secret_id()].map(|id| format!("{:#018x}", id.0));
        let relinearization = ctx.relinearization_key(&other, &no_progress).unwrap();
        let conjugation = ctx.conjugation_key(&other, &no_progress).unwrap();
        let rotation = ctx.rotation_key(&other, &no_progress).unwrap();
        let fixed = ctx.fixed_rotation_key(&other, 1, 3).unwrap();
        let good = ctx.fixed_rotation_key(&w.party.secret, 1, 3).unwrap();
        let theirs = ctx.encrypt_with_secret(&ctx.encode(&w.x, 2).unwrap(), &other).unwrap();
        let three = ctx.square(a, None).unwrap();
        let results = [
            ("decrypt: secret key", ctx.decrypt(a, &other).map(|_| ())),
            ("add: second ciphertext", ctx.add(a, &theirs).map(|_| ())),
            ("subtract: second ciphertext", ctx.subtract(a, &theirs).map(|_| ())),
            ("multiply: second ciphertext", ctx.multiply(a, &theirs, &w.party.relinearization).map(|_| ())),
            ("multiply: second ciphertext", ctx.multiply_without_key(a, &theirs).map(|_| ())),
            ("multiply: relinearization key", ctx.multiply(a, a, &relinearization).map(|_| ())),
            ("multiply: relinearization key", ctx.square(a, Some(&relinearization)).map(|_| ())),
            ("relinearize: relinearization key", ctx.relinearize(&three, &relinearization).map(|_| ())),
            ("conjugate: conjugation key", ctx.conjugate(a, &conjugation).map(|_| ())),
            ("rotate: rotation key", ctx.rotate(a, &rotation, 3).map(|_| ())),
            ("rotate_batch: rotation key", ctx.rotate_many(a, &rotation, &[1, 2]).map(|_| ())),
            ("rotate: fixed rotation key", ctx.rotate_fixed(a, &fixed).map(|_| ())),
            ("rotate: fixed rotation key", ctx.rotate_fixed_many(a, &[&good, &fixed]).map(|_| ())),
            (
                "polynomial: relinearization key",
                ctx.evaluate_polynomial(a, Basis::Power, &[0.0, 1.0], &relinearization).map(|_| ()),
            ),
            ("basis: relinearization key", ctx.basis(a, Basis::Chebyshev, 2, &relinearization).map(|_| ())),
        ];
        for (who, result) in results {
            assert_refused!(
                result,
                Error::Object(ObjectError::OtherSecret { .. }),
                who,
                &ids[0][..],
                &ids[1][..],
                "use keys and ciphertexts of one secret key"
            );
        }
    });
}

#[test]
fn keys_and_ciphertexts_of_other_parameters_are_refused() {
    World::new().unchanged(|w| {
        let (ctx, a) = (w.ctx(), &w.at[2]);
        let foreign = depth(9, MAX_LEVEL - 1);
        let f = &foreign.ctx;
        let prints = [f, ctx].map(|c| format!("{:#018x}", c.params().fingerprint()));
        let plaintext = f.encode(&w.x, 2).unwrap();
        let b = foreign.encrypt(&w.x, 2);
        let own = ctx.encode(&w.x, 2).unwrap();
        let rotation = f.rotation_key(&foreign.secret, &no_progress).unwrap();
        let fixed = f.fixed_rotation_key(&foreign.secret, 1, 1).unwrap();
        let key = &w.party.relinearization;
        let results = [
            ("create_public_key: secret key", ctx.public_key(&foreign.secret).map(|_| ())),
            (
                "create_relinearization_key: secret key",
                ctx.relinearization_key(&foreign.secret, &no_progress).map(|_| ()),
            ),
            ("create_conjugation_key: secret key", ctx.conjugation_key(&foreign.secret, &no_progress).map(|_| ())),
            ("create_rotation_key: secret key", ctx.rotation_key(&foreign.secret, &no_progress).map(|_| ())),
            ("create_fixed_rotation_key: secret key", ctx.fixed_rotation_key(&foreign.secret, 1, 1).map(|_| ())),
            ("encrypt: plaintext", ctx.encrypt(&plaintext, &w.party.public).map(|_| ())),
            ("encrypt: public key", ctx.encrypt(&own, &foreign.public).map(|_| ())),
            ("encrypt: plaintext", ctx.encrypt_with_secret(&plaintext, &w.party.secret).map(|_| ())),
            ("encrypt: secret key", ctx.encrypt_with_secret(&own, &foreign.secret).map(|_| ())),
            ("decrypt: ciphertext", ctx.decrypt(&b, &w.party.secret).map(|_| ())),
            ("decrypt: secret key", ctx.decrypt(a, &foreign.secret).map(|_| ())),
            ("decode: plaintext", ctx.decode(&plaintext).map(|_| ())),
            ("add: ciphertext", ctx.add(a, &b).map(|_| ())),
            ("add: ciphertext", ctx.add(&b, a).map(|_| ())),
            ("subtract: ciphertext", ctx.subtract(a, &b).map(|_| ())),
            ("negate: ciphertext", ctx.negate(&b).map(|_| ())),
            ("add: plaintext", ctx.add_plain(a, &plaintext).map(|_| ())),
            ("add: ciphertext", ctx.add_plain(&b, &own).map(|_| ())),
            ("add: ciphertext", ctx.add_array(&b, &w.x).map(|_| ())),
            ("add: ciphertext", ctx.add_scalar(&b, c(1.0, 0.0)).map(|_| ())),
            ("multiply: ciphertext", ctx.multiply(a, &b, key).map(|_| ())),
            ("multiply: relinearization key", ctx.multiply(a, a, &foreign.relinearization).map(|_| ())),
            ("multiply: ciphertext", ctx.multiply_without_key(&b, a).map(|_| ())),
            ("multiply: plaintext", ctx.multiply_plain(a, &plaintext).map(|_| ())),
            ("multiply: ciphertext", ctx.multiply_array(&b, &w.x).map(|_| ())),
            ("multiply: ciphertext", ctx.multiply_scalar(&b, c(2.0, 0.0)).map(|_| ())),
            ("relinearize: ciphertext", ctx.relinearize(&b, key).map(|_| ())),
            ("relinearize: relinearization key", ctx.relinearize(a, &foreign.relinearization).map(|_| ())),
            ("level_down: ciphertext", ctx.level_down(&b, 0).map(|_| ())),
            ("conjugate: ciphertext", ctx.conjugate(&b, &w.party.conjugation).map(|_| ())),
            ("conjugate: conjugation key", ctx.conjugate(a, &foreign.conjugation).map(|_| ())),
            ("rotate: rotation key", ctx.rotate(a, &rotation, 1).map(|_| ())),
            ("rotate_batch: rotation key", ctx.rotate_many(a, &rotation, &[1]).map(|_| ())),
            ("rotate: fixed rotation key", ctx.rotate_fixed(a, &fixed).map(|_| ())),
            (
                "evaluate_polynomial: ciphertext",
                ctx.evaluate_polynomial(&b, Basis::Power, &[0.0, 1.0], key).map(|_| ()),
            ),
            (
                "make_power_basis: relinearization key",
                ctx.basis(a, Basis::Power, 2, &foreign.relinearization).map(|_| ()),
            ),
        ];
        for (who, result) in results {
            assert_refused!(
                result,
                Error::Object(ObjectError::OtherParameters { .. }),
                who,
                &prints[0][..],
                &prints[1][..],
                "make all keys and ciphertexts with one context"
            );
        }
    });
}

#[test]
fn ciphertexts_and_plaintexts_of_another_slot_count_are_refused() {
    World::new().unchanged(|w| {
        let params = Params::try_from(ParamsLiteral::insecure_depth(9, MAX_LEVEL)).unwrap();
        let narrow = common::context(params, Some(64), 1);
        let plaintext = w.ctx().encode(&w.x, 2).unwrap();
        let a = &w.at[2];
        let results = [
            narrow.decrypt(a, &w.party.secret).map(|_| ()),
            narrow.add(a, a).map(|_| ()),
            narrow.conjugate(a, &w.party.conjugation).map(|_| ()),
            narrow.decode(&plaintext).map(|_| ()),
            narrow.encrypt(&plaintext, &w.party.public).map(|_| ()),
            narrow.encrypt_with_secret(&plaintext, &w.party.secret).map(|_| ()),
        ];
        for result in results {
            assert_refused!(
                result,
                Error::ForeignSlots { .. },
                "slot_count of the ",
                "= 256",
                "must be 64, this context's",
                "with one context"
            );
        }
        // Keys know no slots; but a rotation key holds the powers of two of its context only.
        let key = narrow.rotation_key(&w.party.secret, &no_progress).unwrap();
        let missing = [w.ctx().rotate(a, &key, 1).map(|_| ()), w.ctx().rotate_many(a, &key, &[-64, 1]).map(|_| ())];
        for result in missing {
            assert_refused!(
                result,
                Error::MissingRotation { .. },
                "no key for a rotation by ",
                "there are keys for [",
                "make one with this context"
            );
        }
        let own = narrow.encode(&w.x[..64], 2).unwrap();
        assert_refused!(w.ctx().add_plain(a, &own), Error::ForeignSlots { .. }, "slot_count of the plaintext = 64");
        assert_refused!(
            w.ctx().multiply_plain(a, &own),
            Error::ForeignSlots { .. },
            "slot_count of the plaintext = 64"
        );
    });
}
