// Elementwise ops with an operator of the same meaning: one line each. Operands of different shapes are broadcast by
// the operators.
#include "kernel/plan/elementwise.h"

#include <limits>

#include "ascend/kernels/parts.h"
#include "kernel/plan/broadcast.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

// F(op, operator, dtypes)
#define MINDS_ASCEND_UNARY(F)                                      \
  F(abs, Abs, MINDS_ASCEND_NUMBERS)                                \
  F(acos, Acos, MINDS_ASCEND_FLOATS)                               \
  F(acosh, Acosh, MINDS_ASCEND_FLOATS)                             \
  F(asin, Asin, MINDS_ASCEND_FLOATS)                               \
  F(asinh, Asinh, MINDS_ASCEND_FLOATS)                             \
  F(atan, Atan, MINDS_ASCEND_FLOATS)                               \
  F(atanh, Atanh, MINDS_ASCEND_FLOATS)                             \
  F(bitwise_not, BitwiseNot, MINDS_ASCEND_INTEGERS)                \
  F(ceil, Ceil, MINDS_ASCEND_FLOATS)                               \
  F(cos, Cos, MINDS_ASCEND_FLOATS)                                 \
  F(cosh, Cosh, MINDS_ASCEND_FLOATS)                               \
  F(erf, Erf, MINDS_ASCEND_FLOATS)                                 \
  F(erfc, Erfc, MINDS_ASCEND_FLOATS)                               \
  F(exp, Exp, MINDS_ASCEND_FLOATS)                                 \
  F(expm1, Expm1, MINDS_ASCEND_FLOATS)                             \
  F(floor, Floor, MINDS_ASCEND_FLOATS)                             \
  F(isfinite, IsFinite, MINDS_ASCEND_FLOATS)                       \
  F(log, Log, MINDS_ASCEND_FLOATS)                                 \
  F(log1p, Log1p, MINDS_ASCEND_FLOATS)                             \
  F(logical_not, LogicalNot, DType::kBool, MINDS_ASCEND_NUMBERS)   \
  F(neg, Neg, MINDS_ASCEND_FLOATS, DType::kInt32, DType::kInt64)   \
  F(reciprocal, Reciprocal, MINDS_ASCEND_FLOATS)                   \
  F(relu, Relu, MINDS_ASCEND_FLOATS, DType::kInt32, DType::kInt64) \
  F(round, Round, MINDS_ASCEND_FLOATS)                             \
  F(rsqrt, Rsqrt, MINDS_ASCEND_FLOATS)                             \
  F(sigmoid, Sigmoid, MINDS_ASCEND_FLOATS)                         \
  F(sign, Sign, MINDS_ASCEND_FLOATS, DType::kInt32, DType::kInt64) \
  F(sin, Sin, MINDS_ASCEND_FLOATS)                                 \
  F(sinh, Sinh, MINDS_ASCEND_FLOATS)                               \
  F(sqrt, Sqrt, MINDS_ASCEND_FLOATS)                               \
  F(tan, Tan, MINDS_ASCEND_FLOATS)                                 \
  F(tanh, Tanh, MINDS_ASCEND_FLOATS)                               \
  F(trunc, Trunc, MINDS_ASCEND_FLOATS)

#define MINDS_ASCEND_BINARY(F)                                   \
  F(mul, Mul, MINDS_ASCEND_NUMBERS)                              \
  F(div, Div, MINDS_ASCEND_FLOATS)                               \
  F(maximum, Maximum, MINDS_ASCEND_NUMBERS)                      \
  F(minimum, Minimum, MINDS_ASCEND_NUMBERS)                      \
  F(atan2, Atan2, MINDS_ASCEND_FLOATS)                           \
  F(bitwise_and, BitwiseAndTensor, DType::kBool, MINDS_ASCEND_INTEGERS) \
  F(bitwise_or, BitwiseOrTensor, DType::kBool, MINDS_ASCEND_INTEGERS) \
  F(bitwise_xor, BitwiseXorTensor, DType::kBool, MINDS_ASCEND_INTEGERS) \
  F(equal, EqTensor, DType::kBool, MINDS_ASCEND_NUMBERS)         \
  F(not_equal, NeTensor, DType::kBool, MINDS_ASCEND_NUMBERS)     \
  F(less, LtTensor, MINDS_ASCEND_NUMBERS)                        \
  F(less_equal, LeTensor, MINDS_ASCEND_NUMBERS)                  \
  F(greater, GtTensor, MINDS_ASCEND_NUMBERS)                     \
  F(greater_equal, GeTensor, MINDS_ASCEND_NUMBERS)               \
  F(logical_and, LogicalAnd, DType::kBool, MINDS_ASCEND_NUMBERS) \
  F(logical_or, LogicalOr, DType::kBool, MINDS_ASCEND_NUMBERS)   \
  F(logical_xor, LogicalXor, DType::kBool)

class Unary : public CallsKernel {
 public:
  using Op = Operator<void(const aclTensor*, aclTensor*)>;
  Unary(std::string_view name, const Op& op) : name_(name), op_(op) {}

 protected:
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = check_unary(s, *unary_named(name_))) return bad;
    if (s.outputs[0].size() != 0) calls.add(op_, calls.in(0, s.inputs[0]), calls.out(0, s.outputs[0]));
    return {};
  }

 private:
  const std::string_view name_;
  const Op& op_;
};

// Fine where the operands' shapes broadcast to the result's.
Status check_operands(const Signature& s, std::string_view name) {
  if (Status bad = check_binary(s, *binary_named(name))) return bad;
  BroadcastPlan shapes;
  return shapes.prepare(s.inputs.data(), 2, s.outputs[0]);
}

class Binary : public CallsKernel {
 public:
  using Op = Operator<void(const aclTensor*, const aclTensor*, aclTensor*)>;
  Binary(std::string_view name, const Op& op) : name_(name), op_(op) {}

 protected:
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = check_operands(s, name_)) return bad;
    if (s.outputs[0].size() == 0) return {};
    calls.add(op_, calls.in(0, s.inputs[0]), calls.in(1, s.inputs[1]), calls.out(0, s.outputs[0]));
    return {};
  }

 private:
  const std::string_view name_;
  const Op& op_;
};

// add and sub: their operators multiply the second operand by a scalar.
class Sum : public CallsKernel {
 public:
  using Op = Operator<void(const aclTensor*, const aclTensor*, const aclScalar*, aclTensor*)>;
  Sum(std::string_view name, const Op& op) : name_(name), op_(op) {}

 protected:
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = check_operands(s, name_)) return bad;
    if (s.outputs[0].size() == 0) return {};
    calls.add(op_, calls.in(0, s.inputs[0]), calls.in(1, s.inputs[1]), Number{int64_t{1}}, calls.out(0, s.outputs[0]));
    return {};
  }

 private:
  const std::string_view name_;
  const Op& op_;
};

// Those that are not defined for some divisors, or exponents, of integers: these are told, and replaced by 1.
class Guarded : public CallsKernel {
 public:
  using Op = Operator<void(const aclTensor*, const aclTensor*, aclTensor*)>;
  Guarded(std::string_view name, const Op& op) : name_(name), op_(op) {}

 protected:
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = check_operands(s, name_)) return bad;
    if (s.outputs[0].size() == 0) return {};
    View y = calls.in(1, s.inputs[1]);
    if (is_integer(y.dtype)) y = guarded(calls, y);
    calls.add(op_, calls.in(0, s.inputs[0]), y, calls.out(0, s.outputs[0]));
    return {};
  }

 private:
  View guarded(Calls& calls, const View& y) const {
    const bool power = name_ == "pow";
    const View flat = shaped(y, {numel(y.shape)});
    const View wrong = calls.scratch({DType::kBool, flat.shape}), right = calls.scratch({y.dtype, flat.shape});
    calls.add(power ? aclnn().LtScalar : aclnn().EqScalar, flat, Number{int64_t{0}}, wrong);
    add_fault(calls, wrong, {power ? FaultKind::kIntegerPower : FaultKind::kIntegerDivision});
    calls.add(aclnn().SWhere, wrong, add_filled(calls, {y.dtype, {1}}, Number{int64_t{1}}), flat, right);
    return shaped(right, y.shape);
  }

  const std::string_view name_;
  const Op& op_;
};

// NaN differs from itself.
struct IsNan final : CallsKernel {
  explicit IsNan(const Attrs&) {}
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = check_unary(s, UnaryOp::kIsNan)) return bad;
    const View x = calls.in(0, s.inputs[0]);
    if (s.outputs[0].size() != 0) calls.add(aclnn().NeTensor, x, x, calls.out(0, s.outputs[0]));
    return {};
  }
};

struct IsInf final : CallsKernel {
  explicit IsInf(const Attrs&) {}
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = check_unary(s, UnaryOp::kIsInf)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const View size = calls.scratch(s.inputs[0]);
    calls.add(aclnn().Abs, calls.in(0, s.inputs[0]), size);
    calls.add(aclnn().EqScalar, size, Number{std::numeric_limits<double>::infinity()}, calls.out(0, s.outputs[0]));
    return {};
  }
};

struct Square final : CallsKernel {
  explicit Square(const Attrs&) {}
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = check_unary(s, UnaryOp::kSquare)) return bad;
    const View x = calls.in(0, s.inputs[0]);
    if (s.outputs[0].size() != 0) calls.add(aclnn().Mul, x, x, calls.out(0, s.outputs[0]));
    return {};
  }
};

struct Select final : CallsKernel {
  explicit Select(const Attrs&) {}
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = check_select(s)) return bad;
    BroadcastPlan shapes;
    if (Status bad = shapes.prepare(s.inputs.data(), 3, s.outputs[0])) return bad;
    if (s.outputs[0].size() == 0) return {};
    calls.add(aclnn().SWhere, calls.in(0, s.inputs[0]), calls.in(1, s.inputs[1]), calls.in(2, s.inputs[2]),
              calls.out(0, s.outputs[0]));
    return {};
  }
};

#define MINDS_ASCEND_KERNEL(Base, op, Name, ...)             \
  struct Name : Base {                                       \
    explicit Name(const Attrs&) : Base(#op, aclnn().Name) {} \
  };                                                         \
  MINDS_KERNEL("ascend", #op, Name, __VA_ARGS__);
#define MINDS_UNARY_KERNEL(op, Name, ...) MINDS_ASCEND_KERNEL(Unary, op, Name, __VA_ARGS__)
#define MINDS_BINARY_KERNEL(op, Name, ...) MINDS_ASCEND_KERNEL(Binary, op, Name, __VA_ARGS__)

MINDS_ASCEND_UNARY(MINDS_UNARY_KERNEL)
MINDS_ASCEND_BINARY(MINDS_BINARY_KERNEL)
MINDS_ASCEND_KERNEL(Sum, add, Add, MINDS_ASCEND_NUMBERS)
MINDS_ASCEND_KERNEL(Sum, sub, Sub, MINDS_ASCEND_NUMBERS)
#define MINDS_GUARDED_KERNEL(op, Name) MINDS_ASCEND_KERNEL(Guarded, op, Name, MINDS_ASCEND_FLOATS, MINDS_ASCEND_INTEGERS)
MINDS_GUARDED_KERNEL(pow, PowTensorTensor)
MINDS_GUARDED_KERNEL(floor_divide, FloorDivide)
MINDS_GUARDED_KERNEL(mod, RemainderTensorTensor)
MINDS_GUARDED_KERNEL(fmod, FmodTensor)
MINDS_KERNEL("ascend", "isnan", IsNan, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "isinf", IsInf, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "square", Square, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "select", Select, DType::kBool);

}  // namespace
}  // namespace minds::ascend
