#include "runtime/machine/assembler.h"

#include <cstring>

namespace minds::runtime::machine {

void Assembler::int32(uint32_t v) {
  for (int k = 0; k < 4; ++k) byte(v >> (8 * k) & 0xff);
}

// Prefix, REX and opcode.
void Assembler::start(Op op, unsigned reg, unsigned rm, bool byte_rm) {
  const auto bits = static_cast<uint32_t>(op);
  if (const unsigned prefix = bits >> 16 & 0xff) byte(prefix);
  const unsigned rex = (bits >> 24 & 1) << 3 | (reg >> 3) << 2 | rm >> 3;
  // Without REX the numbers 4 to 7 of registers of one byte mean ah to bh.
  const bool one_byte = (bits >> 25 & 1) && (byte_rm ? rm : reg) >= 4;
  if (rex != 0 || one_byte) byte(0x40 | rex);
  if (bits & 0xff00) byte(bits >> 8 & 0xff);
  byte(bits & 0xff);
}

void Assembler::place(unsigned reg, Mem m) {
  const bool small = m.offset >= -128 && m.offset < 128;
  byte((small ? 0x40u : 0x80u) | (reg & 7) << 3 | (m.base & 7));
  if ((m.base & 7) == rsp) byte(0x24);
  if (small) {
    byte(static_cast<uint8_t>(m.offset));
  } else {
    int32(static_cast<uint32_t>(m.offset));
  }
}

void Assembler::op(Op op, unsigned reg, Mem m) {
  start(op, reg, m.base);
  place(reg, m);
}

void Assembler::op(Op op, unsigned reg, unsigned rm) {
  start(op, reg, rm, true);
  byte(0xc0 | (reg & 7) << 3 | (rm & 7));
}

void Assembler::constant(Gpr r, uint64_t value) {
  if (value == 0) return op(Op::kXor32, r, static_cast<unsigned>(r));
  const bool small = value >> 32 == 0;
  if (!small || r >= 8) byte(0x40 | (small ? 0u : 8u) | r >> 3);
  byte(0xb8 | (r & 7));
  int32(static_cast<uint32_t>(value));
  if (!small) int32(static_cast<uint32_t>(value >> 32));
}

void Assembler::store_constant(Mem m, int32_t value) {
  op(static_cast<Op>(0x10000c7), 0, m);
  int32(static_cast<uint32_t>(value));
}

void Assembler::compare_constant(Mem m, int8_t value) {
  op(static_cast<Op>(0x1000083), 7, m);
  byte(static_cast<uint8_t>(value));
}

void Assembler::compare_byte(Mem m, int8_t value) {
  op(static_cast<Op>(0x80), 7, m);
  byte(static_cast<uint8_t>(value));
}

void Assembler::compare(Gpr r, int8_t value) {
  wide(0x83, 7, r);
  byte(static_cast<uint8_t>(value));
}

void Assembler::subtract(Mem m, int8_t value) {
  op(static_cast<Op>(0x1000083), 5, m);
  byte(static_cast<uint8_t>(value));
}

void Assembler::add(Gpr r, int32_t value) {
  wide(0x81, 0, r);
  int32(static_cast<uint32_t>(value));
}

void Assembler::exclusive_or(Gpr r, int8_t value) {
  wide(0x83, 6, r);
  byte(static_cast<uint8_t>(value));
}

void Assembler::wide(unsigned opcode, unsigned group, Gpr r) {
  op(static_cast<Op>(0x1000000 | opcode), group, static_cast<unsigned>(r));
}

void Assembler::negate(Gpr r) { wide(0xf7, 3, r); }
void Assembler::invert(Gpr r) { wide(0xf7, 2, r); }
void Assembler::divide(Gpr by) {
  byte(0x48);
  byte(0x99);  // the sign of rax into rdx
  wide(0xf7, 7, by);
}

void Assembler::shift(Gpr r, bool left) { wide(0xd3, left ? 4 : 7, r); }

void Assembler::shift_right(Gpr r, uint8_t by) {
  wide(0xc1, 7, r);
  byte(by);
}

void Assembler::keep_bits(Gpr r, int32_t mask) {
  wide(0x81, 4, r);
  int32(static_cast<uint32_t>(mask));
}

void Assembler::multiply_wide(Gpr by) { wide(0xf7, 5, by); }

void Assembler::set(If c, Gpr r) {
  op(static_cast<Op>(0x2000f90 | static_cast<unsigned>(c)), 0, static_cast<unsigned>(r));
  op(Op::kByteToInt, r, static_cast<unsigned>(r));
}

void Assembler::call(Gpr r) { op(static_cast<Op>(0xff), 2, static_cast<unsigned>(r)); }
void Assembler::jump(Gpr r) { op(static_cast<Op>(0xff), 4, static_cast<unsigned>(r)); }

void Assembler::push(Gpr r) {
  if (r >= 8) byte(0x41);
  byte(0x50 | (r & 7));
}

void Assembler::pop(Gpr r) {
  if (r >= 8) byte(0x41);
  byte(0x58 | (r & 7));
}

void Assembler::ret() { byte(0xc3); }

Label Assembler::label() {
  labels_.push_back(0);
  return {static_cast<uint32_t>(labels_.size() - 1)};
}

void Assembler::bind(Label l) { labels_[l.number] = code_.size(); }

void Assembler::distance(Label l) {
  holes_.push_back({code_.size(), l.number});
  int32(0);
}

void Assembler::jump(Label l) {
  byte(0xe9);
  distance(l);
}

void Assembler::jump(If c, Label l) {
  byte(0x0f);
  byte(0x80 | static_cast<unsigned>(c));
  distance(l);
}

void Assembler::address(Gpr r, Label l) {
  start(Op::kLea, r, 0);
  byte((r & 7) << 3 | 5);
  distance(l);
}

void Assembler::finish() {
  for (const Hole& h : holes_) {
    const auto by = static_cast<int32_t>(static_cast<int64_t>(labels_[h.label]) - static_cast<int64_t>(h.at + 4));
    std::memcpy(&code_[h.at], &by, sizeof(by));
  }
  holes_.clear();
}

}  // namespace minds::runtime::machine
