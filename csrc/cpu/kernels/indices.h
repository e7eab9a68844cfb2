// Indices of any integer dtype, checked against the axis they point into before anything is read or written.
#pragma once
#include <cstdint>
#include <string>

#include "cpu/check.h"
#include "cpu/types.h"

namespace minds::cpu {

// Writes out[i] = indices[i], negative ones counted from the end, for an axis of `bound` elements. The error
// names the first index that is out of range.
inline Status normalise_indices(const void* indices, DType t, int64_t n, int64_t bound, int64_t* out) {
  return visit_integer(t, [&]<class I>(I) -> Status {
    const I* from = static_cast<const I*>(indices);
    for (int64_t i = 0; i < n; ++i) {
      const bool huge =
          !std::is_signed_v<I> && static_cast<uint64_t>(from[i]) > static_cast<uint64_t>(INT64_MAX);
      const int64_t index = static_cast<int64_t>(from[i]);
      if (huge || index < -bound || index >= bound) {
        return {Code::kIndex, "index " + std::to_string(from[i]) + " at position " + std::to_string(i) +
                                  " is out of range for an axis of size " + std::to_string(bound)};
      }
      out[i] = index < 0 ? index + bound : index;
    }
    return {};
  });
}

// Indices whose last axis holds coordinates into the leading axes of a tensor: gather_nd, scatter_nd.
struct Points {
  // `shape` becomes the shape of what the points select.
  Status prepare(const Shape& x, const TensorSpec& indices, Shape& shape) {
    if (auto bad = expect_integers(indices, "indices")) return bad;
    if (auto bad = expect_rank(indices, "indices", 1)) return bad;
    const int64_t depth = indices.shape.back();
    if (depth > static_cast<int64_t>(x.size())) {
      return bad_value("indices of shape " + to_string(indices.shape) + " have " + std::to_string(depth) +
                       " coordinates, the tensor has shape " + to_string(x));
    }
    bounds.assign(x.begin(), x.begin() + depth);
    row = product(x, depth, x.size());
    count = product(indices.shape, 0, indices.shape.size() - 1);
    dtype = indices.dtype;
    shape.assign(indices.shape.begin(), indices.shape.end() - 1);
    shape.insert(shape.end(), x.begin() + depth, x.end());
    return {};
  }

  // rows[i] = the number of the row, of `row` elements, that point i names.
  Status resolve(const void* indices, int64_t* rows) const {
    const int64_t depth = static_cast<int64_t>(bounds.size());
    return visit_integer(dtype, [&]<class I>(I) -> Status {
      const I* from = static_cast<const I*>(indices);
      for (int64_t i = 0; i < count; ++i) {
        int64_t at = 0;
        for (int64_t d = 0; d < depth; ++d) {
          int64_t index;
          if (auto bad = normalise_indices(from + i * depth + d, dtype, 1, bounds[d], &index)) {
            return {Code::kIndex, "index " + std::to_string(from[i * depth + d]) + " for axis " +
                                      std::to_string(d) + " in point " + std::to_string(i) +
                                      " is out of range for size " + std::to_string(bounds[d])};
          }
          at = at * bounds[d] + index;
        }
        rows[i] = at;
      }
      return {};
    });
  }

  Shape bounds;
  int64_t row = 0, count = 0;
  DType dtype{};
};

}  // namespace minds::cpu
