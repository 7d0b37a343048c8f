//! One step: first passes of all digits; then, block by block, the rest of their transforms, the products with the keys
//! and the first passes of the inverse; then its last pass.
//!
//! *Products.* `Σ_i d_i·k_i` is summed exactly for each key and reduced once; where keys have factors, the residues are
//! multiplied by these, summed and reduced again. So a bundle of `m` keys costs `m` multiplications
//! and additions for each digit, and `m` products for all of them.

use super::float::{Consts, Number};
use super::gadget::Row;
use super::monomials::Points;
use super::passes::{Into, Passes};
use super::plan::{Bundle, MAX_TOGETHER, ROW, Reductions};
use super::products::{FACTORS, Products, Weights};
use super::vector::Vector;
use crate::prefetch::Ahead;

/// Words between rows of scratch: rows a power of two apart would meet in the same sets of a cache.
const PADDING: usize = 32;

/// Constants of a product that each of its steps reads.
#[derive(Debug, Clone)]
pub(super) struct Tables<F> {
    pub n: usize,
    pub rows: Vec<Row<F>>,
    pub reductions: Reductions,
    /// For each number of keys with factors.
    pub bundles: Vec<Bundle>,
    pub points: Points<F>,
}

impl<F> Tables<F> {
    /// Whether the first level of blocks is in the first passes of digits, with vectors whose inner ones are integers.
    #[inline(always)]
    fn is_deep(&self) -> bool {
        self.rows.iter().all(|row| row.deep)
    }
}

impl<F: Number> Tables<F> {
    /// Distance from one row of scratch to the next.
    fn stride(&self) -> usize {
        self.n + PADDING
    }

    /// Words of an accumulator's rows and its sum.
    fn set_len(&self) -> usize {
        (self.rows.len() + 1) * self.stride()
    }

    /// Words of scratch, for bundles of at most so many keys.
    pub fn scratch_len(&self, max_keys: usize) -> usize {
        MAX_TOGETHER * (self.set_len() + ROW * max_keys) + FACTORS * max_keys + 3 * self.n
    }
}

/// A step, whose maker has checked all lengths.
pub(super) struct Sweep<'a, F> {
    pub tables: &'a Tables<F>,
    pub passes: Passes<F>,
    /// The number of accumulators, one or two.
    pub count: usize,
    pub accs: [*mut F; MAX_TOGETHER],
    /// Exponents of the monomials by which accumulators are turned, and from which they are taken; the product is
    /// added.
    pub turns: Option<[usize; MAX_TOGETHER]>,
    /// Keys, packed in bytes or in words.
    pub keys: *const u8,
    pub key_count: usize,
    pub packed: bool,
    pub weights: Weights<'a>,
    pub scratch: *mut F,
    pub ahead: &'a [u8],
}

impl<'a, F: Number> Sweep<'a, F> {
    pub(super) fn passes(&self) -> Passes<F> {
        self.passes
    }

    /// The rows of accumulator `a`; its sum follows.
    #[inline(always)]
    fn row(&self, a: usize, r: usize) -> *mut F {
        self.scratch.wrapping_add(a * self.tables.set_len() + r * self.tables.stride())
    }

    #[inline(always)]
    fn sum(&self, a: usize) -> *mut F {
        self.row(a, self.tables.rows.len())
    }

    /// Room for three polynomials.
    #[inline(always)]
    fn polynomials(&self) -> *mut F {
        self.scratch.wrapping_add(MAX_TOGETHER * self.tables.set_len())
    }

    /// The lanes' parts of the monomial of a key.
    #[inline(always)]
    fn lanes(&self, a: usize, key: usize) -> *mut F {
        let lanes = self.polynomials().wrapping_add(3 * self.tables.n);
        lanes.wrapping_add(ROW * (MAX_TOGETHER * key + a))
    }

    /// The first passes of the digits of what the accumulator is, or of the accumulator turned and less itself.
    ///
    /// # Safety
    /// The contract of [`Vector`]; accumulators, keys and scratch have the lengths of the product.
    #[inline(always)]
    unsafe fn digits<V: Vector<Float = F>>(&self, passes: Passes<F>, a: usize, c: &Consts<V>) {
        let (acc, n) = (self.accs[a].cast_const(), passes.n);
        // SAFETY: the caller vouches for `V`'s instructions, and the sweep's maker has checked that accumulators have
        // `n` words and that scratch has `scratch_len`, in which three polynomials lie behind all rows. Both copies of
        // the accumulator, `2n` words, are written before a window of `n` of them is read; it begins at
        // `n − turns % n`, from 1 to `n`.
        unsafe {
            let Some(turns) = self.turns else {
                self.forward_digits(acc, a, passes, c);
                return;
            };
            // −acc, then acc: each product with a monomial lies in it, up to its sign.
            let twice = self.polynomials();
            for at in (0..n).step_by(V::LANES) {
                let x = V::load(acc.add(at));
                c.q.sub(c.q).sub(x).store(twice.add(at));
                x.store(twice.add(n + at));
            }
            let turned = twice.add(n - turns[a] % n).cast_const();
            let sign = V::splat(if turns[a] < n { 1.0 } else { -1.0 });
            let difference = twice.add(2 * n);
            for at in (0..n).step_by(V::LANES) {
                V::load(turned.add(at)).mul_sub(sign, V::load(acc.add(at))).reduce(c).store(difference.add(at));
            }
            self.forward_digits(difference, a, passes, c);
        }
    }

    /// The first passes of the digits of `x`, into the rows of accumulator `a`.
    ///
    /// # Safety
    /// The contract of [`Sweep::digits`]; `x` has `n` values.
    #[inline(always)]
    unsafe fn forward_digits<V: Vector<Float = F>>(&self, x: *const F, a: usize, passes: Passes<F>, c: &Consts<V>) {
        let (rows, out) = (&self.tables.rows[..], (self.row(a, 0), self.tables.stride()));
        // SAFETY: the caller vouches for `V`'s instructions and for `n` words at `x`; scratch has `n` words for each
        // row of accumulator `a`, `stride` apart, and rows are deep where `is_deep` says so.
        unsafe {
            if const { V::Inner::INTEGERS } && self.tables.is_deep() {
                passes.forward_deep_digits(x, rows, out, c);
            } else {
                passes.forward_digits(x, rows, out, c);
            }
        }
    }

    #[inline(always)]
    fn products(&self) -> Products<'a, F> {
        let product = self.tables;
        let plain = self.weights.ends_plain();
        Products {
            rows: product.rows.len(),
            x: self.scratch,
            row: product.stride(),
            set: product.set_len(),
            keys: self.keys,
            key_count: self.key_count,
            weights: self.weights,
            lanes: self.lanes(0, 0),
            factors: self.lanes(0, self.key_count),
            points: &product.points,
            plain,
            bundle: product.bundles[self.key_count - usize::from(plain)],
        }
    }

    /// The step of all accumulators.
    ///
    /// # Safety
    /// The contract of [`Sweep::digits`].
    #[inline(always)]
    pub(super) unsafe fn step<V: Vector<Float = F>, const PACKED: bool>(self, c: &Consts<V>) {
        let product = self.tables;
        let (passes, rows) = (self.passes(), product.rows.len());
        let products = self.products();
        let (count, together) = (self.count, self.count == 2 && products.together::<V::Inner>());
        let sweeps = if together { 1 } else { count };
        let mut ahead = Ahead::new(self.ahead, passes.radix * (count * rows + sweeps * passes.rows));
        let deep = product.is_deep();
        let reductions = if V::Inner::INTEGERS { Reductions::default() } else { product.reductions };
        // SAFETY: the caller vouches for `V`'s instructions, on which `V::Inner` stands as well. The sweep's maker has
        // checked the lengths of accumulators, keys and scratch: `row`, `sum` and `lanes` are disjoint parts of
        // `scratch`, lanes `ROW` words for each accumulator and key, and a part is written before it is read. `lines`
        // and `lazy` are the plan's.
        unsafe {
            let inner: Consts<V::Inner> = V::Inner::consts(passes.q);
            if let Weights::Monomials(all) | Weights::LessOne(all) = self.weights {
                for (a, exponents) in all[..count].iter().enumerate() {
                    for (key, &e) in exponents.iter().enumerate() {
                        self.lanes(a, key).cast::<[F; ROW]>().write(product.points.lanes(e));
                    }
                }
            }
            for a in 0..count {
                self.digits(passes, a, c);
            }
            for block in 0..passes.radix {
                for a in 0..count {
                    for r in 0..rows {
                        ahead.step();
                        let x = (passes.inner[0], self.row(a, r));
                        if const { V::Inner::INTEGERS } && deep {
                            passes.forward_block::<V::Inner, 1>(x, block, reductions, &inner);
                        } else {
                            passes.forward_block::<V::Inner, 0>(x, block, reductions, &inner);
                        }
                    }
                }
                let start = block * passes.block_len();
                let places = start..start + passes.block_len();
                if const { V::Inner::REGISTERS == 32 } && together {
                    products.multiply::<V::Inner, MAX_TOGETHER, PACKED>(0, places, &mut ahead, &inner);
                } else {
                    for a in 0..count {
                        products.multiply::<V::Inner, 1, PACKED>(a, places.clone(), &mut ahead, &inner);
                    }
                }
                for a in 0..count {
                    passes.inverse_block((passes.inner[1], self.sum(a)), block, &inner);
                }
            }
            let adds = self.turns.is_some() || matches!(self.weights, Weights::LessOne(_));
            let into = if adds { Into::Added } else { Into::Stored };
            for a in 0..count {
                let sum = self.sum(a).cast_const();
                passes.inverse_last(|at| V::load_inner(sum.add(at)), (self.accs[a], into), c);
            }
        }
    }
}

/// The values of both accumulators; of a single one, twice its own.
pub(super) fn both<T: Copy, const A: usize>(x: [T; A]) -> [T; MAX_TOGETHER] {
    std::array::from_fn(|i| x[i % A])
}
