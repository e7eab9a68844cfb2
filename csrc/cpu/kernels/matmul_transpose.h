// Transposing a 4x4 square, for packing panels. Compiled for each tier by the file that includes it.
#pragma once
#include <cstdint>

namespace minds::cpu {

namespace {

template <class T>
struct Transpose {
  // to[t][j] = from[j][t] for t, j < 4; vectors of four elements exist on every target, as halves where need be.
  static void transpose4(const T* from, int64_t from_row, T* to, int64_t to_row) {
    typedef T V __attribute__((vector_size(4 * sizeof(T)), aligned(alignof(T)), may_alias));
    typedef T R __attribute__((vector_size(4 * sizeof(T))));
    const R a = *reinterpret_cast<const V*>(from), b = *reinterpret_cast<const V*>(from + from_row),
            c = *reinterpret_cast<const V*>(from + 2 * from_row), d = *reinterpret_cast<const V*>(from + 3 * from_row);
    const R ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const R cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *reinterpret_cast<V*>(to) = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
    *reinterpret_cast<V*>(to + to_row) = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
    *reinterpret_cast<V*>(to + 2 * to_row) = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    *reinterpret_cast<V*>(to + 3 * to_row) = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
  }
};

}  // namespace

}  // namespace minds::cpu
