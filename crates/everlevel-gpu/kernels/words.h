// Residues modulo a prime below 2^48, one at a time. Ranges: docs/notes/gpu-kernels.md.
#pragma once

#include "dialect.h"

// Packed residues of a unit, which jobs count packed memory in, and what stands in place of a limb or a unit: of one that
// a job doesn't need, and of one that is zero.
#define UNIT 64u
#define NONE 0xffffffffu
#define ABSENT 0xfffffffeu

// The constants of a prime; `everlevel_gpu::constants::Prime` in Rust.
struct Prime {
    u64 q;
    u64 reciprocal;      // ⌊2^64/q⌋
    u64 sum_shift;       // the bits of q, less one
    u64 sum_reciprocal;  // ⌊2^(64 + sum_shift)/q⌋
    double q_double;
    double inverse;  // 1/q, rounded
};

// A factor that is known beforehand, and its quotient ⌊2^64·w/q⌋.
struct alignas(16) Factor {
    u64 w;
    u64 quotient;
};

// x mod q for x < 2q.
FUNCTION u64 reduced_once(u64 x, u64 q) { return x >= q ? x - q : x; }

// x modulo q in [0, 2q), for any word.
FUNCTION u64 lazily_reduced(u64 x, u64 q, u64 reciprocal) { return x - high_product(x, reciprocal) * q; }

// x·w modulo q in [0, 2q), for any word x.
FUNCTION u64 times(u64 x, u64 w, u64 quotient, u64 q) { return x * w - high_product(x, quotient) * q; }

// x·w modulo q in [0, 4q), for any word x: the high word lacks the product of the low halves, and is at most 3 less.
FUNCTION u64 times_lazily(u64 x, Factor w, u64 q) {
    const u32 x_low = (u32)x, x_high = (u32)(x >> 32);
    const u32 low = (u32)w.quotient, high = (u32)(w.quotient >> 32);
    const u64 estimate = (u64)x_high * high + (((u64)x_high * low) >> 32) + (((u64)x_low * high) >> 32);
    return x * w.w - estimate * q;
}

// A word below 2^48 in two halves of 24 bits.
struct Halves {
    u32 low;
    u32 high;
};

FUNCTION Halves halves(u64 x) {
    Halves parts;
    parts.low = (u32)x & 0xffffff;
    parts.high = (u32)(x >> 24);
    return parts;
}

// low + middle·2^24 + high·2^48, a sum of at most 2^14 products of words below 2^48.
struct Sum {
    u64 low, middle, high;
};

FUNCTION void clear(Sum &sum) { sum.low = sum.middle = sum.high = 0; }

FUNCTION void add_product(Sum &sum, Halves x, Halves y) {
    sum.low += (u64)x.low * y.low;
    sum.middle += (u64)x.low * y.high;
    sum.middle += (u64)x.high * y.low;
    sum.high += (u64)x.high * y.high;
}

// The sum modulo q, in [0, q): by its bits from `sum_shift` on, the quotient is at most two too small.
FUNCTION u64 reduced(Sum sum, const Prime &p) {
    const u64 middle = sum.middle + (sum.low >> 24), high = sum.high + (middle >> 24);
    const u64 low = (middle & 0xffffff) << 24 | (sum.low & 0xffffff);
    const u32 shift = (u32)p.sum_shift;
    const u64 quotient = high_product(high << (48 - shift) | low >> shift, p.sum_reciprocal);
    const u64 x = low + (high << 48) - quotient * p.q;
    return reduced_once(reduced_once(x, 2 * p.q), p.q);
}

// a·b mod q.
FUNCTION u64 multiplied(u64 a, u64 b, const Prime &p) {
    Sum sum;
    clear(sum);
    add_product(sum, halves(a), halves(b));
    return reduced(sum, p);
}

FUNCTION u64 added(u64 a, u64 b, u64 q) { return reduced_once(a + b, q); }

FUNCTION u64 subtracted(u64 a, u64 b, u64 q) { return reduced_once(a + q - b, q); }

// a·w mod q for a factor that is known beforehand.
FUNCTION u64 scaled(u64 a, Factor w, u64 q) { return reduced_once(times(a, w.w, w.quotient, q), q); }
