#include "cpu/assembled/groups.h"

#include <algorithm>
#include <limits>

namespace minds::cpu::assembled {
namespace {

using Kind = Source::Kind;

Source elements(unsigned item, unsigned way) { return {Kind::kElements, item, way}; }
Source constant(uint32_t bits) { return {Kind::kConstant, bits, 0}; }

}  // namespace

void Groups::input(size_t value, DType t, bool number, size_t k) {
  Home& h = homes_[value];
  h.dtype = t;
  h.input = true;
  h.number = number;
  h.at = k;
}

// ---- who is where

size_t Groups::next_reader(const Home& h) const {
  const auto next = std::lower_bound(h.readers.begin(), h.readers.end(), step_);
  return next == h.readers.end() ? std::numeric_limits<size_t>::max() : *next;
}

// A free group, for which that value makes room which is needed last.
Group Groups::room() {
  Group best = target_.groups;
  size_t latest = 0;
  for (Group g = 0; g < target_.groups; ++g) {
    if (holders_[g].state == State::kFree) return g;
    if (holders_[g].state == State::kBusy) continue;
    const size_t next = next_reader(homes_[static_cast<size_t>(holders_[g].value)]);
    if (best == target_.groups || next > latest) {
      best = g;
      latest = next;
    }
  }
  evict(best);
  return best;
}

void Groups::evict(Group g) {
  Home& h = homes_[static_cast<size_t>(holders_[g].value)];
  if (!h.input && h.slot == kNone) {
    h.slot = static_cast<int>(slots_);
    slots_ += target_.ways;
    for (unsigned w = 0; w < target_.ways; ++w) {
      code_.op(Op::kStore, vector(g, w), 0, {Kind::kSlot, static_cast<uint32_t>(h.slot) + w, w});
    }
  }
  h.group = kNone;
  holders_[g] = {};
}

Group Groups::get(size_t value) {
  Home& h = homes_[value];
  if (h.group == kNone) {
    const Group g = room();
    load(h, g);
    h.group = static_cast<int>(g);
    holders_[g].value = static_cast<int>(value);
  }
  const auto g = static_cast<Group>(h.group);
  holders_[g].state = State::kBusy;
  return g;
}

Group Groups::define(size_t value) {
  const Group g = room();
  homes_[value].group = static_cast<int>(g);
  holders_[g] = {State::kBusy, static_cast<int>(value)};
  return g;
}

Group Groups::spare() {
  const Group g = room();
  holders_[g] = {State::kBusy, kNone};
  return g;
}

void Groups::give_back(Group g) { holders_[g] = {}; }

void Groups::end_step(size_t step) {
  step_ = step + 1;
  for (Holder& h : holders_) {
    if (h.state == State::kFree) continue;
    if (h.value != kNone && next_reader(homes_[static_cast<size_t>(h.value)]) != std::numeric_limits<size_t>::max()) {
      h.state = State::kHeld;
      continue;
    }
    if (h.value != kNone) homes_[static_cast<size_t>(h.value)].group = kNone;
    h = {};
  }
}

void Groups::load(const Home& h, Group g) {
  if (h.input) code_.pointer(h.at);
  for (unsigned w = 0; w < target_.ways; ++w) {
    const unsigned r = vector(g, w);
    if (!h.input) {
      code_.op(Op::kLoad, r, 0, {Kind::kSlot, static_cast<uint32_t>(h.slot) + w, w});
      continue;
    }
    switch (h.dtype) {
      case DType::kFloat16:
        if (h.number) code_.op(Op::kSpreadWord, r, 0, {Kind::kNumber, 0, 0});
        code_.op(Op::kWidenHalf, r, 0, h.number ? reg(g, w) : elements(2, w));
        break;
      case DType::kBFloat16:
        code_.op(h.number ? Op::kSpreadWord : Op::kLoadWords, r, 0, h.number ? Source{Kind::kNumber, 0, 0} : elements(2, w));
        code_.op(Op::kShift, static_cast<unsigned>(Shift::kLeft), r, reg(g, w), 16);
        break;
      case DType::kBool:
        load_truths(r, w);
        break;
      default:
        code_.op(h.number ? Op::kSpread : Op::kLoad, r, 0, h.number ? Source{Kind::kNumber, 0, 0} : elements(4, w));
    }
  }
}

// ---- instructions

void Groups::op(Op o, Group d, Group a, Group b, int immediate, bool one) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    code_.op(o, vector(d, w), one ? 0 : vector(a, w), reg(b, w), immediate);
  }
}

void Groups::op(Op o, Group d, Group a, Group b, int immediate) { op(o, d, a, b, immediate, false); }

void Groups::with(Op o, Group d, Group a, uint32_t bits, int immediate) {
  for (unsigned w = 0; w < target_.ways; ++w) code_.op(o, vector(d, w), vector(a, w), constant(bits), immediate);
}

void Groups::fill(Group d, float number) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    code_.op(Op::kSpread, vector(d, w), 0, constant(__builtin_bit_cast(uint32_t, number)));
  }
}

void Groups::shift(Shift how, Group d, Group a, int by) {
  for (unsigned w = 0; w < target_.ways; ++w) {
    code_.op(Op::kShift, static_cast<unsigned>(how), vector(d, w), reg(a, w), by);
  }
}

// ---- 16-bit floats

void Groups::round_to(DType t, Group g) {
  if (t == DType::kFloat16) {
    for (unsigned w = 0; w < target_.ways; ++w) code_.op(Op::kNarrowHalf, vector(g, w), 0, reg(g, w), 0);
    return op(Op::kWidenHalf, g, g);
  }
  // To the nearest, half to even; a NaN becomes a quiet one.
  const Group u = spare();
  shift(Shift::kRight, u, g, 16);
  with(Op::kAnd, u, u, 1u);
  op(Op::kAddInt, u, u, g);
  with(Op::kAddInt, u, u, 0x7fffu);
  compare(0, Compare::kUnordered, g, g);
  merge_with(Op::kOr, u, 0, g, 0x400000u);
  with(Op::kAnd, g, u, 0xffff0000u);
  give_back(u);
}

void Groups::store(Group g, DType t, size_t k) {
  const bool copies = t == DType::kBFloat16 || t == DType::kBool;
  const Group from = copies ? spare() : g;
  if (t == DType::kBFloat16) shift(Shift::kRight, from, g, 16);
  if (t == DType::kBool) shift(Shift::kRight, from, g, 31);
  code_.pointer(k);
  for (unsigned w = 0; w < target_.ways; ++w) {
    const unsigned r = vector(from, w);
    if (t == DType::kFloat16) {
      code_.op(Op::kNarrowHalf, r, 0, elements(2, w), 0);
    } else if (copies) {
      store_packed(r, t, w);
    } else {
      code_.op(Op::kStore, r, 0, elements(4, w));
    }
  }
  if (copies) give_back(from);
}

}  // namespace minds::cpu::assembled
