#include "cpu/assembled/formulas.h"

#include <limits>

#include "cpu/kernels/coefficients.h"

namespace minds::cpu::assembled {
namespace {

using namespace coefficients;

constexpr uint32_t kSign = 0x80000000u, kMagnitude = 0x7fffffffu;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// d = P(x), the lowest coefficient first.
template <size_t n>
void polynomial(Groups& g, Group d, Group x, const float (&c)[n]) {
  g.with(Op::kMul, d, x, c[n - 1]);
  g.with(Op::kAdd, d, d, c[n - 2]);
  for (size_t i = n - 2; i-- > 0;) {
    g.op(Op::kMul, d, d, x);
    g.with(Op::kAdd, d, d, c[i]);
  }
}

// x becomes e^x.
void exp_of(Groups& g, Group x) {
  const Group t = g.spare(), n = g.spare(), shifted = g.spare();
  g.fill(t, kExpLeast);
  g.op(Op::kMax, x, t, x);  // of NaN the second
  g.fill(t, kExpMost);
  g.op(Op::kMin, x, t, x);
  g.with(Op::kMul, shifted, x, kLog2E);
  g.with(Op::kAdd, shifted, shifted, kMagic);
  g.with(Op::kSub, n, shifted, kMagic);
  g.with(Op::kMul, t, n, kLn2High);
  g.op(Op::kSub, x, x, t);
  g.with(Op::kMul, t, n, kLn2Low);
  g.op(Op::kSub, x, x, t);
  polynomial(g, t, x, kExp);
  g.op(Op::kMul, t, t, x);
  g.op(Op::kMul, t, t, x);
  g.op(Op::kAdd, t, t, x);
  g.with(Op::kAdd, x, t, 1.0f);
  g.scale(x, n, shifted);
  for (Group s : {t, n, shifted}) g.give_back(s);
}

void log(Groups& g, Group d, Group x) {
  const Group y = g.spare(), k = g.spare(), z = g.spare(), t = g.spare();
  g.compare_with(0, Compare::kLess, x, 0x1p-126f);
  g.with(Op::kMul, t, x, 0x1p23f);
  g.blend(y, 0, x, t);
  g.with(Op::kSubInt, k, y, static_cast<uint32_t>(kRootHalf));
  g.shift(Shift::kRightSigned, k, k, 23);
  g.shift(Shift::kLeft, t, k, 23);
  g.op(Op::kSubInt, y, y, t);
  g.with(Op::kSub, y, y, 1.0f);
  g.merge_with(Op::kSubInt, k, 0, k, 23u);
  g.op(Op::kFromInt, k, k);
  g.op(Op::kMul, z, y, y);
  polynomial(g, d, y, kLog);
  g.op(Op::kMul, t, z, y);
  g.op(Op::kMul, d, d, t);
  g.with(Op::kMul, t, k, kLn2Low);
  g.op(Op::kAdd, d, d, t);
  g.with(Op::kMul, z, z, 0.5f);
  g.op(Op::kSub, d, d, z);
  g.op(Op::kAdd, d, y, d);
  g.with(Op::kMul, k, k, kLn2High);
  g.op(Op::kAdd, d, d, k);
  g.compare_with(0, Compare::kEqual, x, kInfinity);
  g.blend(d, 0, d, x);
  g.compare_with(0, Compare::kEqual, x, 0.0f);
  g.merge_with(Op::kSpread, d, 0, d, __builtin_bit_cast(uint32_t, -kInfinity));
  g.compare_with(0, Compare::kLess, x, 0.0f);
  g.merge_with(Op::kSpread, d, 0, d, 0x7fc00000u);
  g.compare_with(0, Compare::kUnordered, x, 0.0f);
  g.blend(d, 0, d, x);
  for (Group s : {y, k, z, t}) g.give_back(s);
}

void tanh(Groups& g, Group d, Group x) {
  const Group a = g.spare(), z = g.spare(), far = g.spare();
  g.with(Op::kAnd, a, x, kMagnitude);
  g.op(Op::kMul, z, x, x);
  polynomial(g, d, z, kTanh);
  g.op(Op::kMul, d, d, z);
  g.op(Op::kMul, d, d, x);
  g.op(Op::kAdd, d, d, x);
  g.op(Op::kAdd, z, a, a);
  exp_of(g, z);
  g.with(Op::kAdd, z, z, 1.0f);
  g.fill(far, 2.0f);
  g.op(Op::kDiv, z, far, z);
  g.fill(far, 1.0f);
  g.op(Op::kSub, far, far, z);
  g.compare_with(0, Compare::kLess, a, kTanhNear);
  g.blend(d, 0, far, d);
  g.copy_sign(d, x);
  for (Group s : {a, z, far}) g.give_back(s);
}

void sigmoid(Groups& g, Group d, Group x) {
  const Group e = g.spare();
  g.with(Op::kOr, e, x, kSign);
  exp_of(g, e);
  g.fill(d, 1.0f);
  g.compare_with(0, Compare::kLess, x, 0.0f);
  g.blend(d, 0, d, e);
  g.with(Op::kAdd, e, e, 1.0f);
  g.op(Op::kDiv, d, d, e);
  g.give_back(e);
}

void erf(Groups& g, Group d, Group x) {
  const Group a = g.spare(), far = g.spare(), t = g.spare();
  g.with(Op::kAnd, a, x, kMagnitude);
  g.op(Op::kMul, t, x, x);
  polynomial(g, d, t, kErf);
  g.op(Op::kMul, d, d, x);
  g.op(Op::kAdd, d, d, x);
  g.fill(t, kErfMost);
  g.op(Op::kMin, t, t, a);  // of NaN the second
  polynomial(g, far, t, kLnErfc);
  exp_of(g, far);
  g.fill(t, 1.0f);
  g.op(Op::kSub, far, t, far);
  g.copy_sign(far, x);
  g.compare_with(0, Compare::kLess, a, kErfNear);
  g.blend(d, 0, far, d);
  for (Group s : {a, far, t}) g.give_back(s);
}

void sign(Groups& g, Group d, Group x) {
  g.compare_with(0, Compare::kGreater, x, 0.0f);
  g.compare_with(1, Compare::kLess, x, 0.0f);
  g.fill(d, 0.0f);  // a NaN has no sign
  g.merge_with(Op::kSpread, d, 0, d, __builtin_bit_cast(uint32_t, 1.0f));
  g.merge_with(Op::kSpread, d, 1, d, __builtin_bit_cast(uint32_t, -1.0f));
}

// The first where it is at least (at most) the second, or a NaN.
void choose(Groups& g, Compare how, Group d, Group x, Group y) {
  g.compare(0, how, x, y);
  g.compare(1, Compare::kUnordered, x, x);
  g.blend(d, 0, y, x);
  g.blend(d, 1, d, x);
}

void compared(Groups& g, Compare how, Group d, Group x, Group y) {
  g.compare(0, how, x, y);
  g.truth_of(d, 0);
}

}  // namespace

bool has_formula(UnaryOp op) {
  switch (op) {
    case UnaryOp::kSqrt:
    case UnaryOp::kRsqrt:
    case UnaryOp::kReciprocal:
    case UnaryOp::kRelu:
    case UnaryOp::kAbs:
    case UnaryOp::kNeg:
    case UnaryOp::kSign:
    case UnaryOp::kSquare:
    case UnaryOp::kLogicalNot:
    case UnaryOp::kIsNan:
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kTanh:
    case UnaryOp::kSigmoid:
    case UnaryOp::kErf:
      return true;
    default:
      return false;
  }
}

void emit(Groups& g, UnaryOp op, Group d, Group x) {
  switch (op) {
    case UnaryOp::kSqrt:
      return g.op(Op::kSqrt, d, x);
    case UnaryOp::kRsqrt: {
      const Group r = g.spare();
      g.op(Op::kSqrt, r, x);
      g.fill(d, 1.0f);
      g.op(Op::kDiv, d, d, r);
      return g.give_back(r);
    }
    case UnaryOp::kReciprocal:
      g.fill(d, 1.0f);
      return g.op(Op::kDiv, d, d, x);
    case UnaryOp::kRelu:
      g.compare_with(0, Compare::kNotLessEqual, x, 0.0f);
      return g.keep_where(d, 0, x);
    case UnaryOp::kAbs:
      return g.with(Op::kAnd, d, x, kMagnitude);
    case UnaryOp::kNeg:
      return g.with(Op::kXor, d, x, kSign);
    case UnaryOp::kSign:
      return sign(g, d, x);
    case UnaryOp::kSquare:
      return g.op(Op::kMul, d, x, x);
    case UnaryOp::kLogicalNot:
      g.compare_with(0, Compare::kEqual, x, 0.0f);
      return g.truth_of(d, 0);
    case UnaryOp::kIsNan:
      return compared(g, Compare::kUnordered, d, x, x);
    case UnaryOp::kExp:
      g.op(Op::kMove, d, x);
      return exp_of(g, d);
    case UnaryOp::kLog:
      return log(g, d, x);
    case UnaryOp::kTanh:
      return tanh(g, d, x);
    case UnaryOp::kSigmoid:
      return sigmoid(g, d, x);
    case UnaryOp::kErf:
      return erf(g, d, x);
    default:
      return;
  }
}

bool has_formula(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMaximum:
    case BinaryOp::kMinimum:
    case BinaryOp::kEqual:
    case BinaryOp::kNotEqual:
    case BinaryOp::kLess:
    case BinaryOp::kLessEqual:
    case BinaryOp::kGreater:
    case BinaryOp::kGreaterEqual:
      return true;
    default:
      return false;
  }
}

void emit(Groups& g, BinaryOp op, Group d, Group x, Group y) {
  switch (op) {
    // Of two NaNs the second, as the loops have it.
    case BinaryOp::kAdd:
      return g.op(Op::kAdd, d, y, x);
    case BinaryOp::kSub:
      return g.op(Op::kSub, d, x, y);
    case BinaryOp::kMul:
      return g.op(Op::kMul, d, y, x);
    case BinaryOp::kDiv:
      return g.op(Op::kDiv, d, x, y);
    case BinaryOp::kMaximum:
      return choose(g, Compare::kAtLeast, d, x, y);
    case BinaryOp::kMinimum:
      return choose(g, Compare::kAtMost, d, x, y);
    case BinaryOp::kEqual:
      return compared(g, Compare::kEqual, d, x, y);
    case BinaryOp::kNotEqual:
      return compared(g, Compare::kNotEqual, d, x, y);
    case BinaryOp::kLess:
      return compared(g, Compare::kLess, d, x, y);
    case BinaryOp::kLessEqual:
      return compared(g, Compare::kAtMost, d, x, y);
    case BinaryOp::kGreater:
      return compared(g, Compare::kGreater, d, x, y);
    case BinaryOp::kGreaterEqual:
      return compared(g, Compare::kAtLeast, d, x, y);
    default:
      return;
  }
}

bool has_truth_formula(BinaryOp op) {
  return op == BinaryOp::kLogicalAnd || op == BinaryOp::kLogicalOr || op == BinaryOp::kLogicalXor;
}

void emit_truth(Groups& g, BinaryOp op, Group d, Group x, Group y) {
  g.op(op == BinaryOp::kLogicalAnd ? Op::kAnd : op == BinaryOp::kLogicalOr ? Op::kOr : Op::kXor, d, x, y);
}

void emit_not(Groups& g, Group d, Group x) { g.with(Op::kXor, d, x, 0xffffffffu); }

}  // namespace minds::cpu::assembled
