// Machine code of the instructions on words.
#pragma once
#include <functional>

#include "runtime/machine/words.h"
#include "runtime/program.h"

namespace minds::runtime::machine {

class Formulas {
 public:
  // `slow` gives a place to jump to where the interpreter's formula is to be used instead.
  Formulas(Assembler& a, Words& w, std::function<Label()> slow) : a_(a), w_(w), slow_(std::move(slow)) {}

  // False, and no code, where there is none.
  bool emit(const Instr& i);
  // How an instruction on words reads its operands, `a` and of `two` also `b`.
  static Words::Form reads(const Instr& i, bool& two);

 private:
  bool unary(UnaryOp op, uint32_t slot, const Instr& i);
  bool real_unary(UnaryOp op, bool is_double, const Instr& i);
  bool integer_unary(UnaryOp op, const Instr& i);
  bool binary(BinaryOp op, uint32_t slot, const Instr& i);
  bool real_binary(BinaryOp op, bool is_double, const Instr& i);
  bool integer_binary(BinaryOp op, const Instr& i);
  bool truth_binary(BinaryOp op, const Instr& i);
  bool conversion(uint32_t from, uint32_t to, const Instr& i);
  bool checked(BinaryOp op, const Instr& i);
  bool arithmetic(Op op, bool is_double, const Instr& i);
  bool combined(Op op, const Instr& i, bool checks);
  bool compared(If c, const Instr& i);
  bool compared_reals(BinaryOp op, bool is_double, const Instr& i);
  bool chosen(bool larger, bool is_double, const Instr& i);
  bool chosen_integer(If keeps, const Instr& i);
  bool shifted(bool left, const Instr& i);
  unsigned masked(Op op, uint64_t mask, bool is_double, const Instr& i);
  void compare(unsigned x, unsigned y, bool is_double);

  Assembler& a_;
  Words& w_;
  std::function<Label()> slow_;
};

}  // namespace minds::runtime::machine
