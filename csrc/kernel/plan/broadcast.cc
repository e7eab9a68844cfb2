#include "kernel/plan/broadcast.h"

#include <algorithm>

#include "device/array.h"

namespace minds {

Status BroadcastPlan::prepare(const TensorSpec* inputs, int n, const TensorSpec& output) {
  Shape joined;
  if (Status e = plan(inputs, n, output, joined)) return e;
  if (joined != output.shape) {
    return bad_value("the operands broadcast to " + to_string(joined) + ", not to " + to_string(output.shape));
  }
  return {};
}

Status BroadcastPlan::prepare_one(const TensorSpec& input, const TensorSpec& output) {
  Shape joined;
  return plan(&input, 1, output, joined);
}

Status BroadcastPlan::plan(const TensorSpec* inputs, int n, const TensorSpec& output, Shape& joined) {
  if (n < 1 || n > kMost) return {Code::kInternal, "a broadcast has one to three operands"};
  if (Status e = check_shape(output.shape, output.dtype)) return e;
  count = n;
  size = output.size();
  const size_t rank = output.shape.size();
  std::array<Shape, kMost> strides;
  joined.assign(rank, 1);
  for (int i = 0; i < count; ++i) {
    const Shape& shape = inputs[i].shape;
    if (shape.size() > rank) return bad_value(to_string(inputs[i]) + " has more dimensions than the result");
    strides[i].assign(rank, 0);
    int64_t step = 1;
    for (size_t k = 1; k <= shape.size(); ++k) {
      const int64_t d = shape[shape.size() - k], o = output.shape[rank - k];
      if (d != o && d != 1) {
        return bad_value("shape " + to_string(shape) + " does not broadcast to " + to_string(output.shape));
      }
      if (d != 1) {
        strides[i][rank - k] = step;
        joined[rank - k] = d;
      }
      step *= d;
    }
  }
  merge(output.shape, strides);
  for (int i = 0; i < count; ++i) classify(operands[i], inputs[i]);
  return {};
}

// From the innermost dim outwards: dims of size 1 vanish, a dim joins its inner neighbour if it continues it.
void BroadcastPlan::merge(const Shape& shape, const std::array<Shape, kMost>& strides) {
  dims.clear();
  for (Operand& o : operands) o.strides.clear();
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t n = shape[d];
    if (n == 1) continue;
    bool joins = !dims.empty();
    for (int i = 0; i < count && joins; ++i) joins = strides[i][d] == operands[i].strides.back() * dims.back();
    if (joins) {
      dims.back() *= n;
      continue;
    }
    dims.push_back(n);
    for (int i = 0; i < count; ++i) operands[i].strides.push_back(strides[i][d]);
  }
  if (dims.empty()) {
    dims.push_back(1);
    for (int i = 0; i < count; ++i) operands[i].strides.push_back(0);
  }
  std::reverse(dims.begin(), dims.end());
  for (int i = 0; i < count; ++i) std::reverse(operands[i].strides.begin(), operands[i].strides.end());
}

void BroadcastPlan::classify(Operand& o, const TensorSpec& input) const {
  o.item = item_size(input.dtype);
  o.period = 1;
  const int64_t own = input.size();
  int64_t span = 1;  // of the trailing dims that the operand fills without a gap
  for (size_t d = dims.size(); d-- > 0 && o.strides[d] == span;) span *= dims[d];
  if (own == size) {
    o.kind = kWhole;
  } else if (own == 1) {
    o.kind = kNumber;
  } else if (span == own) {
    o.kind = kPeriodic;
    o.period = own;
  } else {
    o.kind = kStrided;
  }
}

}  // namespace minds
