// Kernels with planted faults, which the host device must find, and the same without: for its tests alone.
#pragma once

#include "dialect.h"

// Neighbours exchange values: rightly, with a barrier between.
KERNEL planted_none(GLOBAL(u64) out) {
    SHARED(u64, words, THREADS);
    PHASE
        words[tid] = tid;
    END
    PHASE
        out[BLOCK_X * THREADS + tid] = words[(tid + 1) & 255];
    END
}

KERNEL planted_missing_barrier(GLOBAL(u64) out) {
    SHARED(u64, words, THREADS);
    PHASE
        words[tid] = 1000;
    END
    PHASE
        words[tid] = tid;
        out[BLOCK_X * THREADS + tid] = words[(tid + 1) & 255];
    END
}

// Two threads write one word.
KERNEL planted_race(GLOBAL(u64) out) {
    SHARED(u64, words, THREADS);
    PHASE
        words[tid / 2] = tid;
    END
    PHASE
        out[BLOCK_X * THREADS + tid] = words[tid / 2];
    END
}

// The last thread writes a word too far.
KERNEL planted_out_of_bounds(GLOBAL(u64) out) {
    SHARED(u64, words, THREADS);
    PHASE
        words[tid + 1] = tid;
    END
    PHASE
        out[BLOCK_X * THREADS + tid] = words[tid];
    END
}

// Half of the words are read before anybody wrote them.
KERNEL planted_uninitialised(GLOBAL(u64) out) {
    SHARED(u64, words, THREADS);
    PHASE
        if (tid % 2 == 0) words[tid] = tid;
    END
    PHASE
        out[BLOCK_X * THREADS + tid] = words[tid];
    END
}

// All blocks write the same words, between which no barrier is.
KERNEL planted_race_of_blocks(GLOBAL(u64) out) {
    PHASE
        out[tid] = BLOCK_X;
    END
}

// The last block writes beyond the memory.
KERNEL planted_beyond_memory(GLOBAL(u64) out) {
    PHASE
        out[BLOCK_X * THREADS + tid + 1] = tid;
    END
}
