#include "kernel/plan/index.h"

namespace minds {

// ---- rows along an axis

// `picked` is the shape of what the indices pick from a tensor of shape `x`.
Status RowsPlan::plan(const Shape& x, const TensorSpec& indices, int64_t axis, Shape& picked) {
  if (auto bad = expect_axis(axis, x)) return bad;
  if (auto bad = expect_integers(indices, "indices")) return bad;
  picked.assign(x.begin(), x.begin() + axis);
  picked.insert(picked.end(), indices.shape.begin(), indices.shape.end());
  picked.insert(picked.end(), x.begin() + axis + 1, x.end());
  outer = product(x, 0, axis);
  bound = x[axis];
  width = product(x, axis + 1, x.size());
  count = indices.size();
  index = indices.dtype;
  return {};
}

Status RowsPlan::prepare_gather(const Signature& s, int64_t axis) {
  if (auto bad = expect_counts(s, 2, 1)) return bad;
  Shape picked;
  if (auto bad = plan(s.inputs[0].shape, s.inputs[1], axis, picked)) return bad;
  return expect_spec(s.outputs[0], "the output", s.inputs[0].dtype, picked);
}

Status RowsPlan::prepare_scatter(const Signature& s, const Shape& shape, int64_t axis) {
  if (auto bad = expect_counts(s, 2, 1)) return bad;
  const TensorSpec& dout = s.inputs[0];
  if (auto bad = expect_axis(axis, shape)) return bad;
  if (auto bad = expect_spec(s.outputs[0], "the output", dout.dtype, shape)) return bad;
  Shape picked;
  if (auto bad = plan(shape, s.inputs[1], axis, picked)) return bad;
  return expect_spec(dout, "dout", dout.dtype, picked);
}

// ---- points

Status PointsPlan::plan(const Shape& x, const TensorSpec& indices, Shape& picked) {
  if (auto bad = expect_integers(indices, "indices")) return bad;
  if (auto bad = expect_rank(indices, "indices", 1)) return bad;
  const int64_t depth = indices.shape.back();
  if (depth > static_cast<int64_t>(x.size())) {
    return bad_value("indices of shape " + to_string(indices.shape) + " have " + std::to_string(depth) +
                     " coordinates, the tensor has shape " + to_string(x));
  }
  bounds.assign(x.begin(), x.begin() + depth);
  width = product(x, depth, x.size());
  count = product(indices.shape, 0, indices.shape.size() - 1);
  index = indices.dtype;
  picked.assign(indices.shape.begin(), indices.shape.end() - 1);
  picked.insert(picked.end(), x.begin() + depth, x.end());
  return {};
}

Status PointsPlan::prepare_gather(const Signature& s) {
  if (auto bad = expect_counts(s, 2, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  Shape picked;
  if (auto bad = plan(x.shape, s.inputs[1], picked)) return bad;
  return expect_spec(s.outputs[0], "the output", x.dtype, picked);
}

Status PointsPlan::prepare_scatter(const Signature& s, const Shape& shape) {
  if (auto bad = expect_counts(s, 2, 1)) return bad;
  const TensorSpec& updates = s.inputs[1];
  if (auto bad = expect_spec(s.outputs[0], "the output", updates.dtype, shape)) return bad;
  if (updates.dtype == DType::kBool) return bad_type("updates must be numbers");
  Shape picked;
  if (auto bad = plan(shape, s.inputs[0], picked)) return bad;
  return expect_spec(updates, "updates", updates.dtype, picked);
}

Status PointsPlan::prepare_update(const Signature& s) {
  if (auto bad = expect_counts(s, 3, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  Shape picked;
  if (auto bad = plan(x.shape, s.inputs[1], picked)) return bad;
  if (auto bad = expect_spec(s.inputs[2], "updates", x.dtype, picked)) return bad;
  return expect_spec(s.outputs[0], "the output", x.dtype, x.shape);
}

// ---- an index per element

void AlongPlan::point(const TensorSpec& at, int64_t dim, int64_t step, int64_t length) {
  stride = step;
  bound = length;
  count = at.size();
  leading = product(at.shape, 0, dim);
  index = at.dtype;
}

Status AlongPlan::prepare_gather(const Signature& s, int64_t dim) {
  if (auto bad = expect_counts(s, 2, 1)) return bad;
  const TensorSpec &x = s.inputs[0], &at = s.inputs[1];
  if (auto bad = expect_axis(dim, x.shape)) return bad;
  if (auto bad = expect_integers(at, "index")) return bad;
  bool fits = at.shape.size() == x.shape.size();
  for (size_t d = 0; fits && d < x.shape.size(); ++d) {
    fits = static_cast<int64_t>(d) == dim || at.shape[d] <= x.shape[d];
  }
  if (!fits) {
    return bad_value("index of shape " + to_string(at.shape) + " does not fit x of " + to_string(x.shape));
  }
  if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, at.shape)) return bad;
  const Shape strides = row_major(x.shape);
  for (size_t d = 0; d < x.shape.size(); ++d) {
    dims.push_back({at.shape[d], static_cast<int64_t>(d) == dim ? 0 : strides[d], 0});
  }
  point(at, dim, strides[dim], x.shape[dim]);
  return {};
}

Status AlongPlan::prepare_scatter(const Signature& s, int64_t dim) {
  if (auto bad = expect_counts(s, 3, 1)) return bad;
  const TensorSpec &x = s.inputs[0], &at = s.inputs[1], &src = s.inputs[2];
  if (auto bad = expect_axis(dim, x.shape)) return bad;
  if (auto bad = expect_integers(at, "index")) return bad;
  if (auto bad = expect_spec(src, "src", x.dtype, src.shape)) return bad;
  if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, x.shape)) return bad;
  bool fits = at.shape.size() == x.shape.size() && src.shape.size() == x.shape.size();
  for (size_t d = 0; fits && d < x.shape.size(); ++d) {
    fits = at.shape[d] <= src.shape[d] && (static_cast<int64_t>(d) == dim || at.shape[d] <= x.shape[d]);
  }
  if (!fits) {
    return bad_value("index of shape " + to_string(at.shape) + " does not fit x of " + to_string(x.shape) +
                     " and src of " + to_string(src.shape));
  }
  const Shape to = row_major(x.shape), from = row_major(src.shape);
  for (size_t d = 0; d < x.shape.size(); ++d) {
    dims.push_back({at.shape[d], from[d], static_cast<int64_t>(d) == dim ? 0 : to[d]});
  }
  point(at, dim, to[dim], x.shape[dim]);
  return {};
}

}  // namespace minds
