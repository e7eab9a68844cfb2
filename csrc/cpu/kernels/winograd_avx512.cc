#include <immintrin.h>

#include "cpu/kernels/matmul_transpose.h"
#include "cpu/kernels/winograd_loops.h"

namespace minds::cpu {

namespace {

struct F32 : Transpose<float> {
  using V = __m512;
  using T = float;
  static constexpr int kLanes = 16, kRegs = 4;
  static constexpr int kRows = 6;  // kRows x kRegs sums, kRegs of the panel and one of A fill the registers
  static V zero() { return _mm512_setzero_ps(); }
  static V fill(float x) { return _mm512_set1_ps(x); }
  static V load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, V v) { _mm512_storeu_ps(p, v); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
};

}  // namespace

const WinogradTier kWinogradAvx512 = WinogradLoops<F32>::table();

}  // namespace minds::cpu
