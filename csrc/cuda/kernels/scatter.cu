// The rows that points are scattered to. I is the type of the indices; a row is 32 bits wide unless WIDE, and `none` for
// an index that is out of range, so that nothing is written by it.
#include "indices.cuh"

// Row k of each plane gets the points with index k.
extern "C" __global__ void scatter_rows(const I* indices, places* rows, i64 count, i64 bound, i64 none, Told told) {
  for (place i = first_place(); i < (place)count; i += place_step()) {
    i64 at;
    rows[i] = (places)(check_index(told, true, indices, i, bound, at) ? at : none);
  }
}

#ifdef DEPTH
extern "C" __global__ void scatter_points(const I* points, places* rows, i64 count, Bounds bounds, i64 none,
                                          Told told) {
  for (place i = first_place(); i < (place)count; i += place_step()) {
    i64 row;
    rows[i] = (places)(check_point(told, true, points, i, bounds, row) ? row : none);
  }
}
#endif

#ifdef RANK
// An index per element: the row is the element of the result, whose place `out` is but for what the index adds.
extern "C" __global__ void scatter_along(const I* indices, places* rows, Walk box, i64 count, i64 bound, i64 stride,
                                         i64 none, Told told) {
  for (place i = first_place(); i < (place)count; i += place_step()) {
    i64 at;
    const bool fits = check_index(told, true, indices, i, bound, at);
    rows[i] = (places)(fits ? (i64)(locate(box, i).out + (place)at * (place)stride) : none);
  }
}
#endif
