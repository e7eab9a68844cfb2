#include <immintrin.h>

#include "cpu/kernels/quantized_micro.h"

namespace minds::cpu {

namespace {

// Products of 16 bits, since the instruction that multiplies bytes saturates: of the even bytes and of the odd ones.
struct Avx2 {
  static constexpr int kLanes = 8, kRows = 4, kStrips = 1;
  typedef float F __attribute__((vector_size(32)));
  typedef int32_t I __attribute__((vector_size(32)));
  typedef uint32_t U __attribute__((vector_size(32)));
  typedef uint8_t B __attribute__((vector_size(8)));
  struct Halves {
    __m256i even, odd;
  };
  using Column = Halves;
  using Weight = Halves;
  static Column column(const uint8_t* p) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm256_and_si256(v, _mm256_set1_epi16(255)), _mm256_srli_epi16(v, 8)};
  }
  static Weight weight(const int8_t* p) {
    int32_t four;
    __builtin_memcpy(&four, p, sizeof four);
    const __m256i v = _mm256_set1_epi32(four);
    return {_mm256_srai_epi16(_mm256_slli_epi16(v, 8), 8), _mm256_srai_epi16(v, 8)};
  }
  static I add(I sum, const Column& c, const Weight& w) {
    return sum + (I)_mm256_madd_epi16(c.even, w.even) + (I)_mm256_madd_epi16(c.odd, w.odd);
  }
  static int32_t sum(const int8_t* row, int64_t n, int64_t& t) {
    I sum{};
    for (; t + 16 <= n; t += 16) {
      const __m256i v = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row + t)));
      sum += (I)_mm256_madd_epi16(v, _mm256_set1_epi16(1));
    }
    int32_t total = 0;
    for (int j = 0; j < kLanes; ++j) total += sum[j];
    return total;
  }
  static int32_t dot(const int8_t* row, const uint8_t* bytes, int64_t n, int64_t& t) {
    I sum{};
    for (; t + 16 <= n; t += 16) {
      const __m256i v = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row + t)));
      const __m256i w = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + t)));
      sum += (I)_mm256_madd_epi16(v, w);
    }
    int32_t total = 0;
    for (int j = 0; j < kLanes; ++j) total += sum[j];
    return total;
  }
};

}  // namespace

const QuantizedTier kQuantizedAvx2 = QuantizedMicro<Avx2>::tier();

}  // namespace minds::cpu
