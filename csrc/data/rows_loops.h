// The loops of rows.h, for the instruction set that the including file is compiled for.
#include <algorithm>
#include <cstdint>

#include "data/rows.h"

#ifdef __AVX2__
#include <immintrin.h>

#include <cstring>
#endif

namespace minds::data {
namespace {

#ifdef __AVX2__
void linear_across_3(const uint8_t* row, const int32_t* offset, const int16_t* weight, int64_t count, int16_t* to) {
  // Per pixel: r0 r1 g0 g1 b0 b1 as 16-bit pairs, multiplied and added in pairs.
  const __m128i pairs = _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1);
  for (int64_t i = 0; i < count; ++i, to += 3) {
    const __m128i pixels = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + offset[i]));
    int32_t both;
    std::memcpy(&both, weight + 2 * i, sizeof(both));
    const __m128i sums = _mm_madd_epi16(_mm_shuffle_epi8(pixels, pairs), _mm_set1_epi32(both));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packs_epi32(_mm_srai_epi32(sums, 4), sums));
  }
}
#endif

void linear_across(const uint8_t* row, const int32_t* offset, const int16_t* weight, int64_t count, int64_t channels,
                   int16_t* to) {
#ifdef __AVX2__
  if (channels == 3) return linear_across_3(row, offset, weight, count, to);
#endif
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t* at = row + offset[i];
    const int32_t left = weight[2 * i], right = weight[2 * i + 1];
    // The right neighbour of the last pixel has weight 0 and may be what follows the row.
    for (int64_t c = 0; c < channels; ++c)
      *to++ = static_cast<int16_t>((at[c] * left + at[right == 0 ? c : c + channels] * right) >> 4);
  }
}

void linear_between(const int16_t* above, const int16_t* below, int16_t w_above, int16_t w_below, int64_t n,
                    uint8_t* to) {
  for (int64_t i = 0; i < n; ++i) {
    const int16_t a = static_cast<int16_t>((int32_t{above[i]} * w_above) >> 16);
    const int16_t b = static_cast<int16_t>((int32_t{below[i]} * w_below) >> 16);
    to[i] = static_cast<uint8_t>(static_cast<int16_t>(a + b + 2) >> 2);
  }
}

void add_scaled(const float* row, float weight, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] += weight * row[i];
}

void round_bytes(const float* row, int64_t n, uint8_t* to) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = static_cast<uint8_t>(static_cast<int32_t>(std::min(std::max(row[i], 0.0f), 255.0f) + 0.5f));
}

void normalize(const uint8_t* row, const float* mean, const float* std, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = (static_cast<float>(row[i]) - mean[i]) / std[i];
}

void every_third(const uint8_t* row, int64_t n, uint8_t* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = row[3 * i];
}

constexpr RowLoops kLoops = {linear_across, linear_between, add_scaled, round_bytes, normalize, every_third};

}  // namespace
}  // namespace minds::data
