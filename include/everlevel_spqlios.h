/* Vectors of integer polynomials modulo X^N + 1, for numbers in base 2^K: the names and the meaning of the functions of
 * spqlios-arithmetic's vec_znx_arithmetic.h, over Everlevel's arithmetic.
 *
 * A vector is a pointer to its first polynomial, the number of its polynomials (size), and the words from one to the
 * next (sl, at least N). Polynomials that an operand lacks are 0; those that a result has no place for are dropped.
 * A result may be an operand. Objects of other types than int64_t are opaque, belong to their module, and aren't for
 * files. Scratch is asked for as in the original; its contents don't matter.
 *
 * Sums of products are right up to 52 bits in FFT64, for which K = 10 ... 20 are usual, and up to 142 bits in NTT120:
 * K up to 60. A function that can't answer ends the process with a line on stderr; debug builds check pointers and
 * sizes. Functions may be called by several threads, for objects that none of them writes to.
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


#ifdef __cplusplus
}
#endif

#endif
