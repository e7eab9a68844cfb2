#include "runtime/machine/formulas.h"

#include <bit>

namespace minds::runtime::machine {
namespace {

constexpr uint32_t kBool = kSlot<bool>, kInt = kSlot<int64_t>, kDoubleSlot = kSlot<double>;
constexpr uint32_t kUnaries = kUnaryCount * 4, kExact = (kUnaryCount + kBinaryCount) * 4;

}  // namespace

bool Formulas::emit(const Instr& i) {
  const uint32_t n = i.scalar - kScalarBase;
  if (n < kUnaries) return unary(static_cast<UnaryOp>(n / 4), n % 4, i);
  if (n < kExact) return binary(static_cast<BinaryOp>((n - kUnaries) / 4), n % 4, i);
  if (n < kExact + 16) return conversion((n - kExact) / 4, n % 4, i);
  return checked(static_cast<BinaryOp>((n - 16 - kExact - kUnaries) / 4), i);
}

Words::Form Formulas::reads(const Instr& i, bool& two) {
  constexpr Words::Form kForms[] = {Words::Form::kTruth, Words::Form::kInteger, Words::Form::kFloat,
                                    Words::Form::kDouble};
  const uint32_t n = i.scalar - kScalarBase;
  two = n >= kUnaries && (n < kExact || n >= kExact + 16);
  if (n < kExact) return kForms[n % 4];
  if (n < kExact + 16) return kForms[(n - kExact) / 4];
  const bool divides = static_cast<BinaryOp>((n - 16 - kExact - kUnaries) / 4) == BinaryOp::kDiv;
  return divides ? Words::Form::kDouble : Words::Form::kInteger;
}

// ---- of one operand

bool Formulas::unary(UnaryOp op, uint32_t slot, const Instr& i) {
  if (slot == kInt) return integer_unary(op, i);
  if (slot != kBool) return real_unary(op, slot == kDoubleSlot, i);
  if (op != UnaryOp::kLogicalNot) return false;
  const Gpr x = w_.truth(i.a), r = w_.new_integer();
  a_.move(r, x);
  a_.exclusive_or(r, 1);
  w_.define(i.dst, r, true);
  return true;
}

bool Formulas::integer_unary(UnaryOp op, const Instr& i) {
  if (op != UnaryOp::kNeg && op != UnaryOp::kSquare && op != UnaryOp::kBitwiseNot) return false;
  const Gpr x = w_.integer(i.a), r = w_.new_integer();
  a_.move(r, x);
  if (op == UnaryOp::kNeg) a_.negate(r);
  if (op == UnaryOp::kBitwiseNot) a_.invert(r);
  if (op == UnaryOp::kSquare) a_.op(Op::kImul, r, static_cast<unsigned>(x));
  w_.define(i.dst, r);
  return true;
}

// x with `mask` applied to its bits.
unsigned Formulas::masked(Op op, uint64_t mask, bool is_double, const Instr& i) {
  const unsigned x = w_.real(i.a, is_double), r = w_.new_real();
  a_.constant(rax, is_double ? mask : mask >> 32);
  a_.op(Op::kMovqTo, 0, static_cast<unsigned>(rax));
  a_.op(Op::kMovaps, r, x);
  a_.op(op, r, 0u);
  return r;
}

bool Formulas::real_unary(UnaryOp op, bool is_double, const Instr& i) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  unsigned r;
  switch (op) {
    case UnaryOp::kNeg:
      r = masked(Op::kXorps, kSign, is_double, i);
      break;
    case UnaryOp::kAbs:
      r = masked(Op::kAndps, is_double ? ~kSign : ~kSign & ~uint64_t{0xffffffff}, is_double, i);
      break;
    case UnaryOp::kSquare:
    case UnaryOp::kSqrt: {
      const unsigned x = w_.real(i.a, is_double);
      r = w_.new_real();
      a_.op(Op::kMovaps, r, x);
      a_.op(scalar(op == UnaryOp::kSqrt ? Op::kSqrts : Op::kMuls, is_double), r, x);
      break;
    }
    case UnaryOp::kReciprocal:
    case UnaryOp::kRsqrt: {
      const unsigned x = w_.real(i.a, is_double);
      r = w_.new_real();
      a_.op(Op::kMovaps, 0, x);
      if (op == UnaryOp::kRsqrt) a_.op(scalar(Op::kSqrts, is_double), 0, x);
      a_.constant(rax, is_double ? std::bit_cast<uint64_t>(1.0) : std::bit_cast<uint32_t>(1.0f));
      a_.op(Op::kMovqTo, r, static_cast<unsigned>(rax));
      a_.op(scalar(Op::kDivs, is_double), r, 0u);
      break;
    }
    case UnaryOp::kRelu: {
      const unsigned x = w_.real(i.a, is_double);
      r = w_.new_real();
      const Label done = a_.label();
      a_.op(Op::kMovaps, r, x);
      a_.op(Op::kXorps, 0, 0u);
      compare(0, x, is_double);
      a_.jump(If::kBelow, done);  // above 0, or NaN
      a_.op(Op::kMovaps, r, 0u);
      a_.bind(done);
      break;
    }
    default:
      return false;
  }
  w_.define_real(i.dst, r, is_double);
  return true;
}

// ---- of two

bool Formulas::binary(BinaryOp op, uint32_t slot, const Instr& i) {
  if (slot == kBool) return truth_binary(op, i);
  if (slot == kInt) return integer_binary(op, i);
  return real_binary(op, slot == kDoubleSlot, i);
}

bool Formulas::truth_binary(BinaryOp op, const Instr& i) {
  Op with;
  switch (op) {
    case BinaryOp::kLogicalAnd:
    case BinaryOp::kBitwiseAnd:
      with = Op::kAnd;
      break;
    case BinaryOp::kLogicalOr:
    case BinaryOp::kBitwiseOr:
      with = Op::kOr;
      break;
    case BinaryOp::kLogicalXor:
    case BinaryOp::kBitwiseXor:
    case BinaryOp::kNotEqual:
    case BinaryOp::kEqual:
      with = Op::kXor;
      break;
    default:
      return false;
  }
  const Gpr x = w_.truth(i.a), y = w_.truth(i.b), r = w_.new_integer();
  a_.move(r, x);
  a_.op(with, r, static_cast<unsigned>(y));
  if (op == BinaryOp::kEqual) a_.exclusive_or(r, 1);
  w_.define(i.dst, r, true);
  return true;
}

// r = a op b; the interpreter says what is wrong with a result that does not fit.
bool Formulas::combined(Op op, const Instr& i, bool checks) {
  const Gpr x = w_.integer(i.a), y = w_.integer(i.b), r = w_.new_integer();
  a_.move(r, x);
  a_.op(op, r, static_cast<unsigned>(y));
  if (checks) a_.jump(If::kOverflow, slow_());
  w_.define(i.dst, r);
  return true;
}

bool Formulas::compared(If c, const Instr& i) {
  const Gpr x = w_.integer(i.a), y = w_.integer(i.b), r = w_.new_integer();
  a_.op(Op::kCmp, x, static_cast<unsigned>(y));
  a_.set(c, r);
  w_.define(i.dst, r, true);
  return true;
}

bool Formulas::chosen_integer(If keeps, const Instr& i) {
  const Gpr x = w_.integer(i.a), y = w_.integer(i.b), r = w_.new_integer();
  const Label done = a_.label();
  a_.move(r, x);
  a_.op(Op::kCmp, x, static_cast<unsigned>(y));
  a_.jump(keeps, done);
  a_.move(r, y);
  a_.bind(done);
  w_.define(i.dst, r);
  return true;
}

bool Formulas::shifted(bool left, const Instr& i) {
  const Gpr x = w_.integer(i.a), y = w_.integer(i.b), r = w_.new_integer();
  a_.move(rcx, y);
  a_.compare(rcx, 63);
  a_.jump(If::kAbove, slow_());
  a_.move(r, x);
  a_.shift(r, left);
  w_.define(i.dst, r);
  return true;
}

bool Formulas::integer_binary(BinaryOp op, const Instr& i) {
  switch (op) {
    case BinaryOp::kAdd:
      return combined(Op::kAdd, i, false);
    case BinaryOp::kSub:
      return combined(Op::kSub, i, false);
    case BinaryOp::kMul:
      return combined(Op::kImul, i, false);
    case BinaryOp::kBitwiseAnd:
      return combined(Op::kAnd, i, false);
    case BinaryOp::kBitwiseOr:
      return combined(Op::kOr, i, false);
    case BinaryOp::kBitwiseXor:
      return combined(Op::kXor, i, false);
    case BinaryOp::kEqual:
      return compared(If::kEqual, i);
    case BinaryOp::kNotEqual:
      return compared(If::kNotEqual, i);
    case BinaryOp::kLess:
      return compared(If::kLess, i);
    case BinaryOp::kLessEqual:
      return compared(If::kNotGreater, i);
    case BinaryOp::kGreater:
      return compared(If::kGreater, i);
    case BinaryOp::kGreaterEqual:
      return compared(If::kNotLess, i);
    case BinaryOp::kMaximum:
      return chosen_integer(If::kNotLess, i);
    case BinaryOp::kMinimum:
      return chosen_integer(If::kNotGreater, i);
    case BinaryOp::kLeftShift:
      return shifted(true, i);
    case BinaryOp::kRightShift:
      return shifted(false, i);
    default:
      return false;
  }
}

bool Formulas::arithmetic(Op op, bool is_double, const Instr& i) {
  const unsigned x = w_.real(i.a, is_double), y = w_.real(i.b, is_double), r = w_.new_real();
  a_.op(Op::kMovaps, r, x);
  a_.op(scalar(op, is_double), r, y);
  w_.define_real(i.dst, r, is_double);
  return true;
}

void Formulas::compare(unsigned x, unsigned y, bool is_double) {
  a_.op(is_double ? Op::kCompareDouble : Op::kCompareFloat, x, y);
}

// Of NaN every comparison is false but the one that something is not equal. "Above" is false of NaN, so that a < b is
// asked as b > a.
bool Formulas::compared_reals(BinaryOp op, bool is_double, const Instr& i) {
  const unsigned x = w_.real(i.a, is_double), y = w_.real(i.b, is_double);
  const Gpr r = w_.new_integer();
  switch (op) {
    case BinaryOp::kEqual:
    case BinaryOp::kNotEqual: {
      const bool equal = op == BinaryOp::kEqual;
      compare(x, y, is_double);
      a_.set(equal ? If::kEqual : If::kNotEqual, r);
      a_.set(equal ? If::kOrdered : If::kUnordered, rax);
      a_.op(equal ? Op::kAnd : Op::kOr, r, static_cast<unsigned>(rax));
      break;
    }
    case BinaryOp::kLess:
    case BinaryOp::kLessEqual:
      compare(y, x, is_double);
      a_.set(op == BinaryOp::kLess ? If::kAbove : If::kNotBelow, r);
      break;
    default:
      compare(x, y, is_double);
      a_.set(op == BinaryOp::kGreater ? If::kAbove : If::kNotBelow, r);
  }
  w_.define(i.dst, r, true);
  return true;
}

// NaN wins; of equal operands the first.
bool Formulas::chosen(bool larger, bool is_double, const Instr& i) {
  const unsigned x = w_.real(i.a, is_double), y = w_.real(i.b, is_double), r = w_.new_real();
  const Label done = a_.label();
  a_.op(Op::kMovaps, r, x);
  compare(larger ? x : y, larger ? y : x, is_double);
  a_.jump(If::kNotBelow, done);
  compare(x, x, is_double);
  a_.jump(If::kUnordered, done);
  a_.op(Op::kMovaps, r, y);
  a_.bind(done);
  w_.define_real(i.dst, r, is_double);
  return true;
}

bool Formulas::real_binary(BinaryOp op, bool is_double, const Instr& i) {
  switch (op) {
    case BinaryOp::kAdd:
      return arithmetic(Op::kAdds, is_double, i);
    case BinaryOp::kSub:
      return arithmetic(Op::kSubs, is_double, i);
    case BinaryOp::kMul:
      return arithmetic(Op::kMuls, is_double, i);
    case BinaryOp::kDiv:
      return arithmetic(Op::kDivs, is_double, i);
    case BinaryOp::kEqual:
    case BinaryOp::kNotEqual:
    case BinaryOp::kLess:
    case BinaryOp::kLessEqual:
    case BinaryOp::kGreater:
    case BinaryOp::kGreaterEqual:
      return compared_reals(op, is_double, i);
    case BinaryOp::kMaximum:
    case BinaryOp::kMinimum:
      return chosen(op == BinaryOp::kMaximum, is_double, i);
    default:
      return false;
  }
}

// ---- conversions, and the arithmetic of Python's numbers

bool Formulas::conversion(uint32_t from, uint32_t to, const Instr& i) {
  if (from > kInt && to > kInt) {
    const unsigned x = w_.real(i.a, from == kDoubleSlot), r = w_.new_real();
    a_.op(Op::kXorps, r, r);
    a_.op(scalar(Op::kConvert, from == kDoubleSlot), r, x);
    w_.define_real(i.dst, r, to == kDoubleSlot);
    return true;
  }
  if (from > kInt) return false;
  const Gpr x = from == kBool ? w_.truth(i.a) : w_.integer(i.a);
  if (to > kInt) {
    const unsigned r = w_.new_real();
    a_.op(Op::kXorps, r, r);
    a_.op(scalar(Op::kFromInt, to == kDoubleSlot), r, static_cast<unsigned>(x));
    w_.define_real(i.dst, r, to == kDoubleSlot);
    return true;
  }
  const Gpr r = w_.new_integer();
  if (to == kBool) {
    a_.op(Op::kTest, x, static_cast<unsigned>(x));
    a_.set(If::kNotEqual, r);
  } else {
    a_.move(r, x);
  }
  w_.define(i.dst, r, to == kBool);
  return true;
}

bool Formulas::checked(BinaryOp op, const Instr& i) {
  if (op != BinaryOp::kDiv) {
    return combined(op == BinaryOp::kAdd ? Op::kAdd : op == BinaryOp::kSub ? Op::kSub : Op::kImul, i, true);
  }
  const unsigned y = w_.real(i.b, true);
  const Label fine = a_.label();
  a_.op(Op::kXorps, 0, 0u);
  compare(y, 0, true);
  a_.jump(If::kUnordered, fine);
  a_.jump(If::kEqual, slow_());
  a_.bind(fine);
  return arithmetic(Op::kDivs, true, i);
}

}  // namespace minds::runtime::machine
