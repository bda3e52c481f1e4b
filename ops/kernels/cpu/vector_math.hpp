// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise.hpp"
#include "ops/kernels/cpu/memory.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

// Loops of vectors for functions where a machine has instructions that the compiler does not find.
// NumPy uses Intel's SVML on such machines.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {
namespace {

/// A vector form of an operation: `vector`, and `of`, what the functor does to each lane.
template <class Op, class T>
struct vector_form {
  static constexpr bool exists = false;
};

#if defined(__AVX512F__)

// Some instructions are taken in their masked forms: GCC 12 warns of the others' undefined lanes.

SKERRY_INLINE __m512d every(float64 value) { return _mm512_set1_pd(value); }
SKERRY_INLINE __m512 every(float32 value) { return _mm512_set1_ps(value); }

/// log(2^e m) = e log(2) + log(1 + f) within 1 ulp, f = m - 1 and m in [0.75, 1.5). As in fdlibm:
/// with s = f / (2 + f), log(1 + f) = 2 s + s R(s^2) = f - (f^2 / 2 - s (f^2 / 2 + R)).
///
/// The two instructions that take x apart have the special cases: e is -inf, inf or NaN for 0, inf
/// or NaN; m is NaN below 0, and 1 for zeros (of either sign) and infinity.
template <>
struct vector_form<ops::log, float64> {
  static constexpr bool exists = true;
  using vector = __m512d;

  static SKERRY_INLINE vector of(vector x) {
    constexpr __mmask8 all = 0xff;
    constexpr int of_any_zero_and_nan_below_0 = 3;
    const vector m =
        _mm512_maskz_getmant_pd(all, x, _MM_MANT_NORM_p75_1p5,
                                static_cast<_MM_MANTISSA_SIGN_ENUM>(of_any_zero_and_nan_below_0));
    const __mmask8 halved = _mm512_cmp_pd_mask(m, every(1.0), _CMP_LT_OQ);
    const vector floor_of_e = _mm512_maskz_getexp_pd(all, x);
    const vector e = _mm512_mask_add_pd(floor_of_e, halved, floor_of_e, every(1.0));
    const vector f = _mm512_sub_pd(m, every(1.0));
    const vector s = _mm512_div_pd(f, _mm512_add_pd(m, every(1.0)));
    const vector half = _mm512_mul_pd(_mm512_mul_pd(f, f), every(0.5));
    const vector low = _mm512_mul_pd(e, every(1.90821492927058770002e-10));  // of e log(2)
    const vector part = _mm512_fmadd_pd(s, _mm512_add_pd(half, rest(s)), low);
    const vector difference = _mm512_sub_pd(_mm512_sub_pd(half, part), f);
    return _mm512_fmsub_pd(e, every(6.93147180369123816490e-01), difference);
  }

 private:
  /// R, for |s| <= 0.2: minimax.
  static SKERRY_INLINE vector rest(vector s) {
    const vector square = _mm512_mul_pd(s, s);
    constexpr float64 terms[] = {0x1.3852c5bced2dep-3, 0x1.7474e3a07cba0p-3, 0x1.c71c015e94c37p-3,
                                 0x1.249249b22b8c5p-2, 0x1.99999998f0b58p-2, 0x1.5555555555776p-1};
    vector sum = every(0x1.3abea8f229b9ap-3);
    for (const float64 term : terms) {
      sum = _mm512_fmadd_pd(sum, square, every(term));
    }
    return _mm512_mul_pd(sum, square);
  }
};

/// Polynomials of degree 5 around the centres of 32 intervals: [0, 5/64), then four to an octave up
/// to 16. The centres are numbers whose tanh is very nearly a float32.
// clang-format off
alignas(64) constexpr float32 tanh_table[7][32] = {
    {  // centres
     0, 0x1.5ffee6p-4f, 0x1.9ffde6p-4f, 0x1.e00434p-4f, 0x1.1ff876p-3f, 0x1.6006ap-3f,
     0x1.a009b8p-3f, 0x1.e0087ap-3f, 0x1.1ff652p-2f, 0x1.600068p-2f, 0x1.a0044cp-2f,
     0x1.dff4c6p-2f, 0x1.1ffcecp-1f, 0x1.5ffc7cp-1f, 0x1.a004fp-1f, 0x1.dff95ap-1f,
     0x1.2008dep0f, 0x1.60064p0f, 0x1.9fff1p0f, 0x1.e00076p0f, 0x1.20093ep1f, 0x1.600afcp1f,
     0x1.9ffd2cp1f, 0x1.e0081cp1f, 0x1.223a5cp2f, 0x1.62f414p2f, 0x1.9de532p2f, 0x1.e434ep2f,
     0x1.154246p3f, 0x1.8p3f, 0x1.cp3f, 0x1p4f},
    {  // constant terms
     0, 0x1.5f21bap-4f, 0x1.9e9142p-4f, 0x1.ddd4b8p-4f, 0x1.1e166cp-3f, 0x1.5c9976p-3f,
     0x1.9a687p-3f, 0x1.d76e64p-3f, 0x1.189aa6p-2f, 0x1.52c322p-2f, 0x1.8a8b8ap-2f,
     0x1.bfa556p-2f, 0x1.050628p-1f, 0x1.31559cp-1f, 0x1.578bb6p-1f, 0x1.77d528p-1f,
     0x1.9e62d4p-1f, 0x1.c27b78p-1f, 0x1.d9c6b6p-1f, 0x1.e878b4p-1f, 0x1.f4c172p-1f,
     0x1.fbd5cp-1f, 0x1.fe7668p-1f, 0x1.ff6f2ap-1f, 0x1.ffe1d4p-1f, 0x1.fffc02p-1f,
     0x1.ffff5ep-1f, 0x1.ffffeep-1f, 0x1.fffffep-1f, 0x1p0f, 0x1p0f, 0x1p0f},
    {  // of y
     0x1p0f, 0x1.fc3cc4p-1f, 0x1.fac14cp-1f, 0x1.f9083cp-1f, 0x1.f6025p-1f, 0x1.f12a74p-1f,
     0x1.eb706ap-1f, 0x1.e4dec4p-1f, 0x1.d98daap-1f, 0x1.c7f704p-1f, 0x1.b3fdc6p-1f,
     0x1.9e27a6p-1f, 0x1.7aed3ap-1f, 0x1.49e972p-1f, 0x1.197c2ap-1f, 0x1.d83dd4p-2f,
     0x1.613c34p-2f, 0x1.ce9364p-3f, 0x1.266032p-3f, 0x1.6fce64p-4f, 0x1.63de44p-5f,
     0x1.097a76p-6f, 0x1.8900cp-8f, 0x1.21831p-9f, 0x1.e2c0a4p-12f, 0x1.ff11fap-15f,
     0x1.43fbbcp-17f, 0x1.200f46p-20f, 0x1.fd792ep-24f, 0, 0, 0},
    {  // of y^2
     0x1.01b9aep-25f, -0x1.5c8d04p-4f, -0x1.9a51d8p-4f, -0x1.d753bp-4f, -0x1.188126p-3f,
     -0x1.527fd2p-3f, -0x1.89ed56p-3f, -0x1.be73ap-3f, -0x1.038888p-2f, -0x1.2dafdap-2f,
     -0x1.4ff91ep-2f, -0x1.6a195ap-2f, -0x1.825cfp-2f, -0x1.897d76p-2f, -0x1.79befcp-2f,
     -0x1.5aa5e4p-2f, -0x1.1de45ep-2f, -0x1.96ffaep-3f, -0x1.106656p-3f, -0x1.5ee77ap-4f,
     -0x1.5c0afap-5f, -0x1.074dbep-6f, -0x1.87cbc6p-8f, -0x1.212bbep-9f, -0x1.e208bap-12f,
     -0x1.fe6d56p-15f, -0x1.43a0cap-17f, -0x1.1fbd9ap-20f, -0x1.006fc6p-23f, 0, 0, 0},
    {  // of y^3
     -0x1.55563cp-2f, -0x1.49667cp-2f, -0x1.47fc2ap-2f, -0x1.447c98p-2f, -0x1.3b7bf2p-2f,
     -0x1.2ef2a8p-2f, -0x1.1ff02ap-2f, -0x1.0f708ep-2f, -0x1.e8f208p-3f, -0x1.982dfp-3f,
     -0x1.42723p-3f, -0x1.d7104ep-4f, -0x1.bd59bp-5f, 0x1.d7c208p-7f, 0x1.071b5ep-4f,
     0x1.84230ep-4f, 0x1.c6904cp-4f, 0x1.97d0fap-4f, 0x1.33e114p-4f, 0x1.a859f2p-5f,
     0x1.bb938p-6f, 0x1.595988p-7f, 0x1.03a0f2p-8f, 0x1.80b4a4p-10f, 0x1.400abep-12f,
     0x1.52993ap-15f, 0x1.b0beb4p-18f, 0x1.7cf1bcp-21f, 0x1.6786eep-24f, 0, 0, 0},
    {  // of y^4
     0x1.e8d5cep-14f, 0x1.cf0676p-5f, 0x1.f0eed4p-5f, 0x1.13b436p-4f, 0x1.646e32p-4f,
     0x1.acc4bap-4f, 0x1.f10bcap-4f, 0x1.1588f8p-3f, 0x1.3347ap-3f, 0x1.5036ep-3f,
     0x1.5c2b58p-3f, 0x1.584c3p-3f, 0x1.39ffaep-3f, 0x1.e96e94p-4f, 0x1.47282ep-4f,
     0x1.630548p-5f, 0x1.dde8bap-9f, -0x1.5a0c0cp-6f, -0x1.9bb8dap-6f, -0x1.55a012p-6f,
     -0x1.95a8ccp-7f, -0x1.512146p-8f, -0x1.034822p-9f, -0x1.83614ap-11f, -0x1.4fb68cp-13f,
     -0x1.635cc6p-16f, -0x1.c3840ap-19f, -0x1.8ef17ep-22f, -0x1.6237c8p-25f, 0, 0, 0},
    {  // of y^5
     0x1.0e5df4p-3f, -0x1.86b41ep4f, 0x1.a4619ap2f, 0x1.337252p4f, 0x1.5669fep0f, 0x1.10db8p0f,
     -0x1.24db5ep-1f, -0x1.35e22cp0f, -0x1.94887ep-6f, -0x1.fc9384p-6f, 0x1.df26d4p-7f,
     -0x1.a7e708p-5f, -0x1.4180cep-5f, -0x1.0e24bep-4f, -0x1.d2ee56p-5f, -0x1.a75f56p-5f,
     -0x1.06d3ccp-5f, -0x1.39beb4p-7f, 0x1.686094p-10f, 0x1.2e986cp-8f, 0x1.04a8dcp-8f,
     0x1.f6658ep-10f, 0x1.9450a6p-11f, 0x1.332e12p-12f, 0x1.1fc002p-14f, 0x1.38cc2p-17f,
     0x1.52bc06p-20f, 0x1.6ef8dep-23f, 0x1.5325ccp-27f, 0, 0, 0},
};
// clang-format on

/// Within 1 ulp: the interval is chosen by the highest bits of |x|.
template <>
struct vector_form<ops::tanh, float32> {
  static constexpr bool exists = true;
  using vector = __m512;

  static SKERRY_INLINE vector of(vector x) {
    constexpr __mmask16 all = 0xffff;
    const vector sign = _mm512_and_ps(x, every(-0.0f));
    const vector size = _mm512_andnot_ps(every(-0.0f), x);
    const vector bounded = _mm512_maskz_min_ps(all, every(15.0f), size);  // NaN stays
    const __m512i bits = _mm512_castps_si512(_mm512_maskz_max_ps(all, bounded, every(0x1p-4f)));
    const __m512i first = _mm512_set1_epi32(0x3d800000 >> 21);  // of 2^-4
    const __m512i interval = _mm512_sub_epi32(_mm512_maskz_srli_epi32(all, bits, 21), first);
    const vector y = _mm512_sub_ps(bounded, entry(0, interval));
    vector sum = entry(6, interval);
#pragma GCC unroll 5
    for (int i = 5; i > 0; --i) sum = _mm512_fmadd_ps(sum, y, entry(i, interval));
    return _mm512_or_ps(sum, sign);
  }

 private:
  static SKERRY_INLINE vector entry(int row, __m512i interval) {
    return _mm512_permutex2var_ps(_mm512_load_ps(tanh_table[row]), interval,
                                  _mm512_load_ps(tanh_table[row] + 16));
  }
};

#endif

/// out[i] = Form::of(x[i]) for i < n.
template <class Form, class T>
SKERRY_INLINE void loop_of_vectors(char* out, const char* x, int64 n) {
  using vector = typename Form::vector;
  constexpr int64 step = sizeof(vector);
  const int64 nbytes = n * int64(sizeof(T));
  int64 i = 0;
  for (; i + step <= nbytes; i += step) {
    vector now;
    __builtin_memcpy(&now, x + i, sizeof now);
    now = Form::of(now);
    __builtin_memcpy(out + i, &now, sizeof now);
  }
  if (i == nbytes) return;
  const auto rest = static_cast<unsigned long>(nbytes - i);
  vector last = {};
  __builtin_memcpy(&last, x + i, rest);
  last = Form::of(last);
  __builtin_memcpy(out + i, &last, rest);
}

}  // namespace
}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
