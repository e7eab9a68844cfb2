// The loops of pool_windows.h, compiled per instruction set; the including file defines MINDS_VECTOR_BYTES and MINDS_TIER.
// Everything is in an unnamed namespace and calls no function of the standard library, so that no code of a wider set can
// reach a narrower machine.
#include <string.h>

#include <utility>

#include "cpu/kernels/pool_windows.h"

namespace minds::cpu {

namespace {

template <class T, int bytes>
struct Vectors {
  typedef T V __attribute__((vector_size(bytes)));
  typedef Place<T> P __attribute__((vector_size(bytes)));
  static constexpr int64_t kLanes = bytes / static_cast<int64_t>(sizeof(T));
  using Lanes = std::make_integer_sequence<int, static_cast<int>(kLanes)>;

  static inline __attribute__((always_inline)) V load(const T* p) {
    V v;
    memcpy(&v, p, sizeof v);
    return v;
  }
  // Elements 0, 2, 4, ... from x on; b starts one element early, so that nothing past the last of them is read.
  template <int... i>
  static inline __attribute__((always_inline)) V every_second(const T* x, std::integer_sequence<int, i...>) {
    const V a = load(x), b = load(x + kLanes - 1);
    return __builtin_shufflevector(a, b, (i < kLanes / 2 ? 2 * i : 2 * i + 1)...);
  }
  template <int... i>
  static inline __attribute__((always_inline)) P count(std::integer_sequence<int, i...>) {
    return P{i...};
  }

  // The kLanes windows from o on.
  template <int stride>
  static inline __attribute__((always_inline)) void step(const WindowRow<T>& w, int64_t o, T* best, Place<T>* places) {
    V top = {};
    P at = P{} - 1;
    for (int64_t i = w.row_begin; i < w.row_end; i += w.row_step) {
      for (int64_t j = 0; j < w.cols; ++j) {
        const int64_t from = i * w.width + w.left + o * stride + j * w.col_step;
        V v;
        if constexpr (stride == 1) {
          v = load(w.plane + from);
        } else {
          v = every_second(w.plane + from, Lanes{});
        }
        const P here = static_cast<Place<T>>(from) + count(Lanes{}) * stride;
        const P better = (v > top) | ((v != v) & (top == top)) | (at < 0);
        top = better ? v : top;
        at = better ? here : at;
      }
    }
    memcpy(best, &top, sizeof top);
    memcpy(places, &at, sizeof at);
  }

  // The last vector may overlap the one before: it writes the same again.
  template <int stride>
  static bool row(const WindowRow<T>& w, int64_t begin, int64_t end, T* best, Place<T>* places) {
    const int64_t n = end - begin;
    if (n < kLanes) return false;
    for (int64_t k = 0; k + kLanes <= n; k += kLanes) step<stride>(w, begin + k, best + k, places + k);
    if (n % kLanes != 0) step<stride>(w, end - kLanes, best + n - kLanes, places + n - kLanes);
    return true;
  }
};

// By the widest vectors that the row fills.
template <class T, int stride, int bytes = MINDS_VECTOR_BYTES>
bool by_vectors(const WindowRow<T>& w, int64_t begin, int64_t end, T* best, Place<T>* places) {
  if (Vectors<T, bytes>::template row<stride>(w, begin, end, best, places)) return true;
  if constexpr (bytes > 16) {
    return by_vectors<T, stride, bytes / 2>(w, begin, end, best, places);
  } else {
    return false;
  }
}

template <class T>
void windows(const WindowRow<T>& w, int64_t begin, int64_t end, T* best, Place<T>* places) {
  if (w.stride == 1 && by_vectors<T, 1>(w, begin, end, best, places)) return;
  if (w.stride == 2 && by_vectors<T, 2>(w, begin, end, best, places)) return;
  for (int64_t o = begin; o < end; ++o, ++best, ++places) {
    *places = -1;
    for (int64_t i = w.row_begin; i < w.row_end; i += w.row_step) {
      for (int64_t j = 0; j < w.cols; ++j) {
        const int64_t from = i * w.width + w.left + o * w.stride + j * w.col_step;
        const T v = w.plane[from];
        if (*places < 0 || v > *best || (v != v && *best == *best)) {
          *best = v;
          *places = static_cast<Place<T>>(from);
        }
      }
    }
  }
}

}  // namespace

#define MINDS_JOIN_(a, b) a##b
#define MINDS_JOIN(a, b) MINDS_JOIN_(a, b)
const MaxTier MINDS_JOIN(kMax, MINDS_TIER){windows<float>, windows<double>};

}  // namespace minds::cpu
