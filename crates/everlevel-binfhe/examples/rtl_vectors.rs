//! Test vectors of the accelerator in `rtl/`, from the library's exact path.
//!
//! `cargo run -p everlevel-binfhe --example rtl_vectors -- OUT units` writes vectors of the parts: products,
//! transforms, digits, single steps. `… -- OUT gates SET LOG_P SWITCH_POLYS COUNT` writes gates with their keys: `SET`
//! is the name of a set of NTRU's with four keys and the accelerator's prime; `dimension-640` for that of `gate-64`
//! with a small dimension of 640 (which misses its failure probability by a bit); `blocks` for `gate-64-blocks`'s
//! secret of one-hot blocks over the accelerator's prime; or small ones without security, `degree-64`, `degree-128` or
//! `degree-256`, and `blocks-64` or `blocks-256` with one-hot blocks. The key's stream is laid out for `2^LOG_P`
//! coefficients a clock, and that of the key switch for so many polynomials a clock.
//!
//! Files are words, little-endian, of the width that their name ends in, and `shape.json` beside them. Of degrees below
//! 256, which the library has no parameters for, keys are random, and only the bits are compared; from 256 on they are
//! real, results are decrypted, and are those of the fused path as well.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use everlevel_binfhe::{
    EvalKeys, ExactRotation, Gadget, Gate, KeySwitch, KeySwitchKey, Literal, Lwe, NtruLiteral, Order, Params,
    PrimeGadget, Rotation, SecretKey, SeededBootstrapKey, SeededEvalKeys, SeededKeySwitchKey, SmallSecret, Space, sets,
};
use everlevel_math::{Modulus, Ntt};
use everlevel_rand::{Domain, Seed, SeedSource, Stream, sampler};
use everlevel_ring::{Representation, SmallTorusRing};
use everlevel_rlwe::lwe::{SwitchShape, switch_modulus};

/// `2^20 − 2^14 + 1`.
const PRIME: u64 = 1_032_193;
/// `1/8`.
const EIGHTH: u64 = 1 << 61;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn seed(index: u64) -> Seed {
    Seed::from_bytes([0xac; 32]).derive(Domain::Test, index)
}

fn stream(index: u64) -> Stream {
    seed(index).stream(Domain::Test, 0)
}

/// A folder of vectors.
struct Folder(PathBuf);

impl Folder {
    fn new(path: &str) -> Outcome<Self> {
        fs::create_dir_all(path)?;
        Ok(Self(Path::new(path).into()))
    }

    fn write_32(&self, name: &str, words: impl IntoIterator<Item = u64>) -> Outcome<()> {
        let bytes: Vec<u8> = words.into_iter().flat_map(|x| (x as u32).to_le_bytes()).collect();
        Ok(fs::write(self.0.join(format!("{name}.u32")), bytes)?)
    }

    fn write_64<'a>(&self, name: &str, words: impl IntoIterator<Item = &'a u64>) -> Outcome<()> {
        let bytes: Vec<u8> = words.into_iter().flat_map(|x| x.to_le_bytes()).collect();
        Ok(fs::write(self.0.join(format!("{name}.u64")), bytes)?)
    }
}

fn uniform(stream: &mut Stream, len: usize) -> Vec<u64> {
    let mut out = vec![0; len];
    sampler::uniform_mod(stream, &mut out, PRIME);
    out
}

/// `a·b + c` for all corners, and for a million random operands.
fn products(folder: &Folder) -> Outcome<()> {
    let q = Modulus::new(PRIME)?;
    let powers = [1 << 6, 1 << 13, 1 << 14, 1 << 19, PRIME / 2, PRIME - (1 << 14), PRIME - (1 << 6)];
    // Where the parts of a factor change that the accelerator multiplies one by one.
    let parts = [1 << 17, 1 << 18, 3 << 17, 5 << 17, 7 << 17];
    let around = powers.into_iter().chain(parts).flat_map(|x| [x - 1, x, x + 1]);
    let corners: Vec<u64> = [0, 1, 2, PRIME - 2, PRIME - 1].into_iter().chain(around).collect();
    let mut operands = Vec::new();
    for &a in &corners {
        for &b in &corners {
            operands.extend(corners.iter().map(|&c| [a, b, c]));
        }
    }
    let random = uniform(&mut stream(0), 3_000_000);
    operands.extend(random.chunks_exact(3).map(|abc| [abc[0], abc[1], abc[2]]));
    let all = operands.iter().flat_map(|&[a, b, c]| [a, b, c, q.add(q.mul(a, b), c)]);
    folder.write_32("products", all)
}

fn transformed(ntt: &Ntt, mut poly: Vec<u64>) -> Vec<u64> {
    ntt.forward(&mut poly);
    poly
}

/// Polynomials and their transforms in the library's order.
fn transforms(folder: &Folder, log_n: u32) -> Outcome<()> {
    let (ntt, n) = (Ntt::new(log_n, Modulus::new(PRIME)?)?, 1 << log_n);
    let mut polys = vec![vec![0; n], vec![PRIME - 1; n], (0..n as u64).collect::<Vec<_>>()];
    polys.push((0..n).map(|i| if i == n - 1 { PRIME - 1 } else { 0 }).collect());
    polys.extend((0..8).map(|i| uniform(&mut stream(1 + i), n)));
    let all = polys.iter().flat_map(|poly| [poly.clone(), transformed(&ntt, poly.clone())]).flatten();
    folder.write_32(&format!("transforms-{log_n}"), all)
}

/// The digits of every residue.
fn digits(folder: &Folder, gadget: PrimeGadget) -> Outcome<()> {
    let modulus = Modulus::new(PRIME)?;
    let mut words = Vec::new();
    for x in 0..PRIME {
        let mut residues = vec![0; gadget.digits as usize];
        let centred = if x > PRIME / 2 { x as i64 - PRIME as i64 } else { x as i64 };
        gadget.decompose(centred, |row, digit| residues[row] = modulus.reduce_i64(digit));
        words.extend(residues);
    }
    folder.write_32(&format!("digits-{}-{}-{}", gadget.log2_base, gadget.digits, gadget.dropped), words)
}

/// The torus word of every residue.
fn words(folder: &Folder) -> Outcome<()> {
    let literal = NtruLiteral { lwe_dim: 2, ..small_literal(6, 0) };
    let n = literal.n();
    let exact = ExactRotation::new(&random_key(&literal, 18), &literal);
    let mut words = Vec::new();
    for first in (0..PRIME).step_by(n) {
        let acc: Vec<u64> = (first..first + n as u64).map(|x| x % PRIME).collect();
        let out = exact.extract(&acc, 0);
        words.push(out.words()[0].wrapping_neg());
        words.extend((1..n).map(|j| out.words()[n - j]));
    }
    folder.write_64("words", &words[..PRIME as usize])
}

/// Vectors of the parts.
fn units(folder: &Folder) -> Outcome<()> {
    products(folder)?;
    for log_n in [5, 6, 8, 10] {
        transforms(folder, log_n)?;
    }
    for (base, digits, dropped) in [(3, 6, 2), (2, 8, 4), (4, 4, 4), (3, 7, 0)] {
        self::digits(folder, PrimeGadget::new(base, digits, dropped))?;
    }
    words(folder)?;
    steps(folder, "steps", &NtruLiteral { lwe_dim: 2, ..small_literal(6, 0) }, 3)?;
    steps(folder, "steps-8", &NtruLiteral { lwe_dim: 8, ..small_literal(6, 8) }, 3)
}

/// Bits of a one-hot block of the small secret; 0 for bits without structure.
fn block_of(literal: &NtruLiteral) -> usize {
    if let SmallSecret::OneHot { block } = literal.secret { block } else { 0 }
}

/// Bits of the small secret that a step takes, and its keys.
fn step_of(literal: &NtruLiteral) -> (usize, usize) {
    match block_of(literal) {
        0 => (2, 4),
        block => (block, block),
    }
}

/// Parameters of small degrees, without security; with one-hot blocks of so many bits, if there are any.
fn small_literal(log_n: u32, block: usize) -> NtruLiteral {
    NtruLiteral {
        modulus: PRIME as u32,
        log_n,
        lwe_dim: if log_n < 8 { 32 } else { 64 },
        secret: if block == 0 { SmallSecret::Binary } else { SmallSecret::OneHot { block } },
        lwe_log2_std_dev: -24.0,
        big_log2_std_dev: -28.0,
        gadget: if block == 0 { PrimeGadget::new(3, 6, 2) } else { PrimeGadget::new(4, 4, 4) },
        rotation: if block == 0 { Rotation::FourKeys } else { Rotation::Blocks },
        key_switch: KeySwitch {
            gadget: if log_n == 7 { Gadget::new(2, 6) } else { Gadget::new(1, 12) },
            ring: if log_n < 8 { 16 } else { 32 },
        },
        order: Order::KeySwitchFirst,
        space: Space::Bit,
        squared_norm: 4.0,
        max_log2_p_fail: -30.0,
        insecure: true,
    }
}

/// Parameters and keys of the gates that vectors are made of.
struct Model {
    literal: NtruLiteral,
    shape: SwitchShape,
    bootstrap: SeededBootstrapKey,
    switch: SeededKeySwitchKey,
    prepared_switch: KeySwitchKey,
    exact: ExactRotation,
    /// The secret and the fused path, for parameters that the library has.
    real: Option<(SecretKey, EvalKeys)>,
}

impl Model {
    fn new(literal: NtruLiteral) -> Outcome<Self> {
        let KeySwitch { gadget, ring: degree } = literal.key_switch;
        let shape = SwitchShape { gadget, degree, from_dim: literal.n(), to_dim: literal.lwe_dim, shared: 0 };
        let mut real = None;
        let (bootstrap, switch) = if literal.log_n < 8 {
            let mut words = vec![0; shape.rows() * degree];
            stream(101).fill_u64(&mut words);
            let switch_bodies = words.iter().map(|&x| x as u32).collect();
            let switch = SeededKeySwitchKey { mask_seed: seed(103), bodies: switch_bodies };
            (random_key(&literal, 100), switch)
        } else {
            let params = Arc::new(Params::try_from(Literal::from(literal.clone()))?);
            let secret = SecretKey::with_seeds(params, SeedSource::insecure(seed(104)))?;
            let keys = SeededEvalKeys::from_seed(&secret, &seed(105))?;
            let parts = (keys.bootstrap.clone(), keys.key_switch.clone());
            real = Some((secret, keys.prepare()));
            parts
        };
        let (prepared_switch, exact) = (switch.prepare(shape), ExactRotation::new(&bootstrap, &literal));
        Ok(Self { literal, shape, bootstrap, switch, prepared_switch, exact, real })
    }

    /// A gate's mask and body as exponents, its last accumulator, and its result.
    fn gate(&self, gate: Gate, a: &Lwe, b: &Lwe) -> (Vec<u32>, Vec<u64>, Lwe) {
        let (n, q) = (self.literal.n(), u64::from(self.literal.modulus));
        let (eighths, factor_a, factor_b) = gate.combination();
        let mut input = Lwe::trivial(a.dim(), EIGHTH.wrapping_mul(eighths as u64));
        input.add_multiple(a, factor_a);
        input.add_multiple(b, factor_b);
        let small = self.prepared_switch.switch(&[input.words()]).swap_remove(0);
        let mut exponents = vec![0; small.len()];
        let mean = (1, block_of(&self.literal).max(2) as u32);
        switch_modulus(&mut exponents, &small, self.literal.log_n + 1, 0, mean);
        let exponents = self.exact.relative(&exponents);
        // X^(−body) times the table of 1/8.
        let eighth = (q + 4) / 8;
        let body = exponents[self.literal.lwe_dim] as usize;
        let sign = |j: usize| if (j + body) % (2 * n) < n { eighth } else { q - eighth };
        let acc = self.exact.steps(&exponents[..self.literal.lwe_dim], (0..n).map(sign).collect());
        let out = self.exact.extract(&acc, 0);
        if let Some((_, keys)) = &self.real {
            let lut = everlevel_binfhe::Lut::sign(keys.params(), EIGHTH);
            assert_eq!(keys.bootstrap_lwe(&[input], &[&lut], true)[0][0], out, "the fused path");
        }
        (exponents, acc, out)
    }

    /// An encryption of a bit, or random words.
    fn input(&self, index: u64, bit: bool) -> Outcome<Lwe> {
        match &self.real {
            Some((secret, _)) => Ok(secret.encrypt_bits(&[bit])?[0].lwe().clone()),
            None => {
                let mut words = vec![0; self.literal.n() + 1];
                stream(1000 + index).fill_u64(&mut words);
                Ok(Lwe::from_words(words))
            }
        }
    }

    /// The rows of the key switch: masks, so many polynomials at a time, all rows of these one after the other; then
    /// bodies, with zeros for the polynomials that they lack.
    fn switch_stream(&self, together: usize) -> Vec<u64> {
        let SwitchShape { degree, to_dim, .. } = self.shape;
        let ring = SmallTorusRing::new(degree);
        let masks = to_dim / degree;
        let rows: Vec<Vec<Vec<u32>>> = (0..self.shape.rows())
            .map(|index| ring.uniform(&(), masks, &self.switch.mask_seed, index as u64))
            .collect();
        let mut out = Vec::new();
        for group in 0..masks.div_ceil(together) {
            for row in &rows {
                for polynomial in group * together..(group + 1) * together {
                    let zero = vec![0; degree];
                    out.extend(row.get(polynomial).unwrap_or(&zero).iter().map(|&x| u64::from(x)));
                }
            }
        }
        for body in self.switch.bodies.chunks_exact(degree) {
            out.extend(body.iter().map(|&x| u64::from(x)));
            out.resize(out.len() + (together - 1) * degree, 0);
        }
        out
    }
}

/// The rows of the bootstrapping key, divided by `N` and transformed, in the order in which the accelerator takes
/// them: step by step; of a step clock by clock; row by row; key by key; lane by lane.
fn key_stream(literal: &NtruLiteral, key: &SeededBootstrapKey, log_p: u32) -> Outcome<Vec<u64>> {
    let ntt = Ntt::new(literal.log_n, Modulus::new(literal.modulus.into())?)?;
    let (n, digits, lanes) = (literal.n(), literal.gadget.digits as usize, 1 << log_p);
    let (_, keys) = step_of(literal);
    let (q, clocks) = (ntt.modulus(), n >> log_p);
    let n_inv = q.inv(n as u64);
    let row = |body: &[u64]| transformed(&ntt, body.iter().map(|&x| q.mul(x >> 32, n_inv)).collect());
    let rows: Vec<Vec<u64>> = key.bodies.chunks_exact(n).map(row).collect();
    let mut out = Vec::with_capacity(rows.len() * n);
    for step in rows.chunks_exact(keys * digits) {
        for t in 0..clocks {
            for digit in 0..digits {
                for key in 0..keys {
                    let values = &step[key * digits + digit];
                    out.extend((0..lanes).map(|lane| values[lane / 2 * 2 * clocks + 2 * t + lane % 2]));
                }
            }
        }
    }
    Ok(out)
}

/// Random rows.
fn random_key(literal: &NtruLiteral, index: u64) -> SeededBootstrapKey {
    let (bits, keys) = step_of(literal);
    let rows = literal.lwe_dim / bits * keys * literal.gadget.digits as usize;
    let bodies = uniform(&mut stream(index), rows * literal.n()).iter().map(|x| x << 32).collect();
    SeededBootstrapKey { mask_seed: seed(19), bodies }
}

/// Single steps of random accumulators with random keys.
fn steps(folder: &Folder, prefix: &str, literal: &NtruLiteral, log_p: u32) -> Outcome<()> {
    let (n, block) = (literal.n(), block_of(literal));
    let [mut inputs, mut exponents, mut keys, mut outputs] = [const { Vec::new() }; 4];
    for i in 0..6 {
        let key = random_key(literal, 20 + i);
        let acc = uniform(&mut stream(30 + i), n);
        let mut mask = vec![0; literal.lwe_dim];
        // The first exponent of a block is 0, and no stage takes it.
        let turned = &mut mask[usize::from(block > 0)..];
        sampler::uniform_mod(&mut stream(40 + i), turned, 2 * n as u64);
        exponents.extend_from_slice(turned);
        let mask: Vec<u32> = mask.iter().map(|&x| x as u32).collect();
        outputs.extend(ExactRotation::new(&key, literal).steps(&mask, acc.clone()));
        keys.extend(key_stream(literal, &key, log_p)?);
        inputs.extend(acc);
    }
    for (name, words) in [("inputs", inputs), ("exponents", exponents), ("keys", keys), ("outputs", outputs)] {
        folder.write_32(&format!("{prefix}-{name}"), words)?;
    }
    Ok(())
}

/// Gates with their keys.
fn gates(folder: &Folder, set: &str, log_p: u32, together: usize, count: usize) -> Outcome<()> {
    let named = |name: &str| -> Outcome<NtruLiteral> { sets::find(name)?.literal().ntru().ok_or("not NTRU's".into()) };
    let literal = match set.split_once('-') {
        Some(("degree", degree)) => small_literal(degree.parse::<u32>()?.ilog2(), 0),
        Some(("blocks", degree)) => small_literal(degree.parse::<u32>()?.ilog2(), 8),
        Some(("dimension", lwe_dim)) => NtruLiteral {
            lwe_dim: lwe_dim.parse()?,
            lwe_log2_std_dev: -13.15,
            max_log2_p_fail: -60.0,
            ..named("ntru-gate-64-solinas")?
        },
        _ if set == "blocks" => NtruLiteral {
            modulus: PRIME as u32,
            gadget: PrimeGadget::new(3, 5, 5),
            ..named("ntru-gate-64-blocks-experimental")?
        },
        _ => named(set)?,
    };
    if u64::from(literal.modulus) != PRIME || !matches!(literal.rotation, Rotation::FourKeys | Rotation::Blocks) {
        return Err(format!("{set}: the accelerator has four keys or one-hot blocks, and the prime {PRIME}").into());
    }
    let model = Model::new(literal)?;
    folder.write_32("key", key_stream(&model.literal, &model.bootstrap, log_p)?)?;
    folder.write_32("switch", model.switch_stream(together))?;
    let (mut inputs, mut outputs, mut ops) = (Vec::new(), Vec::<(Lwe, bool)>::new(), Vec::new());
    let (mut exponents, mut accumulators) = (Vec::new(), Vec::new());
    for i in 0..count {
        // Truth tables of fresh bits; then gates of what gates gave.
        let op = (i / 4 + i / 40) % Gate::ALL.len();
        let [a, b] = if i < 40 {
            let bits = [i & 1 == 1, i & 2 == 2];
            [(model.input(2 * i as u64, bits[0])?, bits[0]), (model.input(2 * i as u64 + 1, bits[1])?, bits[1])]
        } else {
            [outputs[i - 40].clone(), outputs[i - 17].clone()]
        };
        let gate = Gate::ALL[op];
        let (exps, acc, out) = model.gate(gate, &a.0, &b.0);
        let bit = gate.of(a.1, b.1);
        if let Some((secret, _)) = &model.real {
            assert_eq!((out.phase(secret.big()) as i64) > 0, bit, "gate {i}, {gate:?}");
        }
        inputs.extend_from_slice(a.0.words());
        inputs.extend_from_slice(b.0.words());
        exponents.extend(exps.into_iter().map(u64::from));
        accumulators.extend(acc);
        ops.push(op as u64);
        outputs.push((out, bit));
    }
    folder.write_64("inputs", &inputs)?;
    folder.write_64("outputs", outputs.iter().flat_map(|(out, _)| out.words()))?;
    folder.write_32("exponents", exponents)?;
    folder.write_32("accumulators", accumulators)?;
    folder.write_32("ops", ops)?;
    let l = &model.literal;
    let log2_p_fail = model.real.as_ref().map(|(_, keys)| keys.params().log2_p_fail(l.squared_norm));
    let shape = serde_json::json!({
        "set": set, "log2_p_fail": log2_p_fail, "LOG_N": l.log_n, "LOG_P": log_p, "LWE_DIM": l.lwe_dim, "BLOCK": block_of(l), "gates": count,
        "DIGITS": l.gadget.digits, "LOG2_BASE": l.gadget.log2_base, "DROPPED": l.gadget.dropped,
        "SWITCH_DIGITS": l.key_switch.gadget.digits, "SWITCH_LOG2_BASE": l.key_switch.gadget.log2_base,
        "SWITCH_DEGREE": l.key_switch.ring, "SWITCH_POLYS": together,
    });
    Ok(fs::write(folder.0.join("shape.json"), serde_json::to_string_pretty(&shape)? + "\n")?)
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        [out, "units"] => units(&Folder::new(out)?),
        [out, "gates", set, log_p, together, count] => {
            gates(&Folder::new(out)?, set, log_p.parse()?, together.parse()?, count.parse()?)
        }
        _ => Err("OUT units, or OUT gates SET LOG_P SWITCH_POLYS COUNT".into()),
    }
}
