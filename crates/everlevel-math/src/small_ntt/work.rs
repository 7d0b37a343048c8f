//! The operations of a plan.

use super::float::Consts;
use super::operation::{self, Operation};
use super::passes::{Into, Passes};
use super::plan::Reductions;
use super::sweep::Sweep;
use super::vector::{Lanes, Vector};
use crate::Simd;

/// Work of a plan on its caller's words, whose lengths the maker of the value has checked.
pub(super) enum Work<'a, F> {
    /// A forward transform in place, canonical.
    Forward { passes: Passes<F>, reductions: Reductions, x: *mut F },
    /// An inverse transform in place, times `n` and a factor, canonical.
    Inverse { passes: Passes<F>, x: *mut F, scale: F },
    /// A step of a blind rotation.
    Sweep(Sweep<'a, F>),
    /// The words of packed keys.
    Expand { passes: Passes<F>, keys: &'a [u8], words: &'a mut [F] },
}

impl<F: Lanes> Work<'_, F> {
    /// Does the work on the vectors of a backend. Each kind is a function of its own, which compiles faster than all
    /// in one.
    ///
    /// # Safety
    /// The lengths were checked.
    pub(super) unsafe fn run(self, simd: Simd) {
        // SAFETY: whoever made the work checked that its words are those of the plan, and `operation::run` picks
        // vectors of this CPU.
        unsafe {
            match self {
                Self::Forward { passes, reductions, x } => operation::run(simd, Forward { passes, reductions, x }),
                Self::Inverse { passes, x, scale } => operation::run(simd, Inverse { passes, x, scale }),
                Self::Expand { passes, keys, words } => operation::run(simd, Expand { passes, keys, words }),
                Self::Sweep(sweep) if sweep.packed => operation::run(simd, Step::<F, true>(sweep)),
                Self::Sweep(sweep) => operation::run(simd, Step::<F, false>(sweep)),
            }
        }
    }
}

struct Forward<F> {
    passes: Passes<F>,
    reductions: Reductions,
    x: *mut F,
}

impl<F: Lanes> Operation for Forward<F> {
    type Float = F;

    fn is_small(&self) -> bool {
        self.passes.is_small()
    }

    #[inline(always)]
    unsafe fn call<V: Vector<Float = F>>(self) {
        let Self { passes, reductions, x } = self;
        // SAFETY: the caller vouches for `V`'s instructions, and that `x` is `n` words, readable and writable; blocks
        // and vectors divide them, and the tables are the plan's, which outlives the work.
        unsafe {
            let c: Consts<V> = V::consts(passes.q);
            passes.forward_first(x, &c);
            for block in 0..passes.radix {
                passes.forward_block::<V, 0>((passes.forward, x), block, reductions, &c);
            }
            for at in (0..passes.n).step_by(V::LANES) {
                V::load(x.add(at)).canonical(&c).store(x.add(at));
            }
        }
    }
}

struct Inverse<F> {
    passes: Passes<F>,
    x: *mut F,
    scale: F,
}

impl<F: Lanes> Operation for Inverse<F> {
    type Float = F;

    fn is_small(&self) -> bool {
        self.passes.is_small()
    }

    #[inline(always)]
    unsafe fn call<V: Vector<Float = F>>(self) {
        let Self { passes, x, scale } = self;
        // SAFETY: the caller vouches for `V`'s instructions, and that `x` is `n` words, readable and writable, of which
        // the last pass reads and writes the same places; the tables are the plan's, which outlives the work.
        unsafe {
            let c: Consts<V> = V::consts(passes.q);
            for block in 0..passes.radix {
                passes.inverse_block((passes.inverse, x), block, &c);
            }
            passes.inverse_last(|at| V::load(x.add(at)), (x, Into::Scaled(scale)), &c);
        }
    }
}

struct Expand<'a, F> {
    passes: Passes<F>,
    keys: &'a [u8],
    words: &'a mut [F],
}

impl<F: Lanes> Operation for Expand<'_, F> {
    type Float = F;

    fn is_small(&self) -> bool {
        self.passes.is_small()
    }

    #[inline(always)]
    unsafe fn call<V: Vector<Float = F>>(self) {
        let parts = self.keys.chunks_exact(V::LANES * F::KEY_BYTES).zip(self.words.chunks_exact_mut(V::LANES));
        for (keys, words) in parts {
            // SAFETY: the caller vouches for `V`'s instructions, and both chunks are of as many bytes and words as `V`
            // has lanes.
            unsafe { V::Inner::load_key(keys.as_ptr()).store(words.as_mut_ptr()) };
        }
    }
}

/// A step of a blind rotation, with packed keys or such in words.
struct Step<'a, F, const PACKED: bool>(Sweep<'a, F>);

impl<F: Lanes, const PACKED: bool> Operation for Step<'_, F, PACKED> {
    type Float = F;

    fn is_small(&self) -> bool {
        self.0.passes().is_small()
    }

    #[inline(always)]
    unsafe fn call<V: Vector<Float = F>>(self) {
        // SAFETY: the caller vouches for `V`'s instructions, and whoever made the sweep checked the lengths of its
        // accumulators, keys and scratch.
        unsafe {
            let c: Consts<V> = V::consts(self.0.passes().q);
            self.0.step::<V, PACKED>(&c);
        }
    }
}
