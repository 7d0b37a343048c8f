// The negacyclic transform of 2^10 to 2^17 points in two kernels: the limb is a matrix with rows of 256 points, whose
// columns take the first levels, two to nine, and whose rows take the last eight. A thread has up to sixteen values, on
// which a pass does up to four levels. docs/notes/gpu-kernels.md derives the indices and the ranges.
#pragma once

#include "arithmetic.h"
#include "automorphism.h"

// log2 of a row's points, and the rows of a block.
#define LOG_ROW 8u
#define ROW (1u << LOG_ROW)
#define ROWS_TOGETHER 16u

// K levels on a group of 2^K values, whose node in the tree of roots is `node`: its children are 2·node and 2·node + 1.
template <class A, u32 K>
FUNCTION void forward_levels(typename A::word *x, TABLE(typename A::factor) roots, u32 first, u32 node, const A &m) {
    UNROLL for (u32 level = 0; level < K; level++) {
        UNROLL for (u32 k = 0; k < (1u << K); k++) {
            const u32 half = 1u << (K - 1 - level);
            if ((k & half) == 0) {
                const typename A::factor w = roots[first + (node << level) + (k >> (K - level))];
                m.forward(x[k], x[k + half], w);
            }
        }
    }
}

// The levels of `forward_levels`, backward, after `done` levels of this kernel.
template <class A, u32 K>
FUNCTION void inverse_levels(typename A::word *x, TABLE(typename A::factor) roots, u32 first, u32 node, u32 done,
                             const A &m) {
    UNROLL for (u32 step = 0; step < K; step++) {
        UNROLL for (u32 k = 0; k < (1u << K); k++) {
            const u32 level = K - 1 - step, half = 1u << step;
            if ((k & half) == 0) {
                const typename A::factor w = roots[first + (node << level) + (k >> (K - level))];
                m.inverse(x[k], x[k + half], w, done + step);
            }
        }
    }
    m.template end_of_pass<(1u << K)>(x);
}

// The levels of `inverse_levels` at the root of the tree: the last level has the scale in its factors.
template <class A, u32 K>
FUNCTION void inverse_levels_to_root(typename A::word *x, TABLE(typename A::factor) roots, u32 first,
                                     typename A::factor scale, typename A::factor scaled_root, u32 done, const A &m) {
    UNROLL for (u32 step = 0; step + 1 < K; step++) {
        UNROLL for (u32 k = 0; k < (1u << K); k++) {
            const u32 level = K - 1 - step, half = 1u << step;
            if ((k & half) == 0) {
                const typename A::factor w = roots[first + (1u << level) + (k >> (K - level))];
                m.inverse(x[k], x[k + half], w, done + step);
            }
        }
    }
    UNROLL for (u32 k = 0; k < (1u << (K - 1)); k++) {
        m.inverse_last(x[k], x[k + (1u << (K - 1))], scale, scaled_root, done + K - 1);
    }
}

// What a block of the columns' kernel does: a tile of 2^C rows and WIDTH columns, with a word more a row in shared
// memory, so that no two threads of a group meet in one bank.
template <u32 C>
struct Tile {
    static constexpr u32 LOG_WIDTH = C <= 4 ? LOG_ROW : 12 - C;
    static constexpr u32 WIDTH = 1u << LOG_WIDTH;
    static constexpr u32 PITCH = WIDTH + 1;
    // A tile of one pass goes through registers alone.
    static constexpr u32 WORDS = C <= 4 ? 1 : (1u << C) * PITCH;
};

// A group of a pass of K levels of the C levels of a tile, of which START come before it: 2^K rows, apart by `STEP`.
template <u32 C, u32 START, u32 K>
struct Group {
    static constexpr u32 LOG_STEP = C - START - K;
    static constexpr u32 STEP = 1u << LOG_STEP;
    // Groups of a thread.
    static constexpr u32 COUNT = (1u << (C - K)) * Tile<C>::WIDTH / THREADS;

    u32 column, row, node;

    METHOD explicit Group(u32 index) {
        const u32 rest = index >> Tile<C>::LOG_WIDTH, high = rest >> LOG_STEP;
        column = index & (Tile<C>::WIDTH - 1);
        row = (high << (C - START)) | (rest & (STEP - 1));
        node = (1u << START) + high;
    }
};

// A kernel's view of the limbs that its block reads and writes.
struct Limbs {
    u64 from, to;
    u32 prime;

    METHOD Limbs(TABLE(u32) jobs, u64 n) {
        from = jobs[3 * BLOCK_Y] * n;
        to = jobs[3 * BLOCK_Y + 1] * n;
        prime = jobs[3 * BLOCK_Y + 2];
    }
};

template <class A, u32 C, u32 START, u32 K>
FUNCTION void forward_pass(GLOBAL(u64) limbs, TABLE(typename A::factor) roots, TABLE(Prime) primes, TABLE(u32) jobs,
                           SHARED_OF(typename A::word, Tile<C>::WORDS) tile) {
    typedef Tile<C> T;
    PHASE
        const Limbs at(jobs, (u64)ROW << C);
        const A m(primes[at.prime]);
        UNROLL for (u32 j = 0; j < Group<C, START, K>::COUNT; j++) {
            const Group<C, START, K> group(tid + j * THREADS);
            const u32 column = BLOCK_X * T::WIDTH + group.column;
            typename A::word x[1u << K];
            UNROLL for (u32 k = 0; k < (1u << K); k++) {
                const u32 row = group.row + k * group.STEP;
                if (START == 0) {
                    x[k] = m.of_canonical(limbs[at.from + row * ROW + column]);
                } else {
                    x[k] = tile[row * T::PITCH + group.column];
                }
            }
            forward_levels<A, K>(x, roots, at.prime << (C + LOG_ROW), group.node, m);
            UNROLL for (u32 k = 0; k < (1u << K); k++) {
                const u32 row = group.row + k * group.STEP;
                if (START + K == C) {
                    limbs[at.to + row * ROW + column] = m.parked(x[k]);
                } else {
                    tile[row * T::PITCH + group.column] = x[k];
                }
            }
        }
    END
}

template <class A, u32 C, u32 START, u32 K>
FUNCTION void inverse_pass(GLOBAL(u64) limbs, TABLE(typename A::factor) roots, TABLE(Prime) primes, TABLE(u32) jobs,
                           TABLE(typename A::factor) scales, SHARED_OF(typename A::word, Tile<C>::WORDS) tile) {
    typedef Tile<C> T;
    PHASE
        const Limbs at(jobs, (u64)ROW << C);
        const A m(primes[at.prime]);
        const typename A::factor scale = scales[2 * BLOCK_Y], scaled_root = scales[2 * BLOCK_Y + 1];
        UNROLL for (u32 j = 0; j < Group<C, START, K>::COUNT; j++) {
            const Group<C, START, K> group(tid + j * THREADS);
            const u32 column = BLOCK_X * T::WIDTH + group.column;
            typename A::word x[1u << K];
            UNROLL for (u32 k = 0; k < (1u << K); k++) {
                const u32 row = group.row + k * group.STEP;
                if (START + K == C) {
                    x[k] = m.of_parked(limbs[at.to + row * ROW + column]);
                } else {
                    x[k] = tile[row * T::PITCH + group.column];
                }
            }
            const u32 first = at.prime << (C + LOG_ROW), done = C - START - K;
            if (START == 0) {
                inverse_levels_to_root<A, K>(x, roots, first, scale, scaled_root, done, m);
            } else {
                inverse_levels<A, K>(x, roots, first, group.node, done, m);
            }
            UNROLL for (u32 k = 0; k < (1u << K); k++) {
                const u32 row = group.row + k * group.STEP;
                if (START == 0) {
                    limbs[at.to + row * ROW + column] = m.canonical(x[k]);
                } else {
                    tile[row * T::PITCH + group.column] = x[k];
                }
            }
        }
    END
}

// The passes of a tile: its levels, as evenly as passes of four at most divide them.
template <class A, u32 C>
FUNCTION void forward_columns(GLOBAL(u64) limbs, TABLE(typename A::factor) roots, TABLE(Prime) primes,
                              TABLE(u32) jobs) {
    SHARED(typename A::word, tile, Tile<C>::WORDS);
    constexpr u32 PASSES = (C + 3) / 4, FIRST = C / PASSES, SECOND = (C - FIRST) / (PASSES == 3 ? 2 : 1);
    forward_pass<A, C, 0, FIRST>(limbs, roots, primes, jobs, tile);
    if constexpr (PASSES > 1) forward_pass<A, C, FIRST, SECOND>(limbs, roots, primes, jobs, tile);
    if constexpr (PASSES > 2) {
        forward_pass<A, C, FIRST + SECOND, C - FIRST - SECOND>(limbs, roots, primes, jobs, tile);
    }
}

template <class A, u32 C>
FUNCTION void inverse_columns(GLOBAL(u64) limbs, TABLE(typename A::factor) roots, TABLE(Prime) primes, TABLE(u32) jobs,
                              TABLE(typename A::factor) scales) {
    SHARED(typename A::word, tile, Tile<C>::WORDS);
    constexpr u32 PASSES = (C + 3) / 4, FIRST = C / PASSES, SECOND = (C - FIRST) / (PASSES == 3 ? 2 : 1);
    if constexpr (PASSES > 2) {
        inverse_pass<A, C, FIRST + SECOND, C - FIRST - SECOND>(limbs, roots, primes, jobs, scales, tile);
    }
    if constexpr (PASSES > 1) inverse_pass<A, C, FIRST, SECOND>(limbs, roots, primes, jobs, scales, tile);
    inverse_pass<A, C, 0, FIRST>(limbs, roots, primes, jobs, scales, tile);
}

// Sixteen rows in shared memory: value k·16 + p of a row at 17·k + p.
#define ROW_PITCH 272u
#define ROW_PLACE(row, k, p) ((row) * ROW_PITCH + (k) * 17 + (p))

// The two passes of the rows' last eight levels, from the columns' values to those in `tile`; a limb has `rows` rows.
template <class A>
FUNCTION void forward_row_levels(GLOBAL(u64) limbs, TABLE(typename A::factor) roots, TABLE(Prime) primes,
                                 TABLE(u32) jobs, u32 rows,
                                 SHARED_OF(typename A::word, ROWS_TOGETHER *ROW_PITCH) tile) {
    PHASE
        const Limbs at(jobs, (u64)ROW * rows);
        const A m(primes[at.prime]);
        const u32 p = tid & 15, r = tid >> 4, row = BLOCK_X * ROWS_TOGETHER + r;
        if (row < rows) {
            typename A::word x[16];
            UNROLL for (u32 k = 0; k < 16; k++) x[k] = m.of_parked(limbs[at.to + row * ROW + 16 * k + p]);
            forward_levels<A, 4>(x, roots, at.prime * rows * ROW, rows + row, m);
            UNROLL for (u32 k = 0; k < 16; k++) tile[ROW_PLACE(r, k, p)] = x[k];
        }
    END
    PHASE
        const Limbs at(jobs, (u64)ROW * rows);
        const A m(primes[at.prime]);
        const u32 p = tid & 15, r = tid >> 4, row = BLOCK_X * ROWS_TOGETHER + r;
        if (row < rows) {
            typename A::word x[16];
            UNROLL for (u32 k = 0; k < 16; k++) x[k] = tile[ROW_PLACE(r, p, k)];
            forward_levels<A, 4>(x, roots, at.prime * rows * ROW, ((rows + row) << 4) + p, m);
            UNROLL for (u32 k = 0; k < 16; k++) tile[ROW_PLACE(r, p, k)] = x[k];
        }
    END
}

// The rows' last eight levels, to canonical values in the order of memory.
template <class A>
FUNCTION void forward_rows(GLOBAL(u64) limbs, TABLE(typename A::factor) roots, TABLE(Prime) primes, TABLE(u32) jobs,
                           u32 rows) {
    SHARED(typename A::word, tile, ROWS_TOGETHER * ROW_PITCH);
    forward_row_levels<A>(limbs, roots, primes, jobs, rows, tile);
    PHASE
        const Limbs at(jobs, (u64)ROW * rows);
        const A m(primes[at.prime]);
        UNROLL for (u32 r = 0; r < ROWS_TOGETHER; r++) {
            const u32 row = BLOCK_X * ROWS_TOGETHER + r;
            if (row < rows) {
                limbs[at.to + row * ROW + tid] = m.canonical(tile[ROW_PLACE(r, tid >> 4, tid & 15)]);
            }
        }
    END
}

// The same with ends, three words for each job: a limb that is added to the result, each times a factor of its own, or
// NONE; the limb of what comes out; and the inverse of the automorphism's element under which it does.
template <class A>
FUNCTION void forward_rows_to_ends(GLOBAL(u64) limbs, TABLE(typename A::factor) roots, TABLE(Prime) primes,
                                   TABLE(u32) jobs, TABLE(u32) ends, TABLE(Factor) factors, u32 log_n) {
    SHARED(typename A::word, tile, ROWS_TOGETHER * ROW_PITCH);
    const u32 rows = 1u << (log_n - LOG_ROW);
    forward_row_levels<A>(limbs, roots, primes, jobs, rows, tile);
    PHASE
        const Limbs at(jobs, (u64)ROW * rows);
        const A m(primes[at.prime]);
        const u64 q = primes[at.prime].q;
        const u32 addend = ends[3 * BLOCK_Y], element = ends[3 * BLOCK_Y + 2];
        const u64 to = (u64)ends[3 * BLOCK_Y + 1] << log_n, other = (u64)addend << log_n;
        const Factor w = factors[2 * BLOCK_Y], v = factors[2 * BLOCK_Y + 1];
        UNROLL for (u32 r = 0; r < ROWS_TOGETHER; r++) {
            const u32 row = BLOCK_X * ROWS_TOGETHER + r;
            if (row < rows) {
                u64 x = m.canonical(tile[ROW_PLACE(r, tid >> 4, tid & 15)]);
                const u32 i = row * ROW + tid;
                if (addend != NONE) x = added(scaled(x, w, q), scaled(limbs[other + i], v, q), q);
                limbs[to + (element == 1 ? i : source_of(i, element, log_n))] = x;
            }
        }
    END
}

// The rows' levels backward, which come first, from canonical values to the columns'.
template <class A>
FUNCTION void inverse_rows(GLOBAL(u64) limbs, TABLE(typename A::factor) roots, TABLE(Prime) primes, TABLE(u32) jobs,
                           u32 rows) {
    SHARED(typename A::word, tile, ROWS_TOGETHER * ROW_PITCH);
    PHASE
        const Limbs at(jobs, (u64)ROW * rows);
        const A m(primes[at.prime]);
        UNROLL for (u32 r = 0; r < ROWS_TOGETHER; r++) {
            const u32 row = BLOCK_X * ROWS_TOGETHER + r;
            if (row < rows) {
                tile[ROW_PLACE(r, tid >> 4, tid & 15)] = m.of_canonical(limbs[at.from + row * ROW + tid]);
            }
        }
    END
    PHASE
        const Limbs at(jobs, (u64)ROW * rows);
        const A m(primes[at.prime]);
        const u32 p = tid & 15, r = tid >> 4, row = BLOCK_X * ROWS_TOGETHER + r;
        if (row < rows) {
            typename A::word x[16];
            UNROLL for (u32 k = 0; k < 16; k++) x[k] = tile[ROW_PLACE(r, p, k)];
            inverse_levels<A, 4>(x, roots, at.prime * rows * ROW, ((rows + row) << 4) + p, 0, m);
            UNROLL for (u32 k = 0; k < 16; k++) tile[ROW_PLACE(r, p, k)] = x[k];
        }
    END
    PHASE
        const Limbs at(jobs, (u64)ROW * rows);
        const A m(primes[at.prime]);
        const u32 p = tid & 15, r = tid >> 4, row = BLOCK_X * ROWS_TOGETHER + r;
        if (row < rows) {
            typename A::word x[16];
            UNROLL for (u32 k = 0; k < 16; k++) x[k] = tile[ROW_PLACE(r, k, p)];
            inverse_levels<A, 4>(x, roots, at.prime * rows * ROW, rows + row, 4, m);
            UNROLL for (u32 k = 0; k < 16; k++) limbs[at.to + row * ROW + 16 * k + p] = m.parked_reduced(x[k]);
        }
    END
}

// A kernel for each number of the columns' levels and each arithmetic: their names are the launcher's.
#define EACH_COLUMNS(X)                                                                                                \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)

#define COLUMN_KERNELS_OF(C, A, NAME)                                                                                  \
    KERNEL forward_columns_##C##_##NAME(GLOBAL(u64) limbs, TABLE(A::factor) roots, TABLE(Prime) primes,                \
                                        TABLE(u32) jobs) {                                                             \
        forward_columns<A, C>(limbs, roots, primes, jobs);                                                             \
    }                                                                                                                  \
    KERNEL inverse_columns_##C##_##NAME(GLOBAL(u64) limbs, TABLE(A::factor) roots, TABLE(Prime) primes,                \
                                        TABLE(u32) jobs, TABLE(A::factor) scales) {                                    \
        inverse_columns<A, C>(limbs, roots, primes, jobs, scales);                                                     \
    }
#define COLUMN_KERNELS(C) COLUMN_KERNELS_OF(C, Integers, integers) COLUMN_KERNELS_OF(C, Doubles, doubles)

#define ROW_KERNELS(A, NAME)                                                                                           \
    KERNEL forward_rows_##NAME(GLOBAL(u64) limbs, TABLE(A::factor) roots, TABLE(Prime) primes, TABLE(u32) jobs,        \
                               u32 rows) {                                                                             \
        forward_rows<A>(limbs, roots, primes, jobs, rows);                                                             \
    }                                                                                                                  \
    KERNEL forward_rows_to_ends_##NAME(GLOBAL(u64) limbs, TABLE(A::factor) roots, TABLE(Prime) primes,                 \
                                       TABLE(u32) jobs, TABLE(u32) ends, TABLE(Factor) factors, u32 log_n) {           \
        forward_rows_to_ends<A>(limbs, roots, primes, jobs, ends, factors, log_n);                                     \
    }                                                                                                                  \
    KERNEL inverse_rows_##NAME(GLOBAL(u64) limbs, TABLE(A::factor) roots, TABLE(Prime) primes, TABLE(u32) jobs,        \
                               u32 rows) {                                                                             \
        inverse_rows<A>(limbs, roots, primes, jobs, rows);                                                             \
    }

EACH_COLUMNS(COLUMN_KERNELS)
ROW_KERNELS(Integers, integers)
ROW_KERNELS(Doubles, doubles)
