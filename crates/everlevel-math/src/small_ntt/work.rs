//! The operations of a plan.

use super::float::{Consts, Number};
use super::operation::Operation;
use super::passes::{Into, Passes};
use super::plan::Reductions;
use super::sweep::Sweep;
use super::vector::{Lanes, Vector};

/// What a plan does to its caller's words. Whoever makes one has checked their lengths.
pub(super) enum Work<'a, F> {
    /// A forward transform in place, canonical.
    Forward { passes: Passes<F>, reductions: Reductions, x: *mut F },
    /// An inverse transform in place, times `n` and a factor, canonical.
    Inverse { passes: Passes<F>, x: *mut F, scale: F },
    /// A step of a blind rotation.
    Sweep(Sweep<'a, F>),
}

impl<F: Number> Work<'_, F> {
    fn passes(&self) -> Passes<F> {
        match self {
            Self::Forward { passes, .. } | Self::Inverse { passes, .. } => *passes,
            Self::Sweep(sweep) => sweep.passes(),
        }
    }
}

impl<F: Lanes> Operation for Work<'_, F> {
    type Float = F;

    fn is_small(&self) -> bool {
        self.passes().is_small()
    }

    #[inline(always)]
    unsafe fn call<V: Vector<Float = F>>(self) {
        let passes = self.passes();
        // SAFETY: the caller's contract.
        unsafe {
            let c = Consts::<V>::new(passes.q);
            match self {
                Self::Forward { reductions, x, .. } => {
                    passes.forward_first(x, &c);
                    for block in 0..passes.radix {
                        passes.forward_block(x, block, reductions, &c);
                    }
                    for at in (0..passes.n).step_by(V::LANES) {
                        V::load(x.add(at)).canonical(&c).store(x.add(at));
                    }
                }
                Self::Inverse { x, scale, .. } => {
                    for block in 0..passes.radix {
                        passes.inverse_block(x, block, &c);
                    }
                    passes.inverse_last(x, (x, Into::Scaled(scale)), &c);
                }
                Self::Sweep(sweep) => match sweep.count() {
                    1 => sweep.step::<V, 1>(&c),
                    _ => sweep.step::<V, 2>(&c),
                },
            }
        }
    }
}
