// One dialect of C++ for CUDA and for the host: a kernel is a list of phases, and no variable of a thread lives across
// a barrier. Under CUDA a phase ends in a barrier of the block; on the host it is a loop over the block's threads, so
// that what a barrier orders is ordered, and nothing else: the loop's order is the caller's choice.
//
//   KERNEL name(parameters)     a kernel for blocks of THREADS threads
//   GLOBAL(T), TABLE(T)         a parameter: memory that is read and written; memory that nobody writes meanwhile
//   SHARED(T, name, count)      a block's memory, declared before the first phase; SHARED_OF(T, count) as a parameter
//   PHASE … END                 what each thread `tid` does between two barriers; BLOCK_X, BLOCK_Y name the block
//   FUNCTION, METHOD            what kernels call
//
// Kernels use no library, for they are compiled without any. The host includes its headers, and memory.h, before this.
#pragma once

#define THREADS 256u

#if defined(__CUDACC__)

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
#define FUNCTION static __device__ __forceinline__
#define METHOD __device__ __forceinline__
#define UNROLL _Pragma("unroll")

#define GLOBAL(T) T *
#define TABLE(T) const T *__restrict__
#define SHARED(T, name, count) __shared__ T name[count]
#define SHARED_OF(T, count) T *

#define PHASE                                                                                                          \
    {                                                                                                                  \
        const u32 tid = threadIdx.x;
#define END                                                                                                            \
    }                                                                                                                  \
    __syncthreads();
#define BLOCK_X blockIdx.x
#define BLOCK_Y blockIdx.y

FUNCTION u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
FUNCTION u32 reversed_bits(u32 x) { return __brev(x); }
// A word that the compiler knows nothing of: what depends on it isn't taken out of a loop, where it would keep registers.
FUNCTION u32 opaque(u32 x) {
    asm volatile("" : "+r"(x));
    return x;
}
// A product plus a sum, rounded once; and the two operations rounded one by one, which no compiler may fuse.
FUNCTION double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
FUNCTION double product(double a, double b) { return __dmul_rn(a, b); }
FUNCTION double sum(double a, double b) { return __dadd_rn(a, b); }
FUNCTION u64 bits_of(double x) { return (u64)__double_as_longlong(x); }
FUNCTION double of_bits(u64 x) { return __longlong_as_double((long long)x); }

#else

#define KERNEL static void
#define FUNCTION static inline
#define METHOD inline
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define PHASE                                                                                                          \
    next_phase();                                                                                                      \
    for (u32 turn_ = 0; turn_ < THREADS; turn_++) {                                                                    \
        const u32 tid = thread_of(turn_);
#define END }
#define BLOCK_X host.block_x
#define BLOCK_Y host.block_y

FUNCTION u64 high_product(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
FUNCTION u32 reversed_bits(u32 x) {
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}
FUNCTION u32 opaque(u32 x) { return x; }
FUNCTION double fused(double a, double b, double c) { return std::fma(a, b, c); }
FUNCTION double product(double a, double b) { return a * b; }
FUNCTION double sum(double a, double b) { return a + b; }
FUNCTION u64 bits_of(double x) {
    u64 bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
FUNCTION double of_bits(u64 x) {
    double value;
    std::memcpy(&value, &x, sizeof value);
    return value;
}

#endif
