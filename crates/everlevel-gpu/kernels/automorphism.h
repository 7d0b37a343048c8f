// Automorphisms X ↦ X^g in the transform domain, where index i has the value at the exponent 2·rev(i) + 1: the result's
// value there is the operand's at g times the exponent. Jobs of three words: result, operand, g; a result is another
// limb than its operand.
#pragma once

#include "words.h"

// The index that the value at index i comes from.
FUNCTION u32 source_of(u32 i, u32 galois_elt, u32 log_n) {
    const u32 exponent = 2 * (reversed_bits(i) >> (32 - log_n)) + 1;
    const u32 image = exponent * galois_elt & ((2u << log_n) - 1);
    return reversed_bits(image >> 1) >> (32 - log_n);
}

KERNEL automorphism(GLOBAL(u64) limbs, TABLE(u32) jobs, u32 log_n) {
    PHASE
        const u32 i = BLOCK_X * THREADS + tid, source = source_of(i, jobs[3 * BLOCK_Y + 2], log_n);
        const u64 to = (u64)jobs[3 * BLOCK_Y] << log_n, from = (u64)jobs[3 * BLOCK_Y + 1] << log_n;
        limbs[to + i] = limbs[from + source];
    END
}
