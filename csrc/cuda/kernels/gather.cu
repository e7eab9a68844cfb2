// Rows fetched by index, as bits. T is an unsigned type as large as what is moved at a time, I the type of the indices.
//
// The indices of a launch whose result is empty are checked too, as the CPU does: `copies` is 0 then, and the sizes are
// those of the indices.
#include "indices.cuh"

// out[o, i, :] = x[o, indices[i], :], for outer x count rows of `width`.
struct Rows {
  i64 outer, bound, count, width, copies;
};

extern "C" __global__ void gather_rows(const T* x, const I* indices, T* out, Rows r, Told told) {
  const place count = (place)r.count, width = (place)r.width, n = (place)r.outer * count * width;
  for (place i = first_place(); i < n; i += place_step()) {
    const place row = over(i, width), o = over(row, count);
    i64 at;
    if (check_index(told, i == row * width && o == 0, indices, row - o * count, r.bound, at) && r.copies != 0) {
      out[i] = x[(o * (place)r.bound + (place)at) * width + i - row * width];
    }
  }
}

#ifdef DEPTH
// out[i, :] = x[points[i, 0], points[i, 1], ..., :].
extern "C" __global__ void gather_points(const T* x, const I* points, T* out, Rows r, Bounds bounds, Told told) {
  const place width = (place)r.width, n = (place)r.count * width;
  for (place i = first_place(); i < n; i += place_step()) {
    const place point = over(i, width);
    i64 row;
    if (check_point(told, i == point * width, points, point, bounds, row) && r.copies != 0) {
      out[i] = x[(place)row * width + i - point * width];
    }
  }
}
#endif

#ifdef RANK
// out[.., i, ..] = x[.., index[.., i, ..], ..]: the box is the index, its `in` the place in x but for what the index
// adds, `stride` times itself.
extern "C" __global__ void gather_along(const T* x, const I* indices, T* out, Walk box, i64 count, i64 bound, i64 stride,
                                        Told told) {
  for (place i = first_place(); i < (place)count; i += place_step()) {
    i64 at;
    if (check_index(told, true, indices, i, bound, at)) {
      out[i] = x[locate(box, i).in + (place)at * (place)stride];
    }
  }
}
#endif
