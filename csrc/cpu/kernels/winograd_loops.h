// Winograd's transforms and products over a `Simd` type, as in matmul_micro.h: private to each tier's file, nothing of the
// standard library is called.
#pragma once
#include "cpu/kernels/matmul_micro.h"
#include "cpu/kernels/winograd_tier.h"

namespace minds::cpu {

namespace {

template <class Simd>
struct WinogradLoops {
  using V = typename Simd::V;
  static constexpr int kLanes = Simd::kLanes, kRegs = Simd::kRegs, kWide = kRegs * kLanes;
  static constexpr int kRows = Simd::kRows;

  static int64_t least(int64_t a, int64_t b) { return Micro<Simd>::least(a, b); }
  static int64_t padded(int64_t channels) { return (channels + kLanes - 1) / kLanes * kLanes; }

  // ---- between planes and rows of pixels with their channels side by side

  // Pixels [w0, w0 + cols) of rows [h0, h0 + rows) of one sample, zero outside of it and in channels beyond the last.
  static void stage(const float* planes, int64_t channels, int64_t height, int64_t width, int64_t h0, int64_t rows,
                    int64_t w0, int64_t cols, float* to) {
    const int64_t each = padded(channels), begin = w0 < 0 ? -w0 : 0, end = least(cols, width - w0);
    for (int64_t r = 0; r < rows; ++r, to += cols * each) {
      const int64_t h = h0 + r;
      const bool inside = h >= 0 && h < height;
      clear(to, (inside ? begin : cols) * each);
      if (!inside) continue;
      clear(to + end * each, (cols - end) * each);
      if (each != channels) clear(to + begin * each, (end - begin) * each);
      transpose(planes + h * width + w0 + begin, channels, height * width, end - begin, to + begin * each, each);
    }
  }

  static void clear(float* to, int64_t n) {
    for (int64_t i = 0; i + kLanes <= n; i += kLanes) Simd::store(to + i, Simd::zero());
  }

  // to[w][c] = from[c][w]; four planes at a time, each read along its row.
  static void transpose(const float* from, int64_t channels, int64_t plane, int64_t width, float* to, int64_t each) {
    int64_t c = 0;
    for (; c + 4 <= channels; c += 4) {
      const float* p = from + c * plane;
      int64_t w = 0;
      for (; w + 4 <= width; w += 4) Simd::transpose4(p + w, plane, to + w * each + c, each);
      for (; w < width; ++w) {
        for (int64_t j = 0; j < 4; ++j) to[w * each + c + j] = p[j * plane + w];
      }
    }
    for (; c < channels; ++c) {
      for (int64_t w = 0; w < width; ++w) to[w * each + c] = from[c * plane + w];
    }
  }

  static void unstage(const float* from, int64_t channels, int64_t plane, int64_t width, float* to) {
    const int64_t each = padded(channels);
    int64_t c = 0;
    for (; c + 4 <= channels; c += 4) {
      float* p = to + c * plane;
      int64_t w = 0;
      for (; w + 4 <= width; w += 4) Simd::transpose4(from + w * each + c, each, p + w, plane);
      for (; w < width; ++w) {
        for (int64_t j = 0; j < 4; ++j) p[j * plane + w] = from[w * each + c + j];
      }
    }
    for (; c < channels; ++c) {
      for (int64_t w = 0; w < width; ++w) to[c * plane + w] = from[w * each + c];
    }
  }

  // f(sample, first row of squares in it, how many) for rows [begin, end) over all samples.
  template <class F>
  static void by_sample(const WinogradSizes& s, int64_t begin, int64_t end, F f) {
    while (begin < end) {
      const int64_t row = begin % s.rows, count = least(end - begin, s.rows - row);
      f(begin / s.rows, row, count);
      begin += count;
    }
  }

  // ---- transforms

  static void along_input(V a, V b, V c, V d, V* to, int step) {
    to[0] = a - c;
    to[step] = b + c;
    to[2 * step] = c - b;
    to[3 * step] = b - d;
  }

  static void input(const WinogradSizes& s, const float* x, int64_t begin, int64_t end, int64_t square,
                    int64_t squares, int64_t apart, float* pixels, float* to) {
    const int64_t each = padded(s.in), cols = 2 * s.cols + 2, line = cols * each;
    by_sample(s, begin, end, [&](int64_t sample, int64_t row, int64_t count) {
      stage(x + sample * s.in * s.in_h * s.in_w, s.in, s.in_h, s.in_w, 2 * row - s.top, 2 * count + 2, -s.left, cols,
            pixels);
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < s.cols; ++j, ++square) {
          const float* from = pixels + 2 * i * line + 2 * j * each;
          for (int64_t c = 0; c < each; c += kLanes) {
            input_square(from + c, line, each, apart, to + place(each, squares, square, c));
          }
        }
      }
    });
  }

  static int64_t place(int64_t each, int64_t squares, int64_t square, int64_t c) {
    if (squares == 0) return square * each + c;
    const int64_t panel = c / kWide * kWide;
    return panel * squares + square * least(kWide, each - panel) + c - panel;
  }

  static void input_square(const float* from, int64_t line, int64_t each, int64_t apart, float* to) {
    V t[4][4], u[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const float* p = from + j * each;
      along_input(Simd::load(p), Simd::load(p + line), Simd::load(p + 2 * line), Simd::load(p + 3 * line), &t[0][j], 4);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      along_input(t[i][0], t[i][1], t[i][2], t[i][3], u, 1);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) Simd::store(to + (4 * i + j) * apart, u[j]);
    }
  }

  static void along_gradient(V a, V b, V* to, int step) {
    to[0] = a;
    to[step] = a + b;
    to[2 * step] = a - b;
    to[3 * step] = Simd::zero() - b;
  }

  static void gradient(const WinogradSizes& s, const float* dy, int64_t begin, int64_t end, int64_t apart, float* pixels,
                       float* to) {
    const int64_t each = padded(s.out), cols = 2 * s.cols, line = cols * each;
    by_sample(s, begin, end, [&](int64_t sample, int64_t row, int64_t count) {
      stage(dy + sample * s.out * s.out_h * s.out_w, s.out, s.out_h, s.out_w, 2 * row, 2 * count, 0, cols, pixels);
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < s.cols; ++j, to += each + kBetween) {
          const float* from = pixels + 2 * i * line + 2 * j * each;
          for (int64_t c = 0; c < each; c += kLanes) gradient_square(from + c, line, each, apart, to + c);
        }
      }
    });
  }

  static void gradient_square(const float* from, int64_t line, int64_t each, int64_t apart, float* to) {
    V t[4][2], u[4];
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      along_gradient(Simd::load(from + j * each), Simd::load(from + j * each + line), &t[0][j], 2);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      along_gradient(t[i][0], t[i][1], u, 1);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) Simd::store(to + (4 * i + j) * apart, u[j]);
    }
  }

  static void along_output(V a, V b, V c, V d, V* to, int step) {
    to[0] = (a + b) + c;
    to[step] = (b - c) - d;
  }

  static void output(const WinogradSizes& s, const float* m, int64_t begin, int64_t end, int64_t apart, float* pixels,
                     float* out) {
    const int64_t each = padded(s.out), line = 2 * s.cols * each, plane = s.out_h * s.out_w;
    by_sample(s, begin, end, [&](int64_t sample, int64_t row, int64_t count) {
      float* planes = out + sample * s.out * plane;
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < s.cols; ++j, m += each) {
          for (int64_t c = 0; c < each; c += kLanes) output_square(m + c, apart, line, each, pixels + 2 * j * each + c);
        }
        const int64_t h = 2 * (row + i);
        unstage(pixels, s.out, plane, s.out_w, planes + h * s.out_w);
        if (h + 1 < s.out_h) unstage(pixels + line, s.out, plane, s.out_w, planes + (h + 1) * s.out_w);
      }
    });
  }

  static void output_square(const float* m, int64_t apart, int64_t line, int64_t each, float* to) {
    V t[2][4], u[2];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const float* p = m + j * apart;
      along_output(Simd::load(p), Simd::load(p + 4 * apart), Simd::load(p + 8 * apart), Simd::load(p + 12 * apart),
                   &t[0][j], 4);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      along_output(t[i][0], t[i][1], t[i][2], t[i][3], u, 1);
      Simd::store(to + i * line, u[0]);
      Simd::store(to + i * line + each, u[1]);
    }
  }

  // ---- weights

  static void along_weights(V a, V b, V c, V* to, int step) {
    const V half = Simd::fill(0.5f), sum = a + c;
    to[0] = a;
    to[step] = half * (sum + b);
    to[2 * step] = half * (sum - b);
    to[3 * step] = c;
  }

  static void weights(const WinogradSizes& s, const WinogradWeights& from, int64_t begin, int64_t end, float* to) {
    constexpr int64_t kAtOnce = 4;  // what is written in parts and read as a whole is read later
    const int64_t each = padded(s.out), apart = s.in * each + kBetween;
    alignas(64) float g[kAtOnce][9][kLanes] = {};
    for (int64_t o = 0; o < each; o += kLanes) {
      const int64_t panel = o / kWide * kWide, wide = least(kWide, each - panel), lanes = least(kLanes, s.out - o);
      if (lanes < kLanes) clear(&g[0][0][0], kAtOnce * 9 * kLanes);
      for (int64_t i = begin; i < end; i += kAtOnce) {
        const int64_t count = least(kAtOnce, end - i);
        const float* w = from.w + from.in * i + from.out * o;
        for (int64_t k = 0; k < count; ++k) side_by_side(w + from.in * k, from.out, lanes, g[k]);
        for (int64_t k = 0; k < count; ++k) {
          weights_square(g[k], from.turned, apart, to + panel * s.in + (i + k) * wide + o - panel);
        }
      }
    }
  }

  // to[e][lane] = from[lane * step + e] for the 9 elements of each lane, and back.
  static void side_by_side(const float* from, int64_t step, int64_t lanes, float (&to)[9][kLanes]) {
    int64_t lane = 0;
    for (; lane + 4 <= lanes; lane += 4) {
      const float* p = from + lane * step;
      Simd::transpose4(p, step, &to[0][lane], kLanes);
      Simd::transpose4(p + 4, step, &to[4][lane], kLanes);
      for (int64_t j = 0; j < 4; ++j) to[8][lane + j] = p[j * step + 8];
    }
    for (; lane < lanes; ++lane) {
      for (int e = 0; e < 9; ++e) to[e][lane] = from[lane * step + e];
    }
  }

  static void one_by_one(const float (&from)[9][kLanes], int64_t lanes, float* to) {
    int64_t lane = 0;
    for (; lane + 4 <= lanes; lane += 4) {
      float* p = to + lane * 9;
      Simd::transpose4(&from[0][lane], kLanes, p, 9);
      Simd::transpose4(&from[4][lane], kLanes, p + 4, 9);
      for (int64_t j = 0; j < 4; ++j) p[j * 9 + 8] = from[8][lane + j];
    }
    for (; lane < lanes; ++lane) {
      for (int e = 0; e < 9; ++e) to[lane * 9 + e] = from[e][lane];
    }
  }

  static void weights_square(const float (&g)[9][kLanes], bool turned, int64_t apart, float* to) {
    const float* const first = turned ? g[8] : g[0];
    const int64_t step = turned ? -kLanes : kLanes;
    V t[4][3], u[4];
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      const float* p = first + j * step;
      along_weights(Simd::load(p), Simd::load(p + 3 * step), Simd::load(p + 6 * step), &t[0][j], 3);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      along_weights(t[i][0], t[i][1], t[i][2], u, 1);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) Simd::store(to + (4 * i + j) * apart, u[j]);
    }
  }

  static void along_weight_gradient(V a, V b, V c, V d, V* to, int step) {
    const V half = Simd::fill(0.5f), sum = half * (b + c);
    to[0] = a + sum;
    to[step] = half * (b - c);
    to[2 * step] = sum + d;
  }

  static void weight_gradient(const WinogradSizes& s, const float* u, int64_t begin, int64_t end, int64_t apart,
                              float* dw) {
    const int64_t each = padded(s.in);
    for (int64_t o = begin; o < end; ++o) {
      for (int64_t c = 0; c < s.in; c += kLanes) {
        const float* from = u + o * each + c;
        V t[3][4], q[3];
        alignas(64) float g[9][kLanes];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          const float* p = from + j * apart;
          along_weight_gradient(Simd::load(p), Simd::load(p + 4 * apart), Simd::load(p + 8 * apart),
                                Simd::load(p + 12 * apart), &t[0][j], 4);
        }
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i) {
          along_weight_gradient(t[i][0], t[i][1], t[i][2], t[i][3], q, 1);
#pragma GCC unroll 3
          for (int j = 0; j < 3; ++j) Simd::store(g[3 * i + j], q[j]);
        }
        one_by_one(g, least(kLanes, s.in - c), dw + (o * s.in + c) * 9);
      }
    }
  }

  // ---- products

  // A sum runs over k in order, by one register.
  template <int regs>
  static void strip(int64_t m, int64_t k, const float* a, int64_t a_row, int64_t a_col, const float* b, float* c,
                    int64_t c_row, bool add) {
    int64_t i = 0;
    const auto rows_of = [&]<int rows>() {
      for (; i + rows <= m; i += rows) {
        Micro<Simd>::template tile<rows, regs>(k, a + i * a_row, a_row, a_col, b, regs * kLanes, c + i * c_row, c_row, add);
      }
    };
    rows_of.template operator()<kRows>();
    rows_of.template operator()<4>();
    rows_of.template operator()<2>();
    rows_of.template operator()<1>();
  }

  static void product(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_row, int64_t a_col,
                      const float* panels, float* c, int64_t c_row, bool add) {
    for (int64_t j = 0; j < n; j += kWide, panels += k * kWide, c += kWide) {
      const int64_t regs = least(kRegs, (n - j) / kLanes);
      if (regs == kRegs) {
        strip<kRegs>(m, k, a, a_row, a_col, panels, c, c_row, add);
      } else if (regs == 1) {
        strip<1>(m, k, a, a_row, a_col, panels, c, c_row, add);
      } else if (kRegs > 2 && regs == 2) {
        strip<2>(m, k, a, a_row, a_col, panels, c, c_row, add);
      } else if (kRegs > 3) {
        strip<3>(m, k, a, a_row, a_col, panels, c, c_row, add);
      }
    }
  }

  static constexpr WinogradTier table() {
    return {kLanes, kWide, weights, input, gradient, output, product, weight_gradient};
  }
};

}  // namespace

}  // namespace minds::cpu
