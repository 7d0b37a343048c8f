//! The run-time choice of the instruction set that all kernels use.
//!
//! | backend | needs | chosen |
//! |---|---|---|
//! | `Scalar` | any CPU | where nothing better exists, or `EVERLEVEL_SIMD=scalar` |
//! | `Neon` | aarch64 | always there, or `EVERLEVEL_SIMD=neon` |
//! | `Avx2` | AVX2, FMA | automatically, or `EVERLEVEL_SIMD=avx2` |
//! | `Avx512Ifma` | AVX-512 F, DQ, VL, BW, IFMA, VBMI | automatically, or `EVERLEVEL_SIMD=avx512` |
//!
//! The choice is made once per process and never by timing; every backend gives the same bits.

use std::sync::OnceLock;

/// The instruction set that kernels use. Obtain one from [`Simd::best`] or [`Simd::available`]: holding a value other
/// than `Scalar` is the proof, checked at construction, that this CPU has the instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Simd(pub(crate) Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(dead_code)]
pub(crate) enum Level {
    Scalar,
    Neon,
    Avx2,
    Avx512Ifma,
}

impl Level {
    /// The instruction set of the kernels in four lanes.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const FOUR_LANES: Level = Level::Avx2;
    /// The instruction set of the kernels in four lanes.
    #[cfg(target_arch = "aarch64")]
    pub(crate) const FOUR_LANES: Level = Level::Neon;
}

impl Simd {
    /// The portable backend.
    pub const SCALAR: Simd = Simd(Level::Scalar);

    /// Every backend that this CPU can run, slowest first.
    pub fn available() -> Vec<Simd> {
        #[allow(unused_mut)]
        let mut all = vec![Simd::SCALAR];
        #[cfg(target_arch = "aarch64")]
        all.push(Simd(Level::Neon));
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Simd(Level::Avx2));
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512ifma")
                && is_x86_feature_detected!("avx512vbmi")
            {
                all.push(Simd(Level::Avx512Ifma));
            }
        }
        all
    }

    /// The best backend of this CPU, or the one that `EVERLEVEL_SIMD` names where this CPU has it; else a line on
    /// stderr says so, once.
    pub fn best() -> Simd {
        static BEST: OnceLock<Simd> = OnceLock::new();
        *BEST.get_or_init(|| {
            let all = Simd::available();
            let best = all[all.len() - 1];
            let Ok(wanted) = std::env::var("EVERLEVEL_SIMD") else { return best };
            all.iter().copied().find(|s| s.name() == wanted).unwrap_or_else(|| {
                let names: Vec<&str> = all.iter().map(|s| s.name()).collect();
                // No caller can take an error here: the one who set the variable reads this line.
                eprintln!(
                    "everlevel: EVERLEVEL_SIMD is {wanted:?}, this CPU has {}; using {}",
                    names.join(", "),
                    best.name()
                );
                best
            })
        })
    }

    /// `"scalar"`, `"neon"`, `"avx2"` or `"avx512"`: the value of `EVERLEVEL_SIMD` that selects this backend.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Scalar => "scalar",
            Level::Neon => "neon",
            Level::Avx2 => "avx2",
            Level::Avx512Ifma => "avx512",
        }
    }
}

/// Runs the kernel of this name in the calling module's `four_lanes` or `avx512` on a prefix of whole vectors and gives
/// the prefix's length: 0 on the portable backend. The caller's portable loop does the rest.
macro_rules! vector_prefix {
    ($simd:expr, $kernel:ident $(::<$($generic:tt),*>)? ($($arg:expr),*)) => {
        match $simd.0 {
            // SAFETY: the kernel needs AVX2 and FMA, and `Simd::available` makes a `Simd` of this level only where it
            // detected both.
            #[cfg(target_arch = "x86_64")]
            $crate::simd::Level::Avx2 => unsafe { four_lanes::$kernel $(::<$($generic),*>)? ($($arg),*) },
            // SAFETY: the kernel needs NEON, which every CPU of this architecture has.
            #[cfg(target_arch = "aarch64")]
            $crate::simd::Level::Neon => unsafe { four_lanes::$kernel $(::<$($generic),*>)? ($($arg),*) },
            // SAFETY: the kernel needs AVX-512 F, DQ, VL, BW, IFMA and VBMI at most, and `Simd::available` makes a
            // `Simd` of this level only where it detected all of them.
            #[cfg(target_arch = "x86_64")]
            $crate::simd::Level::Avx512Ifma => unsafe { avx512::$kernel $(::<$($generic),*>)? ($($arg),*) },
            _ => 0,
        }
    };
}
pub(crate) use vector_prefix;
