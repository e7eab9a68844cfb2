// The inner loop of max pooling: the windows of one output row whose columns all lie in the plane. One table per
// instruction set; all give the same results.
#pragma once
#include <cstdint>

namespace minds::cpu {

// An integer as wide as T.
template <class T>
struct PlaceOf;
template <>
struct PlaceOf<float> {
  using type = int32_t;
};
template <>
struct PlaceOf<double> {
  using type = int64_t;
};
template <class T>
using Place = typename PlaceOf<T>::type;

// Window o covers plane[i * width + left + o * stride + j * col_step] for the rows i = row_begin, row_begin + row_step, ...
// below row_end and j < cols.
template <class T>
struct WindowRow {
  const T* plane;
  int64_t width, row_begin, row_end, row_step, left, stride, cols, col_step;
};

// Writes, for o in [begin, end), the maximum and its place in the plane: the first of equals; a NaN is the maximum.
template <class T>
using MaxOfWindows = void (*)(const WindowRow<T>& w, int64_t begin, int64_t end, T* best, Place<T>* places);

struct MaxTier {
  MaxOfWindows<float> f32;
  MaxOfWindows<double> f64;
};
extern const MaxTier kMaxGeneric, kMaxAvx2, kMaxAvx512;

}  // namespace minds::cpu
