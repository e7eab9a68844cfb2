#include "kernel/plan/reduce.h"

#include "kernel/plan/strides.h"

namespace minds {

Status ReducePlan::prepare(const Signature& s, const Shape& axes, bool keepdims, bool truth) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const Shape& x = s.inputs[0].shape;
  std::vector<bool> reduced(x.size(), false);
  for (int64_t d : axes) {
    if (auto bad = expect_axis(d, x)) return bad;
    if (reduced[d]) return bad_value("axis " + std::to_string(d) + " is given twice");
    reduced[d] = true;
  }
  const Shape strides = row_major(x);
  Shape shape;
  groups.clear();
  for (size_t d = 0; d < x.size(); ++d) {
    if (!reduced[d] || keepdims) shape.push_back(reduced[d] ? 1 : x[d]);
    if (x[d] == 1) continue;
    if (!groups.empty() && groups.back().reduced == reduced[d]) {
      groups.back() = {groups.back().size * x[d], strides[d], reduced[d]};
    } else {
      groups.push_back({x[d], strides[d], reduced[d]});
    }
  }
  return expect_spec(s.outputs[0], "the output", truth ? DType::kBool : s.inputs[0].dtype, shape);
}

}  // namespace minds
