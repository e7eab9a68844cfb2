// Indices that are data, checked as the CPU checks them.
#include "places.cuh"

template <class X>
constexpr bool kUnsigned = (X)-1 > (X)1;

// Whether `from` is an index of an axis of `bound` elements; `index` becomes it, counted from the start.
template <class X>
FN bool in_bounds(X from, i64 bound, i64& index) {
  index = (i64)from;
  const bool huge = kUnsigned<X> && sizeof(X) == 8 && index < 0;
  if (huge || index < -bound || index >= bound) return false;
  if (index < 0) index += bound;
  return true;
}

// Where a launch tells of an index that is wrong.
struct Told {
  FaultWord* word;
  i64 instruction;
};

// The same of the index at `at`; one of the threads that read it `tells`.
template <class X>
FN bool check_index(const Told& to, bool tells, const X* indices, place at, i64 bound, i64& index) {
  const X from = indices[at];
  if (in_bounds(from, bound, index)) return true;
  if (tells) fault(to.word, kIndex, (u32)to.instruction, (i64)from, bound, (i64)at, kUnsigned<X>);
  return false;
}

#ifdef DEPTH
// The coordinates of a point, each below its bound.
struct Bounds {
  i64 of[DEPTH > 0 ? DEPTH : 1];
};

// The number of the row that point `at` names.
template <class X>
FN bool check_point(const Told& to, bool tells, const X* points, place at, const Bounds& bounds, i64& row) {
  row = 0;
  i64 value = 0, limit = 0, wrong = -1;  // of the first coordinate that is out of range
#pragma unroll
  for (int d = 0; d < DEPTH; ++d) {
    const X from = points[at * DEPTH + d];
    i64 index;
    if (!in_bounds(from, bounds.of[d], index) && wrong < 0) {
      value = (i64)from;
      limit = bounds.of[d];
      wrong = d;
    }
    row = row * bounds.of[d] + index;
  }
  if (wrong < 0) return true;
  if (tells) {
    constexpr i64 kMaxCoordinates = 64;  // csrc/kernel/fault.h
    fault(to.word, kPoint, (u32)to.instruction, value, limit, (i64)at * kMaxCoordinates + wrong, kUnsigned<X>);
  }
  return false;
}
#endif
