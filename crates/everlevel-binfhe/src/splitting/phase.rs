//! The phase before a rotation as a sum over all that is drawn for one key: the words of masks, and the inputs' errors.
//!
//! For the secret that a key belongs to, a key switch is a sum over the mask's coefficients: digit `d` of level `l` of
//! coefficient `i` adds `d` times the phase of the key's row `(i, l)`, which is the row's message and its error. A
//! modulus switch is a sum over the small mask's words `u_j`, whose roundings `r_j` add `−Σ r_j·s_j` and the rounded
//! `µ·Σ r_j`. All of it is computed on the words that the switches themselves have, to the last bit: `verification`
//! compares both.
//!
//! Words are uniform and independent: those of an input's mask, and those that a key switch gives, since these are sums
//! of digits times the key's masks, and a single odd digit makes them uniform over masks. So probabilities are those of
//! a key with these secrets and errors, over all masks that its rows may have.

use everlevel_math::fft::Digits;
use everlevel_rand::Stream;
use everlevel_ring::{Representation, SmallTorusRing};
use everlevel_rlwe::lwe::SeededKeySwitchKey;

use super::levels::{RareEvent, Rung, below, gaussian};
use crate::common::{Order, Space, SwitchStep};
use crate::ntru::widened;
use crate::params::Literal;
use crate::{Params, SecretKey, SeededEvalKeys};

/// The words of one number of those that are drawn.
#[derive(Debug, Clone, Copy)]
enum Coordinate {
    /// A word of a mask that a key switch takes digits of.
    Switched { input: u32, step: u32, secret: i8, rows: u32 },
    /// A word of an input's mask that a key switch keeps, and rounds to 32 bits.
    Kept { input: u32, secret: i8 },
    /// A word of the small mask.
    Small { secret: i8 },
}

/// The distribution of inputs' words.
#[derive(Debug, Clone, Copy)]
enum Words {
    /// Leading bits: 32, 64, or those of limbs.
    Torus(u32),
    /// Residues of a prime, as the torus words nearest to them.
    Residues(u64),
}

/// The randomness of one bootstrap, and its sums.
#[derive(Debug)]
pub(super) struct State {
    /// Words in the order of the coordinates, in the leading bits but for the small mask's 32-bit words.
    pub words: Vec<u64>,
    /// Each word's part of the phase, or its rounding by the modulus switch, in units of `2^-32`.
    terms: Vec<u32>,
    /// The inputs' errors over their deviation.
    normals: Vec<f64>,
    /// The inputs' errors in units of `2^-64`.
    pub errors: Vec<u64>,
    sums: Sums,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self {
            words: self.words.clone(),
            terms: self.terms.clone(),
            normals: self.normals.clone(),
            errors: self.errors.clone(),
            sums: self.sums.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
        self.terms.clone_from(&other.terms);
        self.normals.clone_from(&other.normals);
        self.errors.clone_from(&other.errors);
        self.sums.clone_from(&other.sums);
    }
}

/// Sums over the words.
#[derive(Debug, Clone, Default)]
struct Sums {
    /// The sum of key switches' phases, in units of `2^-32`.
    phase: u32,
    /// The sums of what is below `2^-32` in each input's body, in units of `2^-64`.
    low: Vec<u64>,
    /// The sum of the modulus switch's roundings.
    rounded: i64,
    /// The sum of these roundings times the secret.
    rounded_secret: i64,
}

impl Sums {
    /// Adds `sign` times a word and its term.
    #[inline(always)]
    fn add(&mut self, coordinate: Coordinate, word: u64, term: u32, sign: i64) {
        match coordinate {
            Coordinate::Switched { input, secret, .. } | Coordinate::Kept { input, secret } => {
                self.phase = self.phase.wrapping_add(term.wrapping_mul(sign as u32));
                let low = u64::from(word as u32).wrapping_mul(secret as u64).wrapping_mul(sign as u64);
                self.low[input as usize] = self.low[input as usize].wrapping_add(low);
            }
            Coordinate::Small { secret } => {
                let rounded = sign * i64::from(term as i32);
                self.rounded += rounded;
                self.rounded_secret += rounded * i64::from(secret);
            }
        }
    }
}

/// The record of a step, to take it back.
#[derive(Debug, Default)]
pub(super) struct Undo {
    /// Words and their terms, and where they were.
    words: Vec<(u32, u64, u32)>,
    normals: Vec<f64>,
    errors: Vec<u64>,
    low: Vec<u64>,
}

/// The place of a key switch's words among the coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub start: usize,
    /// Words that the key switch has, kept ones among them if they are drawn.
    pub len: usize,
}

/// The errors before a rotation with one key, for the largest combination of inputs that a set accepts.
#[derive(Debug)]
pub(super) struct Phase {
    coordinates: Vec<Coordinate>,
    /// For each input, each key switch in its order; and then the small mask.
    pub places: Vec<Vec<Place>>,
    pub small: Place,
    /// The digits of each key switch.
    digits: Vec<Digits>,
    /// The phases of the keys' rows.
    rows: Vec<u32>,
    words: Words,
    /// The factors with which inputs are combined.
    pub factors: Vec<u32>,
    /// Deviation of each input's error, in units of `2^-64`.
    deviation: f64,
    /// The mean of a coefficient of the small secret.
    mean: (i64, i64),
    /// log2 of the modulus switch's step, in units of `2^-32`.
    log2_step: u32,
    /// Half a box of the table, or an eighth for bits, in units of `2^-32`.
    margin: i64,
}

/// The factors of the inputs that have errors of their own, and the variance of each over that of a rotation.
///
/// Where the key switch comes first, inputs are combined before it: they are one input, whose error is the sum of all.
fn inputs(params: &Params) -> (Vec<u32>, f64) {
    match (params.order, params.space) {
        (Order::KeySwitchFirst, _) => (vec![1], params.squared_norm),
        (Order::BootstrapFirst, Space::Bit) => (vec![1; params.squared_norm.round() as usize], 1.0),
        (Order::BootstrapFirst, Space::Integer { .. }) => (vec![params.squared_norm.sqrt().round() as u32], 1.0),
    }
}

/// The phases of a key switch's rows, digit by digit for each coefficient that is switched, in units of `2^-32`.
fn row_phases(key: &SeededKeySwitchKey, step: &SwitchStep, to: &crate::secret::SmallSecretKey) -> Vec<u32> {
    let (degree, digits) = (step.shape.degree, step.shape.gadget.digits as usize);
    let ring = SmallTorusRing::new(degree);
    let mut phases = vec![0; step.shape.body_len()];
    for (row, body) in key.bodies.chunks_exact(degree).enumerate() {
        let masks = ring.uniform(&(), SmallTorusRing::rank(to.prepared()), &key.mask_seed, row as u64);
        let mut masked = vec![0u32; degree];
        ring.mask_body(&mut masked, &masks, to.prepared());
        let (block, digit) = (row / digits, row % digits);
        for (r, (body, masked)) in body.iter().zip(&masked).enumerate() {
            phases[(block * degree + r) * digits + digit] = body.wrapping_sub(*masked);
        }
    }
    phases
}

impl Phase {
    /// The phase of a key whose rotations give errors of this variance.
    pub fn new(secret: &SecretKey, keys: &SeededEvalKeys, rotation_variance: f64) -> Self {
        let params = secret.params();
        let (factors, variance) = inputs(params);
        let (mut coordinates, mut places) = (Vec::new(), vec![Vec::new(); factors.len()]);
        let (mut digits, mut rows) = (Vec::new(), Vec::new());
        let switches = params.switches();
        for (index, (key, step)) in keys.key_switches().zip(&switches).enumerate() {
            let shape = step.shape;
            let first_row = rows.len();
            let last = index + 1 == switches.len();
            let landing = (!last).then(|| secret.landing_key(index));
            rows.extend(row_phases(key, step, landing.as_ref().unwrap_or(secret.small_key())));
            digits.push(shape.gadget.into());
            let (kept, switched) = secret.big()[..shape.from_dim].split_at(shape.shared);
            for (input, places) in places.iter_mut().enumerate() {
                let (input, start) = (input as u32, coordinates.len());
                // Later steps take words of 32 bits, which are kept as they are.
                if index == 0 {
                    coordinates.extend(kept.iter().map(|&secret| Coordinate::Kept { input, secret }));
                }
                let row = |i: usize| (first_row + i * shape.gadget.digits as usize) as u32;
                let word = |(i, &secret)| Coordinate::Switched { input, step: index as u32, secret, rows: row(i) };
                coordinates.extend(switched.iter().enumerate().map(word));
                places.push(Place { start, len: coordinates.len() - start });
            }
        }
        let small = Place { start: coordinates.len(), len: params.lwe_dim };
        coordinates.extend(secret.small().iter().map(|&secret| Coordinate::Small { secret }));
        let mean = params.secrets.small.mean(params.lwe_dim);
        Self {
            coordinates,
            places,
            small,
            digits,
            rows,
            words: match params.literal() {
                Literal::Tfhe(literal) => Words::Torus(literal.torus_bits),
                Literal::Limbs(literal) => Words::Torus(literal.bits()),
                Literal::Ntru(literal) => Words::Residues(literal.modulus.into()),
            },
            factors,
            deviation: (variance * rotation_variance).sqrt() * 64f64.exp2(),
            mean: (mean.0.into(), mean.1.into()),
            log2_step: 32 - (params.log_table_len() + 1 - params.log2_exponent_step),
            margin: (params.margin_torus() * 32f64.exp2()) as i64,
        }
    }

    /// The score above which an error gives another entry of the table.
    pub fn threshold(&self) -> f64 {
        self.margin as f64
    }

    /// The state of these words and errors.
    pub fn state(&self, words: Vec<u64>, errors: Vec<u64>) -> State {
        let normals = errors.iter().map(|&error| error as i64 as f64 / self.deviation).collect();
        let mut sums = Sums { low: vec![0; self.factors.len()], ..Sums::default() };
        let all = || self.coordinates.iter().zip(&words);
        let terms: Vec<u32> = all().map(|(&coordinate, &word)| self.term(coordinate, word)).collect();
        all().zip(&terms).for_each(|((&coordinate, &word), &term)| sums.add(coordinate, word, term, 1));
        State { words, terms, normals, errors, sums }
    }

    /// A word's part of the phase; of a small word, its rounding.
    #[inline(always)]
    fn term(&self, coordinate: Coordinate, word: u64) -> u32 {
        let high = (word >> 32) as u32;
        match coordinate {
            Coordinate::Switched { input, step, secret, rows } => {
                // The body has the word times the secret, and the digits are those of the word's negative.
                let (digits, negative) = (self.digits[step as usize], word.wrapping_neg());
                let rows = &self.rows[rows as usize..][..digits.levels as usize];
                let mut phase = high.wrapping_mul(secret as u32);
                for (level, row) in (1..).zip(rows) {
                    phase = phase.wrapping_add((digits.digit(negative, level) as u32).wrapping_mul(*row));
                }
                phase.wrapping_mul(self.factors[input as usize])
            }
            Coordinate::Kept { input, secret } => {
                let kept = (word.wrapping_add(1 << 31) >> 32) as u32;
                high.wrapping_sub(kept).wrapping_mul(secret as u32).wrapping_mul(self.factors[input as usize])
            }
            Coordinate::Small { .. } => {
                let word = word as u32;
                let rounded = word.wrapping_add(1 << (self.log2_step - 1)) & (u32::MAX << self.log2_step);
                rounded.wrapping_sub(word)
            }
        }
    }

    /// The error after the key switches, in units of `2^-32`.
    pub fn switched(&self, state: &State) -> u32 {
        let bodies = state.sums.low.iter().zip(&state.errors).zip(&self.factors);
        bodies.fold(state.sums.phase, |sum, ((low, error), factor)| {
            let body = low.wrapping_add(*error).wrapping_add(1 << 31) >> 32;
            sum.wrapping_add((body as u32).wrapping_mul(*factor))
        })
    }

    /// The error after the modulus switch but for the body's rounding, in units of `2^-32`.
    fn before_rounding(&self, state: &State) -> u32 {
        let mean = (state.sums.rounded * self.mean.0).div_euclid(self.mean.1);
        self.switched(state).wrapping_add(mean as u32).wrapping_sub(state.sums.rounded_secret as u32)
    }

    /// The error at the table in steps of the modulus switch, modulo the whole circle.
    pub fn steps(&self, state: &State) -> u32 {
        self.before_rounding(state).wrapping_add(1 << (self.log2_step - 1)) >> self.log2_step
    }

    /// A word of an input's mask.
    pub fn input_word(&self, stream: &mut Stream) -> u64 {
        let uniform = stream.next_u64();
        match self.words {
            Words::Torus(bits) => uniform >> (64 - bits) << (64 - bits),
            Words::Residues(q) => widened(q)(((u128::from(uniform) * u128::from(q)) >> 64) as u64),
        }
    }

    fn word(&self, coordinate: Coordinate, stream: &mut Stream) -> u64 {
        match coordinate {
            Coordinate::Small { .. } => stream.next_u64() >> 32,
            Coordinate::Switched { step: 1.., .. } => stream.next_u64() >> 32 << 32,
            Coordinate::Switched { .. } | Coordinate::Kept { .. } => self.input_word(stream),
        }
    }

    fn error(&self, normal: f64) -> u64 {
        (normal * self.deviation).round() as i64 as u64
    }
}

impl RareEvent for Phase {
    type State = State;
    type Undo = Undo;

    fn draw(&self, stream: &mut Stream) -> State {
        let words = self.coordinates.iter().map(|&coordinate| self.word(coordinate, stream)).collect();
        let normals: Vec<f64> = self.factors.iter().map(|_| gaussian(stream)).collect();
        let errors = normals.iter().map(|&normal| self.error(normal)).collect();
        State { normals, ..self.state(words, errors) }
    }

    /// The distance of the error from the middle of the errors that a box of the table has: those that are rounded to a
    /// step in `[−margin, margin)`.
    fn score(&self, state: &State) -> f64 {
        let error = i64::from(self.before_rounding(state).wrapping_add(1 << (self.log2_step - 1)) as i32);
        (if error < 0 { -error } else { error + 1 }) as f64
    }

    fn step(&self, state: &mut State, rung: Rung, undo: &mut Undo, stream: &mut Stream) -> Option<f64> {
        let Sums { phase, rounded, rounded_secret, .. } = state.sums;
        undo.words.clear();
        undo.low.clone_from(&state.sums.low);
        undo.normals.clone_from(&state.normals);
        undo.errors.clone_from(&state.errors);
        let count = ((rung.share * self.coordinates.len() as f64) as usize).max(1);
        for _ in 0..count {
            let at = below(stream, self.coordinates.len());
            let coordinate = self.coordinates[at];
            let (word, term) = (&mut state.words[at], &mut state.terms[at]);
            undo.words.push((at as u32, *word, *term));
            state.sums.add(coordinate, *word, *term, -1);
            *word = self.word(coordinate, stream);
            *term = self.term(coordinate, *word);
            state.sums.add(coordinate, *word, *term, 1);
        }
        // An autoregressive step, which leaves Gaussian numbers Gaussian.
        let kept = 1.0 - rung.share;
        for (normal, error) in state.normals.iter_mut().zip(&mut state.errors) {
            *normal = kept * *normal + (1.0 - kept * kept).sqrt() * gaussian(stream);
            *error = self.error(*normal);
        }
        let score = self.score(state);
        if score > rung.level {
            return Some(score);
        }
        for &(at, word, term) in undo.words.iter().rev() {
            (state.words[at as usize], state.terms[at as usize]) = (word, term);
        }
        state.normals.clone_from(&undo.normals);
        state.errors.clone_from(&undo.errors);
        state.sums.low.clone_from(&undo.low);
        (state.sums.phase, state.sums.rounded, state.sums.rounded_secret) = (phase, rounded, rounded_secret);
        None
    }
}

impl State {
    /// The derivative of log-probabilities by the logarithm of the errors' variance: its mean over states for which an
    /// event happened is that of the event's.
    pub fn variance_derivative(&self) -> f64 {
        self.normals.iter().map(|normal| (normal * normal - 1.0) / 2.0).sum()
    }
}
