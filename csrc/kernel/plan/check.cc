#include "kernel/plan/check.h"

#include "device/array.h"

namespace minds {

std::string to_string(const Shape& s) {
  std::string text = "(";
  for (size_t d = 0; d < s.size(); ++d) text += (d ? ", " : "") + std::to_string(s[d]);
  return text + (s.size() == 1 ? ",)" : ")");
}

Status expect_counts(const Signature& s, size_t inputs, size_t outputs) {
  if (s.inputs.size() != inputs || s.outputs.size() != outputs) {
    return bad_value("expected " + std::to_string(inputs) + " inputs and " + std::to_string(outputs) +
                     " outputs, got " + std::to_string(s.inputs.size()) + " and " +
                     std::to_string(s.outputs.size()));
  }
  for (const auto* list : {&s.inputs, &s.outputs}) {
    for (const TensorSpec& t : *list) {
      if (Status e = check_shape(t.shape, t.dtype)) return e;
    }
  }
  return {};
}

Status expect_rank(const TensorSpec& t, const char* what, int64_t least) {
  if (static_cast<int64_t>(t.shape.size()) >= least) return {};
  return bad_value(std::string(what) + " has shape " + to_string(t.shape) + ", expected rank " +
                   std::to_string(least) + " or more");
}

Status expect_spec(const TensorSpec& t, const char* what, DType dtype, const Shape& shape) {
  if (t.dtype != dtype)
    return bad_type(std::string(what) + " is " + name(t.dtype) + ", expected " + name(dtype));
  if (t.shape == shape) return {};
  return bad_value(std::string(what) + " has shape " + to_string(t.shape) + ", expected " + to_string(shape));
}

Status expect_integers(const TensorSpec& t, const char* what) {
  if (is_integer(t.dtype)) return {};
  return bad_type(std::string(what) + " is " + name(t.dtype) + ", expected an integer type");
}

Status expect_axis(int64_t axis, const Shape& shape) {
  if (axis >= 0 && axis < static_cast<int64_t>(shape.size())) return {};
  return bad_value("axis " + std::to_string(axis) + " is out of range for shape " + to_string(shape));
}

}  // namespace minds
