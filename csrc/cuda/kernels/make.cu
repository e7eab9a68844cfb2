// Tensors made of numbers (arange, eye, one_hot), and triangles of matrices. T is the type of an element; where elements
// are only moved, an unsigned type as large.
#include "places.cuh"

#ifdef RANGE
// Element i is start + i * step: of floats in float64, rounded once; of integers in 64 bits, wrapping.
extern "C" __global__ void make_range(T* out, i64 n, double start, double step) {
  for (place i = first_place(); i < (place)n; i += place_step()) out[i] = (T)(start + (double)i * step);
}

extern "C" __global__ void make_whole_range(T* out, i64 n, u64 start, u64 step) {
  for (place i = first_place(); i < (place)n; i += place_step()) out[i] = (T)(start + (u64)i * step);
}

#endif

#ifdef EYE
// Ones where the column is the row.
extern "C" __global__ void make_eye(T* out, i64 n, i64 width) {
  for (place i = first_place(); i < (place)n; i += place_step()) {
    const place row = over(i, (place)width);
    out[i] = i - row * (place)width == row ? (T)1.0f : (T)0.0f;
  }
}
#endif

#ifdef I
// `on` where the place along the axis is the index, `off` elsewhere, and for an index that is no place there.
extern "C" __global__ void make_one_hot(const I* indices, const T* on, const T* off, T* out, i64 n, i64 depth, i64 inner) {
  for (place i = first_place(); i < (place)n; i += place_step()) {
    const place line = over(i, (place)inner), j = i - line * (place)inner, o = over(line, (place)depth);
    const place k = line - o * (place)depth;
    out[i] = (i64)indices[o * (place)inner + j] == (i64)k ? *on : *off;
  }
}
#endif

#ifdef LOWER
// What is on or below diagonal k of the matrices (LOWER), or on or above it; zeros elsewhere.
extern "C" __global__ void make_triangle(const T* x, T* out, i64 n, i64 height, i64 width, i64 k) {
  for (place i = first_place(); i < (place)n; i += place_step()) {
    const place row = over(i, (place)width), column = i - row * (place)width;
    const place line = rest(row, (place)height);
    const bool kept = LOWER ? column <= line + (place)k : column >= line + (place)k;
    out[i] = kept ? x[i] : T{};
  }
}
#endif
