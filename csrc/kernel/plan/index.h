// The geometry of what reads and writes by index: the rows that indices name, and what the signatures must be.
#pragma once
#include <vector>

#include "kernel/plan/check.h"
#include "kernel/plan/strides.h"

namespace minds {

// A tensor as `outer` times `bound` rows of `width` elements, and `count` indices below `bound`, the same for each of
// `outer`: gather along an axis, and its gradient.
struct RowsPlan {
  // gather(x, indices): out[o, i, ...] = x[o, indices[i], ...].
  Status prepare_gather(const Signature& s, int64_t axis);
  // gather_dx(dout, indices), into a tensor of `shape`.
  Status prepare_scatter(const Signature& s, const Shape& shape, int64_t axis);

  int64_t outer = 1, bound = 0, width = 1, count = 0;
  DType index{};

 private:
  Status plan(const Shape& x, const TensorSpec& indices, int64_t axis, Shape& picked);
};

// Indices whose last axis holds coordinates into the leading axes of a tensor, each of which names a row of `width`
// elements: gather_nd, scatter_nd, tensor_scatter.
struct PointsPlan {
  Status prepare_gather(const Signature& s);                       // (x, indices)
  Status prepare_scatter(const Signature& s, const Shape& shape);  // (indices, updates), into zeros
  Status prepare_update(const Signature& s);                       // (x, indices, updates)

  int64_t depth() const { return static_cast<int64_t>(bounds.size()); }
  int64_t rows() const { return product(bounds, 0, bounds.size()); }

  Shape bounds;  // of the coordinates
  int64_t width = 0, count = 0;
  DType index{};

 private:
  Status plan(const Shape& x, const TensorSpec& indices, Shape& picked);
};

// An index per element, which replaces the element's own coordinate along `dim`: gather_d, scatter_add_d.
struct AlongPlan {
  // gather_d(x, index): out[.., i, ..] = x[.., index[.., i, ..], ..]. `dims` walk the index; `in` is the place in x.
  Status prepare_gather(const Signature& s, int64_t dim);
  // scatter_add_d(x, index, src): `in` is the place in src, `out` the place in the result.
  Status prepare_scatter(const Signature& s, int64_t dim);

  std::vector<Dim> dims;  // over the index; the place along `dim` is missing from where the index points
  int64_t stride = 0;     // that the index is to be multiplied with
  int64_t bound = 0, count = 0, leading = 1;  // elements of the index, and of its dims before `dim`
  DType index{};

 private:
  // The index `at` points into a dimension of this length, whose places are `step` apart.
  void point(const TensorSpec& at, int64_t dim, int64_t step, int64_t length);
};

}  // namespace minds
