// Encodes the few instructions of x86-64 that the machine code of programs is made of.
//
// An instruction is its opcode with what goes before it, a register and a register or a place in memory. Jumps go to
// labels; everything is relative to the code itself, so it may lie anywhere.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minds::runtime::machine {

enum Gpr : uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };

struct Mem {
  Gpr base;
  int32_t offset;
};

struct Label {
  uint32_t number;
};

// Bits 0-15 the opcode (0x0fXX: two bytes), 16-23 a prefix, 24 that operands of 64 bits are meant, 25 that the register
// is one byte.
enum class Op : uint32_t {
  kLoad = 0x100008b,
  kStore = 0x1000089,
  kLoad32 = 0x8b,
  kStore32 = 0x89,
  kStore8 = 0x2000088,
  kLoadByte = 0x0fb6,  // zero extended
  kByteToInt = 0x2000fb6,
  kLea = 0x100008d,
  kAdd = 0x1000003,
  kSub = 0x100002b,
  kAnd = 0x1000023,
  kOr = 0x100000b,
  kXor = 0x1000033,
  kXor32 = 0x33,
  kCmp = 0x100003b,
  kTest = 0x1000085,
  kTest32 = 0x85,
  kImul = 0x1000faf,
  kMovups = 0x0f10,
  kMovupsStore = 0x0f11,
  kMovaps = 0x0f28,
  kMovqTo = 0x1660f6e,  // to an xmm register
  kXorps = 0x0f57,
  kAndps = 0x0f54,
  // Of floats and doubles: kFloat or kDouble is added.
  kMovs = 0x0f10,
  kMovsStore = 0x0f11,
  kSqrts = 0x0f51,
  kAdds = 0x0f58,
  kMuls = 0x0f59,
  kSubs = 0x0f5c,
  kDivs = 0x0f5e,
  kFromInt = 0x1000f2a,
  kConvert = 0x0f5a,  // between the two; it is the source's prefix
  kCompareFloat = 0x0f2e,
  kCompareDouble = 0x660f2e,
};

constexpr Op scalar(Op op, bool is_double) {
  return static_cast<Op>(static_cast<uint32_t>(op) | (is_double ? 0xf20000u : 0xf30000u));
}

// The condition codes of jumps and of setcc.
enum class If : uint8_t {
  kOverflow = 0,
  kBelow = 2,
  kNotBelow = 3,
  kEqual = 4,
  kNotEqual = 5,
  kNotAbove = 6,
  kAbove = 7,
  kNegative = 8,
  kNotNegative = 9,
  kUnordered = 10,
  kOrdered = 11,
  kLess = 12,
  kNotLess = 13,
  kNotGreater = 14,
  kGreater = 15,
};

class Assembler {
 public:
  size_t size() const { return code_.size(); }
  const std::vector<uint8_t>& code() const { return code_; }

  // `reg` and `rm` are numbers of general or of xmm registers, as the opcode says.
  void op(Op op, unsigned reg, Mem m);
  void op(Op op, unsigned reg, unsigned rm);
  void load(Gpr r, Mem m) { op(Op::kLoad, r, m); }
  void store(Mem m, Gpr r) { op(Op::kStore, r, m); }
  void move(Gpr to, Gpr from) { op(Op::kLoad, to, static_cast<unsigned>(from)); }
  void constant(Gpr r, uint64_t value);
  void address(Gpr r, const void* p) { constant(r, reinterpret_cast<uint64_t>(p)); }
  void store_constant(Mem m, int32_t value);  // 64 bits, sign extended
  void compare_constant(Mem m, int8_t value);  // 64 bits
  void compare_byte(Mem m, int8_t value);
  void compare(Gpr r, int8_t value);
  void subtract(Mem m, int8_t value);
  void add(Gpr r, int32_t value);
  void exclusive_or(Gpr r, int8_t value);
  void negate(Gpr r);
  void invert(Gpr r);
  void divide(Gpr by);           // rax, whose rest goes to rdx
  void shift(Gpr r, bool left);  // by cl; to the right with the sign
  void shift_right(Gpr r, uint8_t by);
  void keep_bits(Gpr r, int32_t mask);
  void multiply_wide(Gpr by);  // rax, to 128 bits whose upper half goes to rdx
  void set(If c, Gpr r);         // 0 or 1, in 64 bits
  void call(Gpr r);
  void jump(Gpr r);
  void push(Gpr r);
  void pop(Gpr r);
  void ret();

  Label label();
  void bind(Label l);
  void jump(Label l);
  void jump(If c, Label l);
  void address(Gpr r, Label l);
  size_t where(Label l) const { return labels_[l.number]; }
  // All labels are bound: fills in the distances.
  void finish();

 private:
  void byte(unsigned b) { code_.push_back(static_cast<uint8_t>(b)); }
  void int32(uint32_t v);
  void start(Op op, unsigned reg, unsigned rm, bool byte_rm = false);
  void place(unsigned reg, Mem m);
  void wide(unsigned opcode, unsigned group, Gpr r);  // of one 64-bit register
  void distance(Label l);

  std::vector<uint8_t> code_;
  std::vector<size_t> labels_;
  struct Hole {
    size_t at;
    uint32_t label;
  };
  std::vector<Hole> holes_;
};

}  // namespace minds::runtime::machine
