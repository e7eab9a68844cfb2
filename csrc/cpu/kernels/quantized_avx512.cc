#include <immintrin.h>

#include "cpu/kernels/quantized_micro.h"

namespace minds::cpu {

namespace {

// As for AVX2.
struct Avx512 {
  static constexpr int kLanes = 16, kRows = 8, kStrips = 2;
  typedef float F __attribute__((vector_size(64)));
  typedef int32_t I __attribute__((vector_size(64)));
  typedef uint32_t U __attribute__((vector_size(64)));
  typedef uint8_t B __attribute__((vector_size(16)));
  struct Halves {
    __m512i even, odd;
  };
  using Column = Halves;
  using Weight = Halves;
  static Column column(const uint8_t* p) {
    const __m512i v = _mm512_loadu_si512(p);
    return {_mm512_and_si512(v, _mm512_set1_epi16(255)), _mm512_srli_epi16(v, 8)};
  }
  static Weight weight(const int8_t* p) {
    int32_t four;
    __builtin_memcpy(&four, p, sizeof four);
    const __m512i v = _mm512_set1_epi32(four);
    return {_mm512_srai_epi16(_mm512_slli_epi16(v, 8), 8), _mm512_srai_epi16(v, 8)};
  }
  static I add(I sum, const Column& c, const Weight& w) {
    return sum + (I)_mm512_madd_epi16(c.even, w.even) + (I)_mm512_madd_epi16(c.odd, w.odd);
  }
  static int32_t sum(const int8_t* row, int64_t n, int64_t& t) {
    I sum{};
    for (; t + 32 <= n; t += 32) {
      const __m512i v = _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + t)));
      sum += (I)_mm512_madd_epi16(v, _mm512_set1_epi16(1));
    }
    int32_t total = 0;
    for (int j = 0; j < kLanes; ++j) total += sum[j];
    return total;
  }
  static int32_t dot(const int8_t* row, const uint8_t* bytes, int64_t n, int64_t& t) {
    I sum{};
    for (; t + 32 <= n; t += 32) {
      const __m512i v = _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + t)));
      const __m512i w = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + t)));
      sum += (I)_mm512_madd_epi16(v, w);
    }
    int32_t total = 0;
    for (int j = 0; j < kLanes; ++j) total += sum[j];
    return total;
  }
};

}  // namespace

const QuantizedTier kQuantizedAvx512 = QuantizedMicro<Avx512>::tier();

}  // namespace minds::cpu
