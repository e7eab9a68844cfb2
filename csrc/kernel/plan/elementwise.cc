#include "kernel/plan/elementwise.h"

namespace minds {
namespace {

template <class Op>
Status check_dtype(Op op, DType t) {
  if (kind_of(t) & about(op).takes) return {};
  return bad_type(std::string("is not defined for ") + name(t));
}

}  // namespace

Status check_unary(const Signature& s, UnaryOp op) {
  if (Status e = expect_counts(s, 1, 1)) return e;
  const TensorSpec& x = s.inputs[0];
  if (Status e = expect_spec(s.outputs[0], "the result", gives_bool(op) ? DType::kBool : x.dtype, x.shape)) return e;
  return check_dtype(op, x.dtype);
}

Status check_binary(const Signature& s, BinaryOp op) {
  if (Status e = expect_counts(s, 2, 1)) return e;
  const DType t = s.inputs[0].dtype, want = gives_bool(op) ? DType::kBool : t;
  if (s.inputs[1].dtype != t) {
    return bad_type(std::string("the operands must have one dtype, got ") + name(t) + " and " +
                    name(s.inputs[1].dtype));
  }
  if (s.outputs[0].dtype != want) {
    return bad_type(std::string("the result must be ") + name(want) + ", got " + name(s.outputs[0].dtype));
  }
  return check_dtype(op, t);
}

Status check_select(const Signature& s) {
  if (Status e = expect_counts(s, 3, 1)) return e;
  if (s.inputs[0].dtype != DType::kBool)
    return bad_type(std::string("the condition must be bool, got ") + name(s.inputs[0].dtype));
  const DType t = s.outputs[0].dtype;
  for (size_t i = 1; i < 3; ++i) {
    if (s.inputs[i].dtype != t) {
      return bad_type(std::string("the operands must have one dtype, got ") + name(t) + " and " +
                      name(s.inputs[i].dtype));
    }
  }
  return {};
}

}  // namespace minds
