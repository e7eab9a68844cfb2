// The inner loops over rows of pixels, in two builds that give the same numbers: for any x86-64 and for AVX2.
#pragma once
#include <cstdint>

namespace minds::data {

struct RowLoops {
  // Linear interpolation along a row of `channels` bytes a pixel: the pixels at offset[i] and right of it, with weights
  // of 11 bits that add up to 2048; results have 7 bits behind the point. A row is followed by 8 readable bytes, and
  // `to` by 4 writable elements.
  void (*linear_across)(const uint8_t* row, const int32_t* offset, const int16_t* weight, int64_t count,
                        int64_t channels, int16_t* to);
  // Linear interpolation between two such rows, back to bytes.
  void (*linear_between)(const int16_t* above, const int16_t* below, int16_t w_above, int16_t w_below, int64_t n,
                         uint8_t* to);
  // to += weight * row
  void (*add_scaled)(const float* row, float weight, int64_t n, float* to);
  // Bytes nearest to numbers; half up.
  void (*round)(const float* row, int64_t n, uint8_t* to);
  // (row[i] - mean[i]) / std[i]
  void (*normalize)(const uint8_t* row, const float* mean, const float* std, int64_t n, float* to);
  // The three channels of a row of `n` pixels, apart.
  void (*apart_3)(const uint8_t* row, int64_t n, uint8_t* a, uint8_t* b, uint8_t* c);
  // A row of `n` pixels of three bytes, the last pixel first.
  void (*mirror_3)(const uint8_t* row, int64_t n, uint8_t* to);
};

// Which build runs is decided once, by the processor; MINDS_ISA=generic takes the other.
const RowLoops& row_loops();

extern const RowLoops kGenericRows, kAvx2Rows;

}  // namespace minds::data
