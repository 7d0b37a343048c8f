//! Transforms as passes of a plan: the first over the whole, then the rest on each of its children, group by group at
//! the end.

use super::operation::Operation;
use super::passes::{self, BLOCK, GROUP_TWIDDLES, InPlace, Sink, Source};
use super::plan::Plan;
use super::vector::Vector;

/// A plan and its table.
#[derive(Clone, Copy)]
pub(super) struct Passes {
    pub plan: Plan,
    pub table: *const f64,
}

/// No work between the steps of a transform.
#[inline(always)]
pub(super) fn nothing() {}

/// A few groups of a child: their start, their twiddles and their number.
pub(super) struct Groups {
    pub start: usize,
    w: *const f64,
    count: usize,
}

impl Passes {
    /// Children of the first pass.
    #[inline(always)]
    pub(super) fn children(self) -> usize {
        1 << self.plan.log_first
    }

    /// Blocks from one of the first pass's points to the next: the blocks of a child.
    #[inline(always)]
    fn stride(self) -> usize {
        1 << (self.plan.log_m - 3 - self.plan.log_first)
    }

    /// The number of times that a transform calls the work between its steps.
    #[inline(always)]
    pub(super) fn steps(self) -> usize {
        self.stride() + (2 << (self.plan.log_m - 6))
    }

    /// Groups that are taken together: the next step's data are near, but not those that have just been written.
    #[inline(always)]
    fn groups_together(self) -> usize {
        (self.stride() / 8).min(4)
    }

    /// Doubles of the groups that are taken together.
    #[inline(always)]
    pub(super) fn groups_len(self) -> usize {
        self.groups_together() * 8 * BLOCK
    }

    /// The groups of child `first`, some at a time.
    #[inline(always)]
    pub(super) fn groups(self, first: usize) -> impl Iterator<Item = Groups> {
        let count = self.groups_together();
        let w = self.table.wrapping_add(self.plan.group_table());
        (0..self.stride() / 8).step_by(count).map(move |group| {
            let group = self.stride() / 8 * first + group;
            Groups { start: group * 8 * BLOCK, w: w.wrapping_add(GROUP_TWIDDLES * group), count }
        })
    }

    /// The first pass of a forward transform, from a source to blocks in memory.
    ///
    /// # Safety
    /// The contract of [`Vector`]; sources, sinks and data have the blocks of the plan, and the table is the plan's.
    #[inline(always)]
    pub(super) unsafe fn forward_first<V: Vector, S: Source>(self, src: S, out: InPlace, between: &mut impl FnMut()) {
        // SAFETY: the caller vouches for `V`'s instructions, for all blocks of the plan at `src` and `out`, and for the
        // table: its first `2^log_first` doubles are the first pass's twiddles, and points lie `stride` blocks apart.
        unsafe {
            passes::pass::<V, S, InPlace, false>(self.plan.log_first, src, out, self.stride(), self.table, between)
        }
    }

    /// The last pass of an inverse transform.
    ///
    /// # Safety
    /// See [`Passes::forward_first`].
    #[inline(always)]
    pub(super) unsafe fn inverse_last<V: Vector, S: Sink>(self, x: InPlace, out: S, between: &mut impl FnMut()) {
        // SAFETY: the caller vouches for `V`'s instructions, for all blocks of the plan at `x` and `out`, and for the
        // table, which begins with this pass's twiddles.
        unsafe { passes::pass::<V, InPlace, S, true>(self.plan.log_first, x, out, self.stride(), self.table, between) }
    }

    /// The passes between the first one and the groups, on child `first`; `x` is the whole.
    ///
    /// # Safety
    /// See [`Passes::forward_first`].
    #[inline(always)]
    pub(super) unsafe fn forward_middle<V: Vector>(self, x: InPlace, first: usize) {
        let plan = self.plan;
        // The pass's twiddles; its nodes in this child; the blocks from one of a node's points to the next.
        let (mut w, mut nodes, mut stride) = (self.table.wrapping_add(1 << plan.log_first), 1, self.stride());
        let x = InPlace(x.0.wrapping_add(BLOCK * stride * first));
        for &log_radix in plan.log_middle {
            let radix = 1 << log_radix;
            for node in 0..nodes {
                let x = InPlace(x.0.wrapping_add(BLOCK * stride * node));
                let w = w.wrapping_add(radix * (nodes * first + node));
                // SAFETY: the caller vouches for `V`'s instructions and for all blocks at `x`: this node has `stride`
                // blocks from its own start on, which lie in child `first`, and `w` is at its `radix` doubles of the
                // plan's table.
                unsafe { passes::pass::<V, InPlace, InPlace, false>(log_radix, x, x, stride / radix, w, &mut nothing) };
            }
            w = w.wrapping_add((radix * nodes) << plan.log_first);
            nodes *= radix;
            stride /= radix;
        }
    }

    /// The inverse of [`Passes::forward_middle`], times its radices.
    ///
    /// # Safety
    /// See [`Passes::forward_first`].
    #[inline(always)]
    pub(super) unsafe fn inverse_middle<V: Vector>(self, x: InPlace, first: usize) {
        let plan = self.plan;
        // As in `forward_middle`, after its last pass.
        let (mut w, mut nodes, mut stride) = (self.table.wrapping_add(plan.group_table()), self.stride() / 8, 8);
        let x = InPlace(x.0.wrapping_add(BLOCK * self.stride() * first));
        for &log_radix in plan.log_middle.iter().rev() {
            let radix = 1 << log_radix;
            nodes /= radix;
            stride *= radix;
            w = w.wrapping_sub((radix * nodes) << plan.log_first);
            for node in 0..nodes {
                let x = InPlace(x.0.wrapping_add(BLOCK * stride * node));
                let w = w.wrapping_add(radix * (nodes * first + node));
                // SAFETY: the caller vouches for `V`'s instructions and for all blocks at `x`: this node has `stride`
                // blocks from its own start on, which lie in child `first`, and `w` is at its `radix` doubles of the
                // plan's table.
                unsafe { passes::pass::<V, InPlace, InPlace, true>(log_radix, x, x, stride / radix, w, &mut nothing) };
            }
        }
    }

    /// The forward transform of `src` into `out`, which may be the same.
    ///
    /// # Safety
    /// See [`Passes::forward_first`].
    #[inline(always)]
    pub(super) unsafe fn forward<V: Vector, S: Source>(self, src: S, out: InPlace) {
        // SAFETY: the caller vouches for `V`'s instructions, for all blocks of the plan at `src` and `out`, and for its
        // table: what each of the steps asks for.
        unsafe {
            self.forward_first::<V, S>(src, out, &mut nothing);
            for first in 0..self.children() {
                self.forward_middle::<V>(out, first);
                for groups in self.groups(first) {
                    groups.forward_blocks::<V>(out, &mut nothing);
                    groups.forward_lanes::<V>(out, &mut nothing);
                }
            }
        }
    }

    /// The inverse transform of `x`, which it uses up, times `m`, into `out`.
    ///
    /// # Safety
    /// See [`Passes::forward_first`].
    #[inline(always)]
    pub(super) unsafe fn inverse<V: Vector, S: Sink>(self, x: InPlace, out: S) {
        // SAFETY: the caller vouches for `V`'s instructions, for all blocks of the plan at `x` and `out`, and for its
        // table: what each of the steps asks for.
        unsafe {
            for first in 0..self.children() {
                for groups in self.groups(first) {
                    groups.inverse_lanes::<V>(x, &mut nothing);
                    groups.inverse_blocks::<V>(x, &mut nothing);
                }
                self.inverse_middle::<V>(x, first);
            }
            self.inverse_last::<V, S>(x, out, &mut nothing);
        }
    }
}

impl Groups {
    /// The start and the twiddles of a group.
    #[inline(always)]
    fn group(&self, x: InPlace, group: usize) -> (InPlace, *const f64) {
        (InPlace(x.0.wrapping_add(self.start + 8 * BLOCK * group)), self.w.wrapping_add(GROUP_TWIDDLES * group))
    }

    /// Three levels across the blocks of each group; `x` is the whole.
    ///
    /// # Safety
    /// See [`Passes::forward_first`]; the groups are the plan's.
    #[inline(always)]
    pub(super) unsafe fn forward_blocks<V: Vector>(&self, x: InPlace, between: &mut impl FnMut()) {
        for group in 0..self.count {
            let (x, w) = self.group(x, group);
            // SAFETY: the caller vouches for `V`'s instructions and for all blocks at `x`, of which a group is eight;
            // `w` is at the group's `GROUP_TWIDDLES` doubles, which begin with the eight of a node of radix 8.
            unsafe { passes::node::<V, InPlace, InPlace, 8, false>(x, x, 1, w, between) };
        }
    }

    /// The last three levels of each group.
    ///
    /// # Safety
    /// See [`Groups::forward_blocks`].
    #[inline(always)]
    pub(super) unsafe fn forward_lanes<V: Vector>(&self, x: InPlace, between: &mut impl FnMut()) {
        for group in 0..self.count {
            between();
            let (x, w) = self.group(x, group);
            // SAFETY: the caller vouches for `V`'s instructions and for all blocks at `x`, of which a group is eight;
            // `w` is at the group's `GROUP_TWIDDLES` doubles.
            unsafe { passes::forward_lanes::<V>(x, w) };
        }
    }

    /// The inverse of [`Groups::forward_lanes`], times 8.
    ///
    /// # Safety
    /// See [`Groups::forward_blocks`].
    #[inline(always)]
    pub(super) unsafe fn inverse_lanes<V: Vector>(&self, x: InPlace, between: &mut impl FnMut()) {
        for group in 0..self.count {
            between();
            let (x, w) = self.group(x, group);
            // SAFETY: the caller vouches for `V`'s instructions and for all blocks at `x`, of which a group is eight;
            // `w` is at the group's `GROUP_TWIDDLES` doubles.
            unsafe { passes::inverse_lanes::<V>(x, w) };
        }
    }

    /// The inverse of [`Groups::forward_blocks`], times 8.
    ///
    /// # Safety
    /// See [`Groups::forward_blocks`].
    #[inline(always)]
    pub(super) unsafe fn inverse_blocks<V: Vector>(&self, x: InPlace, between: &mut impl FnMut()) {
        for group in 0..self.count {
            let (x, w) = self.group(x, group);
            // SAFETY: the caller vouches for `V`'s instructions and for all blocks at `x`, of which a group is eight;
            // `w` is at the group's `GROUP_TWIDDLES` doubles, which begin with the eight of a node of radix 8.
            unsafe { passes::node::<V, InPlace, InPlace, 8, true>(x, x, 1, w, between) };
        }
    }
}

/// The forward transform of a source.
pub(super) struct Forward<S> {
    pub passes: Passes,
    pub src: S,
    pub out: InPlace,
}

impl<S: Source> Operation for Forward<S> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        // SAFETY: the caller vouches for `V`'s instructions, and for a source, a result and a table of the plan's
        // lengths.
        unsafe { self.passes.forward::<V, S>(self.src, self.out) }
    }
}

/// The inverse transform of `x`, times `m`, to a sink. It uses `x` up.
pub(super) struct Inverse<S> {
    pub passes: Passes,
    pub x: InPlace,
    pub out: S,
}

impl<S: Sink> Operation for Inverse<S> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        // SAFETY: the caller vouches for `V`'s instructions, and for data, a sink and a table of the plan's lengths.
        unsafe { self.passes.inverse::<V, S>(self.x, self.out) }
    }
}
