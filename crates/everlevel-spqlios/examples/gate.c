/* A gate of TFHE (CGGI) over limbs in base 2^K: NAND of two encrypted bits, by a key switch of vectors of numbers, a
 * blind rotation whose steps are one product of a vector and a matrix of polynomials each, and an extraction.
 * Dimensions and errors are those of Everlevel's 128-bit gates (n = 640, three polynomials of N = 512, errors of
 * 2^-13.15 and 2^-35.57), but this is a demonstration: a plain generator with a fixed seed draws keys and errors,
 * WHICH IS NOT SECURE. The program ends with 0 where all gates are right, and tells their time on stderr.
 *
 *   cc -O2 -Iinclude crates/everlevel-spqlios/examples/gate.c -Ltarget/release -leverlevel_spqlios -lm
 */
#include <everlevel_spqlios.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A sample has K_GLWE masks and a body, of LIMBS limbs of LOG2_BASE bits; the first limb of each is its digit. */
enum { SMALL = 640, N = 512, K_GLWE = 3, PARTS = K_GLWE + 1, BIG = K_GLWE * N, LOG2_BASE = 19, LIMBS = 2 };
enum { COLS = PARTS * LIMBS, DIGITS = 12 };

static uint64_t state = 1;

static uint64_t word(void) {
  uint64_t x = state += 0x9e3779b97f4a7c15u; /* SplitMix64: not secure. */
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static int64_t gaussian(double deviation) {
  double u = ldexp((double)(word() >> 11) + 0.5, -53), v = ldexp((double)(word() >> 11), -53);
  return llrint(deviation * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

static int64_t* polynomials(uint64_t count) { return calloc(count * N, sizeof(int64_t)); }

static int8_t small[SMALL], big[BIG];
static VMP_PMAT* rotation_key[SMALL];
static ZN32_VMP_PMAT* switch_key;
static uint8_t* tmp;

/* Body of an LWE sample with this mask: mask.secret + message + error, modulo 1. */
static int32_t body(const int32_t* mask, const int8_t* secret, int dim, uint32_t message, double deviation) {
  uint32_t sum = message + (uint32_t)gaussian(deviation);
  for (int i = 0; i < dim; ++i) sum += (uint32_t)mask[i] * (uint32_t)secret[i];
  return (int32_t)sum;
}

/* For each bit of the small secret, a matrix whose row p has the phase bit.S_p/2^K for a mask, and bit/2^K for the
 * body: the phase of a sample over limbs is its body plus its masks times the secret's polynomials S_p. */
static void make_rotation_key(const MODULE* m) {
  SVP_PPOL* secret[K_GLWE];
  int64_t *s = polynomials(K_GLWE), *rows = polynomials(PARTS * COLS), *error = polynomials(LIMBS);
  VEC_ZNX_DFT *sum = new_vec_znx_dft(m, LIMBS), *product = new_vec_znx_dft(m, LIMBS);
  VEC_ZNX_BIG* masked = new_vec_znx_big(m, LIMBS);
  for (int i = 0; i < BIG; ++i) s[i] = big[i];
  for (int p = 0; p < K_GLWE; ++p) svp_prepare(m, secret[p] = new_svp_ppol(m), s + p * N);
  for (int bit = 0; bit < SMALL; ++bit) {
    for (int row = 0; row < PARTS; ++row) {
      int64_t* sample = rows + row * COLS * N;
      vec_dft_zero(m, sum, LIMBS);
      for (int p = 0; p < K_GLWE; ++p) {
        int64_t* mask = sample + p * LIMBS * N;
        for (int i = 0; i < LIMBS * N; ++i) mask[i] = (int64_t)word() >> (64 - LOG2_BASE);
        svp_apply_dft(m, product, LIMBS, secret[p], mask, LIMBS, N);
        vec_dft_add(m, sum, LIMBS, sum, LIMBS, product, LIMBS);
      }
      vec_znx_idft_tmp_a(m, masked, LIMBS, sum, LIMBS);
      for (int i = 0; i < N; ++i) {
        error[i] = small[bit] * (row < K_GLWE ? s[row * N + i] : i == 0);
        error[(LIMBS - 1) * N + i] = gaussian(exp2(LIMBS * LOG2_BASE - 35.57));
      }
      vec_znx_big_sub_small_a(m, masked, LIMBS, error, LIMBS, N, masked, LIMBS);
      vec_znx_big_normalize_base2k(m, LOG2_BASE, sample + K_GLWE * LIMBS * N, LIMBS, N, masked, LIMBS, tmp);
    }
    rotation_key[bit] = new_vmp_pmat(m, PARTS, COLS);
    vmp_prepare_contiguous(m, rotation_key[bit], rows, PARTS, COLS, tmp);
  }
  for (int p = 0; p < K_GLWE; ++p) delete_svp_ppol(secret[p]);
  delete_vec_znx_dft(sum), delete_vec_znx_dft(product), delete_vec_znx_big(masked);
  free(s), free(rows), free(error);
}

/* For each bit of the large secret and each digit, a sample of it in the digit's unit under the small secret. */
static void make_switch_key(const MOD_Z* z) {
  int32_t* rows = malloc(sizeof(int32_t) * BIG * DIGITS * (SMALL + 1));
  for (int i = 0; i < BIG * DIGITS; ++i) {
    int32_t* row = rows + (size_t)i * (SMALL + 1);
    for (int j = 0; j < SMALL; ++j) row[j] = (int32_t)word();
    row[SMALL] = body(row, small, SMALL, (uint32_t)big[i / DIGITS] << (31 - i % DIGITS), exp2(32 - 13.15));
  }
  switch_key = new_zn32_vmp_pmat(z, BIG * DIGITS, SMALL + 1);
  zn32_vmp_prepare_contiguous(z, switch_key, rows, BIG * DIGITS, SMALL + 1);
  free(rows);
}

/* A sample under the large secret as one under the small: its body less the digits of its mask times the key. */
static void key_switch(const MOD_Z* z, int32_t* out, const int32_t* in) {
  static double mask[BIG];
  static int8_t digits[BIG * DIGITS];
  TNDBL_APPROXDECOMP_GADGET* gadget = new_tndbl_approxdecomp_gadget(z, 1, DIGITS);
  tn32_to_dbl(z, mask, BIG, in, BIG);
  i8_approxdecomp_from_tndbl(z, gadget, digits, BIG * DIGITS, mask, BIG);
  delete_tndbl_approxdecomp_gadget(gadget);
  zn32_vmp_apply_i8(z, out, SMALL + 1, digits, BIG * DIGITS, switch_key, BIG * DIGITS, SMALL + 1);
  for (int j = 0; j <= SMALL; ++j) out[j] = (int32_t)((j == SMALL ? (uint32_t)in[BIG] : 0) - (uint32_t)out[j]);
}

/* acc = X^-phase.(1/8 + X/8 + ...), for a phase in units of 1/2N. */
static void blind_rotation(const MODULE* m, int64_t* acc, const int32_t* exponents) {
  int64_t *difference = polynomials(COLS), *digits = polynomials(PARTS);
  VEC_ZNX_DFT* products = new_vec_znx_dft(m, COLS);
  VEC_ZNX_BIG* sum = new_vec_znx_big(m, COLS);
  vec_znx_zero(m, acc, COLS, N);
  for (int i = 0; i < N; ++i) acc[K_GLWE * LIMBS * N + i] = 1 << (LOG2_BASE - 3);
  vec_znx_rotate(m, -exponents[SMALL], acc, COLS, N, acc, COLS, N);
  for (int bit = 0; bit < SMALL; ++bit) {
    vec_znx_rotate(m, exponents[bit], difference, COLS, N, acc, COLS, N);
    vec_znx_sub(m, difference, COLS, N, difference, COLS, N, acc, COLS, N);
    for (int p = 0; p < PARTS; ++p)
      vec_znx_normalize_base2k(m, LOG2_BASE, digits + p * N, 1, N, difference + p * LIMBS * N, LIMBS, N, tmp);
    vmp_apply_dft(m, products, COLS, digits, PARTS, N, rotation_key[bit], PARTS, COLS, tmp);
    vec_znx_idft_tmp_a(m, sum, COLS, products, COLS);
    vec_znx_big_add_small(m, sum, COLS, sum, COLS, acc, COLS, N);
    for (int p = 0; p < PARTS; ++p)
      vec_znx_big_range_normalize_base2k(m, LOG2_BASE, acc + p * LIMBS * N, LIMBS, N, sum, p * LIMBS,
                                         (p + 1) * LIMBS, 1, tmp);
  }
  delete_vec_znx_dft(products), delete_vec_znx_big(sum);
  free(difference), free(digits);
}

/* Coefficient i of a part of a sample, as a word of the torus, rounded. */
static uint32_t coefficient(const int64_t* part, int i) {
  int64_t units = part[i] * (1 << LOG2_BASE) + part[N + i];
  return (uint32_t)((units + (1 << (LIMBS * LOG2_BASE - 33))) >> (LIMBS * LOG2_BASE - 32));
}

/* The bit is true where the phase 1/8 - x - y is in the upper half of the circle. */
static void nand(const MODULE* m, const MOD_Z* z, int32_t* out, const int32_t* x, const int32_t* y) {
  static int32_t sum[BIG + 1], exponents[SMALL + 1];
  for (int i = 0; i <= BIG; ++i) sum[i] = (int32_t)((i == BIG ? 1u << 29 : 0) - (uint32_t)x[i] - (uint32_t)y[i]);
  key_switch(z, exponents, sum);
  /* To units of 1/2N, rounded: 10 bits. */
  for (int j = 0; j <= SMALL; ++j) exponents[j] = (int32_t)(((uint32_t)exponents[j] + (1u << 21)) >> 22);
  int64_t* acc = polynomials(COLS);
  blind_rotation(m, acc, exponents);
  /* The constant coefficient of A.S is A[0].S[0] - A[N-1].S[1] - ..., and a phase of LWE has the mask with a minus. */
  for (int i = 0; i < BIG; ++i) {
    const int64_t* mask = acc + i / N * LIMBS * N;
    out[i] = (int32_t)(i % N ? coefficient(mask, N - i % N) : -coefficient(mask, 0));
  }
  out[BIG] = (int32_t)coefficient(acc + K_GLWE * LIMBS * N, 0);
  free(acc);
}

/* The phase of a bit, less 1/8 or -1/8, is its error: whether it is far from deciding otherwise. */
static int check(const int32_t* sample, int bit, double* most) {
  uint32_t phase = (uint32_t)sample[BIG];
  for (int i = 0; i < BIG; ++i) phase -= (uint32_t)sample[i] * (uint32_t)big[i];
  double error = fabs(ldexp((double)(int32_t)(phase - (bit ? 1u << 29 : 7u << 29)), -32));
  if (error > *most) *most = error;
  if (error < 0.0625) return 0;
  fprintf(stderr, "a gate gives %g of the torus, %g away from its bit\n", ldexp((double)(int32_t)phase, -32), error);
  return 1;
}

int main(void) {
  int wrong = 0, gates = 0;
  double seconds = 0, most = 0;
  MODULE* m = new_module_info(N, FFT64);
  MOD_Z* z = new_z_module_info(DEFAULT);
  tmp = malloc(vmp_prepare_contiguous_tmp_bytes(m, PARTS, COLS) +
               vmp_apply_dft_tmp_bytes(m, COLS, PARTS, PARTS, COLS) + vec_znx_normalize_base2k_tmp_bytes(m) +
               vec_znx_big_normalize_base2k_tmp_bytes(m) +
               vec_znx_big_range_normalize_base2k_tmp_bytes(m) + 1);
  for (int i = 0; i < SMALL; ++i) small[i] = word() & 1;
  for (int i = 0; i < BIG; ++i) big[i] = word() & 1;
  make_rotation_key(m);
  make_switch_key(z);

  static int32_t bits[4][BIG + 1];
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < BIG; ++j) bits[i][j] = (int32_t)word();
    bits[i][BIG] = body(bits[i], big, BIG, i ? 1u << 29 : 7u << 29, exp2(32 - 30));
  }
  for (int i = 0; i < 4; ++i) {
    clock_t start = clock();
    nand(m, z, bits[2], bits[i & 1], bits[i >> 1]);
    /* Of bits that gates gave. */
    nand(m, z, bits[3], bits[2], bits[2]);
    seconds += (double)(clock() - start) / CLOCKS_PER_SEC, gates += 2;
    wrong |= check(bits[2], i != 3, &most) | check(bits[3], i == 3, &most);
  }
  fprintf(stderr, "%.2f ms of CPU time a gate, the largest error is %g of the torus\n", 1e3 * seconds / gates, most);

  for (int i = 0; i < SMALL; ++i) delete_vmp_pmat(rotation_key[i]);
  delete_zn32_vmp_pmat(switch_key);
  delete_z_module_info(z);
  delete_module_info(m);
  free(tmp);
  if (!wrong) puts("all gates are right");
  return wrong;
}
