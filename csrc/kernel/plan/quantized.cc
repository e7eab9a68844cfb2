#include "kernel/plan/quantized.h"

namespace minds {

Status QuantizedPlan::prepare(const Signature& s, size_t rank, Shape& x, Shape& w) {
  x = s.inputs[0].shape;
  w = s.inputs[1].shape;
  Shape factors{};
  if (x.size() == rank + 1 && w.size() == rank + 1 && x[0] == w[0]) {
    stack = x[0];
    factors.push_back(stack);
    x.erase(x.begin());
    w.erase(w.begin());
  }
  if (x.size() != rank || w.size() != rank || x[1] != w[rank - 1]) {
    return bad_value("operands of shapes " + to_string(s.inputs[0].shape) + " and " + to_string(s.inputs[1].shape) +
                     " do not fit");
  }
  rows = w[0];
  factors.push_back(rows);
  channels = w[rank - 1];
  taps = product(w, 1, rank - 1);
  if (taps > kMostDepth || taps * groups() * 4 > kMostDepth) {
    return bad_value("a sum of " + std::to_string(taps * channels) + " products of bytes does not fit 32 bits; " +
                     std::to_string(kMostDepth) + " do");
  }
  depth = taps * groups() * 4;
  if (auto failed = expect_spec(s.inputs[0], "x", DType::kFloat32, s.inputs[0].shape)) return failed;
  if (auto failed = expect_spec(s.inputs[1], "the weights", DType::kInt8, s.inputs[1].shape)) return failed;
  if (auto failed = expect_spec(s.inputs[2], "scale", DType::kFloat32, factors)) return failed;
  return expect_spec(s.inputs[3], "bias", DType::kFloat32, factors);
}

Shape QuantizedPlan::stacked(const Signature& s, size_t rank, Shape one) const {
  if (s.inputs[0].shape.size() > rank) one.insert(one.begin(), stack);
  return one;
}

}  // namespace minds
