#include "calls.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "base/half.h"

namespace minds::sim {
namespace {

double get(DType t, uintptr_t base, int64_t at) {
  switch (t) {
    case DType::kFloat16: return reinterpret_cast<const float16*>(base)[at];
    case DType::kBFloat16: return reinterpret_cast<const bfloat16*>(base)[at];
    case DType::kFloat32: return reinterpret_cast<const float*>(base)[at];
    default: return reinterpret_cast<const double*>(base)[at];
  }
}

void set(DType t, uintptr_t base, int64_t at, double v) {
  switch (t) {
    case DType::kFloat16: reinterpret_cast<float16*>(base)[at] = float16(v); break;
    case DType::kBFloat16: reinterpret_cast<bfloat16*>(base)[at] = bfloat16(v); break;
    case DType::kFloat32: reinterpret_cast<float*>(base)[at] = static_cast<float>(v); break;
    default: reinterpret_cast<double*>(base)[at] = v; break;
  }
}

// A matrix as float64, by rows.
std::vector<double> gathered(DType t, uintptr_t base, int64_t from, int64_t rows, int64_t columns, int64_t row_step,
                             int64_t column_step) {
  std::vector<double> all(static_cast<size_t>(rows * columns));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      all[static_cast<size_t>(r * columns + c)] = get(t, base, from + r * row_step + c * column_step);
    }
  }
  return all;
}

// cublasLtEpilogue_t by bits: 2 ReLU, 4 a bias, 32 GELU (its form with tanh).
double finished(uint32_t epilogue, double v, double bias) {
  if ((epilogue & 4) != 0) v += bias;
  if ((epilogue & 2) != 0) v = v < 0 ? 0 : v;
  if ((epilogue & 32) != 0) v = 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
  return v;
}

// Operands: a, b, c, d, workspace, bias.
Status product(const std::vector<uintptr_t>& at, Reader& body) {
  const auto p = body.get<Product>();
  for (int64_t n = 0; n < p.batch; ++n) {
    const std::vector<double> a = gathered(p.in, at[0], n * p.step_a, p.m, p.k, p.trans_a ? p.lda : 1,
                                           p.trans_a ? 1 : p.lda);
    const std::vector<double> b = gathered(p.in, at[1], n * p.step_b, p.n, p.k, p.trans_b ? 1 : p.ldb,
                                           p.trans_b ? p.ldb : 1);
    for (int64_t j = 0; j < p.n; ++j) {
      for (int64_t i = 0; i < p.m; ++i) {
        const double *x = &a[static_cast<size_t>(i * p.k)], *y = &b[static_cast<size_t>(j * p.k)];
        double sum = 0;
        for (int64_t k = 0; k < p.k; ++k) sum += x[k] * y[k];
        double v = p.alpha * sum;
        if (p.beta != 0) v += p.beta * get(p.out, at[2], n * p.step_c + i + j * p.ldc);
        v = finished(p.epilogue, v, at[5] == 0 ? 0 : get(p.out, at[5], i));
        set(p.out, at[3], n * p.step_d + i + j * p.ldd, v);
      }
    }
  }
  return {};
}

int64_t place(const int64_t* step, int64_t a, int64_t b, int64_t c, int64_t d) {
  return a * step[0] + b * step[1] + c * step[2] + d * step[3];
}

// Calls f(position in x, in w, in y) for each product that the convolution sums.
template <class F>
void each_product(const Convolution& v, F f) {
  const int64_t groups = v.x[1] / v.w[1], filters = v.w[0] / groups;
  for (int64_t n = 0; n < v.y[0]; ++n) {
    for (int64_t o = 0; o < v.y[1]; ++o) {
      for (int64_t i = 0; i < v.y[2]; ++i) {
        for (int64_t j = 0; j < v.y[3]; ++j) {
          const int64_t y = place(v.y_step, n, o, i, j);
          for (int64_t r = 0; r < v.w[2]; ++r) {
            const int64_t h = i * v.stride[0] - v.pad[0] + r * v.dilation[0];
            if (h < 0 || h >= v.x[2]) continue;
            for (int64_t s = 0; s < v.w[3]; ++s) {
              const int64_t w = j * v.stride[1] - v.pad[1] + s * v.dilation[1];
              if (w < 0 || w >= v.x[3]) continue;
              for (int64_t c = 0; c < v.w[1]; ++c) {
                f(place(v.x_step, n, o / filters * v.w[1] + c, h, w), place(v.w_step, o, c, r, s), y);
              }
            }
          }
        }
      }
    }
  }
}

int64_t extent(const int64_t* size, const int64_t* step) {
  int64_t last = 0;
  for (int n = 0; n < 4; ++n) last += (size[n] - 1) * step[n];
  return last + 1;
}

// Operands: x, w, y, workspace.
Status convolution(const std::vector<uintptr_t>& at, Reader& body) {
  const auto v = body.get<Convolution>();
  const int made = v.pass == Convolution::kForward ? 2 : v.pass == Convolution::kData ? 0 : 1;
  const int64_t* sizes[] = {v.x, v.w, v.y};
  const int64_t* steps[] = {v.x_step, v.w_step, v.y_step};
  const auto whole = [&](int n) {
    return gathered(v.dtype, at[static_cast<size_t>(n)], 0, 1, extent(sizes[n], steps[n]), 0, 1);
  };
  std::vector<double> data[3];
  for (int n = 0; n < 3; ++n) {
    if (n != made) data[n] = whole(n);
  }
  std::vector<double>& sum = data[made];
  sum.resize(static_cast<size_t>(extent(sizes[made], steps[made])));
  each_product(v, [&](int64_t x, int64_t w, int64_t y) {
    const auto i = static_cast<size_t>(x), j = static_cast<size_t>(w), k = static_cast<size_t>(y);
    if (made == 2) {
      sum[k] += data[0][i] * data[1][j];
    } else if (made == 0) {
      sum[i] += data[2][k] * data[1][j];
    } else {
      sum[j] += data[0][i] * data[2][k];
    }
  });
  const int64_t *size = sizes[made], *step = steps[made];
  for (int64_t a = 0; a < size[0]; ++a) {
    for (int64_t b = 0; b < size[1]; ++b) {
      for (int64_t c = 0; c < size[2]; ++c) {
        for (int64_t d = 0; d < size[3]; ++d) {
          const int64_t p = place(step, a, b, c, d);
          double r = v.alpha * sum[static_cast<size_t>(p)];
          if (v.beta != 0) r += v.beta * get(v.dtype, at[static_cast<size_t>(made)], p);
          set(v.dtype, at[static_cast<size_t>(made)], p, r);
        }
      }
    }
  }
  return {};
}

template <class T>
void transform(const Fourier& f, const T* from, T* to) {
  using Complex = std::complex<double>;
  const auto n = static_cast<size_t>(f.n);
  std::vector<Complex> roots(n), row(n);
  for (size_t k = 0; k < n; ++k) {
    roots[k] = std::polar(1.0, f.sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  }
  for (size_t r = 0; r < static_cast<size_t>(f.rows); ++r) {
    for (size_t j = 0; j < n; ++j) row[j] = {from[2 * (r * n + j)], from[2 * (r * n + j) + 1]};
    for (size_t k = 0; k < n; ++k) {
      Complex sum = 0;
      for (size_t j = 0; j < n; ++j) sum += row[j] * roots[j * k % n];
      to[2 * (r * n + k)] = static_cast<T>(sum.real());
      to[2 * (r * n + k) + 1] = static_cast<T>(sum.imag());
    }
  }
}

// Operands: from, to, work area.
Status fourier(const std::vector<uintptr_t>& at, Reader& body) {
  const auto f = body.get<Fourier>();
  if (f.wide) {
    transform(f, reinterpret_cast<const double*>(at[0]), reinterpret_cast<double*>(at[1]));
  } else {
    transform(f, reinterpret_cast<const float*>(at[0]), reinterpret_cast<float*>(at[1]));
  }
  return {};
}

}  // namespace

Status run_call(const std::string& function, const std::vector<uintptr_t>& operands, Reader& body) {
  if (function == "product") return product(operands, body);
  if (function == "collectives") return run_collectives(operands, body);
  if (function == "fourier") return fourier(operands, body);
  if (function.starts_with("dense:")) return run_dense(function.substr(6), operands, body);
  if (function == "convolution") return convolution(operands, body);
  return {Code::kInternal, "the simulator has no function " + function};
}

}  // namespace minds::sim
