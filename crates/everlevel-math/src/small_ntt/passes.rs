//! The passes of the transforms, written once for all vectors.

use std::mem::MaybeUninit;

use super::float::{Consts, Number};
use super::gadget::{Row, UPWARDS};
use super::plan::{Line, ROW, Reductions};
use super::vector::Vector;

/// One level of a node: `(x, y) ↦ (x + w·y, x − w·y)` for values `half` apart; `w` has the twiddles of all levels, one
/// after the other.
#[inline(always)]
fn split<V: Vector, const R: usize>(a: &mut [V; R], half: usize, w: &impl Fn(usize) -> V::Factor, c: &Consts<V>) {
    for butterfly in 0..R / 2 {
        let node = butterfly / half;
        let x = butterfly + node * half;
        let y = a[x + half].product(w(R / (2 * half) - 1 + node), c);
        a[x + half] = a[x].sub(y);
        a[x] = a[x].add(y);
    }
}

/// Twice the inverse of [`split`]: `(x, y) ↦ (x + y, (x − y)·w)`.
#[inline(always)]
fn merge<V: Vector, const R: usize>(a: &mut [V; R], half: usize, w: &impl Fn(usize) -> V::Factor, c: &Consts<V>) {
    for butterfly in 0..R / 2 {
        let node = butterfly / half;
        let x = butterfly + node * half;
        let difference = a[x].sub(a[x + half]);
        a[x] = a[x].add(a[x + half]);
        a[x + half] = difference.product(w(R / (2 * half) - 1 + node), c);
    }
}

/// The levels of a node of radix `R`, from the one with values `R/2 >> skip` apart on; the values that the first of
/// them doesn't multiply are reduced before, if so wanted.
#[inline(always)]
fn forward_levels<V: Vector, const R: usize>(
    a: &mut [V; R],
    skip: u32,
    w: impl Fn(usize) -> V::Factor,
    c: &Consts<V>,
    reduced: bool,
) {
    if reduced {
        for i in 0..R / 2 {
            a[i] = a[i].reduce(c);
        }
    }
    let first = (R / 2) >> skip;
    if R >= 16 && first >= 8 {
        split(a, 8, &w, c);
    }
    if R >= 8 && first >= 4 {
        split(a, 4, &w, c);
    }
    if R >= 4 && first >= 2 {
        split(a, 2, &w, c);
    }
    if R >= 2 && first >= 1 {
        split(a, 1, &w, c);
    }
}

/// The inverse of [`forward_levels`], times `R`; reductions as in `docs/notes/small-ntt.md`.
#[inline(always)]
fn inverse_levels<V: Vector, const R: usize>(a: &mut [V; R], w: impl Fn(usize) -> V::Factor, c: &Consts<V>) {
    if R >= 2 {
        merge(a, 1, &w, c);
    }
    if R >= 4 {
        merge(a, 2, &w, c);
    }
    if V::Float::NARROW && R >= 8 {
        for i in (0..R).step_by(4) {
            a[i] = a[i].reduce(c);
        }
    }
    if R >= 8 {
        merge(a, 4, &w, c);
    }
    if R >= 16 {
        merge(a, 8, &w, c);
    }
    if V::Float::NARROW && R >= 16 {
        for i in 1..4 {
            a[i] = a[i].reduce(c);
        }
    }
}

/// The first two levels of a node, of values so small that their products with twiddles are summed as they are: the
/// twiddles are multiplied beforehand ([`lazy_table`](super::plan::lazy_table)). The one level of radix 2.
#[inline(always)]
fn lazy_levels<V: Vector, const R: usize>(a: &mut [V; R], w: impl Fn(usize) -> V) {
    let quarter = R / 4;
    if R == 2 {
        (a[0], a[1]) = (a[1].mul_add(w(0), a[0]), a[1].neg_mul_add(w(0), a[0]));
    }
    for i in 0..quarter {
        let [x, y, z, t] = [a[i], a[i + quarter], a[i + 2 * quarter], a[i + 3 * quarter]];
        let (sum, difference) = (z.mul_add(w(0), x), z.neg_mul_add(w(0), x));
        let (of_sum, of_difference) = (t.mul_add(w(3), y.mul(w(1))), t.neg_mul_add(w(4), y.mul(w(2))));
        a[i] = sum.add(of_sum);
        a[i + quarter] = sum.sub(of_sum);
        a[i + 2 * quarter] = difference.add(of_difference);
        a[i + 3 * quarter] = difference.sub(of_difference);
    }
}

/// The first three levels of a node of radix 8, likewise: the sums of values of even index and those of odd index, of
/// which a level's sums and differences are still to be taken ([`deep_table`](super::plan::deep_table)).
#[inline(always)]
fn deep_levels<V: Vector>(a: &[V; 8], even: impl Fn(usize) -> V, odd: impl Fn(usize) -> V) -> [[V; 4]; 2] {
    let mut evens = [a[0], a[2], a[4], a[6]];
    lazy_levels(&mut evens, even);
    let mut odds = evens;
    for j in 0..4 {
        odds[j] = a[1].mul(odd(4 * j));
        for i in 1..4 {
            odds[j] = a[2 * i + 1].mul_add(odd(4 * j + i), odds[j]);
        }
    }
    [evens, odds]
}

/// Runs a block of code with the constant `R` of a radix.
macro_rules! with_radix {
    ($radix:expr, $R:ident, $code:expr) => {
        match $radix {
            1 => {
                const $R: usize = 1;
                $code
            }
            2 => {
                const $R: usize = 2;
                $code
            }
            4 => {
                const $R: usize = 4;
                $code
            }
            _ => {
                const $R: usize = 8;
                $code
            }
        }
    };
}

/// Runs a block of code with the constant `R` of a block's rows: sixteen, unless lanes are single.
macro_rules! with_rows {
    ($V:ident, $rows:expr, $R:ident, $code:expr) => {
        if $V::LANES > 1 || $rows == ROW {
            const $R: usize = ROW;
            $code
        } else {
            with_radix!($rows, $R, $code)
        }
    };
}

/// A plan's tables, where the kernels find them.
#[derive(Clone, Copy)]
pub(super) struct Passes<F> {
    pub n: usize,
    pub q: u64,
    /// The radix of the first pass: blocks.
    pub radix: usize,
    pub rows: usize,
    pub forward: Table<F>,
    pub inverse: Table<F>,
    /// The constants of lazy levels, and of deep ones.
    pub lazy: *const [Line<F>; 2],
    /// The forward and the inverse table of the inner vectors.
    pub inner: [Table<F>; 2],
}

/// Lines of factors, and the words from them to their second parts.
#[derive(Clone, Copy)]
pub(super) struct Table<F> {
    pub lines: *const Line<F>,
    pub gap: usize,
}

/// The result of an inverse transform's last pass: how values go to memory.
#[derive(Clone, Copy)]
pub(super) enum Into<F> {
    /// Stores the values' products with a factor.
    Scaled(F),
    /// Stores the values.
    Stored,
    /// Adds the values to what is there.
    Added,
}

/// A twiddle in every lane.
///
/// # Safety
/// `V`'s instructions exist (see [`Vector`]), and the function is called with factors that the line and its second part
/// have.
#[inline(always)]
unsafe fn broadcast<V: Vector>(table: Table<V::Float>, line: usize) -> impl Fn(usize) -> V::Factor {
    let p = table.lines.wrapping_add(line).cast::<V::Float>();
    // SAFETY: whoever called `broadcast` vouches for `V`'s instructions, and that factor `i` of this line, and what is
    // `gap` words behind it, lie in the plan's table.
    move |i| unsafe { V::splat_factor(p.add(i), table.gap) }
}

/// Twiddles for lanes from `row` on.
///
/// # Safety
/// `V`'s instructions exist (see [`Vector`]), and the function is called for lines that the table has behind this one.
#[inline(always)]
unsafe fn vectors<V: Vector>(table: Table<V::Float>, line: usize, row: usize) -> impl Fn(usize) -> V::Factor {
    let p = table.lines.wrapping_add(line).cast::<V::Float>().wrapping_add(row);
    // SAFETY: whoever called `vectors` vouches for `V`'s instructions, and that line `line + i` is one of the plan's
    // table, as is what lies `gap` words behind it; its `ROW` factors hold the lanes from `row` on.
    move |i| unsafe { V::load_factor(p.add(ROW * i), table.gap) }
}

impl<F: Number> Passes<F> {
    /// True for a degree below a whole block, which has no place for vectors.
    pub(super) fn is_small(self) -> bool {
        self.rows < ROW
    }

    /// Values of a block.
    #[inline(always)]
    pub(super) fn block_len(self) -> usize {
        ROW * self.rows
    }

    /// The first pass, in place.
    ///
    /// # Safety
    /// The contract of [`Vector`]; polynomials have `n` values; the tables are the plan's.
    #[inline(always)]
    pub(super) unsafe fn forward_first<V: Vector<Float = F>>(self, x: *mut F, c: &Consts<V>) {
        let stride = self.n / self.radix;
        with_radix!(if V::LANES > 1 { self.radix } else { 1 }, R, {
            for at in (0..stride).step_by(V::LANES) {
                let mut a = [c.q; R];
                // SAFETY: the caller vouches for `V`'s instructions, `n` values at `x` and the plan's tables:
                // `at + i·stride + LANES ≤ n`, as `LANES` divides the stride, and line 0 has the first pass's `R − 1`
                // factors.
                unsafe {
                    for i in 0..R {
                        a[i] = V::load(x.add(at + i * stride));
                    }
                    forward_levels(&mut a, 0, broadcast::<V>(self.forward, 0), c, false);
                    for i in 0..R {
                        a[i].store(x.add(at + i * stride));
                    }
                }
            }
        });
    }

    /// The first passes of the digits of `x`, the highest digit first, to rows from `out` on.
    ///
    /// # Safety
    /// See [`Passes::forward_first`], for each row.
    #[inline(always)]
    pub(super) unsafe fn forward_digits<V: Vector<Float = F>>(
        self,
        x: *const F,
        rows: &[Row<F>],
        (out, row_stride): (*mut F, usize),
        c: &Consts<V>,
    ) {
        let stride = self.n / self.radix;
        with_radix!(if V::LANES > 1 { self.radix } else { 1 }, R, {
            for at in (0..stride).step_by(V::LANES) {
                let mut x_at = [c.q; R];
                for i in 0..R {
                    // SAFETY: the caller vouches for `V`'s instructions and for `n` values at `x`:
                    // `at + i·stride + LANES ≤ n`, as `LANES` divides the stride.
                    x_at[i] = unsafe { V::load(x.add(at + i * stride)).add(V::splat(UPWARDS)) };
                }
                for (r, row) in rows.iter().enumerate().rev() {
                    // SAFETY: the caller vouches for `V`'s instructions, for `n` values at each row of `out`, which are
                    // written at the places that are read of `x`, and for the plan's tables, of which `lazy` is two
                    // whole lines.
                    unsafe {
                        let (unit, inv_unit) = (V::splat(row.unit.to_f64()), V::splat(row.inv_unit.to_f64()));
                        let mut a = [c.q; R];
                        for i in 0..R {
                            a[i] = x_at[i].nearest(inv_unit, c);
                            x_at[i] = a[i].neg_mul_add(unit, x_at[i]);
                        }
                        if row.lazy {
                            lazy_levels(&mut a, |i| V::splat((*self.lazy)[0].0[i].to_f64()));
                            forward_levels(&mut a, 2, broadcast::<V>(self.forward, 0), c, false);
                        } else {
                            forward_levels(&mut a, 0, broadcast::<V>(self.forward, 0), c, false);
                        }
                        for i in 0..R {
                            a[i].store_inner(out.add(r * row_stride + at + i * stride));
                        }
                    }
                }
            }
        });
    }

    /// The first passes of digits, of a radix of 4, and the first level of the blocks behind it: see
    /// [`deep_levels`].
    ///
    /// # Safety
    /// See [`Passes::forward_digits`]; all rows are deep.
    #[inline(always)]
    pub(super) unsafe fn forward_deep_digits<V: Vector<Float = F>>(
        self,
        x: *const F,
        rows: &[Row<F>],
        (out, row_stride): (*mut F, usize),
        c: &Consts<V>,
    ) {
        const R: usize = 8;
        let stride = self.n / R;
        for at in (0..stride).step_by(V::LANES) {
            let mut x_at = [c.q; R];
            for i in 0..R {
                // SAFETY: the caller vouches for `V`'s instructions and for `n` values at `x`:
                // `at + i·stride + LANES ≤ n`, as `LANES` divides the stride.
                x_at[i] = unsafe { V::load(x.add(at + i * stride)).add(V::splat(UPWARDS)) };
            }
            for (r, row) in rows.iter().enumerate().rev() {
                // SAFETY: the caller vouches for `V`'s instructions, for `n` values at each row of `out`, whose eight
                // parts of `stride` values take the four sums and four differences, and for `lazy`, which is two whole
                // lines.
                unsafe {
                    let (unit, inv_unit) = (V::splat(row.unit.to_f64()), V::splat(row.inv_unit.to_f64()));
                    let mut a = [c.q; R];
                    for i in 0..R {
                        a[i] = x_at[i].nearest(inv_unit, c);
                        x_at[i] = a[i].neg_mul_add(unit, x_at[i]);
                    }
                    let constant = |line: usize| move |i: usize| V::splat((*self.lazy)[line].0[i].to_f64());
                    let [evens, odds] = deep_levels(&a, constant(0), constant(1));
                    let out = out.add(r * row_stride + at);
                    for j in 0..4 {
                        evens[j].store_both(odds[j], out.add(2 * j * stride), out.add((2 * j + 1) * stride));
                    }
                }
            }
        }
    }

    /// The last pass of an inverse transform of what `load` has at each place, canonical, into `out`.
    ///
    /// # Safety
    /// See [`Passes::forward_first`].
    #[inline(always)]
    pub(super) unsafe fn inverse_last<V: Vector<Float = F>>(
        self,
        load: impl Fn(usize) -> V,
        (out, into): (*mut F, Into<F>),
        c: &Consts<V>,
    ) {
        let stride = self.n / self.radix;
        with_radix!(if V::LANES > 1 { self.radix } else { 1 }, R, {
            for at in (0..stride).step_by(V::LANES) {
                let mut a = [c.q; R];
                // SAFETY: the caller vouches for `V`'s instructions and for `n` values at `out`:
                // `at + i·stride + LANES ≤ n`, as `LANES` divides the stride, and line 0 has the pass's `R − 1`
                // factors. `load` vouches for its own places.
                unsafe {
                    for i in 0..R {
                        a[i] = load(at + i * stride);
                    }
                    inverse_levels(&mut a, broadcast::<V>(self.inverse, 0), c);
                    for i in 0..R {
                        let out = out.add(at + i * stride);
                        a[i] = match into {
                            Into::Scaled(scale) => a[i].product(V::splat(scale.to_f64()).factor(c), c),
                            Into::Stored => a[i],
                            Into::Added => a[i].add(V::load(out)),
                        };
                        a[i].canonical(c).store(out);
                    }
                }
            }
        });
    }

    /// A block of the forward transform, in place, without its first levels that are `DONE`.
    ///
    /// # Safety
    /// See [`Passes::forward_first`]; the block exists.
    #[inline(always)]
    pub(super) unsafe fn forward_block<V: Vector<Float = F>, const DONE: u32>(
        self,
        (table, x): (Table<F>, *mut F),
        block: usize,
        reductions: Reductions,
        c: &Consts<V>,
    ) {
        let line = 1 + ROW * block;
        // SAFETY: the caller vouches for `V`'s instructions, for `n` values at `x` of which the block is a part, and
        // for the table, whose lines `1 + ROW·block` to `ROW·(block + 1)` are the block's. `between` holds `ROW·ROW`
        // values, and what is read of it has been written: the first loop writes the `rows` rows that the second one
        // reads.
        unsafe {
            let x = x.add(self.block_len() * block);
            if const { V::LANES == ROW && V::REGISTERS == 32 } {
                // All of the block is in registers.
                let mut a = [c.q; ROW];
                for i in 0..ROW {
                    a[i] = V::load(x.add(ROW * i));
                }
                forward_levels(&mut a, DONE, broadcast::<V>(table, line), c, reductions.across);
                V::transpose(&mut a);
                forward_levels(&mut a, 0, vectors::<V>(table, line + 1, 0), c, reductions.within);
                for i in 0..ROW {
                    let end = if reductions.ends { a[i].reduce(c) } else { a[i] };
                    end.store(x.add(ROW * i));
                }
                return;
            }
            let mut between = MaybeUninit::<[Line<F>; ROW]>::uninit();
            let between = between.as_mut_ptr().cast::<F>();
            with_rows!(V, self.rows, R, {
                for lane in (0..ROW).step_by(V::LANES) {
                    let mut a = [c.q; R];
                    for i in 0..R {
                        a[i] = V::load(x.add(ROW * i + lane));
                    }
                    forward_levels(&mut a, DONE, broadcast::<V>(table, line), c, reductions.across);
                    for i in 0..R {
                        a[i].store(between.add(ROW * i + lane));
                    }
                }
            });
            for row in (0..self.rows).step_by(V::LANES) {
                let mut a = V::load_columns(between.add(ROW * row));
                forward_levels(&mut a, 0, vectors::<V>(table, line + 1, row), c, reductions.within);
                for i in 0..ROW {
                    let end = if reductions.ends { a[i].reduce(c) } else { a[i] };
                    end.store(x.add(self.rows * i + row));
                }
            }
        }
    }

    /// The inverse of [`Passes::forward_block`], times the length of a block.
    ///
    /// # Safety
    /// See [`Passes::forward_block`].
    #[inline(always)]
    pub(super) unsafe fn inverse_block<V: Vector<Float = F>>(
        self,
        (table, x): (Table<F>, *mut F),
        block: usize,
        c: &Consts<V>,
    ) {
        let line = 1 + ROW * block;
        // SAFETY: the caller vouches for what `forward_block` asks: `V`'s instructions, the block's values, and its
        // lines of the table. `between` holds `ROW·ROW` values, of which the first loop writes what the second one
        // reads.
        unsafe {
            let x = x.add(self.block_len() * block);
            if const { V::LANES == ROW && V::REGISTERS == 32 } {
                let mut a = [c.q; ROW];
                for i in 0..ROW {
                    a[i] = V::load(x.add(ROW * i));
                }
                inverse_levels(&mut a, vectors::<V>(table, line + 1, 0), c);
                V::transpose(&mut a);
                inverse_levels(&mut a, broadcast::<V>(table, line), c);
                for i in 0..ROW {
                    a[i].store(x.add(ROW * i));
                }
                return;
            }
            let mut between = MaybeUninit::<[Line<F>; ROW]>::uninit();
            let between = between.as_mut_ptr().cast::<F>();
            for row in (0..self.rows).step_by(V::LANES) {
                let mut a = [c.q; ROW];
                for i in 0..ROW {
                    a[i] = V::load(x.add(self.rows * i + row));
                }
                inverse_levels(&mut a, vectors::<V>(table, line + 1, row), c);
                V::store_columns(a, between.add(ROW * row));
            }
            with_rows!(V, self.rows, R, {
                for lane in (0..ROW).step_by(V::LANES) {
                    let mut a = [c.q; R];
                    for i in 0..R {
                        a[i] = V::load(between.add(ROW * i + lane));
                    }
                    inverse_levels(&mut a, broadcast::<V>(table, line), c);
                    for i in 0..R {
                        a[i].store(x.add(ROW * i + lane));
                    }
                }
            });
        }
    }
}
