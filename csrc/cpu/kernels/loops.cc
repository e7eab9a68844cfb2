#include "cpu/kernels/loops.h"

#include <algorithm>
#include <iterator>

namespace minds::cpu {
namespace {

// In the order of the enumerations.
constexpr std::string_view kUnaryNames[] = {
    "exp",  "log",  "sqrt",   "rsqrt", "tanh",  "sigmoid", "relu",  "abs",  "neg",  "sign",
    "floor", "ceil", "round", "trunc", "sin",   "cos",     "tan",   "asin", "acos", "atan",
    "sinh", "cosh", "asinh",  "acosh", "atanh", "erf",     "erfc",  "log1p", "expm1", "reciprocal",
    "square", "logical_not", "isnan", "isinf", "isfinite", "lgamma", "digamma", "bitwise_not"};
constexpr std::string_view kBinaryNames[] = {
    "add", "sub", "mul", "div", "floor_divide", "mod", "fmod", "pow", "maximum", "minimum", "atan2",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"};
static_assert(std::size(kUnaryNames) == static_cast<size_t>(UnaryOp::kCount));
static_assert(std::size(kBinaryNames) == static_cast<size_t>(BinaryOp::kCount));

template <class Op, size_t n>
std::optional<Op> find(const std::string_view (&names)[n], std::string_view name) {
  const auto* at = std::find(std::begin(names), std::end(names), name);
  if (at == std::end(names)) return {};
  return static_cast<Op>(at - std::begin(names));
}

}  // namespace

std::optional<UnaryOp> unary_named(std::string_view name) { return find<UnaryOp>(kUnaryNames, name); }
std::optional<BinaryOp> binary_named(std::string_view name) { return find<BinaryOp>(kBinaryNames, name); }

int64_t grain_of(UnaryOp op, DType t) {
  switch (op) {
    case UnaryOp::kSqrt:
    case UnaryOp::kRsqrt:
    case UnaryOp::kReciprocal:
    case UnaryOp::kRelu:
    case UnaryOp::kAbs:
    case UnaryOp::kNeg:
    case UnaryOp::kSign:
    case UnaryOp::kSquare:
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
    case UnaryOp::kTrunc:
    case UnaryOp::kLogicalNot:
    case UnaryOp::kIsNan:
    case UnaryOp::kIsInf:
    case UnaryOp::kIsFinite:
    case UnaryOp::kBitwiseNot:
      return 1 << 16;
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kTanh:
    case UnaryOp::kSigmoid:
    case UnaryOp::kErf:
    case UnaryOp::kSin:
    case UnaryOp::kCos:
      return t == DType::kFloat64 ? 1 << 11 : 1 << 14;
    default:
      return 1 << 10;
  }
}

int64_t grain_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kPow:
    case BinaryOp::kAtan2:
    case BinaryOp::kFmod:
    case BinaryOp::kMod:
    case BinaryOp::kFloorDivide:
      return 1 << 10;
    default:
      return 1 << 16;
  }
}

const LoopTable& loops() {
  static const LoopTable table = [] {
    LoopTable t;
    add_scalar_float_loops(t);
    add_integer_loops(t);
    switch (isa()) {
      case Isa::kGeneric:
        add_vector_loops_generic(t);
        break;
      case Isa::kAvx2:
        add_vector_loops_avx2(t);
        break;
      case Isa::kAvx512:
        add_vector_loops_avx512(t);
        break;
    }
    return t;
  }();
  return table;
}

}  // namespace minds::cpu
