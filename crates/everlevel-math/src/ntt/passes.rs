//! The passes of the vector backends: their tables, their order over a limb, and their butterflies' indices.

/// log2 of the block that stays in the first-level cache: 32 KiB.
const LOG_BLOCK: u32 = 12;

/// One pass: some levels, on vectors `stride` words apart.
#[derive(Debug, Clone)]
pub(super) struct Pass<W> {
    pub levels: u32,
    pub stride: usize,
    /// Set for a forward pass that brings values into a smaller range before its last level.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "doubles need no such pass"))]
    pub reduce: bool,
    /// `2^levels − 1` twiddles for each block of `stride·2^levels` values.
    table: Vec<W>,
}

impl<W> Pass<W> {
    /// The passes of a plan (the levels of each, and its `reduce`), from `roots[i] = ψ^±brv(i)`. Twiddles are kept as
    /// `twiddle` gives them.
    pub(super) fn all(
        plan: impl IntoIterator<Item = (u32, bool)>,
        log_n: u32,
        roots: &[u64],
        twiddle: impl Fn(u64) -> W,
    ) -> Vec<Self> {
        let mut level = 0u32;
        let pass = |(levels, reduce): (u32, bool)| {
            let mut table = Vec::with_capacity((1 << level) * ((1 << levels) - 1));
            for k in 1usize << level..2 << level {
                for s in 0..levels {
                    table.extend((0..1 << s).map(|t| twiddle(roots[(k << s) + t])));
                }
            }
            level += levels;
            Self { levels, stride: 1 << (log_n - level), reduce, table }
        };
        plan.into_iter().map(pass).collect()
    }

    /// Values of a block.
    fn span(&self) -> usize {
        self.stride << self.levels
    }

    /// True for the pass of greatest strides in a transform of size `n`: the first forward one, the last inverse one.
    pub(super) fn is_top(&self, n: usize) -> bool {
        self.span() == n
    }

    /// The twiddles of the block that begins at word `start`.
    pub(super) fn twiddles(&self, start: usize) -> *const W {
        self.table[start / self.span() * ((1 << self.levels) - 1)..].as_ptr()
    }
}

/// The order of a forward transform: passes whose blocks are too large for the first-level cache sweep the limb; then
/// each block goes through the others and its groups (the levels of smallest distance) while it is there. Calls
/// `pass(pass, start, len)` and `groups(start, len)` for ranges of words.
#[inline(always)]
pub(super) fn forward<W>(
    n: usize,
    passes: &[Pass<W>],
    mut pass: impl FnMut(&Pass<W>, usize, usize),
    mut groups: impl FnMut(usize, usize),
) {
    let (sweeps, inner) = passes.split_at(swept(passes));
    sweeps.iter().for_each(|p| pass(p, 0, n));
    let block = n.min(1 << LOG_BLOCK);
    for start in (0..n).step_by(block) {
        inner.iter().for_each(|p| pass(p, start, block));
        groups(start, block);
    }
}

/// The order of an inverse transform: that of [`forward`] from its end.
#[inline(always)]
pub(super) fn inverse<W>(
    n: usize,
    passes: &[Pass<W>],
    mut pass: impl FnMut(&Pass<W>, usize, usize),
    mut groups: impl FnMut(usize, usize),
) {
    let (sweeps, inner) = passes.split_at(swept(passes));
    let block = n.min(1 << LOG_BLOCK);
    for start in (0..n).step_by(block) {
        groups(start, block);
        inner.iter().rev().for_each(|p| pass(p, start, block));
    }
    sweeps.iter().rev().for_each(|p| pass(p, 0, n));
}

/// Copies the `len` words from `start`, unless they are there: a block that is about to be worked on in cache.
///
/// # Safety
/// `src` is readable and `dst` writable for `start + len` words; they are equal or don't overlap.
#[inline]
pub(super) unsafe fn take_block(dst: *mut u64, src: *const u64, start: usize, len: usize) {
    if !std::ptr::eq(dst, src) {
        // SAFETY: the caller vouches for the words, and that different pointers are of words that don't overlap.
        unsafe { std::ptr::copy_nonoverlapping(src.add(start), dst.add(start), len) };
    }
}

/// Levels of a transform of size `2^log_n` that are swept over the whole limb, at most.
pub(super) fn swept_levels(log_n: u32) -> u32 {
    log_n.saturating_sub(LOG_BLOCK)
}

/// The number of passes that sweep the limb.
fn swept<W>(passes: &[Pass<W>]) -> usize {
    passes.iter().take_while(|p| p.span() > 1 << LOG_BLOCK).count()
}

/// Calls the kernel of a pass's number of levels, with the flag as its constant.
macro_rules! by_levels {
    ($levels:expr, $flag:expr, [$($pattern:pat => $kernel:ident),*], $args:tt) => {
        match ($levels, $flag) {
            $(($pattern, false) => $kernel::<false> $args, ($pattern, true) => $kernel::<true> $args,)*
        }
    };
}
pub(super) use by_levels;
