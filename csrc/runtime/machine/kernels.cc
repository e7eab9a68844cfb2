// Small kernels in machine code: those that are spelled as steps on single elements, and reads of elements by index.
#include <bit>

#include "runtime/machine/compiler.h"

namespace minds::runtime::machine {
namespace {

constexpr uint32_t kMostRow = 8;  // elements that an index reads

Mem part(Mem m, size_t offset) { return {m.base, m.offset + static_cast<int32_t>(offset)}; }
bool is_real(DType t) { return t == DType::kFloat32 || t == DType::kFloat64; }

// x / d for x >= 0, rounded down, is the upper half of the product x * factor, shifted; of x < 0 it is the largest integer
// below the quotient. Of d in [2, 2^31). (Warren, Hacker's Delight, 2nd edition, 10-1.)
struct Magic {
  uint64_t factor;
  uint8_t shift;
};

Magic magic_of(uint64_t d) {
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  const uint64_t most = kHalf - 1 - kHalf % d;
  uint8_t p = 63;
  uint64_t q = kHalf / most, r = kHalf % most, factor = kHalf / d, rest = kHalf % d, delta = 0;
  do {
    ++p;
    q = 2 * q + (2 * r >= most);
    r = 2 * r >= most ? 2 * r - most : 2 * r;
    factor = 2 * factor + (2 * rest >= d);
    rest = 2 * rest >= d ? 2 * rest - d : 2 * rest;
    delta = d - rest;
  } while (q < delta || (q == delta && r == 0));
  return {factor + 1, static_cast<uint8_t>(p - 64)};
}

}  // namespace

// What a kernel is spelled as, if all of its steps have machine code.
const Elements* Compiler::spelled(uint32_t kernel) {
  std::unique_ptr<Elements>& known = elements_[kernel];
  if (known == nullptr) {
    known = std::make_unique<Elements>();
    bool fits = spell(p_, p_.kernels[kernel], attrs_[kernel], *known);
    Assembler draft;
    Words words(draft, rsp, 0);
    for (uint32_t n = 0; fits && n < known->nodes.size(); ++n) {
      const Node& node = known->nodes[n];
      if (node.kind != Node::Kind::kFormula) continue;
      Formulas formulas(draft, words, [&] {
        fits = false;
        return draft.label();
      });
      fits = formulas.emit(formula_of(node, n)) && fits;
    }
    if (!fits) known->results.clear();
  }
  return known->results.empty() ? nullptr : known.get();
}

Instr Compiler::formula_of(const Node& node, uint32_t number) {
  Instr i{};
  i.scalar = kScalarBase + node.number;
  i.a = node.a;
  i.b = node.b;
  i.dst = number;
  return i;
}

// Where an operand's elements begin; takes `spare` for an address.
Mem Compiler::place_of(const Operand& o, Gpr spare) {
  switch (o.place) {
    case Place::kWord:
      return words_.at(o.index);
    case Place::kArena:
      return {r14, static_cast<int32_t>(o.index * kAlignment)};
    case Place::kConstant:
      a_.address(spare, p_.constants[o.index].data());
      return {spare, 0};
    default:
      a_.load(spare, object(o.index));
      return {spare, 0};
  }
}

bool Compiler::kernel(const Instr& i) {
  const PreparedKernel& k = p_.kernels[i.target];
  if (k.name == "python_number") return divide(i);
  if (k.name == "gather_nd" || k.name == "gather") return gather(i);
  const Elements* e = spelled(i.target);
  if (e == nullptr) return false;
  const Operand* out = p_.operands.data() + i.out.begin;
  bool pooled = false;
  for (uint32_t n = 0; n < i.out.size; ++n) {
    if (out[n].place == Place::kParam) return false;
    pooled |= out[n].place == Place::kPool;
  }
  words_.forget();
  const Label done = a_.label();
  const std::vector<bool> held = held_;
  if (in_place(*e, i, done)) held_ = held;
  if (pooled) {
    a_.address(rdx, &i);
    call_out(reinterpret_cast<const void*>(&Calls::make_room));
    a_.op(Op::kTest32, rax, static_cast<unsigned>(rax));
    a_.jump(If::kNotEqual, failed_);
  }
  Words scratch(a_, rsp, 0);
  nodes(*e, i, scratch);
  for (uint32_t n = 0; n < i.out.size; ++n) {
    Mem to{r10, 0};
    if (out[n].place == Place::kPool) {
      a_.load(r10, MINDS_AT(r12, Shared, out));
      a_.load(r10, {r10, 8 * static_cast<int32_t>(n)});
    } else {
      to = place_of(out[n], r10);
    }
    put_elements(to, *e, e->results[n], scratch);
  }
  if (pooled) {
    a_.address(rdx, &i);
    call_out(reinterpret_cast<const void*>(&Calls::put_away));
    note(i);
  } else {
    release_moved(i);
  }
  a_.bind(done);
  return true;
}

// The kernel where its one result takes the place of an operand, then a jump to `done`; goes on behind that where it may
// not. False, and no code: there is no such operand.
bool Compiler::in_place(const Elements& e, const Instr& i, Label done) {
  const Operand *in = p_.operands.data() + i.in.begin, *out = p_.operands.data() + i.out.begin;
  const uint32_t donor = i.out.size == 1 && out->place == Place::kPool ? p_.indices[i.donors.begin] : 0;
  if (donor == 0 || in[donor - 1].place != Place::kMove) return false;
  const uint32_t given = in[donor - 1].index;
  const Label otherwise = a_.label();
  a_.op(Op::kLea, rdi, object(given));
  a_.constant(rsi, p_.types[p_.kernels[i.target].out[0]].bytes);
  a_.address(rax, reinterpret_cast<const void*>(&Calls::may_take));
  a_.call(rax);
  a_.op(Op::kTest32, rax, static_cast<unsigned>(rax));
  a_.jump(If::kEqual, otherwise);
  Words scratch(a_, rsp, 0);
  nodes(e, i, scratch);  // all operands are read before anything is written
  a_.load(r10, object(given));
  put_elements({r10, 0}, e, e.results[0], scratch);
  a_.op(Op::kMovups, 0, object(given));
  a_.op(Op::kMovupsStore, 0, object(out->index));
  a_.op(Op::kXorps, 0, 0u);
  a_.op(Op::kMovupsStore, 0, object(given));
  release_moved(i);
  a_.jump(done);
  a_.bind(otherwise);
  return true;
}

void Compiler::release_moved(const Instr& i) {
  for (uint32_t n = 0; n < i.in.size; ++n) {
    const Operand& o = p_.operands[i.in.begin + n];
    if (o.place != Place::kMove) continue;
    release(o.index);
    held_[o.index] = false;
  }
}

// Node n is word n of the machine's stack.
void Compiler::nodes(const Elements& e, const Instr& i, Words& scratch) {
  for (uint32_t n = 0; n < e.nodes.size(); ++n) {
    const Node& node = e.nodes[n];
    switch (node.kind) {
      case Node::Kind::kInput: {
        const Mem from = place_of(p_.operands[i.in.begin + node.a], r10);
        take_element(part(from, node.b * item_size(node.dtype)), node.dtype, n, scratch);
        break;
      }
      case Node::Kind::kZero:
        if (is_real(node.dtype)) {
          const unsigned r = scratch.new_real();
          a_.op(Op::kXorps, r, r);
          scratch.define_real(n, r, node.dtype == DType::kFloat64);
        } else {
          const Gpr r = scratch.new_integer();
          a_.constant(r, 0);
          scratch.define(n, r);
        }
        break;
      case Node::Kind::kFormula:
        Formulas(a_, scratch, [] { return Label{}; }).emit(formula_of(node, n));
        break;
      case Node::Kind::kSelect:
        choose(node, n, scratch);
    }
  }
}

void Compiler::take_element(Mem from, DType t, uint32_t n, Words& scratch) {
  if (is_real(t)) {
    const unsigned r = scratch.new_real();
    a_.op(scalar(Op::kMovs, t == DType::kFloat64), r, from);
    return scratch.define_real(n, r, t == DType::kFloat64);
  }
  const Gpr r = scratch.new_integer();
  if (t == DType::kBool) {
    a_.compare_byte(from, 0);
    a_.set(If::kNotEqual, r);
  } else {
    a_.op(item_size(t) == 8 ? Op::kLoad : Op::kLoad32, r, from);
  }
  scratch.define(n, r, t == DType::kBool);
}

void Compiler::choose(const Node& node, uint32_t n, Words& scratch) {
  const Label done = a_.label();
  const Gpr which = scratch.truth(node.a);
  if (is_real(node.dtype)) {
    const bool is_double = node.dtype == DType::kFloat64;
    const unsigned x = scratch.real(node.b, is_double), y = scratch.real(node.c, is_double), r = scratch.new_real();
    a_.op(Op::kMovaps, r, x);
    a_.op(Op::kTest, which, static_cast<unsigned>(which));
    a_.jump(If::kNotEqual, done);
    a_.op(Op::kMovaps, r, y);
    a_.bind(done);
    return scratch.define_real(n, r, is_double);
  }
  const bool truth = node.dtype == DType::kBool;
  const Gpr x = truth ? scratch.truth(node.b) : scratch.integer(node.b);
  const Gpr y = truth ? scratch.truth(node.c) : scratch.integer(node.c);
  const Gpr r = scratch.new_integer();
  a_.move(r, x);
  a_.op(Op::kTest, which, static_cast<unsigned>(which));
  a_.jump(If::kNotEqual, done);
  a_.move(r, y);
  a_.bind(done);
  scratch.define(n, r, truth);
}

void Compiler::put_elements(Mem to, const Elements& e, const std::vector<uint32_t>& result, Words& scratch) {
  for (size_t k = 0; k < result.size(); ++k) {
    const DType t = e.nodes[result[k]].dtype;
    const Mem at = part(to, k * item_size(t));
    if (is_real(t)) {
      a_.op(scalar(Op::kMovsStore, t == DType::kFloat64), scratch.real(result[k], t == DType::kFloat64), at);
    } else if (t == DType::kBool) {
      a_.op(Op::kStore8, scratch.truth(result[k]), at);
    } else {
      a_.op(item_size(t) == 8 ? Op::kStore : Op::kStore32, scratch.integer(result[k]), at);
    }
  }
}

// Python's // and % of ints: the quotient is rounded down, the rest has the divisor's sign. What divides by 0 or -1 is
// the interpreter's.
bool Compiler::divide(const Instr& i) {
  const PreparedKernel& k = p_.kernels[i.target];
  const std::string& name = attrs_[i.target].str("operation");
  const bool quotient = name == "floor_divide";
  if (k.in.size() != 2 || (!quotient && name != "mod") || p_.types[k.in[0]].spec.dtype != DType::kInt64) return false;
  const Operand* in = p_.operands.data() + i.in.begin;
  if (const int64_t d = known_divisor(*f_, i); d != 0) {
    divide_by(d, quotient, in[0].index, p_.operands[i.out.begin].index);
    return true;
  }
  const Label slow = a_.label(), done = a_.label();
  const Gpr x = words_.integer(in[0].index), y = words_.integer(in[1].index), r = words_.new_integer();
  a_.move(rcx, y);
  a_.add(rcx, 1);
  a_.compare(rcx, 1);
  a_.jump(If::kNotAbove, slow);
  a_.move(rax, x);
  a_.divide(y);
  a_.op(Op::kTest, rdx, static_cast<unsigned>(rdx));
  a_.jump(If::kEqual, done);
  a_.move(rcx, rdx);
  a_.op(Op::kXor, rcx, static_cast<unsigned>(y));
  a_.jump(If::kNotNegative, done);
  quotient ? a_.add(rax, -1) : a_.op(Op::kAdd, rdx, static_cast<unsigned>(y));
  a_.bind(done);
  a_.move(r, quotient ? rax : rdx);
  words_.define(p_.operands[i.out.begin].index, r);
  back_from_step(slow, i);
  return true;
}

// What an instruction of `g` divides an int by, if that is the same in all runs and needs no division; else 0.
int64_t Compiler::known_divisor(const Function& g, const Instr& i) const {
  if (i.scalar >= kScalarBase || i.op != Opcode::kRun || p_.kernels[i.target].name != "python_number") return 0;
  const PreparedKernel& k = p_.kernels[i.target];
  const std::string& name = attrs_[i.target].str("operation");
  if (k.in.size() != 2 || (name != "floor_divide" && name != "mod")) return 0;
  const Operand &x = p_.operands[i.in.begin], &by = p_.operands[i.in.begin + 1], &out = p_.operands[i.out.begin];
  const bool words = x.place == Place::kWord && by.place == Place::kWord && out.place == Place::kWord;
  if (!words || p_.types[k.in[0]].spec.dtype != DType::kInt64 || by.index < g.param_words) return 0;
  const size_t constant = by.index - g.param_words;
  const bool stays = entries_[static_cast<size_t>(&g - p_.functions.data())].keeps;
  if (constant >= g.constants.size() || !stays) return 0;
  const uint64_t d = g.constants[constant];
  return d >= 2 && d < uint64_t{1} << 31 ? static_cast<int64_t>(d) : 0;
}

void Compiler::divide_by(int64_t divisor, bool quotient, uint32_t operand, uint32_t result) {
  const Gpr x = words_.integer(operand), r = words_.new_integer();
  if (std::has_single_bit(static_cast<uint64_t>(divisor))) {
    a_.move(rax, x);
    quotient ? a_.shift_right(rax, static_cast<uint8_t>(std::countr_zero(static_cast<uint64_t>(divisor))))
             : a_.keep_bits(rax, static_cast<int32_t>(divisor - 1));
    a_.move(r, rax);
    return words_.define(result, r);
  }
  const Label done = a_.label();
  const Magic m = magic_of(static_cast<uint64_t>(divisor));
  a_.constant(rax, m.factor);
  a_.multiply_wide(x);
  if (static_cast<int64_t>(m.factor) < 0) a_.op(Op::kAdd, rdx, static_cast<unsigned>(x));
  a_.shift_right(rdx, m.shift);
  a_.constant(r10, static_cast<uint64_t>(divisor));
  a_.move(rcx, rdx);
  a_.op(Op::kImul, rcx, static_cast<unsigned>(r10));
  a_.move(rax, x);
  a_.op(Op::kSub, rax, static_cast<unsigned>(rcx));
  a_.op(Op::kCmp, rax, static_cast<unsigned>(r10));
  a_.jump(If::kNotEqual, done);  // of a negative multiple the quotient is one too small
  quotient ? a_.add(rdx, 1) : a_.constant(rax, 0);
  a_.bind(done);
  a_.move(r, quotient ? rdx : rax);
  words_.define(result, r);
}

// x[i, j] and x[i]: one index, and a short row behind it. What counts from the end, or is wrong, is the interpreter's.
bool Compiler::gather(const Instr& i) {
  const PreparedKernel& k = p_.kernels[i.target];
  const Type &x = p_.types[k.in[0]], &index = p_.types[k.in[1]], &result = p_.types[k.out[0]];
  const Operand* in = p_.operands.data() + i.in.begin;
  const Operand& out = p_.operands[i.out.begin];
  const size_t item = item_size(x.spec.dtype);
  const bool by_place = k.name == "gather_nd";
  const size_t places = by_place ? static_cast<size_t>(index.spec.size()) : 1;
  if (x.kind != Kind::kTensor || index.kind != Kind::kTensor || index.spec.dtype != DType::kInt64 ||
      (by_place ? index.spec.shape.size() != 1 : index.spec.size() != 1 || attrs_[i.target].i64("axis") != 0) ||
      places == 0 || places > x.spec.shape.size() || (item != 8 && item != 4) ||
      (out.place != Place::kWord && out.place != Place::kArena) || x.spec.size() == 0) {
    return false;
  }
  const int64_t row = result.spec.size();
  if (row > kMostRow || row == 0) return false;
  const Label slow = a_.label();
  const Mem from = place_of(in[1], r10);
  for (size_t d = 0; d < places; ++d) {
    a_.load(rax, part(from, 8 * d));
    a_.constant(rcx, static_cast<uint64_t>(x.spec.shape[d]));
    a_.op(Op::kCmp, rax, static_cast<unsigned>(rcx));
    a_.jump(If::kNotBelow, slow);
    if (d != 0) a_.op(Op::kImul, r11, static_cast<unsigned>(rcx));
    d == 0 ? a_.move(r11, rax) : a_.op(Op::kAdd, r11, static_cast<unsigned>(rax));
  }
  a_.constant(rcx, static_cast<uint64_t>(row) * item);
  a_.op(Op::kImul, r11, static_cast<unsigned>(rcx));
  a_.op(Op::kLea, r10, place_of(in[0], r10));
  a_.op(Op::kAdd, r10, static_cast<unsigned>(r11));
  const Mem to = place_of(out, r10);
  for (int64_t n = 0; n < row; ++n) {
    const size_t at = static_cast<size_t>(n) * item;
    a_.op(item == 8 ? Op::kLoad : Op::kLoad32, rax, part({r10, 0}, at));
    a_.op(item == 8 ? Op::kStore : Op::kStore32, rax, part(to, at));
  }
  if (out.place == Place::kWord) words_.changed(out.index);
  release_moved(i);
  back_from_step(slow, i);
  return true;
}

}  // namespace minds::runtime::machine
