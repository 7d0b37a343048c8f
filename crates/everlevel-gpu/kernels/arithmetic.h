// The two arithmetics of transforms: words of integers, and integers in doubles, for devices that multiply doubles at
// full rate. Both give canonical values at the end; between a transform's two kernels a value is the arithmetic's own.
#pragma once

#include "words.h"

// Lazy residues in words. Forward, a level adds 4q; backward, it doubles the bound.
struct Integers {
    typedef u64 word;
    typedef Factor factor;

    u64 q, reciprocal;

    METHOD explicit Integers(const Prime &p) : q(p.q), reciprocal(p.reciprocal) {}

    METHOD word of_canonical(u64 x) const { return x; }
    METHOD word of_parked(u64 x) const { return x; }
    METHOD u64 parked(word x) const { return x; }
    METHOD u64 parked_reduced(word x) const { return lazily_reduced(x, q, reciprocal); }
    METHOD u64 canonical(word x) const { return reduced_once(lazily_reduced(x, q, reciprocal), q); }

    METHOD void forward(word &x, word &y, factor w) const {
        const word v = times_lazily(y, w, q);
        y = x + 4 * q - v;
        x = x + v;
    }

    // After `level` levels, where values are below 2^(level+1)·q.
    METHOD void inverse(word &x, word &y, factor w, u32 level) const {
        const word difference = x + (q << (level + 1)) - y;
        x = x + y;
        y = times_lazily(difference, w, q);
    }

    // The last level, with the results' common factor in both of its factors.
    METHOD void inverse_last(word &x, word &y, factor scale, factor w, u32 level) const {
        inverse(x, y, w, level);
        x = times_lazily(x, scale, q);
    }

    template <u32 COUNT>
    METHOD void end_of_pass(word *) const {}
};

// Integers of either sign in doubles, of size at most 16q.
struct Doubles {
    typedef double word;
    typedef double factor;  // in [-q/2, q/2]

    double q, reciprocal;

    METHOD explicit Doubles(const Prime &p) : q(p.q_double), reciprocal(p.inverse) {}

    // The integer nearest to a double of size below 2^51, whose last bits 1.5·2^52 takes.
    METHOD double nearest_quotient(double x) const {
        return sum(fused(x, reciprocal, 6755399441055744.0), -6755399441055744.0);
    }

    // x modulo q, of size q/2 and at most a unit more.
    METHOD double reduced(double x) const { return fused(-nearest_quotient(x), q, x); }

    METHOD double times(double x, double w) const {
        const double high = product(x, w);
        const double low = fused(x, w, -high);
        return sum(fused(-nearest_quotient(high), q, high), low);
    }

    METHOD word of_canonical(u64 x) const { return (double)x; }
    METHOD word of_parked(u64 x) const { return of_bits(x); }
    METHOD u64 parked(word x) const { return bits_of(x); }
    METHOD u64 parked_reduced(word x) const { return bits_of(x); }
    METHOD u64 canonical(word x) const {
        const double r = reduced(x);
        return (u64)(r < 0 ? sum(r, q) : r);
    }

    METHOD void forward(word &x, word &y, factor w) const {
        const word v = times(y, w);
        y = sum(x, -v);
        x = sum(x, v);
    }

    METHOD void inverse(word &x, word &y, factor w, u32) const {
        const word difference = sum(x, -y);
        x = sum(x, y);
        y = times(difference, w);
    }

    METHOD void inverse_last(word &x, word &y, factor scale, factor w, u32 level) const {
        inverse(x, y, w, level);
        x = times(x, scale);
    }

    // Sums have grown to 16q at most; the last level's products are in the upper half, and need nothing.
    template <u32 COUNT>
    METHOD void end_of_pass(word *x) const {
        UNROLL for (u32 k = 0; k < COUNT / 2; k++) x[k] = reduced(x[k]);
    }
};
