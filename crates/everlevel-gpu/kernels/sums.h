// Sums of products: conversions between bases of primes, products of digits with the rows of keys, and sums of
// ciphertexts' images times plaintexts. Factors are in halves of 24 bits, so that a product is four wide products, or three
// where a factor is known beforehand, and a sum of them three words without carries.
#pragma once

#include "automorphism.h"

// Sources of a conversion, and targets that one thread makes together.
#define MOST_SOURCES 60u
#define TARGETS_TOGETHER 4u

// Residues that a thread converts in turn, with the weights that its block has loaded once.
#define RESIDUES_IN_TURN 4u

// Operands that a thread loads before it computes with the first one, so that it waits for memory once for all of them.
#define LOADED_AHEAD 4u

// A weight below 2^48: both halves and their sum, whose products with a factor's are one more than both halves' products.
struct alignas(16) Weight {
    u32 low, high, both, unused;
};

// A source of a conversion: the first word of its limb, and the reciprocal of its prime.
struct alignas(16) Source {
    u64 first;
    double reciprocal;
};

// The exact double of an integer below 2^52.
FUNCTION double small_double(u64 x) { return sum(of_bits(x | 0x4330000000000000), -4503599627370496.0); }

// Products with the weights of all targets; the middle sums have those of the lower and of the higher halves in them.
FUNCTION void add_weighted(Sum *sums, u64 y, SHARED_OF(Weight, TARGETS_TOGETHER *(MOST_SOURCES + 1)) weights, u32 j) {
    const Halves parts = halves(y);
    const u32 both = parts.low + parts.high;
    UNROLL for (u32 t = 0; t < TARGETS_TOGETHER; t++) {
        const Weight w = weights[TARGETS_TOGETHER * j + t];
        sums[t].low += (u64)parts.low * w.low;
        sums[t].middle += (u64)both * w.both;
        sums[t].high += (u64)parts.high * w.high;
    }
}

// Residues of Σ_j y_j·w_tj + v·w_t modulo up to four primes, where v = ⌊½ + Σ_j y_j/d_j⌋ with products and sums in
// doubles, rounded one by one and in order. A job's words: where its sources begin in `lists`, their number; where its
// targets do, a limb and a prime each, their number; where its weights begin, the last of each target being w_t; and
// its reciprocals 1/d_j.
KERNEL convert(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(u32) lists, TABLE(u64) weights,
               TABLE(double) reciprocals, u32 n) {
    SHARED(Weight, w, TARGETS_TOGETHER * (MOST_SOURCES + 1));
    SHARED(Source, from, MOST_SOURCES);
    PHASE
        const u32 job = 6 * BLOCK_Y, sources = jobs[job + 1], row = sources + 1, targets = jobs[job + 3];
        const u64 first = jobs[job + 4];
        // Targets beyond the job's have zeros, so that the loop over sources has no branch.
        if (tid < row) {
            UNROLL for (u32 t = 0; t < TARGETS_TOGETHER; t++) {
                const Halves parts = halves(t < targets ? (u64)weights[first + t * row + tid] : 0);
                Weight weight;
                weight.low = parts.low;
                weight.high = parts.high;
                weight.both = parts.low + parts.high;
                weight.unused = 0;
                w[TARGETS_TOGETHER * tid + t] = weight;
            }
        }
        if (tid < sources) {
            Source source;
            source.first = (u64)lists[jobs[job] + tid] * n;
            source.reciprocal = reciprocals[jobs[job + 5] + tid];
            from[tid] = source;
        }
    END
    PHASE
        const u32 job = 6 * BLOCK_Y, sources = jobs[job + 1], targets_at = jobs[job + 2], targets = jobs[job + 3];
        const u32 whole = sources - sources % LOADED_AHEAD;
        for (u32 r = 0; r < RESIDUES_IN_TURN; r++) {
            const u64 i = ((u64)BLOCK_X * RESIDUES_IN_TURN + r) * THREADS + tid;
            Sum sums[TARGETS_TOGETHER];
            UNROLL for (u32 t = 0; t < TARGETS_TOGETHER; t++) clear(sums[t]);
            double quotient = 0.5;
            for (u32 j = 0; j < whole; j += LOADED_AHEAD) {
                u64 y[LOADED_AHEAD];
                UNROLL for (u32 k = 0; k < LOADED_AHEAD; k++) {
                    const Source source = from[j + k];
                    y[k] = limbs[source.first + i];
                }
                UNROLL for (u32 k = 0; k < LOADED_AHEAD; k++) {
                    const Source source = from[j + k];
                    quotient = sum(quotient, product(small_double(y[k]), source.reciprocal));
                    add_weighted(sums, y[k], w, j + k);
                }
            }
            for (u32 j = whole; j < sources; j++) {
                const Source source = from[j];
                const u64 y = limbs[source.first + i];
                quotient = sum(quotient, product(small_double(y), source.reciprocal));
                add_weighted(sums, y, w, j);
            }
            add_weighted(sums, (u64)quotient, w, sources);
            const u32 here = opaque(targets_at);
            UNROLL for (u32 t = 0; t < TARGETS_TOGETHER; t++) {
                if (t < targets) {
                    sums[t].middle -= sums[t].low + sums[t].high;
                    const Prime p = primes[lists[here + 2 * t + 1]];
                    limbs[(u64)lists[here + 2 * t] * n + i] = reduced(sums[t], p);
                }
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

// Terms of a job of diagonals that are in shared memory; others are read from the list.
#define TERMS_SHARED 64u

// What a term of a job of diagonals multiplies: both parts of the image, and the values of SUMS plaintexts.
template <u32 SUMS>
struct Term {
    u64 image[2];
    u32 low[SUMS], high[SUMS];

    METHOD void load(const u32 *words, GLOBAL(u64) limbs, TABLE(u32) lows, TABLE(u16) highs, u32 i, u32 log_n) {
        const u32 source = source_of(i, words[2], log_n);
        UNROLL for (u32 part = 0; part < 2; part++) image[part] = limbs[((u64)words[part] << log_n) + source];
        UNROLL for (u32 k = 0; k < SUMS; k++) {
            const u32 unit = words[3 + 2 * k];
            const u64 at = (u64)unit * UNIT + (i >> words[4 + 2 * k]);
            low[k] = unit < ABSENT ? (u32)lows[at] : (u32)(unit == NONE);
            high[k] = unit < ABSENT ? (u32)highs[at] : 0;
        }
    }

    METHOD void add_to(Sum (*sums)[2]) const {
        const Halves x[2] = {halves(image[0]), halves(image[1])};
        UNROLL for (u32 k = 0; k < SUMS; k++) {
            const Halves y = halves((u64)high[k] << 32 | low[k]);
            UNROLL for (u32 part = 0; part < 2; part++) add_product(sums[k][part], x[part], y);
        }
    }
};

// Both parts of up to SUMS sums of ciphertexts' images under automorphisms times plaintexts, which share the images. A
// job's words: the prime, its first term in `lists`, their number, the number of sums, and the limbs of both parts of
// each. A term's words: the limbs of both parts, the automorphism's element, and for each sum the plaintext's first unit,
// NONE for the number one or ABSENT for zero, and log2 of the indices that each of its values stands for.
template <u32 SUMS>
FUNCTION void diagonal_sums(GLOBAL(u64) limbs, TABLE(Prime) primes, TABLE(u32) jobs, TABLE(u32) lists, TABLE(u32) low,
                            TABLE(u16) high, u32 log_n) {
    constexpr u32 WORDS = 3 + 2 * SUMS, JOB = 4 + 2 * SUMS;
    SHARED(u32, words, TERMS_SHARED *WORDS);
    PHASE
        const u32 first = jobs[JOB * BLOCK_Y + 1], terms = jobs[JOB * BLOCK_Y + 2];
        const u32 here = terms < TERMS_SHARED ? terms : TERMS_SHARED;
        for (u32 k = tid; k < here * WORDS; k += THREADS) words[k] = lists[first * WORDS + k];
    END
    PHASE
        const u32 i = BLOCK_X * THREADS + tid;
        const u32 job = JOB * BLOCK_Y, first = jobs[job + 1], terms = jobs[job + 2];
        Sum sums[SUMS][2];
        UNROLL for (u32 k = 0; k < SUMS; k++) {
            clear(sums[k][0]);
            clear(sums[k][1]);
        }
        // A term is loaded before the one ahead of it is multiplied.
        Term<SUMS> ahead, loaded;
        for (u32 t = 0; t <= terms; t++) {
            if (t < terms) {
                u32 term[WORDS];
                if (t < TERMS_SHARED) {
                    UNROLL for (u32 k = 0; k < WORDS; k++) term[k] = words[t * WORDS + k];
                } else {
                    UNROLL for (u32 k = 0; k < WORDS; k++) term[k] = lists[(first + t) * WORDS + k];
                }
                loaded.load(term, limbs, low, high, i, log_n);
            }
            if (t > 0) ahead.add_to(sums);
            ahead = loaded;
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
