#include "kernel/plan/generators.h"

#include <algorithm>
#include <cmath>

namespace minds {

Status check_random(const Signature& s, const Shape& shape, DType dtype) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  if (auto bad = expect_spec(s.inputs[0], "key", DType::kInt64, {2})) return bad;
  return expect_spec(s.outputs[0], "the output", dtype, shape);
}

Status check_floats(DType t) {
  if (is_float(t)) return {};
  return bad_type(std::string("dtype is ") + name(t) + ", expected a floating point type");
}

Status check_probability(double p, DType t) {
  if (!(p >= 0 && p <= 1)) return bad_value("p is " + std::to_string(p) + ", expected a probability");
  if (t <= DType::kFloat64) return {};
  return bad_type(std::string("dtype ") + name(t) + " is not supported");
}

Status check_range(int64_t low, int64_t high, DType t) {
  if (low >= high) return bad_value("the range [" + std::to_string(low) + ", " + std::to_string(high) + ") is empty");
  if (is_integer(t)) return {};
  return bad_type(std::string("dtype is ") + name(t) + ", expected an integer type");
}

Status check_permutation(const Signature& s, int64_t n) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  if (auto bad = expect_spec(s.inputs[0], "key", DType::kInt64, {2})) return bad;
  if (auto bad = expect_integers(s.outputs[0], "the output")) return bad;
  const DType t = s.outputs[0].dtype;
  const int bits = static_cast<int>(8 * item_size(t)) - (t < DType::kUInt8 ? 1 : 0);
  if (bits < 63 && n > int64_t{1} << bits) {
    return bad_value(std::string(name(t)) + " cannot count to " + std::to_string(n));
  }
  return expect_spec(s.outputs[0], "the output", t, {n});
}

Status check_key(const Signature& s) {
  if (auto bad = expect_counts(s, 0, 1)) return bad;
  return expect_spec(s.outputs[0], "the output", DType::kInt64, {2});
}

Status check_arange(const Signature& s, double start, double stop, double step) {
  if (auto bad = expect_counts(s, 0, 1)) return bad;
  const Shape& out = s.outputs[0].shape;
  if (out.size() != 1) return bad_value("the output has shape " + to_string(out) + ", expected rank 1");
  if (step == 0) return bad_value("step is zero");
  const double length = std::max(std::ceil((stop - start) / step), 0.0);
  if (length == static_cast<double>(out[0])) return {};
  return bad_value("the output has " + std::to_string(out[0]) + " elements, the range another number");
}

Status check_eye(const Signature& s, int64_t n, int64_t m) {
  if (auto bad = expect_counts(s, 0, 1)) return bad;
  return expect_spec(s.outputs[0], "the output", s.outputs[0].dtype, {n, m});
}

}  // namespace minds
