/* Vectors of polynomials modulo X^N + 1, integer ones for numbers in base 2^K (znx) and real ones (rnx), and vectors of
 * numbers (zn): the names and the meaning of the functions of spqlios-arithmetic's vec_znx_arithmetic.h,
 * vec_rnx_arithmetic.h and zn_arithmetic.h, over Everlevel's arithmetic.
 *
 * A vector is a pointer to its first polynomial, the number of its polynomials (size), and the words from one to the
 * next (sl, at least N). Polynomials that an operand lacks are 0; those that a result has no place for are dropped.
 * A result may be an operand. Objects of opaque types belong to their module, and aren't for files. Scratch is asked
 * for as in the original; its contents don't matter.
 *
 * Integers: sums of products are right up to 52 bits in FFT64, for which K = 10 ... 20 are usual, and up to 142 bits in
 * NTT120: K up to 60. Real numbers are doubles, and rounded as such.
 *
 * A function that can't answer ends the process with a line on stderr; debug builds check pointers and sizes. Functions
 * may be called by several threads, for objects that none of them writes to.
 */
#ifndef EVERLEVEL_SPQLIOS_H
#define EVERLEVEL_SPQLIOS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The arithmetic of a module. N is a power of two from 8 to 2^16, or to 2^17 for NTT120: NULL for any other. */
typedef enum module_type_t { FFT64, NTT120 } MODULE_TYPE;

typedef struct module_info_t MODULE;
typedef struct vmp_pmat_t VMP_PMAT;
typedef struct vmp_pvec_t VMP_PVEC;
typedef struct vec_znx_dft_t VEC_ZNX_DFT;
typedef struct vec_znx_bigcoeff_t VEC_ZNX_BIG;
typedef struct svp_ppol_t SVP_PPOL;
typedef struct cnv_pvec_l_t CNV_PVEC_L;
typedef struct cnv_pvec_r_t CNV_PVEC_R;

/* Modules: a module has the transforms of degree N, and all objects that are made with it. */
MODULE* new_module_info(uint64_t N, MODULE_TYPE mode);
void delete_module_info(MODULE* module);
uint64_t module_get_n(const MODULE* module);

/* Memory of objects. They may lie in memory of the program's own, of so many bytes, 16-byte aligned. */
uint64_t bytes_of_vec_znx_dft(const MODULE* module, uint64_t size);
VEC_ZNX_DFT* new_vec_znx_dft(const MODULE* module, uint64_t size);
void delete_vec_znx_dft(VEC_ZNX_DFT* res);
uint64_t bytes_of_vec_znx_big(const MODULE* module, uint64_t size);
VEC_ZNX_BIG* new_vec_znx_big(const MODULE* module, uint64_t size);
void delete_vec_znx_big(VEC_ZNX_BIG* res);
uint64_t bytes_of_svp_ppol(const MODULE* module);
SVP_PPOL* new_svp_ppol(const MODULE* module);
void delete_svp_ppol(SVP_PPOL* res);
uint64_t bytes_of_vmp_pmat(const MODULE* module, uint64_t nrows, uint64_t ncols);
VMP_PMAT* new_vmp_pmat(const MODULE* module, uint64_t nrows, uint64_t ncols);
void delete_vmp_pmat(VMP_PMAT* res);

/* Vectors of polynomials of signed words. */
/* res = 0, a, -a, a + b, a - b. */
void vec_znx_zero(const MODULE* module, int64_t* res, uint64_t res_size, uint64_t res_sl);
void vec_znx_copy(const MODULE* module, int64_t* res, uint64_t res_size, uint64_t res_sl, const int64_t* a,
    uint64_t a_size, uint64_t a_sl);
void vec_znx_negate(const MODULE* module, int64_t* res, uint64_t res_size, uint64_t res_sl, const int64_t* a,
    uint64_t a_size, uint64_t a_sl);
void vec_znx_add(const MODULE* module, int64_t* res, uint64_t res_size, uint64_t res_sl, const int64_t* a,
    uint64_t a_size, uint64_t a_sl, const int64_t* b, uint64_t b_size, uint64_t b_sl);
void vec_znx_sub(const MODULE* module, int64_t* res, uint64_t res_size, uint64_t res_sl, const int64_t* a,
    uint64_t a_size, uint64_t a_sl, const int64_t* b, uint64_t b_size, uint64_t b_sl);
/* res = a with digits in [-2^(K-1), 2^(K-1)), 2 <= K <= 62, without what is above the first one. */
void vec_znx_normalize_base2k(const MODULE* module, uint64_t log2_base2k, int64_t* res, uint64_t res_size,
    uint64_t res_sl, const int64_t* a, uint64_t a_size, uint64_t a_sl, uint8_t* tmp_space);
uint64_t vec_znx_normalize_base2k_tmp_bytes(const MODULE* module);
/* res = a.X^p, and a(X^p) for odd p. */
void vec_znx_rotate(const MODULE* module, int64_t p, int64_t* res, uint64_t res_size, uint64_t res_sl,
    const int64_t* a, uint64_t a_size, uint64_t a_sl);
void vec_znx_automorphism(const MODULE* module, int64_t p, int64_t* res, uint64_t res_size, uint64_t res_sl,
    const int64_t* a, uint64_t a_size, uint64_t a_sl);

/* The transform domain. */
/* res = 0, a + b, a - b. */
void vec_dft_zero(const MODULE* module, VEC_ZNX_DFT* res, uint64_t res_size);
void vec_dft_add(const MODULE* module, VEC_ZNX_DFT* res, uint64_t res_size, const VEC_ZNX_DFT* a, uint64_t a_size,
    const VEC_ZNX_DFT* b, uint64_t b_size);
void vec_dft_sub(const MODULE* module, VEC_ZNX_DFT* res, uint64_t res_size, const VEC_ZNX_DFT* a, uint64_t a_size,
    const VEC_ZNX_DFT* b, uint64_t b_size);
/* The transform of a; the big coefficients of a transform, which tmp_a may overwrite. */
void vec_znx_dft(const MODULE* module, VEC_ZNX_DFT* res, uint64_t res_size, const int64_t* a, uint64_t a_size,
    uint64_t a_sl);
void vec_znx_idft(const MODULE* module, VEC_ZNX_BIG* res, uint64_t res_size, const VEC_ZNX_DFT* a_dft,
    uint64_t a_size, uint8_t* tmp);
uint64_t vec_znx_idft_tmp_bytes(const MODULE* module);
void vec_znx_idft_tmp_a(const MODULE* module, VEC_ZNX_BIG* res, uint64_t res_size, VEC_ZNX_DFT* a_dft,
    uint64_t a_size);

/* Big coefficients. */
/* res = a + b, a - b, where "small" operands are vectors of words. */
void vec_znx_big_add(const MODULE* module, VEC_ZNX_BIG* res, uint64_t res_size, const VEC_ZNX_BIG* a,
    uint64_t a_size, const VEC_ZNX_BIG* b, uint64_t b_size);
void vec_znx_big_add_small(const MODULE* module, VEC_ZNX_BIG* res, uint64_t res_size, const VEC_ZNX_BIG* a,
    uint64_t a_size, const int64_t* b, uint64_t b_size, uint64_t b_sl);
void vec_znx_big_add_small2(const MODULE* module, VEC_ZNX_BIG* res, uint64_t res_size, const int64_t* a,
    uint64_t a_size, uint64_t a_sl, const int64_t* b, uint64_t b_size, uint64_t b_sl);
void vec_znx_big_sub(const MODULE* module, VEC_ZNX_BIG* res, uint64_t res_size, const VEC_ZNX_BIG* a,
    uint64_t a_size, const VEC_ZNX_BIG* b, uint64_t b_size);
void vec_znx_big_sub_small_b(const MODULE* module, VEC_ZNX_BIG* res, uint64_t res_size, const VEC_ZNX_BIG* a,
    uint64_t a_size, const int64_t* b, uint64_t b_size, uint64_t b_sl);
void vec_znx_big_sub_small_a(const MODULE* module, VEC_ZNX_BIG* res, uint64_t res_size, const int64_t* a,
    uint64_t a_size, uint64_t a_sl, const VEC_ZNX_BIG* b, uint64_t b_size);
void vec_znx_big_sub_small2(const MODULE* module, VEC_ZNX_BIG* res, uint64_t res_size, const int64_t* a,
    uint64_t a_size, uint64_t a_sl, const int64_t* b, uint64_t b_size, uint64_t b_sl);
/* res = a, or its polynomials begin, begin + step, ... before xend, with digits of K bits. */
void vec_znx_big_normalize_base2k(const MODULE* module, uint64_t log2_base2k, int64_t* res, uint64_t res_size,
    uint64_t res_sl, const VEC_ZNX_BIG* a, uint64_t a_size, uint8_t* tmp_space);
uint64_t vec_znx_big_normalize_base2k_tmp_bytes(const MODULE* module);
void vec_znx_big_range_normalize_base2k(const MODULE* module, uint64_t log2_base2k, int64_t* res, uint64_t res_size,
    uint64_t res_sl, const VEC_ZNX_BIG* a, uint64_t a_range_begin, uint64_t a_range_xend, uint64_t a_range_step,
    uint8_t* tmp_space);
uint64_t vec_znx_big_range_normalize_base2k_tmp_bytes(const MODULE* module);
/* res = a.X^p, and a(X^p) for odd p. */
void vec_znx_big_rotate(const MODULE* module, int64_t p, VEC_ZNX_BIG* res, uint64_t res_size, const VEC_ZNX_BIG* a,
    uint64_t a_size);
void vec_znx_big_automorphism(const MODULE* module, int64_t p, VEC_ZNX_BIG* res, uint64_t res_size,
    const VEC_ZNX_BIG* a, uint64_t a_size);

/* Products with a scalar polynomial. The result is written to, though its type says const, as in the original. */
void svp_prepare(const MODULE* module, SVP_PPOL* ppol, const int64_t* pol);
void svp_apply_dft(const MODULE* module, const VEC_ZNX_DFT* res, uint64_t res_size, const SVP_PPOL* ppol,
    const int64_t* a, uint64_t a_size, uint64_t a_sl);
void svp_apply_dft_to_dft(const MODULE* module, const VEC_ZNX_DFT* res, uint64_t res_size, const SVP_PPOL* ppol,
    const VEC_ZNX_DFT* a_dft, uint64_t a_size);
void fft64_svp_apply_dft(const MODULE* module, const VEC_ZNX_DFT* res, uint64_t res_size, const SVP_PPOL* ppol,
    const int64_t* a, uint64_t a_size, uint64_t a_sl);
/* res = a.b, whose coefficients fit a word. */
void znx_small_single_product(const MODULE* module, int64_t* res, const int64_t* a, const int64_t* b, uint8_t* tmp);
uint64_t znx_small_single_product_tmp_bytes(const MODULE* module);

/* Products of a row vector and a matrix of nrows.ncols polynomials, row by row, or by pointers to them. */
/* A prepared vector has the bytes of a vec_znx_dft of nrows. */
void vmp_prepare_contiguous(const MODULE* module, VMP_PMAT* pmat, const int64_t* mat, uint64_t nrows, uint64_t ncols,
    uint8_t* tmp_space);
uint64_t vmp_prepare_contiguous_tmp_bytes(const MODULE* module, uint64_t nrows, uint64_t ncols);
void vmp_prepare_dblptr(const MODULE* module, VMP_PMAT* pmat, const int64_t** mat, uint64_t nrows, uint64_t ncols,
    uint8_t* tmp_space);
void vmp_prepare_vector(const MODULE* module, VMP_PVEC* pvec, uint64_t nrows, const int64_t* a, uint64_t a_size,
    uint64_t a_sl, uint8_t* tmp_space);
uint64_t vmp_prepare_vector_tmp_bytes(const MODULE* module, uint64_t nrows, uint64_t a_size);
void vmp_apply_dft(const MODULE* module, VEC_ZNX_DFT* res, uint64_t res_size, const int64_t* a, uint64_t a_size,
    uint64_t a_sl, const VMP_PMAT* pmat, uint64_t nrows, uint64_t ncols, uint8_t* tmp_space);
uint64_t vmp_apply_dft_tmp_bytes(const MODULE* module, uint64_t res_size, uint64_t a_size, uint64_t nrows,
    uint64_t ncols);
void vmp_apply_dft_to_dft(const MODULE* module, VEC_ZNX_DFT* res, uint64_t res_size, const VEC_ZNX_DFT* a_dft,
    uint64_t a_size, const VMP_PMAT* pmat, uint64_t nrows, uint64_t ncols, uint8_t* tmp_space);
uint64_t vmp_apply_dft_to_dft_tmp_bytes(const MODULE* module, uint64_t res_size, uint64_t a_size, uint64_t nrows,
    uint64_t ncols);
void vmp_apply_pvec_to_dft(const MODULE* module, VEC_ZNX_DFT* res, uint64_t res_size, const VMP_PVEC* a_prep,
    uint64_t a_size, const VMP_PMAT* pmat, uint64_t nrows, uint64_t ncols, uint8_t* tmp_space);
uint64_t vmp_apply_pvec_to_dft_tmp_bytes(const MODULE* module, uint64_t res_size, uint64_t a_size, uint64_t nrows,
    uint64_t ncols);

/* Convolutions: res[k] is the sum of a[i].b[j] over i + j = k + res_offset. */
/* A prepared operand has the bytes of a vec_znx_dft of nrows. */
void cnv_prepare_left_contiguous(const MODULE* module, CNV_PVEC_L* pvec, uint64_t nrows, const int64_t* a,
    uint64_t a_size, uint64_t a_sl, uint8_t* tmp_space);
uint64_t cnv_prepare_left_contiguous_tmp_bytes(const MODULE* module, uint64_t nrows, uint64_t a_size);
void cnv_prepare_right_contiguous(const MODULE* module, CNV_PVEC_R* pvec, uint64_t nrows, const int64_t* a,
    uint64_t a_size, uint64_t a_sl, uint8_t* tmp_space);
uint64_t cnv_prepare_right_contiguous_tmp_bytes(const MODULE* module, uint64_t nrows, uint64_t a_size);
void cnv_apply_dft(const MODULE* module, VEC_ZNX_DFT* res, uint64_t res_size, uint64_t res_offset,
    const CNV_PVEC_L* a, uint64_t a_size, const CNV_PVEC_R* b, uint64_t b_size, uint8_t* tmp_space);
uint64_t cnv_apply_dft_tmp_bytes(const MODULE* module, uint64_t res_size, uint64_t res_offset, uint64_t a_size,
    uint64_t b_size);

/* ---------------------------------------------------------------------------------------------------------------------
 * Real polynomials: doubles.
 *
 * tnx32: elements of the torus, int32_t in units of 2^-32. tnx32x2: pairs (a, b) of such polynomials, as samples of
 * ring-LWE are: 2N words, a before b. tnxdbl: elements of the torus as doubles, modulo 1.
 */

/* The only kind of modules is FFT64. Both headers of the original have an enumeration with this name in it; here it is
 * one. N is a power of two from 2 to 2^16: NULL for any other, and for another kind. */
typedef MODULE_TYPE RNX_MODULE_TYPE;
#define rnx_module_type_t module_type_t

typedef struct rnx_module_info_t MOD_RNX;
typedef struct rnx_svp_ppol_t RNX_SVP_PPOL;
typedef struct rnx_vmp_pmat_t RNX_VMP_PMAT;
typedef struct tnx32_approxdecomp_gadget_t TNX32_APPROXDECOMP_GADGET;
typedef struct tnx32x2_approxdecomp_gadget_t TNX32X2_APPROXDECOMP_GADGET;
typedef struct tnxdbl_approxdecomp_gadget_t TNXDBL_APPROXDECOMP_GADGET;

MOD_RNX* new_rnx_module_info(uint64_t N, RNX_MODULE_TYPE mode);
void delete_rnx_module_info(MOD_RNX* module);
uint64_t rnx_module_get_n(const MOD_RNX* module);

/* res = 0, a, -a, a + b, a - b. */
void vec_rnx_zero(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl);
void vec_rnx_copy(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const double* a,
    uint64_t a_size, uint64_t a_sl);
void vec_rnx_negate(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const double* a,
    uint64_t a_size, uint64_t a_sl);
void vec_rnx_add(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const double* a,
    uint64_t a_size, uint64_t a_sl, const double* b, uint64_t b_size, uint64_t b_sl);
void vec_rnx_sub(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const double* a,
    uint64_t a_size, uint64_t a_sl, const double* b, uint64_t b_size, uint64_t b_sl);
/* res = a.X^p, a.(X^p - 1), and a(X^p) for odd p. */
void vec_rnx_rotate(const MOD_RNX* module, int64_t p, double* res, uint64_t res_size, uint64_t res_sl,
    const double* a, uint64_t a_size, uint64_t a_sl);
void vec_rnx_mul_xp_minus_one(const MOD_RNX* module, int64_t p, double* res, uint64_t res_size, uint64_t res_sl,
    const double* a, uint64_t a_size, uint64_t a_sl);
void vec_rnx_automorphism(const MOD_RNX* module, int64_t p, double* res, uint64_t res_size, uint64_t res_sl,
    const double* a, uint64_t a_size, uint64_t a_sl);

/* The nearest integers, ties to even, modulo 2^32: |a| up to 2^51. */
void vec_rnx_to_znx32(const MOD_RNX* module, int32_t* res, uint64_t res_size, uint64_t res_sl, const double* a,
    uint64_t a_size, uint64_t a_sl);
void vec_rnx_from_znx32(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const int32_t* a,
    uint64_t a_size, uint64_t a_sl);
/* Modulo 1, the nearest word, ties to even: any finite a. From words: in [-1/2, 1/2). */
void vec_rnx_to_tnx32(const MOD_RNX* module, int32_t* res, uint64_t res_size, uint64_t res_sl, const double* a,
    uint64_t a_size, uint64_t a_sl);
void vec_rnx_from_tnx32(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const int32_t* a,
    uint64_t a_size, uint64_t a_sl);
/* The same for pairs: pair i has polynomials 2i and 2i + 1 of the vector of doubles. The size of the vector of pairs is
 * the number of pairs, and its sl at least 2N. */
void vec_rnx_to_tnx32x2(const MOD_RNX* module, int32_t* res, uint64_t res_size, uint64_t res_sl, const double* a,
    uint64_t a_size, uint64_t a_sl);
void vec_rnx_from_tnx32x2(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const int32_t* a,
    uint64_t a_size, uint64_t a_sl);
/* Modulo 1, in [-1/2, 1/2], exactly. */
void vec_rnx_to_tnxdbl(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const double* a,
    uint64_t a_size, uint64_t a_sl);

/* res = a.b: of doubles, rounded; of integers and doubles modulo 1, rounded; of int32_t, exact modulo 2^32, which for
 * words of the torus in b is modulo 1. */
void rnx_small_single_product(const MOD_RNX* module, double* res, const double* a, const double* b, uint8_t* tmp);
uint64_t rnx_small_single_product_tmp_bytes(const MOD_RNX* module);
void tnxdbl_small_single_product(const MOD_RNX* module, double* torus_res, const double* int_a, const double* torus_b,
    uint8_t* tmp);
uint64_t tnxdbl_small_single_product_tmp_bytes(const MOD_RNX* module);
void znx32_small_single_product(const MOD_RNX* module, int32_t* int_res, const int32_t* int_a, const int32_t* int_b,
    uint8_t* tmp);
uint64_t znx32_small_single_product_tmp_bytes(const MOD_RNX* module);
void tnx32_small_single_product(const MOD_RNX* module, int32_t* torus_res, const int32_t* int_a,
    const int32_t* torus_b, uint8_t* tmp);
uint64_t tnx32_small_single_product_tmp_bytes(const MOD_RNX* module);

/* Digits of elements of the torus: ell integers in [-2^(k-1), 2^(k-1)), as doubles, so that the sum over i of
 * digit[i].2^(-(i+1).k) is a modulo 1, rounded to the nearest multiple of 2^(-ell.k). Digit i is polynomial i of res:
 * the most significant is the first. With res_size < ell the last digits are dropped, not rounded.
 *
 * k >= 1, and ell.k <= 32 for words and 50 for doubles: the gadget is NULL for other numbers. */
TNX32_APPROXDECOMP_GADGET* new_tnx32_approxdecomp_gadget(const MOD_RNX* module, uint64_t k, uint64_t ell);
void rnx_approxdecomp_from_tnx32(const MOD_RNX* module, const TNX32_APPROXDECOMP_GADGET* gadget, double* res,
    uint64_t res_size, uint64_t res_sl, const int32_t* a);
TNXDBL_APPROXDECOMP_GADGET* new_tnxdbl_approxdecomp_gadget(const MOD_RNX* module, uint64_t k, uint64_t ell);
void delete_tnxdbl_approxdecomp_gadget(TNXDBL_APPROXDECOMP_GADGET* gadget);
void rnx_approxdecomp_from_tnxdbl(const MOD_RNX* module, const TNXDBL_APPROXDECOMP_GADGET* gadget, double* res,
    uint64_t res_size, uint64_t res_sl, const double* a);
/* Two gadgets, one for each part of the pair a: res has the ella digits of the first part in base 2^ka, then the ellb
 * digits of the second in base 2^kb. So the parts of a sample may have digits of their own, as in half products, where
 * the error of the first part grows with the secret and that of the second doesn't. */
TNX32X2_APPROXDECOMP_GADGET* new_tnx32x2_approxdecomp_gadget(const MOD_RNX* module, uint64_t ka, uint64_t ella,
    uint64_t kb, uint64_t ellb);
void rnx_approxdecomp_from_tnx32x2(const MOD_RNX* module, const TNX32X2_APPROXDECOMP_GADGET* gadget, double* res,
    uint64_t res_size, uint64_t res_sl, const int32_t* a);
/* The original declares these two with the type of a module: they take a gadget, whatever type the program gives it. */
void delete_tnx32_approxdecomp_gadget(const void* gadget);
void delete_tnx32x2_approxdecomp_gadget(const void* gadget);

/* Transforms: N doubles for each polynomial, in an order of their own, of which sums and real multiples may be taken.
 * The inverse has the factor N/2. Prepared scalars and matrices are divided by it, so that the inverse of a product
 * with them, and what the functions below give as coefficients, have no such factor. */
void vec_rnx_dft(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const double* a,
    uint64_t a_size, uint64_t a_sl);
void vec_rnx_idft(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const double* a_dft,
    uint64_t a_size, uint64_t a_sl);

/* res is the prepared scalar times a: coefficients, as the original computes, whose header says otherwise. */
uint64_t bytes_of_rnx_svp_ppol(const MOD_RNX* module);
RNX_SVP_PPOL* new_rnx_svp_ppol(const MOD_RNX* module);
void delete_rnx_svp_ppol(RNX_SVP_PPOL* res);
void rnx_svp_prepare(const MOD_RNX* module, RNX_SVP_PPOL* ppol, const double* pol);
void rnx_svp_apply(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, const RNX_SVP_PPOL* ppol,
    const double* a, uint64_t a_size, uint64_t a_sl);

/* res is the row vector a times a matrix of nrows.ncols polynomials: from coefficients to coefficients, where tmpa may
 * be overwritten, or from transforms to transforms. */
uint64_t bytes_of_rnx_vmp_pmat(const MOD_RNX* module, uint64_t nrows, uint64_t ncols);
RNX_VMP_PMAT* new_rnx_vmp_pmat(const MOD_RNX* module, uint64_t nrows, uint64_t ncols);
void delete_rnx_vmp_pmat(RNX_VMP_PMAT* res);
void rnx_vmp_prepare_contiguous(const MOD_RNX* module, RNX_VMP_PMAT* pmat, const double* a, uint64_t nrows,
    uint64_t ncols, uint8_t* tmp_space);
uint64_t rnx_vmp_prepare_contiguous_tmp_bytes(const MOD_RNX* module);
void rnx_vmp_apply_tmp_a(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl, double* tmpa,
    uint64_t a_size, uint64_t a_sl, const RNX_VMP_PMAT* pmat, uint64_t nrows, uint64_t ncols, uint8_t* tmp_space);
uint64_t rnx_vmp_apply_tmp_a_tmp_bytes(const MOD_RNX* module, uint64_t res_size, uint64_t a_size, uint64_t nrows,
    uint64_t ncols);
void rnx_vmp_apply_dft_to_dft(const MOD_RNX* module, double* res, uint64_t res_size, uint64_t res_sl,
    const double* a_dft, uint64_t a_size, uint64_t a_sl, const RNX_VMP_PMAT* pmat, uint64_t nrows, uint64_t ncols,
    uint8_t* tmp_space);
uint64_t rnx_vmp_apply_dft_to_dft_tmp_bytes(const MOD_RNX* module, uint64_t res_size, uint64_t a_size, uint64_t nrows,
    uint64_t ncols);

/* ---------------------------------------------------------------------------------------------------------------------
 * Vectors of numbers, such as the masks of LWE. Their size is the number of their words; those that an operand lacks
 * are 0.
 */

typedef enum z_module_type_t { DEFAULT } Z_MODULE_TYPE;

typedef struct z_module_info_t MOD_Z;
typedef struct tndbl_approxdecomp_gadget_t TNDBL_APPROXDECOMP_GADGET;
typedef struct zn32_vmp_pmat_t ZN32_VMP_PMAT;

MOD_Z* new_z_module_info(Z_MODULE_TYPE mode);
void delete_z_module_info(MOD_Z* module);

/* Digits of doubles modulo 1, as those of polynomials above: res[j.ell + i] is digit i of a[j]. k is at most the bits
 * of a word of res, and ell.k <= 50. */
TNDBL_APPROXDECOMP_GADGET* new_tndbl_approxdecomp_gadget(const MOD_Z* module, uint64_t k, uint64_t ell);
void delete_tndbl_approxdecomp_gadget(TNDBL_APPROXDECOMP_GADGET* gadget);
void i8_approxdecomp_from_tndbl(const MOD_Z* module, const TNDBL_APPROXDECOMP_GADGET* gadget, int8_t* res,
    uint64_t res_size, const double* a, uint64_t a_size);
void i16_approxdecomp_from_tndbl(const MOD_Z* module, const TNDBL_APPROXDECOMP_GADGET* gadget, int16_t* res,
    uint64_t res_size, const double* a, uint64_t a_size);
void i32_approxdecomp_from_tndbl(const MOD_Z* module, const TNDBL_APPROXDECOMP_GADGET* gadget, int32_t* res,
    uint64_t res_size, const double* a, uint64_t a_size);

/* res is the row vector a times a matrix of nrows.ncols words, row by row, modulo 2^32. */
uint64_t bytes_of_zn32_vmp_pmat(const MOD_Z* module, uint64_t nrows, uint64_t ncols);
ZN32_VMP_PMAT* new_zn32_vmp_pmat(const MOD_Z* module, uint64_t nrows, uint64_t ncols);
void delete_zn32_vmp_pmat(ZN32_VMP_PMAT* res);
void zn32_vmp_prepare_contiguous(const MOD_Z* module, ZN32_VMP_PMAT* pmat, const int32_t* mat, uint64_t nrows,
    uint64_t ncols);
void zn32_vmp_apply_i32(const MOD_Z* module, int32_t* res, uint64_t res_size, const int32_t* a, uint64_t a_size,
    const ZN32_VMP_PMAT* pmat, uint64_t nrows, uint64_t ncols);
void zn32_vmp_apply_i16(const MOD_Z* module, int32_t* res, uint64_t res_size, const int16_t* a, uint64_t a_size,
    const ZN32_VMP_PMAT* pmat, uint64_t nrows, uint64_t ncols);
void zn32_vmp_apply_i8(const MOD_Z* module, int32_t* res, uint64_t res_size, const int8_t* a, uint64_t a_size,
    const ZN32_VMP_PMAT* pmat, uint64_t nrows, uint64_t ncols);

/* Doubles as words of the torus, modulo 1, and back: as vec_rnx_to_tnx32 and vec_rnx_from_tnx32. */
void dbl_to_tn32(const MOD_Z* module, int32_t* res, uint64_t res_size, const double* a, uint64_t a_size);
void tn32_to_dbl(const MOD_Z* module, double* res, uint64_t res_size, const int32_t* a, uint64_t a_size);
/* The nearest integers, ties to even, and back: int32_t modulo 2^32 up to |a| = 2^51, int64_t below |a| = 2^63. */
void dbl_round_to_i32(const MOD_Z* module, int32_t* res, uint64_t res_size, const double* a, uint64_t a_size);
void i32_to_dbl(const MOD_Z* module, double* res, uint64_t res_size, const int32_t* a, uint64_t a_size);
void dbl_round_to_i64(const MOD_Z* module, int64_t* res, uint64_t res_size, const double* a, uint64_t a_size);
void i64_to_dbl(const MOD_Z* module, double* res, uint64_t res_size, const int64_t* a, uint64_t a_size);

#ifdef __cplusplus
}
#endif

#endif
