// What is done where a mask says so, and what else AVX-512 has one instruction for and AVX2 several.
#include "cpu/assembled/groups.h"

namespace minds::cpu::assembled {
namespace {

using Kind = Source::Kind;

constexpr uint32_t kSign = 0x80000000u, kMagnitude = 0x7fffffffu;

Source elements(unsigned item, unsigned way) { return {Kind::kElements, item, way}; }
Source constant(uint32_t bits) { return {Kind::kConstant, bits, 0}; }

// The last byte of kBlendBySign is a register.
int fourth(unsigned r) { return static_cast<int>(r << 4); }

}  // namespace

void Groups::compare(unsigned set, Compare how, Group a, Group b) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    code_.op(Op::kCompare, mask(set, w), vector(a, w), reg(b, w), static_cast<int>(how));
  }
}

void Groups::compare_with(unsigned set, Compare how, Group a, float number) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    code_.op(Op::kCompare, mask(set, w), vector(a, w), constant(__builtin_bit_cast(uint32_t, number)),
             static_cast<int>(how));
  }
}

void Groups::mask_of(unsigned set, Group truth) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    code_.op(target_.wide ? Op::kToMask : Op::kMove, mask(set, w), 0, reg(truth, w));
  }
}

void Groups::truth_of(Group d, unsigned set) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    code_.op(target_.wide ? Op::kFromMask : Op::kMove, vector(d, w), 0, of(mask(set, w)));
  }
}

void Groups::blend(Group d, unsigned set, Group otherwise, Group where) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    const unsigned m = mask(set, w);
    if (target_.wide) {
      code_.op(Op::kBlend, vector(d, w), vector(otherwise, w), reg(where, w), -1, m);
    } else {
      code_.op(Op::kBlendBySign, vector(d, w), vector(otherwise, w), reg(where, w), fourth(m));
    }
  }
}

void Groups::keep_where(Group d, unsigned set, Group a) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    const unsigned m = mask(set, w);
    if (target_.wide) {
      code_.op(Op::kMove, vector(d, w), 0, reg(a, w), -1, m, true);
    } else {
      code_.op(Op::kAnd, vector(d, w), m, reg(a, w));
    }
  }
}

void Groups::merge_with(Op o, Group d, unsigned set, Group a, uint32_t bits) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    const unsigned m = mask(set, w), r = vector(d, w), second = o == Op::kSpread ? 0 : vector(a, w);
    if (target_.wide) {
      code_.op(o, r, second, constant(bits), -1, m);
    } else {
      code_.op(o, kSpare, second, constant(bits));
      code_.op(Op::kBlendBySign, r, r, of(kSpare), fourth(m));
    }
  }
}

void Groups::copy_sign(Group d, Group from) {
  if (target_.wide) return with(Op::kTernary, d, from, kSign, 0xd8);
  for (unsigned w = 0; w < target_.ways; ++w) {
    code_.op(Op::kAnd, kSpare, vector(from, w), constant(kSign));
    code_.op(Op::kAnd, vector(d, w), vector(d, w), constant(kMagnitude));
    code_.op(Op::kOr, vector(d, w), vector(d, w), of(kSpare));
  }
}

// By two powers, since 2^n itself need not be a float; a NaN is in m already, and its n is taken as 0.
void Groups::scale(Group m, Group n, Group shifted) {
  if (target_.wide) return op(Op::kScale, m, m, n);
  const Group half = spare();
  compare(0, Compare::kEqual, n, n);
  with(Op::kSubInt, n, shifted, __builtin_bit_cast(uint32_t, 0x1.8p23f));
  keep_where(n, 0, n);
  shift(Shift::kRightSigned, half, n, 1);
  op(Op::kSubInt, n, n, half);
  for (Group power : {half, n}) {
    with(Op::kAddInt, power, power, 127u);
    shift(Shift::kLeft, power, power, 23);
    op(Op::kMul, m, m, power);
  }
  give_back(half);
}

void Groups::load_truths(unsigned r, unsigned way) {
  code_.op(Op::kLoadBytes, r, 0, elements(1, way));
  if (target_.wide) {
    code_.op(Op::kTest, mask(0, way), r, of(r));
    code_.op(Op::kFromMask, r, 0, of(mask(0, way)));
  } else {
    code_.op(Op::kXor, kSpare, kSpare, of(kSpare));
    code_.op(Op::kGreaterInt, r, r, of(kSpare));
  }
}

// Lanes of 32 bits that hold numbers of 8 or 16.
void Groups::store_packed(unsigned r, DType t, unsigned way) {
  const bool bytes = t == DType::kBool;
  if (target_.wide) return code_.op(bytes ? Op::kStoreBytes : Op::kStoreWords, r, 0, elements(bytes ? 1 : 2, way));
  code_.op(Op::kPackWords, r, r, of(r));
  code_.op(Op::kPermute, r, 0, of(r), 0x08);
  if (bytes) code_.op(Op::kPackBytes, r, r, of(r));
  code_.op(bytes ? Op::kStoreQuarter : Op::kStoreHalf, r, 0, elements(bytes ? 1 : 2, way));
}

}  // namespace minds::cpu::assembled
