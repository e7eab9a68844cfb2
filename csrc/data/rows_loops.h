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
  int64_t i = 0;
  const __m256i two_pairs = _mm256_broadcastsi128_si256(pairs), spread = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  for (; i + 2 <= count; i += 2, to += 6) {
    const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + offset[i]));
    const __m128i second = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + offset[i + 1]));
    const __m256i pixels = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
    const __m128i weights = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(weight + 2 * i));
    const __m256i both = _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(weights), spread);
    const __m256i sums = _mm256_srai_epi32(_mm256_madd_epi16(_mm256_shuffle_epi8(pixels, two_pairs), both), 4);
    const __m256i made = _mm256_packs_epi32(sums, sums);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(made));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 3), _mm256_extracti128_si256(made, 1));
  }
  for (; i < count; ++i, to += 3) {
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

void apart_3(const uint8_t* row, int64_t n, uint8_t* a, uint8_t* b, uint8_t* c) {
  int64_t i = 0;
#ifdef __AVX2__
  // Of three times 16 bytes each channel takes its own: 6, 5 and 5 of them.
  constexpr char z = -1;
  const __m128i masks[3][3] = {{_mm_setr_epi8(0, 3, 6, 9, 12, 15, z, z, z, z, z, z, z, z, z, z),
                                _mm_setr_epi8(z, z, z, z, z, z, 2, 5, 8, 11, 14, z, z, z, z, z),
                                _mm_setr_epi8(z, z, z, z, z, z, z, z, z, z, z, 1, 4, 7, 10, 13)},
                               {_mm_setr_epi8(1, 4, 7, 10, 13, z, z, z, z, z, z, z, z, z, z, z),
                                _mm_setr_epi8(z, z, z, z, z, 0, 3, 6, 9, 12, 15, z, z, z, z, z),
                                _mm_setr_epi8(z, z, z, z, z, z, z, z, z, z, z, 2, 5, 8, 11, 14)},
                               {_mm_setr_epi8(2, 5, 8, 11, 14, z, z, z, z, z, z, z, z, z, z, z),
                                _mm_setr_epi8(z, z, z, z, z, 1, 4, 7, 10, 13, z, z, z, z, z, z),
                                _mm_setr_epi8(z, z, z, z, z, z, z, z, z, z, 0, 3, 6, 9, 12, 15)}};
  for (; i + 16 <= n; i += 16) {
    const __m128i* at = reinterpret_cast<const __m128i*>(row + 3 * i);
    const __m128i x = _mm_loadu_si128(at), y = _mm_loadu_si128(at + 1), w = _mm_loadu_si128(at + 2);
    const auto channel = [&](const __m128i(&mask)[3]) {
      return _mm_or_si128(_mm_or_si128(_mm_shuffle_epi8(x, mask[0]), _mm_shuffle_epi8(y, mask[1])),
                          _mm_shuffle_epi8(w, mask[2]));
    };
    _mm_storeu_si128(reinterpret_cast<__m128i*>(a + i), channel(masks[0]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(b + i), channel(masks[1]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(c + i), channel(masks[2]));
  }
#endif
  for (; i < n; ++i) a[i] = row[3 * i], b[i] = row[3 * i + 1], c[i] = row[3 * i + 2];
}

void mirror_3(const uint8_t* row, int64_t n, uint8_t* to) {
  int64_t i = 0;
#ifdef __AVX2__
  // Five pixels at a time; the byte before them is written over by the next, but for the last.
  const __m128i turned = _mm_setr_epi8(15, 12, 13, 14, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2);
  for (; i + 6 <= n; i += 5) {
    const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 3 * i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 3 * (n - i) - 16), _mm_shuffle_epi8(pixels, turned));
  }
#endif
  for (; i < n; ++i) {
    uint8_t* at = to + 3 * (n - 1 - i);
    at[0] = row[3 * i], at[1] = row[3 * i + 1], at[2] = row[3 * i + 2];
  }
}

constexpr RowLoops kLoops = {linear_across, linear_between, add_scaled, round_bytes, normalize, apart_3, mirror_3};

}  // namespace
}  // namespace minds::data
