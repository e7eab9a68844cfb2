// Products of int8 weights with activations that are quantised on the way, in integers: exact, so every instruction set
// and every number of threads gives the same bits.
//
// A real activation v is kept as a byte q, v = (q - zero) scale. The product of a row of weights w with a column of bytes
// is then scale (sum q w - zero sum w).
#pragma once
#include <cstddef>
#include <cstdint>

namespace minds::cpu {

// Columns of bytes lie side by side in strips, four bytes of a column together: [depth / 4][kStrip][4].
inline constexpr int64_t kStrip = 16;
inline constexpr int kMostRows = 8, kMostStrips = 3;  // of a tile

// How a range of reals is kept. 0 is a multiple of the scale; where an element was not finite, the scale is NaN.
struct Quantised {
  float scale;
  int32_t zero;
};

// What was seen of a range of reals: `spoilt` is NaN where one of them is not finite.
struct Range {
  float low = 0, high = 0, spoilt = 0;
};

Quantised quantised(const Range& seen);

// What the columns of a tile and its rows are multiplied with in the end.
struct Finish {
  const int32_t* sums;    // of each row of weights
  const float *factors, *bias;  // of each row
  const float* scales;    // of each column
  const int32_t* zeros;
};

// The entry points of one instruction set.
struct QuantizedTier {
  int rows, strips;  // of its tiles; a tile may have fewer: 8, 4, 2 or 1 rows, 3, 2 or 1 strips
  // out[i][j] = sum over `depth`, a multiple of 4, of weights[i] times column j.
  void (*tile)(int rows, int strips, int64_t depth, const int8_t* weights, const uint8_t* columns, int32_t* out);
  void (*sums)(int rows, int64_t depth, const int8_t* weights, int32_t* sums);
  // to[i][j] = (sum[i][j] - zeros[j] sums[i]) (scales[j] factors[i]) + bias[i], for a multiple of kStrip columns.
  void (*finish)(int rows, int64_t width, const int32_t* sum, const Finish& by, float* to, int64_t to_row);
  void (*transpose)(int rows, int64_t width, const float* from, int64_t from_row, float* to, int64_t to_row);
  Range (*range)(const float* x, int64_t n, Range seen);
  // `n` places of up to four planes, as groups of four bytes.
  void (*quantise)(const float* x, int64_t plane, int planes, int64_t n, Quantised by, uint32_t* to);
  // The sum of the products of a row of weights and a row of bytes, of a multiple of 4 each.
  int32_t (*dot)(int64_t depth, const int8_t* weights, const uint8_t* bytes);
  // A row of `n` reals, as groups of four bytes that lie `step` groups apart.
  void (*quantise_row)(const float* x, int64_t n, Quantised by, uint32_t* to, int64_t step);
  void (*collect)(int64_t planes, const uint32_t* from, int64_t plane, const int32_t* places, uint32_t* to);
};
extern const QuantizedTier kQuantizedGeneric, kQuantizedAvx2, kQuantizedAvx512, kQuantizedVnni;

// The best that the processor has.
const QuantizedTier& quantized_tier();

// out[row][column], or out[column][row] if `across`, of all rows of weights and all columns, over the threads.
struct QuantizedProduct {
  int64_t rows, depth, columns;
  const int8_t* weights;
  const uint8_t* bytes;  // in strips
  const float *factors, *bias, *scales;  // scales and zeros: of whole strips
  const int32_t* zeros;
  float* out;
  int64_t out_step;
  bool across;
};
void multiply(const QuantizedProduct& p);

// The same where columns are few, each lies by itself, `depth` bytes, and the result is `across`.
inline constexpr int64_t kFewColumns = 8;
void multiply_few(const QuantizedProduct& p);

}  // namespace minds::cpu
