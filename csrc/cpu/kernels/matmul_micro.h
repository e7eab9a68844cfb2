// The register-blocked product, written over a `Simd` type that a tier's file defines in its unnamed namespace: so that
// every function made from this template is private to that file and to its instruction set. For the same reason nothing
// of the standard library is called here.
#pragma once
#include "cpu/kernels/matmul_own.h"

namespace minds::cpu {

template <class Simd>
struct Micro {
  using T = typename Simd::T;
  using V = typename Simd::V;
  static constexpr int kLanes = Simd::kLanes, kRows = Simd::kRows, kWide = 2 * kLanes;
  static constexpr int64_t kDepth = 256;    // rows of a packed panel: it stays in the first-level cache
  static constexpr int64_t kPackFrom = 48;  // rows of A from which packing a well-laid B pays

  static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

  // C[rows x regs·lanes] (+)= A[rows x k] · panel[k x regs·lanes]
  template <int rows, int regs>
  static void tile(int64_t k, const T* a, int64_t a_row, int64_t a_col, const T* b, int64_t b_row, T* c, int64_t c_row,
                   bool add) {
    V sum[rows][regs];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < regs; ++j) sum[i][j] = add ? Simd::load(c + i * c_row + j * kLanes) : Simd::zero();
    }
    for (int64_t t = 0; t < k; ++t) {
      V right[regs];
#pragma GCC unroll 8
      for (int j = 0; j < regs; ++j) right[j] = Simd::load(b + t * b_row + j * kLanes);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const V left = Simd::fill(a[i * a_row + t * a_col]);
#pragma GCC unroll 8
        for (int j = 0; j < regs; ++j) sum[i][j] = Simd::fma(left, right[j], sum[i][j]);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < regs; ++j) Simd::store(c + i * c_row + j * kLanes, sum[i][j]);
    }
  }

  // A tile whose place in C is narrower than the registers, or strided: by way of a small buffer.
  template <int rows, int regs>
  static void tile_at(int64_t k, const T* a, int64_t a_row, int64_t a_col, const T* b, int64_t b_row, T* c,
                      int64_t c_row, int64_t c_col, int64_t cols, bool add) {
    constexpr int64_t width = regs * kLanes;
    if (c_col == 1 && cols == width) return tile<rows, regs>(k, a, a_row, a_col, b, b_row, c, c_row, add);
    alignas(64) T square[rows * width] = {};
    if (add) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < cols; ++j) square[i * width + j] = c[i * c_row + j * c_col];
      }
    }
    tile<rows, regs>(k, a, a_row, a_col, b, b_row, square, width, add);
    for (int64_t j = 0; j < cols; ++j) {
      for (int64_t i = 0; i < rows; ++i) c[i * c_row + j * c_col] = square[i * width + j];
    }
  }

  // All rows of A against one panel.
  template <int regs>
  static void strip(const Product<T>& p, int64_t k0, int64_t k, int64_t j0, int64_t cols, const T* b, int64_t b_row,
                    bool add) {
    const T* a = p.a + k0 * p.a_col;
    T* c = p.c + j0 * p.c_col;
    int64_t i = 0;
    const auto rows_of = [&]<int rows>() {
      for (; i + rows <= p.m; i += rows) {
        tile_at<rows, regs>(k, a + i * p.a_row, p.a_row, p.a_col, b, b_row, c + i * p.c_row, p.c_row, p.c_col, cols,
                            add);
      }
    };
    if constexpr (kRows >= 8) rows_of.template operator()<8>();
    rows_of.template operator()<4>();
    rows_of.template operator()<2>();
    rows_of.template operator()<1>();
  }

  static void pack(const Product<T>& p, int64_t k0, int64_t k, int64_t j0, int64_t cols, int width, T* panel) {
    const T* from = p.b + k0 * p.b_row + j0 * p.b_col;
    constexpr int kSquare = 4;
    if (p.b_row == 1 && cols == width && width % kSquare == 0) {  // columns are contiguous: transpose squares
      int64_t t = 0;
      for (; t + kSquare <= k; t += kSquare) {
        for (int j = 0; j < width; j += kSquare) {
          Simd::transpose4(from + t + j * p.b_col, p.b_col, panel + t * width + j, width);
        }
      }
      for (; t < k; ++t) {
        for (int j = 0; j < width; ++j) panel[t * width + j] = from[t + j * p.b_col];
      }
      return;
    }
    for (int64_t t = 0; t < k; ++t) {
      for (int64_t j = 0; j < cols; ++j) panel[t * width + j] = from[t * p.b_row + j * p.b_col];
      for (int64_t j = cols; j < width; ++j) panel[t * width + j] = 0;
    }
  }

  static T dot(int64_t k, const T* a, const T* b) {
    constexpr int kSums = 4;  // as many as hide the latency of an addition
    V sum[kSums] = {Simd::zero(), Simd::zero(), Simd::zero(), Simd::zero()};
    int64_t t = 0;
    for (; t + kSums * kLanes <= k; t += kSums * kLanes) {
#pragma GCC unroll 4
      for (int i = 0; i < kSums; ++i) {
        sum[i] = Simd::fma(Simd::load(a + t + i * kLanes), Simd::load(b + t + i * kLanes), sum[i]);
      }
    }
    for (; t + kLanes <= k; t += kLanes) sum[0] = Simd::fma(Simd::load(a + t), Simd::load(b + t), sum[0]);
    alignas(64) T lanes[kLanes];
    Simd::store(lanes, (sum[0] + sum[1]) + (sum[2] + sum[3]));
#pragma GCC unroll 4
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    }
    T total = lanes[0];
    for (; t < k; ++t) total += a[t] * b[t];
    return total;
  }

  static void multiply(const Product<T>& p) {
    alignas(64) T panel[kDepth * kWide];
    for (int64_t k0 = 0; k0 < p.k || k0 == 0; k0 += kDepth) {
      const int64_t k = least(kDepth, p.k - k0);
      const bool add = p.add || k0 > 0;
      for (int64_t j0 = 0; j0 < p.n; j0 += kWide) {
        const int64_t cols = least(kWide, p.n - j0);
        const int width = cols > kLanes ? kWide : kLanes;
        const T* b = p.b + k0 * p.b_row + j0 * p.b_col;
        int64_t b_row = p.b_row;
        if (p.b_col != 1 || cols != width || p.m >= kPackFrom) {
          pack(p, k0, k, j0, cols, width, panel);
          b = panel;
          b_row = width;
        }
        if (width == kWide) {
          strip<2>(p, k0, k, j0, cols, b, b_row, add);
        } else {
          strip<1>(p, k0, k, j0, cols, b, b_row, add);
        }
      }
    }
  }
};

}  // namespace minds::cpu
