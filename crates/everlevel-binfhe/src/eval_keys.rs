//! Evaluation keys: the bootstrapping key and the key-switch key of one secret, and programmable bootstrapping with
//! them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use everlevel_objects::require_secret;
use everlevel_rand::sampler::Gaussian;
use everlevel_rand::{Domain, Seed};
use everlevel_ring::{Footprint, SmallTorusRing};
use everlevel_rlwe::lwe::{KeySwitchKey, SeededKeySwitchKey, SwitchShape, switch_modulus};
use everlevel_rlwe::{Lwe, Randomness, SecretId};
use rayon::prelude::*;

use crate::bootstrap_key::BootstrapKey;
use crate::common::Order;
use crate::gates::same_length;
use crate::secret::SmallSecretKey;
use crate::{
    Ciphertext, Error, FailureBound, Lut, NoiseSum, Params, Progress, SecretKey, SeededBootstrapKey, key_noise,
    no_progress, noise, noise_sum,
};

/// Evaluation keys as seeds and bodies: half the size or less, for files and for sending.
#[derive(Debug, Clone)]
pub struct SeededEvalKeys {
    params: Arc<Params>,
    id: SecretId,
    /// The bootstrapping key.
    pub bootstrap: SeededBootstrapKey,
    /// The key-switch keys to the intermediate secrets, in their order.
    pub landings: Vec<SeededKeySwitchKey>,
    /// The key-switch key to the small secret.
    pub key_switch: SeededKeySwitchKey,
}

/// Evaluation keys ready for use. They hold nothing secret.
#[derive(Debug)]
pub struct EvalKeys {
    params: Arc<Params>,
    id: SecretId,
    bootstrap: BootstrapKey,
    /// The key-switch keys in their order.
    key_switches: Vec<KeySwitchKey>,
    done: AtomicUsize,
}

impl Params {
    /// The memory of evaluation keys, as seeds and bodies and ready for use.
    pub fn eval_keys_footprint(&self) -> Footprint {
        let bodies = 8 * self.scheme().body_count() * self.n();
        // NTRU's key gives them back.
        let (kept, work) = if self.literal().is_ntru() { (0, bodies) } else { (bodies, 0) };
        let switches = self.switches();
        let seeded = kept + switches.iter().map(|step| 4 * step.shape.body_len()).sum::<usize>();
        let bootstrap = self.scheme().prepared_nbytes();
        let key_switch: usize = switches.iter().map(|step| KeySwitchKey::nbytes_of(step.shape)).sum();
        Footprint { held: (seeded + bootstrap + key_switch) as u64, work: work as u64 }
    }
}

impl SeededEvalKeys {
    /// The keys of a secret, with a seed from the secret's source.
    ///
    /// # Errors
    /// [`Error::Random`].
    pub fn generate(secret: &SecretKey) -> Result<Self, Error> {
        Self::from_seed(secret, &secret.seeds.next()?)
    }

    /// The keys of a secret, from a seed that must be secret and fresh.
    ///
    /// # Errors
    /// [`Error::Random`].
    pub fn from_seed(secret: &SecretKey, seed: &Seed) -> Result<Self, Error> {
        Self::from_seed_reporting(secret, seed, &no_progress)
    }

    /// [`SeededEvalKeys::generate`] with reports of progress: a step for each row of the bootstrapping key.
    ///
    /// # Errors
    /// [`Error::Random`], [`Error::Cancelled`].
    pub fn generate_reporting(secret: &SecretKey, progress: Progress<'_>) -> Result<Self, Error> {
        Self::from_seed_reporting(secret, &secret.seeds.next()?, progress)
    }

    pub(crate) fn from_seed_reporting(secret: &SecretKey, seed: &Seed, progress: Progress<'_>) -> Result<Self, Error> {
        let bootstrap = SeededBootstrapKey::generate_reporting(secret, &seed.derive(Domain::Derive, 0), progress)?;
        let (landings, key_switch) = Self::key_switches_of(secret, seed)?;
        Ok(Self { params: Arc::clone(secret.params()), id: secret.id(), bootstrap, landings, key_switch })
    }

    /// The key-switch keys to the intermediate secrets and to the small one.
    fn key_switches_of(
        secret: &SecretKey,
        seed: &Seed,
    ) -> Result<(Vec<SeededKeySwitchKey>, SeededKeySwitchKey), Error> {
        let params = secret.params();
        let switches = params.switches();
        let key_switch = |i: usize, to: &SmallSecretKey, (randomness, error): &(Randomness, Gaussian)| {
            let SwitchShape { gadget, degree, from_dim, shared, .. } = switches[i].shape;
            let own = &secret.big()[shared..from_dim];
            SeededKeySwitchKey::generate(SmallTorusRing::new(degree), own, to, (gadget, error), randomness.clone())
        };
        let drawn = key_noise::lucky_switches(secret, seed)?;
        let (last, landings) = drawn.split_last().expect("one key switch at least");
        let to_landing = |(i, drawn)| key_switch(i, &secret.landing_key(i), drawn);
        let key_switches = landings.iter().enumerate().map(to_landing).collect();
        Ok((key_switches, key_switch(landings.len(), secret.small_key(), last)))
    }

    /// Keys from their parts, for files.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where a part has not the parameters' length.
    pub(crate) fn from_parts(
        params: Arc<Params>,
        id: SecretId,
        bootstrap: SeededBootstrapKey,
        landings: Vec<SeededKeySwitchKey>,
        key_switch: SeededKeySwitchKey,
    ) -> Result<Self, Error> {
        let op = "from_parts";
        same_length(op, bootstrap.bodies.len(), params.scheme().body_count() * params.n())?;
        same_length(op, landings.len(), params.landings.len())?;
        for (key, step) in landings.iter().chain([&key_switch]).zip(params.switches()) {
            same_length(op, key.bodies.len(), step.shape.body_len())?;
        }
        Ok(Self { params, id, bootstrap, landings, key_switch })
    }

    /// The parameters.
    pub fn params(&self) -> &Arc<Params> {
        &self.params
    }

    /// The secret that the keys belong to.
    pub fn id(&self) -> SecretId {
        self.id
    }

    /// The key-switch keys, one after another.
    pub(crate) fn key_switches(&self) -> impl Iterator<Item = &SeededKeySwitchKey> {
        self.landings.iter().chain([&self.key_switch])
    }

    /// Bytes held by both keys.
    pub fn nbytes(&self) -> usize {
        let key_switches = self.key_switches().map(|key| size_of_val(&key.bodies[..])).sum::<usize>();
        size_of_val(&self.bootstrap.bodies[..]) + key_switches
    }

    /// The keys ready for use.
    pub fn prepare(&self) -> EvalKeys {
        EvalKeys::new(&self.params, self.id, self.bootstrap.prepare(&self.params), self.key_switches())
    }
}

/// Ciphertexts that one pass over the key-switch key serves.
const KEY_SWITCHES_TOGETHER: usize = 16;

impl EvalKeys {
    /// The keys of a secret, ready for use: [`SeededEvalKeys::generate`] and [`SeededEvalKeys::prepare`].
    ///
    /// # Errors
    /// [`Error::Random`].
    pub fn generate(secret: &SecretKey) -> Result<Self, Error> {
        Ok(SeededEvalKeys::generate(secret)?.prepare())
    }

    fn new<'a>(
        params: &Arc<Params>,
        id: SecretId,
        bootstrap: BootstrapKey,
        key_switches: impl Iterator<Item = &'a SeededKeySwitchKey>,
    ) -> Self {
        let key_switches = key_switches.zip(params.switches()).map(|(key, to)| key.prepare(to.shape)).collect();
        Self { params: Arc::clone(params), id, bootstrap, key_switches, done: AtomicUsize::new(0) }
    }

    /// The parameters.
    pub fn params(&self) -> &Arc<Params> {
        &self.params
    }

    /// The secret that the keys belong to.
    pub fn id(&self) -> SecretId {
        self.id
    }

    /// The bootstrapping key.
    pub fn bootstrap_key(&self) -> &BootstrapKey {
        &self.bootstrap
    }

    /// Bytes of the key switch.
    pub fn key_switch_nbytes(&self) -> usize {
        self.key_switches.iter().map(KeySwitchKey::nbytes).sum()
    }

    /// Bootstraps that were done with these keys.
    pub fn bootstrap_count(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Bytes held by both keys.
    pub fn nbytes(&self) -> usize {
        self.bootstrap.nbytes() + self.key_switch_nbytes()
    }

    /// Programmable bootstrapping of raw LWE ciphertexts: for each, one output for each table of its [`Lut`]. The order
    /// of key switch and rotation is the parameters'; where rotations come first, `key_switch` says whether one
    /// follows.
    ///
    /// One pass over the bootstrapping key serves many inputs; the threads of the current rayon pool take equal parts.
    ///
    /// # Panics
    /// If lengths or dimensions differ.
    pub fn bootstrap_lwe(&self, inputs: &[Lwe], luts: &[&Lut], key_switch: bool) -> Vec<Vec<Lwe>> {
        let inputs: Vec<_> = inputs.iter().map(|lwe| (lwe.clone(), NoiseSum::default())).collect();
        let out = if key_switch { self.bootstrap(&inputs, luts) } else { self.rotate(&inputs, luts) };
        out.into_iter().map(|all| all.into_iter().map(|(lwe, _)| lwe).collect()).collect()
    }

    /// [`EvalKeys::bootstrap_lwe`] with a key switch, and with the noise of each output.
    pub(crate) fn bootstrap(&self, inputs: &[(Lwe, NoiseSum)], luts: &[&Lut]) -> Vec<Vec<(Lwe, NoiseSum)>> {
        let rotated = self.rotate(inputs, luts);
        match self.params.order {
            Order::KeySwitchFirst => rotated,
            Order::BootstrapFirst => {
                let big: Vec<&(Lwe, NoiseSum)> = rotated.iter().flatten().collect();
                let threads = rayon::current_num_threads();
                let together = KEY_SWITCHES_TOGETHER.min(big.len().div_ceil(threads)).max(1);
                let chunks: Vec<&[&(Lwe, NoiseSum)]> = big.chunks(together).collect();
                let mut small = map(threads, chunks.len(), |i| self.switched(chunks[i])).into_iter().flatten();
                rotated.iter().map(|outputs| small.by_ref().take(outputs.len()).collect()).collect()
            }
        }
    }

    /// Blind rotations, with the key switch where it comes first, and the noise of each output.
    pub(crate) fn rotate(&self, inputs: &[(Lwe, NoiseSum)], luts: &[&Lut]) -> Vec<Vec<(Lwe, NoiseSum)>> {
        let threads = rayon::current_num_threads();
        let exponents = map(threads, inputs.len(), |i| self.exponents(&inputs[i].0, luts[i].log2_stride()));
        let rotated = self.bootstrap.blind_rotate(&exponents, luts, threads);
        self.done.fetch_add(inputs.len(), Ordering::Relaxed);
        let variance = self.params.noise().blind_rotation;
        let with_noise = |(all, failures): (Vec<Lwe>, FailureBound)| {
            let one = |lwe| {
                let noise = NoiseSum::of(&lwe, variance).after(failures.clone());
                (lwe, noise)
            };
            all.into_iter().map(one).collect()
        };
        let failures = inputs.iter().zip(luts).map(|(input, lut)| self.failures(input, lut));
        rotated.into_iter().zip(failures).map(with_noise).collect()
    }

    /// The bootstraps that led to an input, and its own.
    fn failures(&self, (input, noise): &(Lwe, NoiseSum), lut: &Lut) -> FailureBound {
        let probability = self.log2_p_fail(noise.variance_torus(), lut.log2_stride()).exp2();
        let own = FailureBound::one(noise_sum::name(input.mask()), probability);
        FailureBound::union([noise.failures(), &own])
    }

    /// Ciphertexts after the key switch that comes last, with their noise.
    pub(crate) fn switched(&self, big: &[&(Lwe, NoiseSum)]) -> Vec<(Lwe, NoiseSum)> {
        let small = self.key_switch_all(&big.iter().map(|(lwe, _)| lwe).collect::<Vec<_>>());
        let with_noise = |(small, (_, noise)): (Lwe, &&(Lwe, NoiseSum))| {
            let own = NoiseSum::of(&small, self.params.noise().key_switch);
            let noise = NoiseSum::combination([(1.0, noise), (1.0, &own)]);
            (small, noise)
        };
        small.into_iter().zip(big).map(|(small, big)| with_noise((small, big))).collect()
    }

    /// The exponents modulo `2EN` that a ciphertext's rotation takes, mask and body.
    pub fn exponents(&self, input: &Lwe, log2_stride: u32) -> Vec<u32> {
        assert_eq!(input.dim(), self.params.ciphertext_dim(), "the ciphertext's dimension");
        let small = match self.params.order {
            Order::KeySwitchFirst => self.switch(&[input.words()]).swap_remove(0),
            Order::BootstrapFirst => {
                input.words().iter().map(|word| (word.wrapping_add(1 << 31) >> 32) as u32).collect()
            }
        };
        let mut exponents = vec![0; small.len()];
        let step = log2_stride.max(self.params.log2_exponent_step);
        let mean = self.params.secrets.small.mean(self.params.lwe_dim);
        switch_modulus(&mut exponents, &small, self.params.log_table_len() + 1, step, mean);
        exponents
    }

    /// A ciphertext under the large secret as one under the small.
    pub fn key_switch_lwe(&self, big: &Lwe) -> Lwe {
        self.key_switch_all(&[big]).swap_remove(0)
    }

    /// Words of ciphertexts under the large secret as such under the small one, from each intermediate secret to the
    /// next.
    fn switch(&self, big: &[&[u64]]) -> Vec<Vec<u32>> {
        let (first, others) = self.key_switches.split_first().expect("one key switch at least");
        others.iter().fold(first.switch(big), |words, key| {
            let leading = |words: &Vec<u32>| words.iter().map(|&word| u64::from(word) << 32).collect();
            let words: Vec<Vec<u64>> = words.iter().map(leading).collect();
            key.switch(&words.iter().map(Vec::as_slice).collect::<Vec<_>>())
        })
    }

    fn key_switch_all(&self, big: &[&Lwe]) -> Vec<Lwe> {
        let words: Vec<&[u64]> = big.iter().map(|lwe| lwe.words()).collect();
        let small = self.switch(&words).into_iter();
        small.map(|words| Lwe::from_words(words.into_iter().map(|word| u64::from(word) << 32).collect())).collect()
    }

    /// Refuses ciphertexts of other keys.
    pub(crate) fn check(&self, op: &'static str, what: &'static str, ciphertext: &Ciphertext) -> Result<(), Error> {
        Ok(require_secret(op, what, ciphertext.key(), self.id)?)
    }

    /// log2 of the probability that the bootstrap of an input of this variance fails, for a table with this stride.
    fn log2_p_fail(&self, variance: f64, log2_stride: u32) -> f64 {
        let coarser = log2_stride.saturating_sub(self.params.log2_exponent_step);
        let coarser = (f64::from(2 * coarser).exp2() - 1.0) * self.params.noise().mod_switch;
        noise::log2_p_fail(self.params.margin_torus(), self.params.noise().at_table(variance) + coarser)
    }

    /// Refuses inputs whose bootstrap would fail too often: a combination of this variance, a table with this stride,
    /// this margin.
    pub(crate) fn check_noise(&self, op: &'static str, variance: f64, log2_stride: u32) -> Result<(), Error> {
        // Inputs within the parameters' own limits need no counting.
        if log2_stride == 0 && variance <= self.params.squared_norm * self.params.noise().bootstrapped {
            return Ok(());
        }
        let log2_p_fail = self.log2_p_fail(variance, log2_stride);
        let max_log2_p_fail = self.params.max_log2_p_fail;
        // A combination at the limit is made of sums in another order.
        if log2_p_fail > max_log2_p_fail + 1e-6 {
            return Err(Error::NoiseExhausted { op, log2_p_fail, max_log2_p_fail });
        }
        Ok(())
    }
}

/// `f` of `0..len`, on threads where there are several.
pub(crate) fn map<R: Send>(threads: usize, len: usize, f: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    if threads > 1 && len > 1 { (0..len).into_par_iter().map(f).collect() } else { (0..len).map(f).collect() }
}
