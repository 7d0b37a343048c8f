/* Real polynomials and vectors of numbers: a pair of torus polynomials is decomposed by two gadgets and multiplied by
 * the matrix of a monomial, as a step of a blind rotation does, and a vector by that of an LWE key switch. The answers
 * are known. The program ends with 0 where all are right.
 *
 *   cc -Iinclude crates/everlevel-spqlios/examples/torus.c -Ltarget/release -leverlevel_spqlios -lm
 */
#include <everlevel_spqlios.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static int32_t word(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int32_t)(state >> 32);
}

static double* doubles(uint64_t count) { return calloc(count ? count : 1, sizeof(double)); }

/* Whether got is expected but for an error, modulo 1 if torus. */
static int check(const char* what, const double* got, const double* expected, uint64_t count, double error, int torus) {
  for (uint64_t i = 0; i < count; ++i) {
    double d = got[i] - expected[i];
    if (torus) d -= rint(d);
    if (fabs(d) > error) {
      fprintf(stderr, "%s: %g for %g at %d\n", what, got[i], expected[i], (int)i);
      return 1;
    }
  }
  return 0;
}

/* Digits of a pair times the rows of (X^5, 0) and (0, X^5) in their units: the pair times X^5, rounded. */
static int half_products(const MOD_RNX* module, uint64_t n) {
  enum { KA = 8, ELLA = 3, KB = 7, ELLB = 2, ROWS = ELLA + ELLB };
  int wrong = 0;
  int32_t* pair = malloc(2 * n * sizeof(int32_t));
  for (uint64_t i = 0; i < 2 * n; ++i) pair[i] = word();

  TNX32X2_APPROXDECOMP_GADGET* gadget = new_tnx32x2_approxdecomp_gadget(module, KA, ELLA, KB, ELLB);
  double* digits = doubles(ROWS * n);
  rnx_approxdecomp_from_tnx32x2(module, gadget, digits, ROWS, n, pair);
  delete_tnx32x2_approxdecomp_gadget((const MOD_RNX*)gadget);

  double* rows = doubles(ROWS * 2 * n);
  double sign = 5 / n % 2 ? -1 : 1;
  for (int i = 0; i < ELLA; ++i) rows[(2 * i) * n + 5 % n] = ldexp(sign, -(i + 1) * KA);
  for (int i = 0; i < ELLB; ++i) rows[(2 * (ELLA + i) + 1) * n + 5 % n] = ldexp(sign, -(i + 1) * KB);
  RNX_VMP_PMAT* pmat = new_rnx_vmp_pmat(module, ROWS, 2);
  uint8_t* tmp = malloc(rnx_vmp_prepare_contiguous_tmp_bytes(module) +
                        rnx_vmp_apply_tmp_a_tmp_bytes(module, 2, ROWS, ROWS, 2) +
                        rnx_vmp_apply_dft_to_dft_tmp_bytes(module, 2, ROWS, ROWS, 2));
  rnx_vmp_prepare_contiguous(module, pmat, rows, ROWS, 2, tmp);

  double *expected = doubles(2 * n), *got = doubles(2 * n), *dft = doubles(ROWS * n);
  vec_rnx_from_tnx32x2(module, expected, 2, n, pair, 1, 2 * n);
  vec_rnx_rotate(module, 5, expected, 2, n, expected, 2, n);
  /* By transforms: the inverse of a product with a prepared matrix has no factor. */
  vec_rnx_dft(module, dft, ROWS, n, digits, ROWS, n);
  rnx_vmp_apply_dft_to_dft(module, dft, 2, n, dft, ROWS, n, pmat, ROWS, 2, tmp);
  vec_rnx_idft(module, got, 2, n, dft, 2, n);
  wrong |= check("first part, by transforms", got, expected, n, ldexp(1, -ELLA * KA - 1) + 1e-9, 1);
  wrong |= check("second part, by transforms", got + n, expected + n, n, ldexp(1, -ELLB * KB - 1) + 1e-9, 1);
  rnx_vmp_apply_tmp_a(module, got, 2, n, digits, ROWS, n, pmat, ROWS, 2, tmp);
  wrong |= check("first part", got, expected, n, ldexp(1, -ELLA * KA - 1) + 1e-9, 1);
  wrong |= check("second part", got + n, expected + n, n, ldexp(1, -ELLB * KB - 1) + 1e-9, 1);

  free(pair), free(digits), free(rows), free(tmp), free(expected), free(got), free(dft);
  delete_rnx_vmp_pmat(pmat);
  return wrong;
}

/* Transforms, scalars and single products: all of them are products with 1 - 2.X. */
static int products(const MOD_RNX* module, uint64_t n) {
  int wrong = 0;
  double *a = doubles(n), *b = doubles(n), *expected = doubles(n), *got = doubles(n);
  int32_t *ia = malloc(n * sizeof(int32_t)), *ib = malloc(n * sizeof(int32_t)), *ic = malloc(n * sizeof(int32_t));
  uint8_t* tmp = malloc(rnx_small_single_product_tmp_bytes(module) + tnxdbl_small_single_product_tmp_bytes(module) +
                        znx32_small_single_product_tmp_bytes(module) + tnx32_small_single_product_tmp_bytes(module));
  b[0] = 1, b[1] = -2;
  for (uint64_t i = 0; i < n; ++i) a[i] = word() >> 20;
  for (uint64_t i = 0; i < n; ++i) expected[i] = a[i] - 2 * (i ? a[i - 1] : -a[n - 1]);

  vec_rnx_dft(module, got, 1, n, a, 1, n);
  vec_rnx_idft(module, got, 1, n, got, 1, n);
  for (uint64_t i = 0; i < n; ++i) got[i] /= (double)(n / 2);
  wrong |= check("a transform and its inverse", got, a, n, 1e-9, 0);

  RNX_SVP_PPOL* ppol = new_rnx_svp_ppol(module);
  rnx_svp_prepare(module, ppol, b);
  rnx_svp_apply(module, got, 1, n, ppol, a, 1, n);
  delete_rnx_svp_ppol(ppol);
  wrong |= check("a scalar product", got, expected, n, 1e-9, 0);

  rnx_small_single_product(module, got, a, b, tmp);
  wrong |= check("a product", got, expected, n, 1e-9, 0);
  vec_rnx_to_znx32(module, ia, 1, n, a, 1, n);
  vec_rnx_to_znx32(module, ib, 1, n, b, 1, n);
  znx32_small_single_product(module, ic, ib, ia, tmp);
  vec_rnx_from_znx32(module, got, 1, n, ic, 1, n);
  wrong |= check("a product of integers", got, expected, n, 0, 0);

  /* On the torus: a in units of 2^-10. */
  for (uint64_t i = 0; i < n; ++i) a[i] = ldexp(a[i], -10), expected[i] = ldexp(expected[i], -10);
  tnxdbl_small_single_product(module, got, b, a, tmp);
  wrong |= check("a product modulo 1", got, expected, n, 1e-9, 1);
  vec_rnx_to_tnx32(module, ia, 1, n, a, 1, n);
  tnx32_small_single_product(module, ic, ib, ia, tmp);
  vec_rnx_from_tnx32(module, got, 1, n, ic, 1, n);
  wrong |= check("a product of words modulo 1", got, expected, n, 0, 1);

  free(a), free(b), free(expected), free(got), free(ia), free(ib), free(ic), free(tmp);
  return wrong;
}

/* Digits of numbers times the rows that are their units: the numbers, rounded. */
static int key_switch(void) {
  enum { SIZE = 40, K = 6, ELL = 4 };
  int wrong = 0;
  MOD_Z* module = new_z_module_info(DEFAULT);
  int32_t words[SIZE], sums[SIZE], *mat = calloc(SIZE * ELL * SIZE, sizeof(int32_t));
  double a[SIZE], got[SIZE];
  int8_t digits[SIZE * ELL];
  for (int i = 0; i < SIZE; ++i) words[i] = word();
  tn32_to_dbl(module, a, SIZE, words, SIZE);

  TNDBL_APPROXDECOMP_GADGET* gadget = new_tndbl_approxdecomp_gadget(module, K, ELL);
  i8_approxdecomp_from_tndbl(module, gadget, digits, SIZE * ELL, a, SIZE);
  delete_tndbl_approxdecomp_gadget(gadget);
  for (int j = 0; j < SIZE; ++j)
    for (int i = 0; i < ELL; ++i) mat[(j * ELL + i) * SIZE + j] = (int32_t)(1u << (32 - (i + 1) * K));
  ZN32_VMP_PMAT* pmat = new_zn32_vmp_pmat(module, SIZE * ELL, SIZE);
  zn32_vmp_prepare_contiguous(module, pmat, mat, SIZE * ELL, SIZE);
  zn32_vmp_apply_i8(module, sums, SIZE, digits, SIZE * ELL, pmat, SIZE * ELL, SIZE);
  tn32_to_dbl(module, got, SIZE, sums, SIZE);
  wrong |= check("recomposed numbers", got, a, SIZE, ldexp(1, -K * ELL - 1), 1);

  dbl_to_tn32(module, sums, SIZE, a, SIZE);
  if (memcmp(sums, words, sizeof words) != 0) wrong |= (fputs("words of the torus differ\n", stderr), 1);
  delete_zn32_vmp_pmat(pmat);
  delete_z_module_info(module);
  free(mat);
  return wrong;
}

int main(void) {
  RNX_MODULE_TYPE type = FFT64;
  int wrong = new_rnx_module_info(12, type) != NULL || new_rnx_module_info(256, NTT120) != NULL;
  for (uint64_t n = 2; n <= 1024; n *= 2) {
    MOD_RNX* module = new_rnx_module_info(n, type);
    TNX32_APPROXDECOMP_GADGET* gadget = new_tnx32_approxdecomp_gadget(module, 8, 4);
    wrong |= rnx_module_get_n(module) != n || gadget == NULL || new_tnx32_approxdecomp_gadget(module, 8, 5) != NULL;
    delete_tnx32_approxdecomp_gadget(gadget);
    wrong |= half_products(module, n) | products(module, n);
    delete_rnx_module_info(module);
  }
  wrong |= key_switch();
  if (!wrong) puts("all answers are right");
  return wrong;
}
