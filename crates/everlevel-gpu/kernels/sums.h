// Sums of products: conversions between bases of primes, products of digits with the rows of keys, and sums of
// ciphertexts' images times plaintexts. Factors are in halves of 24 bits, so that a product is four wide products, and a sum of them three words without carries.
#pragma once

#include "automorphism.h"

// Sources of a conversion, and targets that one thread makes together.
#define MOST_SOURCES 60u
#define TARGETS_TOGETHER 4u

// Operands that a thread loads before it computes with the first one, so that it waits for memory once for all of them.
#define LOADED_AHEAD 4u

// Residues of Σ_j y_j·w_tj + v·w_t modulo up to four primes, where v = ⌊½ + Σ_j y_j/d_j⌋ with products and sums in
// doubles, rounded one by one and in order. A job's words: where its sources begin in `lists`, their number; where its
// targets do, a limb and a prime each, their number; where its weights begin, the last of each target being w_t; and
// its reciprocals 1/d_j.
KERNEL convert(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(u32) lists, TABLE(u64) weights,
               TABLE(double) reciprocals, u32 n) {
    SHARED(Halves, w, TARGETS_TOGETHER * (MOST_SOURCES + 1));
    SHARED(u32, from, MOST_SOURCES);
    SHARED(double, inverse, MOST_SOURCES);
    PHASE
        const u32 job = 6 * BLOCK_Y, sources = jobs[job + 1], row = sources + 1, targets = jobs[job + 3];
        const u64 first = jobs[job + 4];
        // Targets beyond the job's have zeros, so that the loop over sources has no branch.
        for (u32 k = tid; k < TARGETS_TOGETHER * row; k += THREADS) {
            w[k] = halves(k < targets * row ? (u64)weights[first + k] : 0);
        }
        if (tid < sources) {
            from[tid] = lists[jobs[job] + tid];
            inverse[tid] = reciprocals[jobs[job + 5] + tid];
        }
    END
    PHASE
        const u64 i = (u64)BLOCK_X * THREADS + tid;
        const u32 job = 6 * BLOCK_Y, sources = jobs[job + 1], targets_at = jobs[job + 2], targets = jobs[job + 3];
        Sum sums[TARGETS_TOGETHER];
        UNROLL for (u32 t = 0; t < TARGETS_TOGETHER; t++) clear(sums[t]);
        double quotient = 0.5;
        const u32 whole = sources - sources % LOADED_AHEAD;
        for (u32 j = 0; j < whole; j += LOADED_AHEAD) {
            u64 y[LOADED_AHEAD];
            UNROLL for (u32 k = 0; k < LOADED_AHEAD; k++) y[k] = limbs[(u64)from[j + k] * n + i];
            UNROLL for (u32 k = 0; k < LOADED_AHEAD; k++) {
                quotient = sum(quotient, product((double)y[k], inverse[j + k]));
                const Halves parts = halves(y[k]);
                UNROLL for (u32 t = 0; t < TARGETS_TOGETHER; t++) {
                    add_product(sums[t], parts, w[t * (sources + 1) + j + k]);
                }
            }
        }
        for (u32 j = whole; j < sources; j++) {
            const u64 y = limbs[(u64)from[j] * n + i];
            quotient = sum(quotient, product((double)y, inverse[j]));
            const Halves parts = halves(y);
            UNROLL for (u32 t = 0; t < TARGETS_TOGETHER; t++) add_product(sums[t], parts, w[t * (sources + 1) + j]);
        }
        const Halves v = halves((u64)quotient);
        UNROLL for (u32 t = 0; t < TARGETS_TOGETHER; t++) {
            if (t < targets) {
                add_product(sums[t], v, w[t * (sources + 1) + sources]);
                const Prime p = primes[lists[targets_at + 2 * t + 1]];
                limbs[(u64)lists[targets_at + 2 * t] * n + i] = reduced(sums[t], p);
            }
        }
    END
}

// A residue in two planes, its low 32 bits and the 16 above.
FUNCTION Halves packed_halves(TABLE(u32) low, TABLE(u16) high, u64 at) { return halves((u64)high[at] << 32 | (u64)low[at]); }

// Two sums of products of digits with a key's bodies and masks. A job's words: the limbs of both sums, the prime, where
// its terms begin in `lists`, a digit's limb, a body's and a mask's first unit each, and their number; for each sum, a
// limb that is added to it, times the job's factor, or NONE.
KERNEL key_product(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(u32) lists, TABLE(u64) factors,
                   TABLE(u32) low, TABLE(u16) high, u32 n) {
    PHASE
        const u64 i = (u64)BLOCK_X * THREADS + tid;
        const u32 job = 7 * BLOCK_Y, first = jobs[job + 3], terms = jobs[job + 4];
        const Prime p = primes[jobs[job + 2]];
        Sum sums[2];
        UNROLL for (u32 part = 0; part < 2; part++) {
            const u32 addend = jobs[job + 5 + part];
            clear(sums[part]);
            if (addend != NONE) {
                add_product(sums[part], halves(limbs[(u64)addend * n + i]), halves((u64)factors[BLOCK_Y]));
            }
        }
        for (u32 t = 0; t < terms; t++) {
            const u32 term = first + 3 * t;
            const Halves digit = halves(limbs[(u64)lists[term] * n + i]);
            UNROLL for (u32 part = 0; part < 2; part++) {
                add_product(sums[part], digit, packed_halves(low, high, (u64)lists[term + 1 + part] * UNIT + i));
            }
        }
        limbs[(u64)jobs[job] * n + i] = reduced(sums[0], p);
        limbs[(u64)jobs[job + 1] * n + i] = reduced(sums[1], p);
    END
}

// Both parts of up to SUMS sums of ciphertexts' images under automorphisms times plaintexts, which share the images. A
// job's words: the prime, its first term in `lists`, their number, the number of sums, and the limbs of both parts of
// each. A term's words: the limbs of both parts, the automorphism's element, and for each sum the plaintext's first unit,
// NONE for the number one or ABSENT for zero, and log2 of the indices that each of its values stands for.
template <u32 SUMS>
FUNCTION void diagonal_sums(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(u32) lists, TABLE(u32) low,
                            TABLE(u16) high, u32 log_n) {
    PHASE
        const u32 i = BLOCK_X * THREADS + tid;
        const u32 job = (4 + 2 * SUMS) * BLOCK_Y, first = jobs[job + 1], terms = jobs[job + 2];
        Sum sums[SUMS][2];
        UNROLL for (u32 k = 0; k < SUMS; k++) {
            clear(sums[k][0]);
            clear(sums[k][1]);
        }
        // A term of several sums is loads enough; terms of one sum are loaded by fours.
        constexpr u32 AHEAD = SUMS == 1 ? LOADED_AHEAD : 1;
        for (u32 t = 0; t < terms; t += AHEAD) {
            // Everything is loaded before the first product, and what isn't there is zero, so that nothing branches.
            Halves x[AHEAD][2], y[AHEAD][SUMS];
            UNROLL for (u32 a = 0; a < AHEAD; a++) {
                const u32 term = (3 + 2 * SUMS) * (first + t + a);
                const bool is_term = t + a < terms;
                const u32 source = is_term ? source_of(i, lists[term + 2], log_n) : 0;
                UNROLL for (u32 part = 0; part < 2; part++) {
                    x[a][part] = halves(is_term ? (u64)limbs[((u64)lists[term + part] << log_n) + source] : 0);
                }
                UNROLL for (u32 k = 0; k < SUMS; k++) {
                    const u32 unit = is_term ? lists[term + 3 + 2 * k] : ABSENT;
                    y[a][k] = unit < ABSENT ? packed_halves(low, high, (u64)unit * UNIT + (i >> lists[term + 4 + 2 * k]))
                                            : halves(unit == NONE);
                }
            }
            UNROLL for (u32 a = 0; a < AHEAD; a++) {
                UNROLL for (u32 k = 0; k < SUMS; k++) {
                    add_product(sums[k][0], x[a][0], y[a][k]);
                    add_product(sums[k][1], x[a][1], y[a][k]);
                }
            }
        }
        const Prime p = primes[jobs[job]];
        const u32 count = jobs[job + 3];
        UNROLL for (u32 k = 0; k < SUMS; k++) {
            if (k < count) {
                limbs[((u64)jobs[job + 4 + 2 * k] << log_n) + i] = reduced(sums[k][0], p);
                limbs[((u64)jobs[job + 5 + 2 * k] << log_n) + i] = reduced(sums[k][1], p);
            }
        }
    END
}

// A kernel for each number of sums: their names are the launcher's.
#define DIAGONAL_SUMS(SUMS)                                                                                            \
    KERNEL diagonal_sums_##SUMS(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(u32) lists,             \
                                TABLE(u32) low, TABLE(u16) high, u32 log_n) {                                          \
        diagonal_sums<SUMS>(limbs, primes, jobs, lists, low, high, log_n);                                             \
    }

DIAGONAL_SUMS(1)
DIAGONAL_SUMS(4)
