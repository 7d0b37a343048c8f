// Sums, products and scalings of limbs of `n` residues, canonical in and out: one residue a thread, one job for each
// BLOCK_Y. A limb is named by its index in the arena `limbs`; a result may take an operand's place.
#pragma once

#include "words.h"

// Jobs of four words: the limbs of the result and of both operands, and the prime.
#define POINTWISE(NAME, RESULT)                                                                                        \
    KERNEL NAME(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, u32 n) {                                      \
        PHASE                                                                                                          \
            const u64 i = (u64)BLOCK_X * THREADS + tid;                                                                \
            const u64 to = (u64)jobs[4 * BLOCK_Y] * n + i;                                                             \
            const u64 a = limbs[(u64)jobs[4 * BLOCK_Y + 1] * n + i], b = limbs[(u64)jobs[4 * BLOCK_Y + 2] * n + i];    \
            const Prime p = primes[jobs[4 * BLOCK_Y + 3]];                                                             \
            limbs[to] = RESULT;                                                                                        \
        END                                                                                                            \
    }

POINTWISE(add, added(a, b, p.q))
POINTWISE(subtract, subtracted(a, b, p.q))
POINTWISE(multiply, multiplied(a, b, p))
POINTWISE(multiply_add, added(limbs[to], multiplied(a, b, p), p.q))

// The same jobs, and a factor for each.
#define SCALED(NAME, RESULT)                                                                                           \
    KERNEL NAME(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(Factor) factors, u32 n) {               \
        PHASE                                                                                                          \
            const u64 i = (u64)BLOCK_X * THREADS + tid;                                                                \
            const u64 to = (u64)jobs[4 * BLOCK_Y] * n + i;                                                             \
            const u64 a = limbs[(u64)jobs[4 * BLOCK_Y + 1] * n + i], b = limbs[(u64)jobs[4 * BLOCK_Y + 2] * n + i];    \
            const Prime p = primes[jobs[4 * BLOCK_Y + 3]];                                                             \
            const Factor w = factors[BLOCK_Y];                                                                         \
            limbs[to] = RESULT;                                                                                        \
        END                                                                                                            \
    }

// a·w + b.
SCALED(scale_add, added(scaled(a, w, p.q), b, p.q))

// a·w + b·v, with two factors for each job: the last step of a division by part of the modulus.
KERNEL combine(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(Factor) factors, u32 n) {
    PHASE
        const u64 i = (u64)BLOCK_X * THREADS + tid;
        const u64 a = limbs[(u64)jobs[4 * BLOCK_Y + 1] * n + i], b = limbs[(u64)jobs[4 * BLOCK_Y + 2] * n + i];
        const Prime p = primes[jobs[4 * BLOCK_Y + 3]];
        const Factor w = factors[2 * BLOCK_Y], v = factors[2 * BLOCK_Y + 1];
        limbs[(u64)jobs[4 * BLOCK_Y] * n + i] = added(scaled(a, w, p.q), scaled(b, v, p.q), p.q);
    END
}

// a·w: b is not looked at.
KERNEL scale(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(Factor) factors, u32 n) {
    PHASE
        const u64 i = (u64)BLOCK_X * THREADS + tid;
        const u64 a = limbs[(u64)jobs[4 * BLOCK_Y + 1] * n + i];
        const Prime p = primes[jobs[4 * BLOCK_Y + 3]];
        limbs[(u64)jobs[4 * BLOCK_Y] * n + i] = scaled(a, factors[BLOCK_Y], p.q);
    END
}

// Jobs of two words, the limb and the prime, and a factor for each half of a limb.
#define HALVES(NAME, RESULT)                                                                                           \
    KERNEL NAME(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(Factor) factors, u32 n) {               \
        PHASE                                                                                                          \
            const u32 i = BLOCK_X * THREADS + tid;                                                                     \
            const u64 at = (u64)jobs[2 * BLOCK_Y] * n + i;                                                             \
            const u64 a = limbs[at];                                                                                   \
            const Prime p = primes[jobs[2 * BLOCK_Y + 1]];                                                             \
            const Factor w = factors[2 * BLOCK_Y + (i >= n / 2)];                                                      \
            limbs[at] = RESULT;                                                                                        \
        END                                                                                                            \
    }

HALVES(scale_halves, scaled(a, w, p.q))
HALVES(add_halves, added(a, w.w, p.q))

// Jobs of two words: the result and the operand.
KERNEL copy(GLOBAL(u64) limbs, TABLE(u32) jobs, u32 n) {
    PHASE
        const u64 i = (u64)BLOCK_X * THREADS + tid;
        limbs[(u64)jobs[2 * BLOCK_Y] * n + i] = limbs[(u64)jobs[2 * BLOCK_Y + 1] * n + i];
    END
}

KERNEL fill_zeros(GLOBAL(u64) limbs, TABLE(u32) jobs, u32 n) {
    PHASE
        limbs[(u64)jobs[BLOCK_Y] * n + (u64)BLOCK_X * THREADS + tid] = 0;
    END
}

// The residue modulo another prime of the centred integer. Jobs of four words: the result and its prime, the operand
// and its own.
KERNEL lift(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, u32 n) {
    PHASE
        const u64 i = (u64)BLOCK_X * THREADS + tid;
        const Prime to = primes[jobs[4 * BLOCK_Y + 1]], from = primes[jobs[4 * BLOCK_Y + 3]];
        const u64 x = limbs[(u64)jobs[4 * BLOCK_Y + 2] * n + i];
        const u64 r = reduced_once(lazily_reduced(x, to.q, to.reciprocal), to.q);
        const u64 wrap = reduced_once(lazily_reduced(from.q, to.q, to.reciprocal), to.q);
        limbs[(u64)jobs[4 * BLOCK_Y] * n + i] = x > from.q / 2 ? subtracted(r, wrap, to.q) : r;
    END
}

// (a0·b0, a0·b1 + a1·b0, a1·b1), with jobs of eight words: three results, a0, a1, b0, b1, prime.
KERNEL tensor(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, u32 n) {
    PHASE
        const u64 i = (u64)BLOCK_X * THREADS + tid;
        const u32 job = 8 * BLOCK_Y;
        Halves x[4];
        UNROLL for (u32 k = 0; k < 4; k++) x[k] = halves(limbs[(u64)jobs[job + 3 + k] * n + i]);
        const Prime p = primes[jobs[job + 7]];
        Sum d[3];
        UNROLL for (u32 k = 0; k < 3; k++) clear(d[k]);
        add_product(d[0], x[0], x[2]);
        add_product(d[1], x[0], x[3]);
        add_product(d[1], x[1], x[2]);
        add_product(d[2], x[1], x[3]);
        UNROLL for (u32 k = 0; k < 3; k++) limbs[(u64)jobs[job + k] * n + i] = reduced(d[k], p);
    END
}
