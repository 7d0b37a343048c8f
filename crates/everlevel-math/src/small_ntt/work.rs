//! The operations of a plan.

use super::float::Consts;
use super::operation::{self, Operation};
use super::passes::{Into, Passes};
use super::plan::Reductions;
use super::sweep::Sweep;
use super::vector::{Lanes, Vector};
use crate::Simd;

/// What a plan does to its caller's words. Whoever makes one has checked their lengths.
pub(super) enum Work<'a, F> {
    /// A forward transform in place, canonical.
    Forward { passes: Passes<F>, reductions: Reductions, x: *mut F },
    /// An inverse transform in place, times `n` and a factor, canonical.
    Inverse { passes: Passes<F>, x: *mut F, scale: F },
    /// A step of a blind rotation.
    Sweep(Sweep<'a, F>),
}

impl<F: Lanes> Work<'_, F> {
    /// Does the work on the vectors of a backend. Each kind is a function of its own, which compiles faster than all
    /// in one.
    ///
    /// # Safety
    /// The lengths were checked.
    pub(super) unsafe fn run(self, simd: Simd) {
        // SAFETY: the caller's contract.
        unsafe {
            match self {
                Self::Forward { passes, reductions, x } => operation::run(simd, Forward { passes, reductions, x }),
                Self::Inverse { passes, x, scale } => operation::run(simd, Inverse { passes, x, scale }),
                Self::Sweep(sweep) if sweep.count() == 1 => operation::run(simd, Step::<F, 1>(sweep)),
                Self::Sweep(sweep) => operation::run(simd, Step::<F, 2>(sweep)),
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
        // SAFETY: the caller's contract.
        unsafe {
            let c = Consts::<V>::new(passes.q);
            passes.forward_first(x, &c);
            for block in 0..passes.radix {
                passes.forward_block(x, block, reductions, &c);
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
        // SAFETY: the caller's contract.
        unsafe {
            let c = Consts::<V>::new(passes.q);
            for block in 0..passes.radix {
                passes.inverse_block(x, block, &c);
            }
            passes.inverse_last(x, (x, Into::Scaled(scale)), &c);
        }
    }
}

/// A step of `A` accumulators.
struct Step<'a, F, const A: usize>(Sweep<'a, F>);

impl<F: Lanes, const A: usize> Operation for Step<'_, F, A> {
    type Float = F;

    fn is_small(&self) -> bool {
        self.0.passes().is_small()
    }

    #[inline(always)]
    unsafe fn call<V: Vector<Float = F>>(self) {
        // SAFETY: the caller's contract.
        unsafe {
            let c = Consts::<V>::new(self.0.passes().q);
            self.0.step::<V, A>(&c);
        }
    }
}
