//! Linear transforms against a matrix product on slots.
//!
//! Slots here are exact: slot `j` modulo a prime `q` is the value at `ψ^(5^j)` (and `ψ^(−5^j)` for the conjugate half),
//! so that a plain matrix product modulo each prime gives the whole expected phase, and what differs from it is noise.

use std::collections::BTreeMap;

use crate::common::{assert_same, difference, ring, secret, seed, small};
use everlevel_ring::{Eval, Poly, PrimeSet, Ring};
use everlevel_rlwe::rounding_std_dev;
use everlevel_rlwe::{Diagonal, Gadget, LinearTransform, Rlwe, SecretKey, SwitchingKey};
use everlevel_testkit::oracle::{bit_reverse, mul_mod};

/// Largest coefficient of a diagonal.
const SIZE: i64 = 4;
const WEIGHT: usize = 64;

/// Index in a limb of slot `j`, or of its conjugate.
fn slot_index(ring: &Ring, j: usize, conjugate: bool) -> usize {
    let two_n = 2 * ring.n();
    let power = (0..j).fold(1, |p, _| p * 5 % two_n);
    let exponent = if conjugate { two_n - power } else { power };
    bit_reverse((exponent - 1) / 2, ring.log_n())
}

/// `out[k] = Σ_d diagonal_d[k]·z[k + d]` in both halves of the slots, modulo each prime of `z`.
fn matrix_product(ring: &Ring, diagonals: &BTreeMap<i64, Poly<Eval>>, z: &Poly<Eval>) -> Poly<Eval> {
    let slots = ring.n() / 2;
    let mut out = ring.zero(z.set());
    for conjugate in [false, true] {
        let at: Vec<usize> = (0..slots).map(|j| slot_index(ring, j, conjugate)).collect();
        ring.each_limb(&mut out, |m, limb, i| {
            for (d, diagonal) in diagonals {
                for k in 0..slots {
                    let from = (k as i64 + d).rem_euclid(slots as i64) as usize;
                    let term = mul_mod(diagonal.limb(i)[at[k]], z.limb(i)[at[from]], m.q());
                    limb[at[k]] = m.add(limb[at[k]], term);
                }
            }
        });
    }
    out
}

#[derive(Clone)]
struct Case {
    log_n: u32,
    babies: Vec<i64>,
    giants: Vec<i64>,
    /// Powers of `X^run`.
    run: usize,
    /// Holds every coefficient all the same.
    whole: bool,
    /// Leaves out some diagonals.
    holes: bool,
    expanded: bool,
    rescale: bool,
}

struct Run {
    ring: Ring,
    secret: SecretKey,
    transform: LinearTransform,
    keys: BTreeMap<i64, SwitchingKey>,
    plain: BTreeMap<i64, Poly<Eval>>,
}

impl Run {
    fn new(case: &Case) -> Self {
        let ring = ring(case.log_n, 5);
        let source = PrimeSet::new([0, 1, 2]);
        let special = PrimeSet::new([3, 4]);
        let target = if case.rescale { PrimeSet::new([0, 1]) } else { source.clone() };
        let gadget = Gadget::balanced(&ring, &source, &special, 5.0);
        let secret = secret(&ring, 1, WEIGHT);
        let mut plain = BTreeMap::new();
        let mut number = 0;
        let diagonals = case
            .giants
            .iter()
            .map(|giant| {
                case.babies
                    .iter()
                    .map(|baby| {
                        number += 1;
                        if case.holes && number % 3 != 0 || plain.contains_key(&(giant + baby)) {
                            return None;
                        }
                        let poly = ring.to_eval(ring.from_i64(&source, &small(&ring, SIZE, case.run, number)));
                        // Moved back by the giant step: diag'[k] = diag[k − giant].
                        let moved = ring.automorphism(&poly, ring.rotation_elt(-giant));
                        plain.insert(giant + baby, poly);
                        let coeffs = ring.to_i128(&ring.to_coeff(moved.restricted(&PrimeSet::new([0]))));
                        let run = if case.whole { 1 } else { case.run };
                        Some(Diagonal::new(coeffs.iter().step_by(run).map(|&c| c as i64).collect()))
                    })
                    .collect()
            })
            .collect();
        let transform =
            LinearTransform { source, target, babies: case.babies.clone(), giants: case.giants.clone(), diagonals };
        let keys = transform
            .rotations()
            .into_iter()
            .map(|r| {
                let elt = ring.rotation_elt(r);
                (r, SwitchingKey::generate_galois(&ring, &secret, elt, gadget.clone(), &seed(r as u64), case.expanded))
            })
            .collect();
        Self { ring, secret, transform, keys, plain }
    }

    fn input(&self) -> Rlwe {
        let mut ct = Rlwe::encrypt_zero(&self.ring, &self.transform.source, &self.secret, &seed(99));
        let message = self.ring.from_i64(&self.transform.source, &small(&self.ring, 1 << 40, 1, 77));
        self.ring.add_assign(&mut ct.c0, &self.ring.to_eval(message));
        ct
    }

    fn apply(&self) -> Rlwe {
        self.transform.apply(&self.ring, &[self.input()], |r| &self.keys[&r]).remove(0)
    }
}

#[track_caller]
fn check(case: &Case) {
    let run = Run::new(case);
    // One rounding at each giant step's mask and one at the end; the keys' own noise is far below (digits of 48 bits
    // under 96).
    let variance = run.transform.giants.len() as f64 + 1.0;
    compare(case, &run, &run.apply(), variance);
}

/// This map from the keys of two steps.
#[track_caller]
fn check_stepwise(case: &Case) {
    let mut run = Run::new(case);
    let steps = run.transform.step_rotations();
    assert!(steps.len() <= 2);
    run.keys.retain(|rotation, _| steps.contains(rotation));
    let out = run.transform.apply_stepwise(&run.ring, &[run.input()], |r| &run.keys[&r]).remove(0);
    // Baby step i has i roundings, which meet the diagonal's coefficients, of variance (9² − 1)/12.
    let babies: f64 = (0..case.babies.len()).map(|i| i as f64).sum::<f64>() * case.giants.len() as f64;
    let coeffs = (run.ring.n() / case.run) as f64 * 80.0 / 12.0;
    let dropped = run.transform.source.difference(&run.transform.target);
    let variance = case.giants.len() as f64 + babies * coeffs;
    compare(case, &run, &out, variance / run.ring.product(&dropped).powi(2) + 1.0);
}

/// `variance` in units of a rounding's.
#[track_caller]
fn compare(case: &Case, run: &Run, out: &Rlwe, variance: f64) {
    let ring = &run.ring;
    assert_eq!(out.set(), &run.transform.target);
    let expected = matrix_product(ring, &run.plain, &run.input().phase(ring, &run.secret));
    // With a rescaling, D·out is compared: both primes of the target hold it.
    let dropped = run.transform.source.difference(&run.transform.target);
    let mut phase = out.phase(ring, &run.secret);
    ring.each_limb(&mut phase, |m, limb, i| m.mul_scalar_assign(limb, ring.product_mod(&dropped, i)));
    let errors = difference(ring, &phase, &expected);
    let worst = errors.iter().fold(0.0f64, |w, x| w.max(x.abs())) / ring.product(&dropped);
    let bound = 7.0 * rounding_std_dev(WEIGHT) * variance.sqrt();
    let keys = run.keys.len();
    println!(
        "babies {:?} giants {:?} run {}: worst {worst:.1}, bound {bound:.1}, {keys} keys",
        case.babies, case.giants, case.run
    );
    assert!(worst > 0.0 && worst < bound, "worst {worst} against {bound}");
}

const BASE: Case = Case {
    log_n: 8,
    babies: vec![],
    giants: vec![],
    run: 1,
    whole: false,
    holes: false,
    expanded: true,
    rescale: false,
};

/// Sixteen neighbouring diagonals, from −8, cut in every way.
#[test]
fn every_baby_step_giant_step_split_gives_the_matrix_product() {
    for log2_babies in 0..=4 {
        for rescale in [false, true] {
            let babies: Vec<i64> = (0..1 << log2_babies).collect();
            let giants: Vec<i64> = (-8..8).step_by(1 << log2_babies).collect();
            check(&Case { babies, giants, rescale, ..BASE });
        }
    }
}

#[test]
fn steps_of_any_stride_sign_and_size_give_the_matrix_product() {
    for (babies, giants) in [
        (vec![0], vec![0]),
        (vec![0], vec![5]),
        (vec![3], vec![0]),
        (vec![0, 16, 32, 48], vec![-64, 0]),
        (vec![-1, 0, 1], vec![-30, 10, 127, 1000]),
        (vec![7, -7, 2], vec![64, -3]),
    ] {
        check(&Case { babies, giants, rescale: true, ..BASE });
    }
}

#[test]
fn two_keys_give_the_matrix_product() {
    let multiples = |step: i64, count: i64| (0..count).map(|i| i * step).collect::<Vec<i64>>();
    for (babies, giants) in [
        (multiples(1, 4), multiples(4, 4)),
        (multiples(-1, 4), multiples(-4, 4)),
        (multiples(16, 2), multiples(32, 8)),
        (multiples(-8, 8), vec![0]),
        (vec![0], multiples(3, 5)),
    ] {
        for (run, rescale, holes) in [(1, false, false), (1, true, false), (16, true, false), (1, true, true)] {
            check_stepwise(&Case { babies: babies.clone(), giants: giants.clone(), run, rescale, holes, ..BASE });
        }
    }
    // Several blocks.
    check_stepwise(&Case { log_n: 13, babies: multiples(1, 2), giants: multiples(2, 2), rescale: true, ..BASE });
    check_stepwise(&Case { log_n: 13, babies: multiples(1, 2), giants: multiples(2, 2), run: 4096, ..BASE });
}

#[test]
fn several_ciphertexts_together_give_the_bits_of_each_alone() {
    let run = Run::new(&Case { log_n: 12, babies: vec![0, 1, 2], giants: vec![0, 3, 6], rescale: true, ..BASE });
    let cts = [run.input(), Rlwe::encrypt_zero(&run.ring, &run.transform.source, &run.secret, &seed(98))];
    let key = |r: i64| &run.keys[&r];
    let hoisted = run.transform.apply(&run.ring, &cts, key);
    let stepwise = run.transform.apply_stepwise(&run.ring, &cts, key);
    assert_eq!([hoisted.len(), stepwise.len()], [2, 2]);
    for (ct, (hoisted, stepwise)) in cts.iter().zip(hoisted.iter().zip(&stepwise)) {
        let alone = run.transform.apply(&run.ring, std::slice::from_ref(ct), key).remove(0);
        assert_same(&hoisted.c0, &alone.c0);
        assert_same(&hoisted.c1, &alone.c1);
        let alone = run.transform.apply_stepwise(&run.ring, std::slice::from_ref(ct), key).remove(0);
        assert_same(&stepwise.c0, &alone.c0);
        assert_same(&stepwise.c1, &alone.c1);
    }
}

#[test]
fn absent_diagonals_count_as_zero() {
    let (babies, giants) = (vec![0, 1, 2, 3], vec![-4, 0, 4, 8]);
    check(&Case { babies: babies.clone(), giants: giants.clone(), holes: true, ..BASE });
    check(&Case { babies, giants, holes: true, run: 16, ..BASE });
    // A giant step without any diagonal.
    check(&Case { babies: vec![0, 1], giants: vec![0, 2, 4, 6, 8], holes: true, rescale: true, ..BASE });
}

#[test]
fn periodic_diagonals_give_the_matrix_product_at_every_run_length() {
    // Runs below eight are stored whole.
    for run in [2, 4, 8, 16, 64, 128] {
        for rescale in [false, true] {
            check(&Case { babies: vec![0, 1, 2, 3], giants: vec![-4, 0, 4], run, rescale, ..BASE });
        }
    }
}

/// Rings of several blocks of 2048 residues, which automorphisms read out of order; runs shorter and longer than a
/// block.
#[test]
fn blocks_are_read_where_the_automorphisms_put_them() {
    for run in [1, 32, 2048, 4096] {
        check(&Case { log_n: 13, babies: vec![0, 1, 700], giants: vec![-2049, 0, 64], run, rescale: run == 1, ..BASE });
    }
}

#[test]
fn seeded_and_expanded_keys_give_the_same_bits() {
    let case =
        |expanded| Case { log_n: 12, babies: vec![0, 1, 2], giants: vec![-3, 0, 3], expanded, rescale: true, ..BASE };
    let (seeded, expanded) = (Run::new(&case(false)).apply(), Run::new(&case(true)).apply());
    assert_same(&seeded.c0, &expanded.c0);
    assert_same(&seeded.c1, &expanded.c1);

    let stepwise = |expanded| {
        let run = Run::new(&Case { giants: vec![0, 3, 6], ..case(expanded) });
        run.transform.apply_stepwise(&run.ring, &[run.input()], |r| &run.keys[&r]).remove(0)
    };
    let (seeded, expanded) = (stepwise(false), stepwise(true));
    assert_same(&seeded.c0, &expanded.c0);
    assert_same(&seeded.c1, &expanded.c1);
}

#[test]
fn runs_and_whole_diagonals_give_the_same_bits() {
    let case = |whole| Case { babies: vec![0, 1, 2], giants: vec![-3, 0, 3], run: 16, whole, ..BASE };
    let [runs, whole] = [false, true].map(|whole| Run::new(&case(whole)));
    let (a, b) = (runs.apply(), whole.apply());
    assert_same(&a.c0, &b.c0);
    assert_same(&a.c1, &b.c1);
    assert_eq!(16 * runs.transform.nbytes(), whole.transform.nbytes());
}

#[test]
fn lifted_and_integer_diagonals_give_the_same_bits() {
    let case = Case { babies: vec![0, 1, 2], giants: vec![-3, 0, 3], holes: true, rescale: true, ..BASE };
    for log_n in [case.log_n, 13] {
        let mut run = Run::new(&Case { log_n, ..case.clone() });
        let integers = run.apply();
        let bytes = run.transform.nbytes();
        run.transform = run.transform.lifted(&run.ring, &PrimeSet::new([3, 4])).unwrap();
        let lifted = run.apply();
        assert_same(&lifted.c0, &integers.c0);
        assert_same(&lifted.c1, &integers.c1);
        // Six bytes for each of five primes in place of eight, and padding.
        assert!(run.transform.nbytes() >= 30 * bytes / 8);
        assert!(run.transform.lifted(&run.ring, &PrimeSet::new([3, 4])).is_none(), "they are lifted");
    }
    let short = Run::new(&Case { run: 16, ..case });
    assert!(short.transform.lifted(&short.ring, &PrimeSet::new([3, 4])).is_none(), "there is nothing to gain");
}

#[test]
fn rotations_lists_every_key_once() {
    let run = Run::new(&Case { babies: vec![0, 1, 2, 4], giants: vec![-4, 0, 4], ..BASE });
    assert_eq!(run.transform.rotations(), [-4, 1, 2, 4]);
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            Run::new(&Case { log_n: 12, babies: vec![0, 1, 2], giants: vec![-3, 0, 3], rescale: true, ..BASE }).apply()
        })
    };
    let (one, many) = (on(1), on(5));
    assert_same(&one.c0, &many.c0);
    assert_same(&one.c1, &many.c1);
}
