#include "kernel/plan/boxes.h"

#include <algorithm>

namespace minds {

Status plan_transpose(const Signature& s, const Shape& perm, Box& box) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  Shape sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  for (size_t d = 0; d < sorted.size(); ++d) {
    if (sorted[d] != static_cast<int64_t>(d)) return bad_value("perm " + to_string(perm) + " is not a permutation");
  }
  if (perm.size() != x.shape.size()) {
    return bad_value("perm " + to_string(perm) + " does not fit shape " + to_string(x.shape));
  }
  const Shape strides = row_major(x.shape);
  Shape shape, in;
  for (int64_t d : perm) {
    shape.push_back(x.shape[d]);
    in.push_back(strides[d]);
  }
  if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, shape)) return bad;
  box = {shape, in, row_major(shape), 0, 0, item_size(x.dtype)};
  return {};
}

Status plan_broadcast_to(const Signature& s, const Shape& shape, Box& box) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, shape)) return bad;
  const size_t lead = shape.size() - std::min(shape.size(), x.shape.size());
  bool fits = lead + x.shape.size() == shape.size();
  const Shape strides = row_major(x.shape);
  Shape in(shape.size(), 0);
  for (size_t d = 0; fits && d < x.shape.size(); ++d) {
    fits = x.shape[d] == 1 || x.shape[d] == shape[lead + d];
    in[lead + d] = x.shape[d] == 1 ? 0 : strides[d];
  }
  if (!fits) return bad_value("shape " + to_string(x.shape) + " does not broadcast to " + to_string(shape));
  box = {shape, in, row_major(shape), 0, 0, item_size(x.dtype)};
  return {};
}

Status plan_flip(const Signature& s, const Shape& axes, Box& box) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, x.shape)) return bad;
  Shape in = row_major(x.shape);
  std::vector<bool> flipped(in.size(), false);
  int64_t offset = 0;
  for (int64_t d : axes) {
    if (auto bad = expect_axis(d, x.shape)) return bad;
    if (flipped[d]) return bad_value("axis " + std::to_string(d) + " is given twice");
    flipped[d] = true;
    offset += in[d] * (x.shape[d] - 1);
    in[d] = -in[d];
  }
  box = {x.shape, in, row_major(x.shape), offset, 0, item_size(x.dtype)};
  return {};
}

Status plan_pad(const Signature& s, const Shape& paddings, Box& box) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  if (paddings.size() != 2 * x.shape.size()) {
    return bad_value("paddings has " + std::to_string(paddings.size()) + " numbers, expected two per axis of " +
                     to_string(x.shape));
  }
  Shape shape = x.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (paddings[2 * d] < 0 || paddings[2 * d + 1] < 0) return bad_value("a padding is negative");
    if (__builtin_add_overflow(shape[d], paddings[2 * d], &shape[d]) ||
        __builtin_add_overflow(shape[d], paddings[2 * d + 1], &shape[d])) {
      return bad_value("the padded axis " + std::to_string(d) + " is too large");
    }
  }
  if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, shape)) return bad;
  box = {x.shape, row_major(x.shape), row_major(shape), 0, 0, item_size(x.dtype)};
  for (size_t d = 0; d < shape.size(); ++d) box.out_offset += box.out[d] * paddings[2 * d];
  return {};
}

namespace {

// The shape of the slice of `whole`, its strides and the offset of its first element.
Status slice_of(const Shape& whole, const SliceRange& r, Shape& shape, Shape& strides, int64_t& offset) {
  const size_t rank = whole.size();
  if (r.begin.size() != rank || r.end.size() != rank || r.step.size() != rank) {
    return bad_value("begin, end and step must have " + std::to_string(rank) + " numbers each");
  }
  strides = row_major(whole);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t begin = r.begin[d], end = r.end[d], step = r.step[d];
    if (step == 0) return bad_value("the step of axis " + std::to_string(d) + " is zero");
    const bool forward = step > 0;
    // Unsigned: the distance of any two int64 fits, and so does a step's absolute value.
    const uint64_t span = forward ? static_cast<uint64_t>(end) - static_cast<uint64_t>(begin)
                                  : static_cast<uint64_t>(begin) - static_cast<uint64_t>(end);
    const uint64_t stride = forward ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
    const bool none = forward ? begin >= end : begin <= end;
    const bool inside = forward ? begin >= 0 && end <= whole[d] : begin < whole[d] && end >= -1;
    if (!none && !inside) {
      return bad_value("the slice " + std::to_string(begin) + ":" + std::to_string(end) + ":" + std::to_string(step) +
                       " leaves axis " + std::to_string(d) + " of size " + std::to_string(whole[d]));
    }
    const int64_t n = none ? 0 : static_cast<int64_t>((span - 1) / stride + 1);
    shape.push_back(n);
    if (n > 0) offset += strides[d] * begin;
    strides[d] *= n > 1 ? step : 1;  // a step that is not taken may be huge
  }
  return {};
}

}  // namespace

Status plan_slice(const Signature& s, const SliceRange& range, Box& box) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  box = {};
  if (auto bad = slice_of(x.shape, range, box.shape, box.in, box.in_offset)) return bad;
  box.out = row_major(box.shape);
  box.item = item_size(x.dtype);
  return expect_spec(s.outputs[0], "the output", x.dtype, box.shape);
}

Status plan_slice_dx(const Signature& s, const SliceRange& range, const Shape& shape, Box& box) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const TensorSpec& dout = s.inputs[0];
  if (auto bad = expect_spec(s.outputs[0], "the output", dout.dtype, shape)) return bad;
  box = {};
  if (auto bad = slice_of(shape, range, box.shape, box.out, box.out_offset)) return bad;
  box.in = row_major(box.shape);
  box.item = item_size(dout.dtype);
  return expect_spec(dout, "dout", dout.dtype, box.shape);
}

namespace {

// The boxes between `whole` and `parts`; `gathering` is the direction of concat.
Status plan_parts(const TensorSpec& whole, const std::vector<TensorSpec>& parts, int64_t axis, bool gathering,
                  std::vector<Box>& boxes) {
  if (auto bad = expect_axis(axis, whole.shape)) return bad;
  const Shape strides = row_major(whole.shape);
  const size_t item = item_size(whole.dtype);
  int64_t at = 0;
  boxes.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    Shape expected = whole.shape;
    if (parts[i].shape.size() == expected.size()) expected[axis] = parts[i].shape[axis];
    const std::string what = "part " + std::to_string(i);
    if (auto bad = expect_spec(parts[i], what.c_str(), whole.dtype, expected)) return bad;
    if (expected[axis] > whole.shape[axis] - at) {
      return bad_value("the parts make more along axis " + std::to_string(axis) + " than the whole has, " +
                       std::to_string(whole.shape[axis]));
    }
    const Shape own = row_major(expected);
    const int64_t offset = at * strides[axis];
    boxes.push_back(gathering ? Box{expected, own, strides, 0, offset, item}
                              : Box{expected, strides, own, offset, 0, item});
    at += expected[axis];
  }
  if (at != whole.shape[axis]) {
    return bad_value("the parts make " + std::to_string(at) + " along axis " + std::to_string(axis) +
                     ", the whole has " + std::to_string(whole.shape[axis]));
  }
  return {};
}

}  // namespace

Status plan_concat(const Signature& s, int64_t axis, std::vector<Box>& boxes) {
  if (auto bad = expect_counts(s, s.inputs.size(), 1)) return bad;
  return plan_parts(s.outputs[0], s.inputs, axis, true, boxes);
}

Status plan_split(const Signature& s, int64_t axis, const Shape& sizes, std::vector<Box>& boxes) {
  if (auto bad = expect_counts(s, 1, sizes.size())) return bad;
  if (auto bad = plan_parts(s.inputs[0], s.outputs, axis, false, boxes)) return bad;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (s.outputs[i].shape[axis] != sizes[i]) return bad_value("sizes do not agree with the outputs");
  }
  return {};
}

CopyPlan::CopyPlan(const Box& box) : in_offset(box.in_offset), out_offset(box.out_offset), item(box.item) {
  if (numel(box.shape) == 0) return;
  std::vector<Dim> dims;
  for (size_t d = 0; d < box.shape.size(); ++d) {
    Dim dim{box.shape[d], box.in[d], box.out[d]};
    if (dim.out < 0) {  // the order of a copy is free: write forwards
      in_offset += dim.in * (dim.size - 1);
      out_offset += dim.out * (dim.size - 1);
      dim.in = -dim.in;
      dim.out = -dim.out;
    }
    dims.push_back(dim);
  }
  outer = coalesce(dims);
  if (!outer.empty()) {
    inner = outer.back();
    outer.pop_back();
  }
  const auto adjacent = std::find_if(outer.begin(), outer.end(), [](const Dim& d) { return d.in == 1; });
  if (inner.in == 1 && inner.out == 1) {
    mode = Mode::kRun;
  } else if (inner.out == 1 && adjacent != outer.end()) {
    mode = Mode::kTile;
    cross = *adjacent;
    outer.erase(adjacent);
  } else {
    mode = inner.in == 0 && inner.out == 1 ? Mode::kFill : Mode::kStrided;
  }
  for (const Dim& d : outer) outer_size *= d.size;
}

}  // namespace minds
