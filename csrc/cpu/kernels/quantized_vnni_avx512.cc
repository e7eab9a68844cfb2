#include <immintrin.h>

#include "cpu/kernels/quantized_micro.h"

namespace minds::cpu {

namespace {

// AVX-512 with the instruction that adds four products of bytes.
struct Vnni {
  static constexpr int kLanes = 16, kRows = 8, kStrips = 3;
  typedef float F __attribute__((vector_size(64)));
  typedef int32_t I __attribute__((vector_size(64)));
  typedef uint32_t U __attribute__((vector_size(64)));
  typedef uint8_t B __attribute__((vector_size(16)));
  using Column = __m512i;
  using Weight = __m512i;
  static Column column(const uint8_t* p) { return _mm512_loadu_si512(p); }
  static Weight weight(const int8_t* p) {
    int32_t four;
    __builtin_memcpy(&four, p, sizeof four);
    return _mm512_set1_epi32(four);
  }
  static I add(I sum, Column c, Weight w) { return (I)_mm512_dpbusd_epi32((__m512i)sum, c, w); }
  static int32_t sum(const int8_t* row, int64_t n, int64_t& t) {
    I sum{};
    for (; t + 64 <= n; t += 64) sum = add(sum, _mm512_set1_epi8(1), _mm512_loadu_si512(row + t));
    int32_t total = 0;
    for (int j = 0; j < kLanes; ++j) total += sum[j];
    return total;
  }
  static int32_t dot(const int8_t* row, const uint8_t* bytes, int64_t n, int64_t& t) {
    I sum{};
    for (; t + 64 <= n; t += 64) sum = add(sum, _mm512_loadu_si512(bytes + t), _mm512_loadu_si512(row + t));
    int32_t total = 0;
    for (int j = 0; j < kLanes; ++j) total += sum[j];
    return total;
  }
};

}  // namespace

const QuantizedTier kQuantizedVnni = QuantizedMicro<Vnni>::tier();

}  // namespace minds::cpu
