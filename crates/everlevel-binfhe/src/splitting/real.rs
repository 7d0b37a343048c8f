//! The real key beside the model of its phase: errors of its rotations, and comparisons of both to the last bit.

use everlevel_rand::Stream;
use everlevel_ring::{Progress, report};
use everlevel_rlwe::Lwe;
use everlevel_rlwe::lwe::{KeySwitchKey, switch_modulus};

use super::phase::{Phase, State};
use crate::common::{EIGHTH, Order, Space};
use crate::{Error, EvalKeys, Lut, Params, SecretKey, SeededEvalKeys};

/// Tables of which each rotation gives an entry: their errors are as good as independent.
const TABLES: usize = 64;
/// Rotations between two reports.
pub(super) const ROTATIONS_TOGETHER: usize = 64;

/// A key ready for use, and its secret.
#[derive(Debug)]
pub(super) struct RealKey<'a> {
    secret: &'a SecretKey,
    keys: EvalKeys,
    /// The key switches, one by one.
    switches: Vec<KeySwitchKey>,
}

/// `a·s` of words and coefficients.
fn product(words: &[u64], secret: &[i8]) -> u64 {
    words.iter().zip(secret).fold(0, |sum: u64, (&a, &s)| sum.wrapping_add(a.wrapping_mul(s as u64)))
}

fn leading(words: &[u32]) -> Vec<u64> {
    words.iter().map(|&word| u64::from(word) << 32).collect()
}

impl<'a> RealKey<'a> {
    pub fn new(secret: &'a SecretKey, seeded: &SeededEvalKeys) -> Self {
        let steps = secret.params().switches();
        let switches = seeded.key_switches().zip(&steps).map(|(key, step)| key.prepare(step.shape)).collect();
        Self { secret, keys: seeded.prepare(), switches }
    }

    fn params(&self) -> &Params {
        self.secret.params()
    }

    /// The secret that key switch `index` ends at.
    fn secret_after(&self, index: usize) -> &[i8] {
        match self.params().landings.get(index) {
            Some(landing) => &self.secret.big()[..landing.dim],
            None => self.secret.small(),
        }
    }

    /// The exponents' phase, in steps of the modulus switch.
    fn steps_of(&self, exponents: &[u32]) -> u32 {
        let (mask, body) = exponents.split_at(self.params().lwe_dim);
        let masked = mask.iter().zip(self.secret.small());
        let phase = masked.fold(body[0], |phase, (&a, &s)| phase.wrapping_sub(a.wrapping_mul(s as u32)));
        (phase % (2 * self.params().table_len() as u32)) >> self.params().log2_exponent_step
    }

    /// Mean square of rotations' errors, as a part of the torus squared, and its standard error: outputs of tables as
    /// operations have them, for uniform exponents.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn rotation_variance(
        &self,
        rotations: usize,
        stream: &mut Stream,
        progress: Progress,
    ) -> Result<(f64, f64), Error> {
        let params = self.params();
        let (n, step) = (params.table_len(), params.log2_exponent_step);
        let (bits, table) = match params.space {
            Space::Bit => (1, vec![EIGHTH; 2]),
            // The low digit of a message.
            Space::Integer { bits } => {
                (bits, (0..1 << bits).map(|m: u64| params.space.encode(m % (1 << bits.div_ceil(2)))).collect())
            }
        };
        let lut = Lut::from_torus(params, bits, &vec![table; TABLES.min(n >> (bits + 1))])?;
        let mut squares = Vec::with_capacity(rotations);
        while squares.len() < rotations {
            let mut exponent = || ((((stream.next_u64() >> 32) as usize % (2 * n)) >> step) << step) as u32;
            let mut input = || (0..=params.lwe_dim).map(|_| exponent()).collect::<Vec<u32>>();
            let inputs: Vec<_> = (0..ROTATIONS_TOGETHER).map(|_| input()).collect();
            let luts = vec![&lut; inputs.len()];
            let outputs = self.keys.bootstrap_key().blind_rotate(&inputs, &luts, rayon::current_num_threads());
            for (input, outputs) in inputs.iter().zip(&outputs) {
                let place = (self.steps_of(input) as usize) << step;
                let error = |(t, output): (usize, &Lwe)| {
                    let at = (place + lut.places()[t]) % (2 * n);
                    let sign = if at < n { 1 } else { u64::MAX };
                    let expected = lut.coeffs()[at % n].wrapping_mul(sign);
                    output.phase(self.secret.big()).wrapping_sub(expected) as i64 as f64 * (-64.0f64).exp2()
                };
                let errors = outputs.iter().enumerate().map(error);
                squares.push(errors.map(|error| error * error).sum::<f64>() / outputs.len() as f64);
            }
            report("measure_failure", progress, squares.len() / ROTATIONS_TOGETHER, rotations / ROTATIONS_TOGETHER)?;
        }
        let count = squares.len() as f64;
        let mean = squares.iter().sum::<f64>() / count;
        let spread: f64 = squares.iter().map(|square| (square - mean).powi(2)).sum();
        Ok((mean, (spread / (count - 1.0) / count).sqrt()))
    }

    /// Inputs of uniform masks with these errors through the real switches: the state of the words that they have on
    /// their way, and the real phase in steps of the modulus switch.
    pub fn switched(&self, model: &Phase, errors: Vec<u64>, stream: &mut Stream) -> (State, u32) {
        let big = self.secret.big();
        let mut words = vec![0; model.small.start + model.small.len];
        let mut combined = Lwe::trivial(self.params().lwe_dim, 0);
        let mut exponents = Vec::new();
        for ((places, &factor), error) in model.places.iter().zip(&model.factors).zip(&errors) {
            let mut input: Vec<u64> = (0..big.len()).map(|_| model.input_word(stream)).collect();
            input.push(product(&input, big).wrapping_add(*error));
            if self.params().order == Order::KeySwitchFirst {
                exponents = self.keys.exponents(&Lwe::from_words(input.clone()), 0);
            }
            for (switch, place) in self.switches.iter().zip(places) {
                // Words that a later switch keeps come from the switch before it, and aren't drawn.
                let own = input.len() - 1 - place.len;
                words[place.start..][..place.len].copy_from_slice(&input[own..][..place.len]);
                input = leading(&switch.switch(&[&input])[0]);
            }
            combined.add_multiple(&Lwe::from_words(input), factor.into());
        }
        if self.params().order == Order::BootstrapFirst {
            exponents = self.keys.exponents(&combined, 0);
        }
        words[model.small.start..].iter_mut().zip(combined.mask()).for_each(|(out, &word)| *out = word >> 32);
        (model.state(words, errors), self.steps_of(&exponents))
    }

    /// Whether the model's phase of uniform inputs is that of the real switches.
    pub fn agrees_on_input(&self, model: &Phase, stream: &mut Stream) -> bool {
        let errors = model.factors.iter().map(|_| stream.next_u64()).collect();
        let (state, steps) = self.switched(model, errors, stream);
        model.steps(&state) == steps
    }

    /// The exponents that the real switches make of a state's words, for an input at `message`: those of the key that
    /// has the state's words as sums of its masks. `None` where a switch doesn't give the model's phase.
    fn exponents(&self, model: &Phase, state: &State, message: u64) -> Option<Vec<u32>> {
        let mut phase = (message >> 32) as u32;
        for ((places, &factor), &error) in model.places.iter().zip(&model.factors).zip(&state.errors) {
            let mut switched = error;
            for (index, (switch, place)) in self.switches.iter().zip(places).enumerate() {
                let dim = self.params().switches()[index].shape.from_dim;
                let mut words = vec![0; dim - place.len];
                words.extend(&state.words[place.start..][..place.len]);
                words.push(product(&words, self.secret.big()).wrapping_add(switched));
                let out = leading(&switch.switch(&[&words])[0]);
                switched = Lwe::from_words(out).phase(self.secret_after(index));
            }
            phase = phase.wrapping_add(((switched >> 32) as u32).wrapping_mul(factor));
        }
        let agrees = phase.wrapping_sub((message >> 32) as u32) == model.switched(state);
        let mut small: Vec<u32> = state.words[model.small.start..].iter().map(|&word| word as u32).collect();
        let masked = small.iter().zip(self.secret.small());
        small.push(masked.fold(phase, |body, (&a, &s)| body.wrapping_add(a.wrapping_mul(s as u32))));
        let params = self.params();
        let mean = params.secrets.small.mean(params.lwe_dim);
        let mut exponents = vec![0; small.len()];
        switch_modulus(&mut exponents, &small, params.log_table_len() + 1, params.log2_exponent_step, mean);
        let log2_step = 63 - params.log_table_len() + params.log2_exponent_step;
        let at = (message >> log2_step) as u32;
        let steps = (2 * params.table_len() as u32) >> params.log2_exponent_step;
        let agrees = agrees && (model.steps(state).wrapping_add(at)) % steps == self.steps_of(&exponents);
        agrees.then_some(exponents)
    }

    /// The number of states, of those for which the event happened, whose real switches and rotation give another
    /// message than the input's, and whose real phase is the model's.
    pub fn failures(&self, model: &Phase, states: &[State]) -> Result<usize, Error> {
        let params = self.params();
        let (lut, messages) = match params.space {
            Space::Bit => (Lut::sign(params, EIGHTH), [0, 1]),
            Space::Integer { bits } => (Lut::from_messages(params, &[(0..1 << bits).collect()])?, [1 << (bits - 1); 2]),
        };
        let mut failed = 0;
        for state in states {
            // For bits, a message that the error takes across zero.
            let below = model.steps(state) > params.table_len() as u32 >> params.log2_exponent_step;
            let message = messages[usize::from(below)];
            let Some(exponents) = self.exponents(model, state, params.space.encode(message)) else { continue };
            let output = self.keys.bootstrap_key().blind_rotate(&[exponents], &[&lut], 1).swap_remove(0).swap_remove(0);
            let off = output.phase(self.secret.big()).wrapping_sub(params.space.encode(message)) as i64;
            failed += usize::from(off.unsigned_abs() as f64 * (-64.0f64).exp2() > params.margin_torus());
        }
        Ok(failed)
    }
}
