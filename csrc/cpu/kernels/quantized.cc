#include "cpu/kernels/quantized.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "cpu/isa.h"

namespace minds::cpu {

namespace {

constexpr int64_t kWork = 1 << 21;  // products that outweigh waking a thread

// Tiles of a product whose columns are those of `strips` strips from `strip` on.
class Tiles {
 public:
  explicit Tiles(const QuantizedProduct& p) : p_(p), tier_(quantized_tier()) {}

  int64_t rows() const { return tier_.rows; }
  int64_t strips() const { return tier_.strips; }

  // The sums of the rows of weights that the next tiles have.
  void take(int64_t row, int rows) {
    row_ = row;
    rows_ = rows;
    tier_.sums(rows, p_.depth, p_.weights + row * p_.depth, sums_);
  }

  void write(int64_t strip, int64_t strips) {
    const int64_t column = strip * kStrip, width = strips * kStrip, there = std::min(width, p_.columns - column);
    tier_.tile(rows_, static_cast<int>(strips), p_.depth, p_.weights + row_ * p_.depth,
               p_.bytes + column * p_.depth, whole_);
    const Finish by{sums_, p_.factors + row_, p_.bias + row_, p_.scales + column, p_.zeros + column};
    if (!p_.across && there == width) {
      tier_.finish(rows_, width, whole_, by, p_.out + row_ * p_.out_step + column, p_.out_step);
      return;
    }
    tier_.finish(rows_, width, whole_, by, real_, width);
    if (p_.across) {
      tier_.transpose(rows_, there, real_, width, p_.out + column * p_.out_step + row_, p_.out_step);
      return;
    }
    for (int i = 0; i < rows_; ++i) {
      std::copy_n(real_ + i * width, there, p_.out + (row_ + i) * p_.out_step + column);
    }
  }

 private:
  const QuantizedProduct& p_;
  const QuantizedTier& tier_;
  int64_t row_ = 0;
  int rows_ = 0;
  int32_t sums_[kMostRows];
  alignas(64) int32_t whole_[kMostRows * kMostStrips * kStrip];
  alignas(64) float real_[kMostRows * kMostStrips * kStrip];
};

// f(row, rows) for rows in tiles of the sizes that there are.
template <class F>
void by_rows(int64_t from, int64_t to, int64_t most, F&& f) {
  for (int64_t rows = most; from < to; from += rows) {
    while (rows > to - from) rows /= 2;
    f(from, static_cast<int>(rows));
  }
}

}  // namespace

const QuantizedTier& quantized_tier() {
#if defined(__x86_64__)
  if (vnni()) return kQuantizedVnni;
  if (isa() == Isa::kAvx512) return kQuantizedAvx512;
  if (isa() == Isa::kAvx2) return kQuantizedAvx2;
#endif
  return kQuantizedGeneric;
}

Quantised quantised(const Range& seen) {
  if (std::isnan(seen.spoilt)) return {std::numeric_limits<float>::quiet_NaN(), 0};
  const float scale = seen.high / 255 - seen.low / 255;
  if (scale < std::numeric_limits<float>::min()) return {1, 0};
  return {scale, std::clamp(static_cast<int32_t>(std::lrint(-seen.low / scale)), 0, 255)};
}

void multiply(const QuantizedProduct& p) {
  const int64_t strips = (p.columns + kStrip - 1) / kStrip, most = Tiles(p).strips(), rows = Tiles(p).rows();
  if (strips * kStrip >= p.rows) {  // the weights are the smaller part, and stay in the cache
    const int64_t groups = (strips + most - 1) / most, each = most * kStrip * p.rows * std::max<int64_t>(1, p.depth);
    parallel_for(groups, std::max<int64_t>(1, kWork / each), [&](int64_t begin, int64_t end) {
      Tiles tiles(p);
      for (int64_t strip = begin * most; strip < std::min(strips, end * most); strip += most) {
        by_rows(0, p.rows, rows, [&](int64_t row, int n) {
          tiles.take(row, n);
          tiles.write(strip, std::min(most, strips - strip));
        });
      }
    });
    return;
  }
  const int64_t blocks = (p.rows + rows - 1) / rows, each = rows * strips * kStrip * std::max<int64_t>(1, p.depth);
  parallel_for(blocks, std::max<int64_t>(1, kWork / each), [&](int64_t begin, int64_t end) {
    Tiles tiles(p);
    by_rows(begin * rows, std::min(p.rows, end * rows), rows, [&](int64_t row, int n) {
      tiles.take(row, n);
      for (int64_t strip = 0; strip < strips; strip += most) tiles.write(strip, std::min(most, strips - strip));
    });
  });
}

void multiply_few(const QuantizedProduct& p) {
  const QuantizedTier& tier = quantized_tier();
  const int64_t each = std::max<int64_t>(1, p.depth * p.columns);
  parallel_for(p.rows, std::max<int64_t>(1, kWork / 8 / each), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int8_t* const weights = p.weights + row * p.depth;
      int32_t sum;
      tier.sums(1, p.depth, weights, &sum);
      for (int64_t j = 0; j < p.columns; ++j) {
        const int32_t whole = tier.dot(p.depth, weights, p.bytes + j * p.depth) - p.zeros[j] * sum;
        p.out[j * p.out_step + row] = static_cast<float>(whole) * (p.scales[j] * p.factors[row]) + p.bias[row];
      }
    }
  });
}

}  // namespace minds::cpu
