/* Products of numbers in base 2^K, by a matrix, by a scalar and by convolution, in both modules: each is compared with
 * the schoolbook's. The program ends with 0 where all are equal.
 *
 *   cc -Iinclude crates/everlevel-spqlios/examples/products.c -Ltarget/release -leverlevel_spqlios
 */
#include <everlevel_spqlios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 256, ROWS = 3, COLS = 4 };

static uint64_t state = 1;

/* A signed digit of so many bits. */
static int64_t digit(unsigned bits) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)state >> (64 - bits);
}

static int64_t* digits(unsigned bits, uint64_t size) {
  int64_t* v = malloc(size * N * sizeof(int64_t));
  for (uint64_t i = 0; i < size * N; ++i) v[i] = digit(bits);
  return v;
}

/* res += a.b */
static void schoolbook(int64_t* res, const int64_t* a, const int64_t* b) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      if (i + j < N) res[i + j] += a[i] * b[j];
      else res[i + j - N] -= a[i] * b[j];
    }
}

static void* scratch(uint64_t bytes) { return malloc(bytes ? bytes : 1); }

static int same(const char* what, const int64_t* got, const int64_t* expected, uint64_t size) {
  if (memcmp(got, expected, size * N * sizeof(int64_t)) == 0) return 0;
  fprintf(stderr, "%s: a wrong product\n", what);
  return 1;
}

/* The digits of a transform, with those of the vector of exact sums. */
static int check(const char* what, const MODULE* module, unsigned k, VEC_ZNX_DFT* dft, int64_t* exact, uint64_t size) {
  VEC_ZNX_BIG* big = new_vec_znx_big(module, size);
  uint8_t* tmp = scratch(vec_znx_big_normalize_base2k_tmp_bytes(module) + vec_znx_normalize_base2k_tmp_bytes(module));
  int64_t* got = malloc(size * N * sizeof(int64_t));
  vec_znx_idft_tmp_a(module, big, size, dft, size);
  vec_znx_big_normalize_base2k(module, k, got, size, N, big, size, tmp);
  vec_znx_normalize_base2k(module, k, exact, size, N, exact, size, N, tmp);
  int wrong = same(what, got, exact, size);
  free(got);
  free(tmp);
  delete_vec_znx_big(big);
  return wrong;
}

static int run(MODULE_TYPE type, unsigned k) {
  int wrong = 0;
  MODULE* module = new_module_info(N, type);
  int64_t *a = digits(k, ROWS), *b = digits(k, COLS), *mat = digits(k, ROWS * COLS);
  VEC_ZNX_DFT* dft = new_vec_znx_dft(module, ROWS + COLS - 1);

  /* A row vector times a matrix. */
  VMP_PMAT* pmat = new_vmp_pmat(module, ROWS, COLS);
  uint8_t* tmp = scratch(vmp_prepare_contiguous_tmp_bytes(module, ROWS, COLS));
  vmp_prepare_contiguous(module, pmat, mat, ROWS, COLS, tmp);
  free(tmp);
  tmp = scratch(vmp_apply_dft_tmp_bytes(module, COLS, ROWS, ROWS, COLS));
  vmp_apply_dft(module, dft, COLS, a, ROWS, N, pmat, ROWS, COLS, tmp);
  free(tmp);
  int64_t* exact = calloc((ROWS + COLS - 1) * N, sizeof(int64_t));
  for (int row = 0; row < ROWS; ++row)
    for (int col = 0; col < COLS; ++col) schoolbook(exact + col * N, a + row * N, mat + (row * COLS + col) * N);
  wrong |= check("matrix", module, k, dft, exact, COLS);
  delete_vmp_pmat(pmat);

  /* A scalar times a vector. */
  SVP_PPOL* ppol = new_svp_ppol(module);
  svp_prepare(module, ppol, b);
  svp_apply_dft(module, dft, ROWS, ppol, a, ROWS, N);
  memset(exact, 0, ROWS * N * sizeof(int64_t));
  for (int row = 0; row < ROWS; ++row) schoolbook(exact + row * N, a + row * N, b);
  wrong |= check("scalar", module, k, dft, exact, ROWS);
  delete_svp_ppol(ppol);

  /* Two vectors, without the first coefficient of the product. */
  CNV_PVEC_L* left = malloc(bytes_of_vec_znx_dft(module, ROWS));
  CNV_PVEC_R* right = malloc(bytes_of_vec_znx_dft(module, COLS));
  tmp = scratch(cnv_apply_dft_tmp_bytes(module, ROWS + COLS - 2, 1, ROWS, COLS));
  cnv_prepare_left_contiguous(module, left, ROWS, a, ROWS, N, tmp);
  cnv_prepare_right_contiguous(module, right, COLS, b, COLS, N, tmp);
  cnv_apply_dft(module, dft, ROWS + COLS - 2, 1, left, ROWS, right, COLS, tmp);
  memset(exact, 0, (ROWS + COLS - 2) * N * sizeof(int64_t));
  for (int i = 0; i < ROWS; ++i)
    for (int j = i ? 0 : 1; j < COLS; ++j) schoolbook(exact + (i + j - 1) * N, a + i * N, b + j * N);
  wrong |= check("convolution", module, k, dft, exact, ROWS + COLS - 2);
  free(left);
  free(right);
  free(tmp);

  /* One product, in its operand's place. */
  tmp = scratch(znx_small_single_product_tmp_bytes(module));
  memset(exact, 0, N * sizeof(int64_t));
  schoolbook(exact, a, b);
  znx_small_single_product(module, a, a, b, tmp);
  wrong |= same("single product", a, exact, 1);
  free(tmp);

  free(a);
  free(b);
  free(mat);
  free(exact);
  delete_vec_znx_dft(dft);
  delete_module_info(module);
  return wrong;
}

int main(void) {
  if (new_module_info(12, FFT64) != NULL) return 1;
  int wrong = run(FFT64, 13) | run(NTT120, 25);
  if (!wrong) puts("all products are right");
  return wrong;
}
