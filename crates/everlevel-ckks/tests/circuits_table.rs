//! Look-ups of integers by real bootstraps, against tables in the clear, on small insecure rings.

use crate::common::{Party, assert_close, bootstrap_params, log_n, round_trip, uniform};
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::table::{Space, TableNoise, TorusCiphertext, TorusSource};
use everlevel_ckks::{
    BootstrapKeySize, BootstrapKind, Bound, Ciphertext, Complex64, Error, Method, ObjectError, SlotType, Units,
    no_progress,
};

/// Integers of a space, from a fixed generator.
fn integers(space: Space, count: usize, seed: u64) -> Vec<u64> {
    let p = space.size() as f64;
    uniform(count, seed).iter().map(|z| (((z.re + 1.0) / 2.0 * p) as u64).min(space.size() as u64 - 1)).collect()
}

/// A chain made for look-ups: real parameters for `log_n = 16`, insecure ones below.
fn of_tables(space: Space, level: usize) -> Party {
    let literal = bootstrap_params(log_n()).literal().clone();
    Party::new(literal.for_tables(space, level))
}

fn encrypted(party: &Party, space: Space, values: &[u64], level: usize) -> Units<Ciphertext> {
    let numbers: Vec<Complex64> = values.iter().map(|&m| Complex64::from(space.number(m))).collect();
    let plain = party.ctx.encode_units(&numbers, level).unwrap();
    party.ctx.encrypt_units(&plain, &party.public).unwrap()
}

/// Numbers of all slots, unit after unit.
fn decrypted(party: &Party, x: &Units<Ciphertext>) -> Vec<f64> {
    x.all().iter().flat_map(|unit| party.decrypt(unit)).map(|z| z.re).collect()
}

/// Errors in units of the distance between integers.
fn errors(party: &Party, space: Space, x: &Units<Ciphertext>, expected: &[u64]) -> Vec<f64> {
    let unit = 2.0 / space.size() as f64;
    decrypted(party, x).iter().zip(expected).map(|(x, &m)| (x - space.number(m)) / unit).collect()
}

fn rms(errors: &[f64]) -> f64 {
    (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt()
}

#[test]
fn chains_of_look_ups_are_right_and_as_noisy_as_claimed() {
    for (p, units) in [(4, 3), (8, 4), (16, 4), (32, 4), (64, 2), (128, 2), (256, 2)] {
        let space = Space::new(p).unwrap();
        let party = of_tables(space, 3);
        let key = party.key_of(BootstrapKind::First, 3);
        let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
        let noise = TableNoise::new(party.bootstrapper(), space, 3).unwrap();
        let top = p as u64 - 1;
        let tables: [Vec<u64>; 3] = [
            (0..=top).map(|m| (7 * m + 3) % p as u64).collect(),
            (0..=top).map(|m| m % 2 * top).collect(),
            (0..=top).map(|m| top - m).collect(),
        ];
        let views: Vec<&[u64]> = tables.iter().map(Vec::as_slice).collect();
        let mut values = integers(space, units * party.ctx.slot_count(), p as u64);
        let mut x = encrypted(&party, space, &values, 3);
        let mut bound = noise.fresh(true);
        let (mut measured, mut claimed) = (Vec::new(), Vec::new());
        for round in 0..2 {
            let found = circuits.look_up(&x, (space, 3), &views, &no_progress).unwrap();
            for (y, table) in found.iter().zip(&tables) {
                assert_eq!(y.first().level(), 3);
                let expected: Vec<u64> = values.iter().map(|&m| table[m as usize]).collect();
                let (errors, allowed) =
                    (errors(&party, space, y, &expected), noise.after(table, bound, bound).unwrap());
                let worst = errors.iter().fold(0.0f64, |most, e| most.max(e.abs()));
                let typical = noise.mean_rounding(table).unwrap();
                let found = rms(&errors);
                println!("p {p}, {round}: worst 2^{:.1} of 2^{:.1}", worst.log2(), allowed.log2());
                println!("rms 2^{:.2}, claimed 2^{:.2}", found.log2(), typical.log2());
                assert!(worst < allowed && allowed < noise.limit(), "{p}: {worst:e}, {allowed:e}");
                measured.push(found);
                claimed.push(typical);
            }
            bound = noise.after(&tables[0], bound, bound).unwrap();
            values = values.iter().map(|&m| tables[0][m as usize]).collect();
            x = found.into_iter().next().unwrap();
        }
        let ratio = rms(&measured) / rms(&claimed);
        println!("p {p}: measured over claimed {ratio:.3}");
        assert!((ratio - 1.0).abs() < 0.2, "{p}: {ratio}");
        // An odd unit has a bootstrap of its own, which is one more call.
        assert_eq!(circuits.bootstrap_count(), 2 * (1 + units % 2));
    }
}

/// Vectors of integers below 2, 4, 8 and 16 side by side, which tables of as many entries take.
#[test]
fn smaller_integers_have_shorter_tables_and_are_as_noisy_as_claimed() {
    let space = Space::new(16).unwrap();
    let party = of_tables(space, 3);
    let key = party.key_of(BootstrapKind::First, 3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let noise = TableNoise::new(party.bootstrapper(), space, 3).unwrap();
    let fresh = noise.fresh(true);
    let values = [2, 4, 8, 16].map(|p| integers(space, 2 * party.ctx.slot_count(), p).iter().map(|m| m % p).collect());
    let values: [Vec<u64>; 4] = values;
    let vectors = values.each_ref().map(|values| encrypted(&party, space, values, 3));
    let tables = [2, 4, 8, 16].map(|p| (0..p).map(|m| (m + 1) % 2 * 15).collect::<Vec<u64>>());
    // Neighbours of one ratio, of eight, and a vector twice in one bootstrap with another space of inputs.
    for pair in [[0, 1], [1, 2], [3, 2], [0, 3]] {
        let views = pair.map(|at| [&tables[at][..]]);
        let jobs = [0, 1].map(|which| (&vectors[pair[which]], &views[which][..]));
        let found = circuits.look_up_each(&jobs, (space, 3), &no_progress).unwrap();
        for (at, found) in pair.into_iter().zip(&found) {
            assert_eq!(found[0].first().level(), 3);
            let expected: Vec<u64> = values[at].iter().map(|&m| tables[at][m as usize]).collect();
            let errors = errors(&party, space, &found[0], &expected);
            let beside = pair.map(|at| (16 / tables[at].len()) as f64 * fresh).into_iter().fold(0.0, f64::max);
            let allowed = noise.after(&tables[at], fresh, beside).unwrap();
            let worst = errors.iter().fold(0.0f64, |most, e| most.max(e.abs()));
            let (found, typical) = (rms(&errors), noise.mean_rounding(&tables[at]).unwrap());
            println!("{}: worst 2^{:.1} of 2^{:.1}", tables[at].len(), worst.log2(), allowed.log2());
            println!("rms 2^{:.2}, claimed 2^{:.2}", found.log2(), typical.log2());
            assert!(worst < allowed && allowed < noise.limit() && found < 1.2 * typical);
        }
    }
    let mixed: [&[u64]; 2] = [&tables[0], &tables[1]];
    for refused in [&mixed[..], &[]] {
        assert!(circuits.look_up(&vectors[0], (space, 3), refused, &no_progress).is_err());
    }
}

/// `Σ c_k·T_k(x)` by the recurrence.
fn chebyshev(series: &[f64], x: f64) -> f64 {
    let step = |[a, b]: [f64; 2], c: &f64| [c + 2.0 * x * a - b, a];
    let [a, b] = series[1..].iter().rev().fold([0.0, 0.0], step);
    series[0] + x * a - b
}

#[test]
fn raised_noise_fails_as_often_as_predicted() {
    let space = Space::new(16).unwrap();
    let party = of_tables(space, 3);
    let key = party.key_of(BootstrapKind::First, 3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    // The worst table, and errors that are a tenth of the distance between integers: far beyond the limit.
    let table: Vec<u64> = (0..16).map(|m| m % 2 * 15).collect();
    let series = space.series(&table).unwrap();
    let values = integers(space, 2 * party.ctx.slot_count(), 3);
    let normal = |at: usize| uniform(12, at as u64 + 99).iter().map(|z| z.re).sum::<f64>() / 2.0;
    let errors: Vec<f64> = (0..values.len()).map(|at| 0.1 * normal(at)).collect();
    let noisy: Vec<f64> = values.iter().zip(&errors).map(|(&m, u)| space.number(m) + u / 8.0).collect();
    let numbers: Vec<Complex64> = noisy.iter().map(|&x| x.into()).collect();
    let x = party.ctx.encrypt_units(&party.ctx.encode_units(&numbers, 3).unwrap(), &party.public).unwrap();
    let found = circuits.look_up(&x, (space, 3), &[&table], &no_progress).unwrap().remove(0);
    let found = party.ctx.decrypt_integers(&found, space, &party.secret).unwrap();
    let predicted = noisy.iter().map(|x| space.integer(chebyshev(&series, (std::f64::consts::FRAC_PI_2 * x).sin())));
    let wrong = |of: &[u64]| of.iter().zip(&values).filter(|(f, m)| **f != table[**m as usize]).count();
    let predicted: Vec<u64> = predicted.collect();
    let (measured, expected) = (wrong(&found), wrong(&predicted));
    println!("{measured} of {} wrong, {expected} predicted", values.len());
    assert!(expected > values.len() / 10 && measured.abs_diff(expected) <= expected / 50);
    // The bound is right for each of them.
    let bend = 15.0 * std::f64::consts::PI.powi(2) / 3.0;
    let is_right = |at: usize| bend * errors[at] * errors[at] > 0.499 || found[at] == table[values[at] as usize];
    assert!((0..values.len()).all(is_right));
}

#[test]
fn choices_cost_a_level_and_stay_within_their_bound() {
    let space = Space::new(16).unwrap();
    let party = of_tables(space, 4);
    let noise = TableNoise::new(party.bootstrapper(), space, 4).unwrap();
    let count = party.ctx.slot_count() + 1;
    let bits: Vec<u64> = integers(space, count, 1).iter().map(|m| m % 2).collect();
    let [a, b] = [2, 3].map(|seed| integers(space, count, seed));
    let [s, x, y] = [&bits, &a, &b].map(|values| encrypted(&party, space, values, 4));
    let chosen = party.ctx.choose_integers(space, &s, [&x, &y], &party.relinearization).unwrap();
    assert_eq!(chosen.first().level(), 3);
    let expected: Vec<u64> = (0..count).map(|at| if bits[at] == 1 { a[at] } else { b[at] }).collect();
    let allowed = noise.after_choice(noise.fresh(true), [noise.fresh(true); 2], 15);
    let worst = errors(&party, space, &chosen, &expected).iter().fold(0.0f64, |most, e| most.max(e.abs()));
    println!("choices: worst 2^{:.1} of 2^{:.1}", worst.log2(), allowed.log2());
    assert!(worst < allowed && allowed < noise.limit());
}

#[test]
fn what_tables_are_not_of_is_refused_before_any_work() {
    let party = Party::bootstrap(log_n());
    let lossy = party.lossy_key(3);
    let regular = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let space = Space::new(4).unwrap();
    let x = encrypted(&party, space, &[0, 1, 2, 3], 3);
    let low = encrypted(&party, space, &[0, 1, 2, 3], 2);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&lossy));
    for table in [&[0, 1, 2][..], &[0, 1, 2, 4], &[0]] {
        let refused = circuits.look_up(&x, (space, 3), &[table], &no_progress);
        assert!(matches!(refused, Err(Error::Parameter { .. })), "{refused:?}");
    }
    let table: &[u64] = &[3, 2, 1, 0];
    let refused = circuits.look_up(&low, (space, 3), &[table], &no_progress);
    assert!(matches!(refused, Err(Error::LevelExhausted { .. })), "{refused:?}");
    let of_regular = Circuits::new(party.bootstrapper(), party.keys(&regular));
    assert!(of_regular.look_up(&x, (space, 3), &[table], &no_progress).is_err());
    let stranger = Party::of(party.ctx.clone());
    let refused = circuits.look_up(&encrypted(&stranger, space, &[1], 3), (space, 3), &[table], &no_progress);
    assert!(matches!(refused, Err(Error::Object(ObjectError::OtherSecret { .. }))), "{refused:?}");
    // The bootstraps of small keys are of 13 levels, and 2p − 1 = 255 takes 8 of them.
    assert!(TableNoise::new(party.bootstrapper(), Space::new(128).unwrap(), 6).is_err());
    assert_eq!(circuits.bootstrap_count(), 0);
}

/// Look-ups in the chain of other bootstraps, whose levels above the result's are left out.
#[test]
fn general_chains_have_tables_too() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let space = Space::new(8).unwrap();
    let noise = TableNoise::new(party.bootstrapper(), space, 3).unwrap();
    let table: Vec<u64> = (0..8).map(|m| m % 2 * 7).collect();
    let values = integers(space, party.ctx.slot_count(), 5);
    let found = circuits.look_up(&encrypted(&party, space, &values, 3), (space, 3), &[&table], &no_progress).unwrap();
    let expected: Vec<u64> = values.iter().map(|&m| table[m as usize]).collect();
    let worst = errors(&party, space, &found[0], &expected).iter().fold(0.0f64, |most, e| most.max(e.abs()));
    let allowed = noise.after(&table, noise.fresh(true), noise.fresh(true)).unwrap();
    assert!(worst < allowed && allowed < noise.limit(), "{worst:e}, {allowed:e}");
}

#[test]
fn chains_for_tables_have_no_other_bootstraps() {
    let space = Space::new(4).unwrap();
    let party = of_tables(space, 3);
    let bootstrapper = party.bootstrapper();
    for kind in [BootstrapKind::Regular, BootstrapKind::Lossy, BootstrapKind::Both] {
        let refused = bootstrapper.bootstrap_key_of(kind, &party.secret, 3, BootstrapKeySize::Medium, &no_progress);
        assert!(matches!(refused, Err(Error::Parameter { .. })), "{refused:?}");
    }
    assert!(matches!(bootstrapper.small_bootstrap_key(&party.secret, &no_progress), Err(Error::Parameter { .. })));
    let key = party.key_of(BootstrapKind::First, 3);
    let x = encrypted(&party, space, &[0, 1, 2, 3], 3);
    for method in [Method::Usual, Method::Regular, Method::Lossy, Method::Sign] {
        let keys = party.keys(&key);
        let refused = bootstrapper.bootstrap_by(method, x.first(), keys, SlotType::Real, &no_progress);
        assert!(matches!(refused, Err(Error::Parameter { .. })), "{method:?}: {refused:?}");
    }
}

/// Keys of one order alone are those that keys of every method have for it, but for the seeds.
#[test]
fn keys_of_the_first_order_alone_serve_it() {
    let party = Party::bootstrap(log_n());
    let key = party.key_of(BootstrapKind::First, 3);
    assert_eq!((key.stage_count(), key.kind()), (3, BootstrapKind::First));
    assert!(key.nbytes() < party.key_of(BootstrapKind::Lossy, 3).nbytes());
    let (key, _) = round_trip(&party.ctx, &key);
    let message = uniform(party.ctx.slot_count(), 8);
    let bootstrapped = |method, level| {
        let keys = party.keys(&key);
        party.bootstrapper().bootstrap_by(
            method,
            &party.encrypt(&message, level),
            keys,
            SlotType::Complex,
            &no_progress,
        )
    };
    for method in [Method::Usual, Method::Lossy] {
        assert_close("first", &party.decrypt(&bootstrapped(method, 3).unwrap()), &message, 20.0);
    }
    for (method, level) in [(Method::Usual, 2), (Method::Regular, 5)] {
        let refused = bootstrapped(method, level);
        assert!(matches!(refused, Err(Error::BootstrapKind { .. })), "{refused:?}");
    }
}

/// Phases on the torus, `c0 + c1·s`, by the definition of a product.
fn phases(party: &Party, x: &TorusCiphertext) -> Vec<u64> {
    let (s, mut out) = (party.secret.coeffs(), x.c0.clone());
    let n = s.len();
    for (j, &s) in s.iter().enumerate().filter(|(_, s)| **s != 0) {
        for (i, &c) in x.c1.iter().enumerate() {
            let term = if i + j < n { c } else { c.wrapping_neg() };
            out[(i + j) % n] = out[(i + j) % n].wrapping_add(term.wrapping_mul(s as u64));
        }
    }
    out
}

/// Integer `m` of `p` is at `m/2p`, with errors below their bound and as large as SlotsToCoeffs' and the input's are.
#[test]
fn integers_go_to_the_torus_without_a_bootstrap() {
    for (p, units, level) in [(2, 1, 3), (4, 3, 4), (16, 4, 4), (16, 2, 3), (64, 2, 4)] {
        let space = Space::new(p).unwrap();
        let party = of_tables(space, level);
        let key = party.key_of(BootstrapKind::First, 3);
        let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
        let noise = TableNoise::new(party.bootstrapper(), space, level).unwrap();
        let values = integers(space, units * party.ctx.slot_count(), p as u64);
        let x = encrypted(&party, space, &values, level);
        let found = circuits.to_torus(&x, space, &no_progress).unwrap();
        assert_eq!((found.len(), circuits.bootstrap_count()), (usize::div_ceil(units, 2), 0));
        let places = party.ctx.torus_places();
        let all: Vec<Vec<u64>> = found.iter().map(|x| phases(&party, x)).collect();
        let error = |(at, &m): (usize, &u64)| {
            let phase = all[at / places.len()][places[at % places.len()]];
            let exact = ((u128::from(m) << 63) / p as u128) as u64;
            phase.wrapping_sub(exact) as i64 as f64 / 63f64.exp2() * p as f64
        };
        let errors: Vec<f64> = values.iter().enumerate().map(error).collect();
        let allowed = noise.on_torus(noise.fresh(true));
        let worst = errors.iter().fold(0.0f64, |most, e| most.max(e.abs()));
        let expected = noise.mean_on_torus(3).hypot(rms_of_fresh(&party, space, level, units));
        println!("p {p}: worst 2^{:.1} of 2^{:.1}", worst.log2(), allowed.log2());
        println!("rms 2^{:.2}, formula 2^{:.2}", rms(&errors).log2(), expected.log2());
        assert!(worst < allowed && allowed < 2.0 * noise.limit(), "{p}: {worst:e}, {allowed:e}");
        assert!((rms(&errors) / expected - 1.0).abs() < 0.2, "{p}: {}", rms(&errors) / expected);
    }
}

/// Errors of fresh integers, of both units where two share a ciphertext, measured.
fn rms_of_fresh(party: &Party, space: Space, level: usize, units: usize) -> f64 {
    let values = integers(space, 4 * party.ctx.slot_count(), 17);
    let fresh = rms(&errors(party, space, &encrypted(party, space, &values, level), &values));
    // An odd unit has no other one's imaginary part.
    fresh * ((2 * units - units % 2) as f64 / units as f64).sqrt()
}

#[test]
fn what_has_no_way_to_the_torus_is_refused() {
    let space = Space::new(4).unwrap();
    let party = of_tables(space, 3);
    let key = party.key_of(BootstrapKind::First, 3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let low = circuits.to_torus(&encrypted(&party, space, &[1], 2), space, &no_progress).unwrap_err();
    assert!(matches!(low, Error::LevelExhausted { op: "from_bulk", .. }), "{low}");
    let stranger = Party::of(party.ctx.clone());
    let other = circuits.to_torus(&encrypted(&stranger, space, &[1], 3), space, &no_progress).unwrap_err();
    assert!(matches!(other, Error::Object(ObjectError::OtherSecret { .. })), "{other}");
    let stop = |_, _| std::ops::ControlFlow::Break(());
    let stopped = circuits.to_torus(&encrypted(&party, space, &[1, 2], 3), space, &stop).unwrap_err();
    assert!(matches!(stopped, Error::Cancelled(_)), "{stopped}");
}

/// In the chain of other bootstraps: `x` is at `(x + 1)/2·(p − 1)` of an integer, from one end to the other.
#[test]
fn numbers_go_to_the_torus_within_their_error() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    for (bits, level) in [(1, 3), (4, 5), (8, 3)] {
        let p = 1u64 << bits;
        let mut numbers: Vec<f64> = uniform(party.ctx.slot_count(), p).iter().map(|z| z.re).collect();
        (numbers[0], numbers[1]) = (-1.0, 1.0);
        let slots: Vec<Complex64> = numbers.iter().map(|&x| x.into()).collect();
        let plain = party.ctx.encode_units(&slots, level).unwrap();
        let plain = party.ctx.declare_units(plain.on_reals(true), Bound::declared(1.0).unwrap()).unwrap();
        let x = party.ctx.encrypt_units(&plain, &party.public).unwrap();
        let found = circuits.numbers_to_torus(&x, bits, &no_progress).unwrap();
        let (places, phases) = (party.ctx.torus_places(), phases(&party, &found[0]));
        let (allowed, _) = circuits.error_of_numbers(&x, bits);
        let errors = numbers.iter().zip(&places).map(|(x, &place)| {
            let exact = (x + 1.0) / 2.0 * (p - 1) as f64;
            phases[place] as i64 as f64 / 63f64.exp2() * p as f64 - exact
        });
        let worst = errors.fold(0.0f64, |most, e| most.max(e.abs()));
        println!("{p} levels: worst 2^{:.1} of 2^{:.1}", worst.log2(), allowed.log2());
        assert!(worst < allowed && allowed < 0.05, "{p}: {worst:e}, {allowed:e}");
    }
    let large = encrypted_numbers(&party, 1.5);
    let refused = circuits.numbers_to_torus(&large, 4, &no_progress).unwrap_err();
    assert!(matches!(refused, Error::SignBound { op: "from_ckks", .. }), "{refused}");
    for bits in [0, 9] {
        let refused = circuits.numbers_to_torus(&encrypted_numbers(&party, 1.0), bits, &no_progress).unwrap_err();
        assert!(matches!(refused, Error::Parameter { .. }), "{refused}");
    }
}

fn encrypted_numbers(party: &Party, bound: f64) -> Units<Ciphertext> {
    let plain = party.ctx.encode_units(&[0.5.into()], 3).unwrap().on_reals(true);
    let plain = party.ctx.declare_units(plain, Bound::declared(bound).unwrap()).unwrap();
    party.ctx.encrypt_units(&plain, &party.public).unwrap()
}

/// Integers at all places of units on the torus, which err by a part of their distance, up or down.
fn on_torus(party: &Party, space: Space, values: &[u64], error: f64) -> Vec<TorusCiphertext> {
    let (p, places, n) = (space.size() as u64, party.ctx.torus_places(), party.secret.coeffs().len());
    let mut word = 7u64;
    let mut next = || {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        word ^ word >> 29
    };
    let off = (error * 63f64.exp2() / p as f64) as i64;
    let mut one = |part: &[u64]| {
        let mut x = TorusCiphertext { c0: vec![0; n], c1: (0..n).map(|_| next()).collect() };
        let masked = phases(party, &x);
        for (i, (&m, &place)) in part.iter().zip(&places).enumerate() {
            let exact = ((u128::from(m) << 63) / u128::from(p)) as u64;
            x.c0[place] = exact.wrapping_add_signed(if i % 2 == 0 { off } else { -off });
        }
        x.c0.iter_mut().zip(masked).for_each(|(c, masked)| *c = c.wrapping_sub(masked));
        x
    };
    values.chunks(2 * party.ctx.slot_count()).map(&mut one).collect()
}

/// With the errors of the table's own roundings, and of the square of theirs.
#[test]
fn integers_come_from_the_torus_through_tables() {
    for (p, units) in [(2, 2), (4, 1), (16, 3), (64, 2)] {
        let space = Space::new(p).unwrap();
        let party = of_tables(space, 3);
        let key = party.key_of(BootstrapKind::First, 3);
        let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
        let noise = TableNoise::new(party.bootstrapper(), space, 3).unwrap();
        let (top, values) = (p as u64 - 1, integers(space, units * party.ctx.slot_count(), p as u64));
        let tables: [Vec<u64>; 2] = [(0..=top).map(|m| m % 2 * top).collect(), (0..=top).collect()];
        let views: Vec<&[u64]> = tables.iter().map(Vec::as_slice).collect();
        for error in [0.0, 0.03] {
            let torus = on_torus(&party, space, &values, error);
            let source = TorusSource { all: &torus, secret_id: party.secret.secret_id(), units };
            let found = circuits.look_up_torus("from_tfhe", source, ([space; 2], 3), &views, &no_progress).unwrap();
            for (y, table) in found.iter().zip(&tables) {
                assert_eq!((y.first().level(), y.count()), (3, units));
                let expected: Vec<u64> = values.iter().map(|&m| table[m as usize]).collect();
                let errors = errors(&party, space, y, &expected);
                let worst = errors.iter().fold(0.0f64, |most, e| most.max(e.abs()));
                // Errors are claimed for 13.3 standard deviations.
                let allowed = noise.after_torus(space, table, error / 13.3).unwrap();
                println!("{p}, {error}: worst 2^{:.1} of 2^{:.1}", worst.log2(), allowed.log2());
                assert!(worst < allowed && allowed < 0.5, "{p}: {worst:e}, {allowed:e}");
                assert!(error == 0.0 || worst > allowed / 8.0, "{p}: {worst:e}, {allowed:e}");
            }
            let [jagged, smooth] =
                tables.each_ref().map(|table| noise.after_torus(space, table, error / 13.3).unwrap());
            assert!(smooth <= jagged);
        }
        // Entries of a larger space.
        if p == 4 {
            let (party, large) = (of_tables(Space::new(16).unwrap(), 3), Space::new(16).unwrap());
            let key = party.key_of(BootstrapKind::First, 3);
            let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
            let values = integers(space, party.ctx.slot_count(), 5);
            let (torus, table) = (on_torus(&party, space, &values, 0.03), [15, 2, 9, 0]);
            let source = TorusSource { all: &torus, secret_id: party.secret.secret_id(), units: 1 };
            let found = circuits.look_up_torus("from_tfhe", source, ([space, large], 3), &[&table], &no_progress);
            let expected: Vec<u64> = values.iter().map(|&m| table[m as usize]).collect();
            let errors = errors(&party, large, &found.unwrap()[0], &expected);
            let worst = errors.iter().fold(0.0f64, |most, e| most.max(e.abs()));
            let noise = TableNoise::new(party.bootstrapper(), space, 3).unwrap();
            let allowed = noise.after_torus(large, &table, 0.03 / 13.3).unwrap();
            println!("4 to 16: worst 2^{:.1} of 2^{:.1}", worst.log2(), allowed.log2());
            assert!(worst < allowed && worst > allowed / 8.0, "{worst:e}, {allowed:e}");
        }
        // They go on as any do.
        let torus = on_torus(&party, space, &values, 0.0);
        let source = TorusSource { all: &torus, secret_id: party.secret.secret_id(), units };
        let y =
            circuits.look_up_torus("from_tfhe", source, ([space; 2], 3), &views[1..], &no_progress).unwrap().remove(0);
        let z = circuits.look_up(&y, (space, 3), &views[..1], &no_progress).unwrap().remove(0);
        let expected: Vec<u64> = values.iter().map(|&m| tables[0][m as usize]).collect();
        assert!(errors(&party, space, &z, &expected).iter().all(|e| e.abs() < noise.limit()));
    }
}

#[test]
fn what_does_not_come_from_the_torus_is_refused() {
    let space = Space::new(4).unwrap();
    let party = of_tables(space, 3);
    let key = party.key_of(BootstrapKind::First, 3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let (torus, own) = (on_torus(&party, space, &[1, 2], 0.0), party.secret.secret_id());
    let refused = |all: &[TorusCiphertext], secret_id, units, table: &[u64]| {
        let source = TorusSource { all, secret_id, units };
        let found = circuits.look_up_torus("from_tfhe", source, ([space; 2], 3), &[table], &no_progress);
        found.unwrap_err()
    };
    let table = [0, 1, 2, 3];
    let other = refused(&torus, everlevel_rlwe::SecretId(own.0 ^ 1), 1, &table);
    assert!(matches!(other, Error::Object(ObjectError::OtherSecret { .. })), "{other}");
    let short = TorusCiphertext { c0: vec![0; 8], c1: vec![0; 8] };
    for error in [
        refused(&[short], own, 1, &table),
        refused(&torus, own, 3, &table),
        refused(&torus, own, 0, &table),
        refused(&torus, own, 1, &table[1..]),
        refused(&torus, own, 1, &[4, 0, 0, 0]),
    ] {
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
    }
    let stop = |_, _| std::ops::ControlFlow::Break(());
    let source = TorusSource { all: &torus, secret_id: own, units: 1 };
    let stopped = circuits.look_up_torus("from_tfhe", source, ([space; 2], 3), &[&table], &stop).unwrap_err();
    assert!(matches!(stopped, Error::Cancelled(_)), "{stopped}");
}

/// In the chain of other bootstraps, from a table of any numbers.
#[test]
fn numbers_come_from_the_torus_within_their_error() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    for (p, error) in [(2, 0.03), (16, 0.02), (64, 0.005)] {
        let space = Space::new(p).unwrap();
        let values = integers(space, party.ctx.slot_count(), p as u64);
        let table: Vec<f64> = (0..p).map(|m| (m as f64 * 1.7).sin()).collect();
        let torus = on_torus(&party, space, &values, error);
        let source = TorusSource { all: &torus, secret_id: party.secret.secret_id(), units: 1 };
        let std_dev = error / 13.3;
        let x = circuits.numbers_of_torus("from_tfhe", source, (space, std_dev), &table, &no_progress).unwrap();
        assert_eq!(x.first().level(), party.ctx.max_level() - space.depth());
        let found = decrypted(&party, &x);
        let errors = found.iter().zip(&values).map(|(x, &m)| x - table[m as usize]);
        let worst = errors.fold(0.0f64, |most, e| most.max(e.abs()));
        let allowed = x.first().precision_floor().exp2().recip();
        println!("{p}: worst 2^{:.1}, floor 2^{:.1}", worst.log2(), allowed.log2());
        assert!(worst < allowed && allowed < 0.2, "{p}: {worst:e}, {allowed:e}");
    }
    let space = Space::new(4).unwrap();
    let torus = on_torus(&party, space, &[1, 2], 0.0);
    let source = TorusSource { all: &torus, secret_id: party.secret.secret_id(), units: 1 };
    for table in [&[0.0; 3][..], &[0.0, 1.0, 1.5, 0.0], &[0.0, f64::NAN, 1.0, 0.0]] {
        let refused = circuits.numbers_of_torus("from_tfhe", source, (space, 0.0), table, &no_progress).unwrap_err();
        assert!(matches!(refused, Error::Parameter { .. }), "{refused}");
    }
}
