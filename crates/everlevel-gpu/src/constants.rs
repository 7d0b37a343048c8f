//! Constants that kernels know primes by: words.h and arithmetic.h have the same types.

use bytemuck::{Pod, Zeroable};
use everlevel_math::Modulus;
use everlevel_ring::Ring;

/// The arithmetic of transforms. Both give the same bits; which is faster depends on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// Words of 64 bits.
    Integers,
    /// Integers in doubles, for devices that multiply doubles at full rate.
    Doubles,
}

impl Arithmetic {
    /// Name in kernels' names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Integers => "integers",
            Self::Doubles => "doubles",
        }
    }

    /// Appends the factor `w`, in `[0, q)`, as kernels of this arithmetic take it.
    pub(crate) fn push_factor(self, out: &mut Vec<u8>, w: u64, q: u64) {
        match self {
            Self::Integers => out.extend(bytemuck::bytes_of(&Factor::new(w, q))),
            Self::Doubles => {
                let centred = if w > q / 2 { -((q - w) as f64) } else { w as f64 };
                out.extend(centred.to_ne_bytes());
            }
        }
    }
}

/// In place of a limb or a unit that a job doesn't need, and of a plaintext that is zero: as in words.h.
pub(crate) const NONE: u32 = u32::MAX;
pub(crate) const ABSENT: u32 = u32::MAX - 1;

/// A factor and its quotient `⌊2^64·w/q⌋`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Factor {
    w: u64,
    quotient: u64,
}

impl Factor {
    pub(crate) fn new(w: u64, q: u64) -> Self {
        Self { w, quotient: ((u128::from(w) << 64) / u128::from(q)) as u64 }
    }
}

/// The constants of one prime.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Prime {
    q: u64,
    /// `⌊2^64/q⌋`.
    reciprocal: u64,
    /// The bits of `q`, less one: what sums of products are shifted by before their quotient is estimated.
    sum_shift: u64,
    /// `⌊2^(64 + sum_shift)/q⌋`.
    sum_reciprocal: u64,
    q_double: f64,
    /// `1/q`.
    inverse: f64,
}

impl Prime {
    pub(crate) fn new(m: &Modulus) -> Self {
        let q = m.q();
        let sum_shift = q.ilog2();
        let [reciprocal, sum_reciprocal] = [64, 64 + sum_shift].map(|k| ((1u128 << k) / u128::from(q)) as u64);
        let (q_double, inverse) = (q as f64, 1.0 / q as f64);
        Self { q, reciprocal, sum_shift: sum_shift.into(), sum_reciprocal, q_double, inverse }
    }
}

/// The roots of a ring's transforms, forward and inverse, each prime's after another: `ψ^rev(i)` and `ψ^-rev(i)`, where
/// `ψ` is the plan's root.
pub(crate) fn roots(ring: &Ring, arithmetic: Arithmetic) -> [Vec<u8>; 2] {
    let mut tables = [Vec::new(), Vec::new()];
    for &prime in ring.all_primes().indices() {
        let m = ring.modulus(prime);
        // The first value of X is the root itself.
        let mut x = vec![0; ring.n()];
        x[1] = 1;
        ring.ntt(prime).forward(&mut x);
        for (table, root) in tables.iter_mut().zip([x[0], m.inv(x[0])]) {
            let mut powers = vec![0; ring.n()];
            let mut power = 1;
            for i in 0..ring.n() {
                powers[i.reverse_bits() >> (usize::BITS - ring.log_n())] = power;
                power = m.mul(power, root);
            }
            powers.into_iter().for_each(|w| arithmetic.push_factor(table, w, m.q()));
        }
    }
    tables
}
