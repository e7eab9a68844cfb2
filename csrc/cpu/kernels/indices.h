// Indices of any integer dtype, checked against the axis they point into before anything is read or written.
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernel/types.h"
#include "kernel/fault.h"
#include "kernel/plan/index.h"

namespace minds::cpu {

// Whether `from` is an index of an axis of `bound` elements; `index` becomes it, counted from the start.
template <class I>
bool in_bounds(I from, int64_t bound, int64_t& index) {
  const bool huge = !std::is_signed_v<I> && static_cast<uint64_t>(from) > static_cast<uint64_t>(INT64_MAX);
  index = static_cast<int64_t>(from);
  if (huge || index < -bound || index >= bound) return false;
  if (index < 0) index += bound;
  return true;
}

// Writes out[i] = indices[i], negative ones counted from the end, for an axis of `bound` elements. The fault is the
// first index that is out of range.
inline Fault normalise_indices(const void* indices, DType t, int64_t n, int64_t bound, int64_t* out) {
  return visit_integer(t, [&]<class I>(I) -> Fault {
    const I* from = static_cast<const I*>(indices);
    for (int64_t i = 0; i < n; ++i) {
      if (!in_bounds(from[i], bound, out[i])) {
        return {FaultKind::kIndex, static_cast<int64_t>(from[i]), bound, i, !std::is_signed_v<I>};
      }
    }
    return {};
  });
}

// rows[i] = the number of the row that point i names.
inline Fault resolve_points(const PointsPlan& p, const void* indices, int64_t* rows) {
  const int64_t depth = p.depth();
  return visit_integer(p.index, [&]<class I>(I) -> Fault {
    const I* from = static_cast<const I*>(indices);
    for (int64_t i = 0; i < p.count; ++i) {
      int64_t at = 0;
      for (int64_t d = 0; d < depth; ++d, ++from) {
        int64_t index;
        if (!in_bounds(*from, p.bounds[d], index)) {
          return {FaultKind::kPoint, static_cast<int64_t>(*from), p.bounds[d], i * kMaxCoordinates + d,
                  !std::is_signed_v<I>};
        }
        at = at * p.bounds[d] + index;
      }
      rows[i] = at;
    }
    return {};
  });
}

}  // namespace minds::cpu
