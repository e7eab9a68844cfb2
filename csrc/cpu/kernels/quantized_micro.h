// The loops of quantised products, written over a `Simd` type that a tier's file defines in its unnamed namespace, so that
// every function made from this template is private to that file and to its instruction set. For the same reason nothing
// of the standard library is called here.
#pragma once
#include "cpu/kernels/matmul_transpose.h"
#include "cpu/kernels/quantized.h"

namespace minds::cpu {

template <class Simd>
struct QuantizedMicro {
  static constexpr int kLanes = Simd::kLanes, kParts = kStrip / kLanes;
  static constexpr int kRows = Simd::kRows, kStrips = Simd::kStrips;
  using F = typename Simd::F;
  using I = typename Simd::I;
  using U = typename Simd::U;
  using B = typename Simd::B;
  // Added to a number below 2²², it leaves the nearest integer in the low bits; those of its own are 0.
  static constexpr float kRounder = 12582912.0f;

  template <class V, class T>
  static V load(const T* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
  template <class V, class T>
  static void store(T* p, V v) {
    __builtin_memcpy(p, &v, sizeof v);
  }

  template <int rows, int strips>
  static void tile_of(int64_t depth, const int8_t* weights, const uint8_t* columns, int32_t* out) {
    constexpr int regs = strips * kParts;
    I sum[rows][regs];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < regs; ++j) sum[i][j] = I{};
    }
    for (int64_t t = 0; t < depth; t += 4) {
      typename Simd::Column column[regs];
#pragma GCC unroll 8
      for (int j = 0; j < regs; ++j) {
        const uint8_t* strip = columns + j / kParts * kStrip * depth;
        column[j] = Simd::column(strip + t * kStrip + j % kParts * 4 * kLanes);
      }
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const typename Simd::Weight weight = Simd::weight(weights + i * depth + t);
#pragma GCC unroll 8
        for (int j = 0; j < regs; ++j) sum[i][j] = Simd::add(sum[i][j], column[j], weight);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < regs; ++j) store(out + (i * regs + j) * kLanes, sum[i][j]);
    }
  }

  template <int rows>
  static void tile_rows(int strips, int64_t depth, const int8_t* weights, const uint8_t* columns, int32_t* out) {
    if constexpr (kStrips >= 3) {
      if (strips == 3) return tile_of<rows, 3>(depth, weights, columns, out);
    }
    if constexpr (kStrips >= 2) {
      if (strips == 2) return tile_of<rows, 2>(depth, weights, columns, out);
    }
    tile_of<rows, 1>(depth, weights, columns, out);
  }

  static void tile(int rows, int strips, int64_t depth, const int8_t* weights, const uint8_t* columns, int32_t* out) {
    if constexpr (kRows >= 8) {
      if (rows == 8) return tile_rows<8>(strips, depth, weights, columns, out);
    }
    if (rows == 4) return tile_rows<4>(strips, depth, weights, columns, out);
    if (rows == 2) return tile_rows<2>(strips, depth, weights, columns, out);
    tile_rows<1>(strips, depth, weights, columns, out);
  }

  static void sums(int rows, int64_t depth, const int8_t* weights, int32_t* sums) {
    for (int i = 0; i < rows; ++i) {
      const int8_t* row = weights + i * depth;
      int64_t t = 0;
      int32_t sum = Simd::sum(row, depth, t);
      for (; t < depth; ++t) sum += row[t];
      sums[i] = sum;
    }
  }

  static int32_t dot(int64_t depth, const int8_t* weights, const uint8_t* bytes) {
    int64_t t = 0;
    int32_t sum = Simd::dot(weights, bytes, depth, t);
    for (; t < depth; ++t) sum += weights[t] * bytes[t];
    return sum;
  }

  static void finish(int rows, int64_t width, const int32_t* sum, const Finish& by, float* to, int64_t to_row) {
    for (int i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < width; j += kLanes) {
        const I whole = load<I>(sum + i * width + j) - load<I>(by.zeros + j) * by.sums[i];
        const F scale = load<F>(by.scales + j) * by.factors[i];
        store(to + i * to_row + j, __builtin_convertvector(whole, F) * scale + by.bias[i]);
      }
    }
  }

  static void transpose(int rows, int64_t width, const float* from, int64_t from_row, float* to, int64_t to_row) {
    constexpr int kSquare = 4;
    for (int i = 0; i < rows; i += kSquare) {
      int64_t j = 0;
      for (; i + kSquare <= rows && j + kSquare <= width; j += kSquare) {
        Transpose<float>::transpose4(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
      }
      for (; j < width; ++j) {
        for (int k = i; k < rows && k < i + kSquare; ++k) to[j * to_row + k] = from[k * from_row + j];
      }
    }
  }

  static Range range(const float* x, int64_t n, Range seen) {
    F low = F{} + seen.low, high = F{} + seen.high, spoilt = F{} + seen.spoilt;
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const F v = load<F>(x + i);
      low = v < low ? v : low;
      high = v > high ? v : high;
      spoilt += v * 0.0f;
    }
    for (int j = 0; j < kLanes; ++j) seen = wider(seen, low[j], high[j], spoilt[j]);
    for (; i < n; ++i) seen = wider(seen, x[i], x[i], x[i] * 0.0f);
    return seen;
  }
  static Range wider(const Range& seen, float low, float high, float spoilt) {
    return {low < seen.low ? low : seen.low, high > seen.high ? high : seen.high, seen.spoilt + spoilt};
  }

  // Bytes, each in a lane of 32 bits.
  struct Bytes {
    float inverse, low, high;
    uint32_t zero;
    explicit Bytes(Quantised by)
        : inverse(1.0f / by.scale),
          low(static_cast<float>(-by.zero)),
          high(static_cast<float>(255 - by.zero)),
          zero(static_cast<uint32_t>(by.zero)) {}
    U operator()(F v) const {
      v *= inverse;
      v = v < low ? F{} + low : v;
      v = v > high ? F{} + high : v;
      v += kRounder;
      return (load<U>(&v) + zero) & 255u;
    }
    // The first `n` numbers at `p`; those beyond are read as 0.
    U part(const float* p, int64_t n) const {
      F v{};
      for (int64_t i = 0; i < n; ++i) v[i] = p[i];
      return (*this)(v);
    }
  };

  static void quantise(const float* x, int64_t plane, int planes, int64_t n, Quantised by, uint32_t* to) {
    const Bytes bytes(by);
    int64_t i = 0;
    if (planes == 4) {
      for (; i + kLanes <= n; i += kLanes) {
        const U a = bytes(load<F>(x + i)), b = bytes(load<F>(x + plane + i));
        const U c = bytes(load<F>(x + 2 * plane + i)), d = bytes(load<F>(x + 3 * plane + i));
        store(to + i, a | (b << 8) | (c << 16) | (d << 24));
      }
    }
    for (; i < n; i += kLanes) {
      const int64_t width = n - i < kLanes ? n - i : kLanes;
      U all{};
      for (int p = 0; p < planes; ++p) all |= bytes.part(x + p * plane + i, width) << (8 * p);
      __builtin_memcpy(to + i, &all, static_cast<size_t>(width) * sizeof(uint32_t));
    }
  }

  static void quantise_row(const float* x, int64_t n, Quantised by, uint32_t* to, int64_t step) {
    const Bytes bytes(by);
    for (int64_t i = 0; i < n; i += kLanes) {
      const U wide = n - i >= kLanes ? bytes(load<F>(x + i)) : bytes.part(x + i, n - i);
      const B narrow = __builtin_convertvector(wide, B);
      uint32_t groups[kLanes / 4];
      __builtin_memcpy(groups, &narrow, sizeof groups);
      for (int g = 0; g < kLanes / 4 && i + 4 * g < n; ++g) to[(i / 4 + g) * step] = groups[g];
    }
  }

  // to[p][j] = from[p][places[j]], of a strip.
  static void collect(int64_t planes, const uint32_t* from, int64_t plane, const int32_t* places, uint32_t* to) {
    if (places[kStrip - 1] - places[0] == kStrip - 1) {  // increasing, but for places outside, which are last of all
      bool together = true;
      for (int j = 0; j < kStrip; ++j) together &= places[j] == places[0] + j;
      if (together) {
        for (int64_t p = 0; p < planes; ++p) {
          __builtin_memcpy(to + p * kStrip, from + p * plane + places[0], kStrip * sizeof(uint32_t));
        }
        return;
      }
    }
    for (int64_t p = 0; p < planes; ++p) {
      for (int j = 0; j < kStrip; ++j) to[p * kStrip + j] = from[p * plane + places[j]];
    }
  }

  static constexpr QuantizedTier tier() {
    return {kRows, kStrips, tile, sums, finish, transpose, range, quantise, dot, quantise_row, collect};
  }
};

}  // namespace minds::cpu
