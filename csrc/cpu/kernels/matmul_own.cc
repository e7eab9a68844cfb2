#include "cpu/kernels/matmul_own.h"

#include <algorithm>
#include <type_traits>

#include "base/parallel.h"
#include "cpu/isa.h"
#include "cpu/kernels/matmul_micro.h"
#include "cpu/kernels/matmul_transpose.h"

namespace minds::cpu {

namespace {

// Vectors of 16 bytes, which every x86-64 and arm64 has.
template <class Element>
struct Generic : Transpose<Element> {
  using T = Element;
  typedef T V __attribute__((vector_size(16)));
  typedef T Unaligned __attribute__((vector_size(16), aligned(alignof(T)), may_alias));
  static constexpr int kLanes = 16 / sizeof(T), kRows = 4;
  static V zero() { return V{}; }
  static V fill(T x) { return V{} + x; }
  static V load(const T* p) { return *reinterpret_cast<const Unaligned*>(p); }
  static void store(T* p, V v) { *reinterpret_cast<Unaligned*>(p) = v; }
  static V fma(V a, V b, V c) { return a * b + c; }
};

const ProductTier& tier() {
#if defined(__x86_64__)
  if (isa() == Isa::kAvx512) return kProductAvx512;
  if (isa() == Isa::kAvx2) return kProductAvx2;
#endif
  return kProductGeneric;
}

// Integers wrap: the arithmetic is done in an unsigned type that no promotion makes signed.
template <class T>
void multiply_integers(const Product<T>& p) {
  using U = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
  constexpr int64_t kWidth = 64;
  U sum[kWidth];
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j0 = 0; j0 < p.n; j0 += kWidth) {
      const int64_t cols = std::min(kWidth, p.n - j0);
      for (int64_t j = 0; j < cols; ++j) sum[j] = p.add ? static_cast<U>(p.c[i * p.c_row + (j0 + j) * p.c_col]) : 0;
      for (int64_t t = 0; t < p.k; ++t) {
        const U left = static_cast<U>(p.a[i * p.a_row + t * p.a_col]);
        const T* right = p.b + t * p.b_row + j0 * p.b_col;
        for (int64_t j = 0; j < cols; ++j) sum[j] += left * static_cast<U>(right[j * p.b_col]);
      }
      for (int64_t j = 0; j < cols; ++j) p.c[i * p.c_row + (j0 + j) * p.c_col] = static_cast<T>(sum[j]);
    }
  }
}

}  // namespace

const ProductTier kProductGeneric{Micro<Generic<float>>::multiply, Micro<Generic<double>>::multiply,
                                  Micro<Generic<float>>::dot, Micro<Generic<double>>::dot};

template <class T>
void multiply(const Product<T>& p) {
  if constexpr (std::is_integral_v<T>) {
    multiply_integers(p);
  } else {
    Product<T> q = p;
    // A transposed B has to be copied into panels. Where A is smaller, C' = B'·A' copies that instead.
    if (p.b_col != 1 && p.m < p.n) {
      q = {p.n, p.m, p.k, p.b, p.b_col, p.b_row, p.a, p.a_col, p.a_row, p.c, p.c_col, p.c_row, p.add};
    }
    if constexpr (std::is_same_v<T, float>) {
      tier().f32(q);
    } else {
      tier().f64(q);
    }
  }
}

template <class T>
void multiply_parallel(const Product<T>& p) {
  constexpr int64_t kWork = 1 << 19;  // multiplications that outweigh waking a thread: some 10 µs
  constexpr int64_t kRowStep = 8, kColStep = 32;
  const bool by_rows = p.m >= p.n;
  const int64_t step = by_rows ? kRowStep : kColStep, extent = by_rows ? p.m : p.n;
  const int64_t each = std::max<int64_t>(1, step * (by_rows ? p.n : p.m) * p.k);
  parallel_for((extent + step - 1) / step, std::max<int64_t>(1, kWork / each), [&](int64_t begin, int64_t end) {
    const int64_t from = begin * step, to = std::min(extent, end * step);
    Product<T> part = p;
    if (by_rows) {
      part.m = to - from;
      part.a += from * p.a_row;
      part.c += from * p.c_row;
    } else {
      part.n = to - from;
      part.b += from * p.b_col;
      part.c += from * p.c_col;
    }
    multiply(part);
  });
}

template <class T>
void multiply_vector(const Rows& r, const T* a, const T* b, T* c) {
  constexpr int64_t kWork = 1 << 17;
  parallel_for(r.m, std::max<int64_t>(1, kWork / std::max<int64_t>(1, r.k)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if constexpr (std::is_same_v<T, float>) {
        c[i * r.c_step] = tier().dot_f32(r.k, a + i * r.a_row, b);
      } else {
        c[i * r.c_step] = tier().dot_f64(r.k, a + i * r.a_row, b);
      }
    }
  });
}

template void multiply_vector(const Rows&, const float*, const float*, float*);
template void multiply_vector(const Rows&, const double*, const double*, double*);

#define MINDS_PRODUCT(T)                       \
  template void multiply(const Product<T>& p); \
  template void multiply_parallel(const Product<T>& p);
MINDS_PRODUCT(float)
MINDS_PRODUCT(double)
MINDS_PRODUCT(int8_t)
MINDS_PRODUCT(int16_t)
MINDS_PRODUCT(int32_t)
MINDS_PRODUCT(int64_t)
MINDS_PRODUCT(uint8_t)
MINDS_PRODUCT(uint16_t)
MINDS_PRODUCT(uint32_t)
MINDS_PRODUCT(uint64_t)
#undef MINDS_PRODUCT

}  // namespace minds::cpu
