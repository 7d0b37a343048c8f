//! The negacyclic number theoretic transform of size `n = 2^3 … 2^17` over a prime below `2^48`.
//!
//! *Map.* `scalar` the portable transform · `passes` and `pairs` the parts that vector backends share · `four_lanes`,
//! `avx512` passes over strides, each with its `_groups` for the levels of smallest distance. Ranges:
//! `docs/notes/ntt-ranges.md`.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_groups;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod four_lanes;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod four_lanes_groups;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod pairs;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod passes;
mod scalar;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::simd::Level;
use crate::simd::Simd;
use crate::{Error, Modulus};

/// A plan: roots of unity for one size and one modulus. Deterministic, so a seed gives the same key everywhere: `ψ` is
/// the first of the powers `g^((q − 1)/2n)`, `g = 2, 3, …`, that has order `2n`.
#[derive(Debug, Clone)]
pub struct Ntt {
    log_n: u32,
    modulus: Modulus,
    n_inv: u64,
    /// `ψ^-brv(1) = ψ^(-n/2)`, the twiddle of the inverse's last level.
    last_root: u64,
    tables: Tables,
}

/// The twiddles, in the layout of the backend.
#[derive(Debug, Clone)]
enum Tables {
    Scalar(scalar::Tables),
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    FourLanes(Box<four_lanes::Tables>),
    #[cfg(target_arch = "x86_64")]
    Avx512(Box<avx512::Tables>),
}

impl Ntt {
    /// Builds the plan.
    ///
    /// # Errors
    /// [`Error::BadSize`] or [`Error::NoRoot`].
    pub fn new(log_n: u32, modulus: Modulus) -> Result<Self, Error> {
        if !(3..=17).contains(&log_n) {
            return Err(Error::BadSize { log_n });
        }
        let q = modulus.q();
        let psi = modulus.root(log_n + 1).ok_or(Error::NoRoot { q, log_two_n: log_n + 1 })?;
        let table = |root: u64| {
            let mut powers = vec![0; 1 << log_n];
            let mut power = 1;
            for i in 0..1usize << log_n {
                powers[i.reverse_bits() >> (usize::BITS - log_n)] = power;
                power = modulus.mul(power, root);
            }
            powers
        };
        let (roots, inv_roots) = (table(psi), table(modulus.inv(psi)));
        let last_root = inv_roots[1];
        let tables = match modulus.simd().0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma if log_n >= avx512::MIN_LOG_N => {
                Tables::Avx512(Box::new(avx512::Tables::new(log_n, q, &roots, &inv_roots)))
            }
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Level::FOUR_LANES if log_n >= four_lanes::MIN_LOG_N => {
                Tables::FourLanes(Box::new(four_lanes::Tables::new(log_n, q, &roots, &inv_roots)))
            }
            _ => Tables::Scalar(scalar::Tables::new(q, &roots, &inv_roots)),
        };
        Ok(Self { log_n, modulus, n_inv: modulus.inv(1 << log_n), last_root, tables })
    }

    /// Bytes of a plan's tables.
    pub fn table_nbytes(log_n: u32) -> usize {
        let halves_of_n = match Simd::best().0 {
            // Twiddles of 16 bytes for all but the last four levels, and forty words for 128 values, twice.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma if log_n >= avx512::MIN_LOG_N => 14,
            // Eight bytes for all but the last three levels, and 64 for eight values, twice.
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Level::FOUR_LANES if log_n >= four_lanes::MIN_LOG_N => 36,
            _ => 64,
        };
        halves_of_n << (log_n - 1)
    }

    /// The modulus.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// `ψ^(n/2)`, a square root of −1: the value of `X^(n/2)` at indices below `n/2`; at the others it is the negative.
    pub fn root_of_minus_one(&self) -> u64 {
        self.modulus.neg(self.last_root)
    }

    /// Forward negacyclic NTT in place: `out[i] = Σ_j a[j]·ψ^((2·brv(i)+1)·j) mod q`.
    ///
    /// # Panics
    /// If `a.len() != n`.
    pub fn forward(&self, a: &mut [u64]) {
        assert_eq!(a.len(), 1 << self.log_n);
        match &self.tables {
            Tables::Scalar(tables) => tables.forward(a),
            // SAFETY: `Ntt::new` makes these tables only where the modulus's `Simd` was detected to have AVX2 and FMA,
            // or NEON; `a` has the `n` words, as was just checked, and is source and result alike.
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Tables::FourLanes(tables) => unsafe { tables.forward(a.as_mut_ptr(), a.as_ptr()) },
            // SAFETY: `Ntt::new` makes these tables only where the modulus's `Simd` was detected to have AVX-512 with
            // IFMA and VBMI; `a` has the `n` words, as was just checked, and is source and result alike.
            #[cfg(target_arch = "x86_64")]
            Tables::Avx512(tables) => unsafe { tables.forward(a.as_mut_ptr(), a.as_ptr()) },
        }
    }

    /// [`Ntt::forward`] of `a` to `out`.
    ///
    /// # Panics
    /// If a length differs from `n`.
    pub fn forward_into(&self, out: &mut [u64], a: &[u64]) {
        assert!(a.len() == 1 << self.log_n && out.len() == a.len());
        match &self.tables {
            Tables::Scalar(tables) => {
                out.copy_from_slice(a);
                tables.forward(out);
            }
            // SAFETY: `Ntt::new` makes these tables only where AVX2 and FMA, or NEON, were detected; both slices have
            // `n` words, as was just checked, and a shared borrow and an exclusive one don't overlap.
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Tables::FourLanes(tables) => unsafe { tables.forward(out.as_mut_ptr(), a.as_ptr()) },
            // SAFETY: `Ntt::new` makes these tables only where AVX-512 with IFMA and VBMI was detected; both slices
            // have `n` words, as was just checked, and a shared borrow and an exclusive one don't overlap.
            #[cfg(target_arch = "x86_64")]
            Tables::Avx512(tables) => unsafe { tables.forward(out.as_mut_ptr(), a.as_ptr()) },
        }
    }

    /// Inverse of [`Ntt::forward`], in place.
    ///
    /// # Panics
    /// If `a.len() != n`.
    pub fn inverse(&self, a: &mut [u64]) {
        self.inverse_scaled(a, 1);
    }

    /// Inverse transform times the constant `c`, at no cost above [`Ntt::inverse`].
    ///
    /// # Panics
    /// If `a.len() != n`.
    pub fn inverse_scaled(&self, a: &mut [u64], c: u64) {
        assert_eq!(a.len(), 1 << self.log_n);
        let scale = self.modulus.mul(self.n_inv, c);
        match &self.tables {
            Tables::Scalar(tables) => tables.inverse(a, scale),
            // SAFETY: `Ntt::new` makes these tables only where AVX2 and FMA, or NEON, were detected; `a` has the `n`
            // words, as was just checked, and is source and result alike.
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Tables::FourLanes(tables) => unsafe {
                tables.inverse(a.as_mut_ptr(), a.as_ptr(), scale, self.modulus.mul(scale, self.last_root));
            },
            // SAFETY: `Ntt::new` makes these tables only where AVX-512 with IFMA and VBMI was detected; `a` has the `n`
            // words, as was just checked, and is source and result alike.
            #[cfg(target_arch = "x86_64")]
            Tables::Avx512(tables) => unsafe {
                tables.inverse(a.as_mut_ptr(), a.as_ptr(), scale, self.modulus.mul(scale, self.last_root));
            },
        }
    }

    /// [`Ntt::inverse_scaled`] of `a` to `out`.
    ///
    /// # Panics
    /// If a length differs from `n`.
    pub fn inverse_scaled_into(&self, out: &mut [u64], a: &[u64], c: u64) {
        assert!(a.len() == 1 << self.log_n && out.len() == a.len());
        let scale = self.modulus.mul(self.n_inv, c);
        match &self.tables {
            Tables::Scalar(tables) => {
                out.copy_from_slice(a);
                tables.inverse(out, scale);
            }
            // SAFETY: `Ntt::new` makes these tables only where AVX2 and FMA, or NEON, were detected; both slices have
            // `n` words, as was just checked, and a shared borrow and an exclusive one don't overlap.
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Tables::FourLanes(tables) => unsafe {
                tables.inverse(out.as_mut_ptr(), a.as_ptr(), scale, self.modulus.mul(scale, self.last_root));
            },
            // SAFETY: `Ntt::new` makes these tables only where AVX-512 with IFMA and VBMI was detected; both slices
            // have `n` words, as was just checked, and a shared borrow and an exclusive one don't overlap.
            #[cfg(target_arch = "x86_64")]
            Tables::Avx512(tables) => unsafe {
                tables.inverse(out.as_mut_ptr(), a.as_ptr(), scale, self.modulus.mul(scale, self.last_root));
            },
        }
    }
}
