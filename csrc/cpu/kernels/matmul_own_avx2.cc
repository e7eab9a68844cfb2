#include <immintrin.h>

#include "cpu/kernels/matmul_micro.h"
#include "cpu/kernels/matmul_transpose.h"

namespace minds::cpu {

namespace {

struct F32 : Transpose<float> {
  using T = float;
  using V = __m256;
  static constexpr int kLanes = 8, kRows = 4;
  static V zero() { return _mm256_setzero_ps(); }
  static V fill(T x) { return _mm256_set1_ps(x); }
  static V load(const T* p) { return _mm256_loadu_ps(p); }
  static void store(T* p, V v) { _mm256_storeu_ps(p, v); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
};

struct F64 : Transpose<double> {
  using T = double;
  using V = __m256d;
  static constexpr int kLanes = 4, kRows = 4;
  static V zero() { return _mm256_setzero_pd(); }
  static V fill(T x) { return _mm256_set1_pd(x); }
  static V load(const T* p) { return _mm256_loadu_pd(p); }
  static void store(T* p, V v) { _mm256_storeu_pd(p, v); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
};

}  // namespace

const ProductTier kProductAvx2{Micro<F32>::multiply, Micro<F64>::multiply, Micro<F32>::dot, Micro<F64>::dot};

}  // namespace minds::cpu
