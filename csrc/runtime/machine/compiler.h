// From the instructions of a program to machine code, function by function, in one pass.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "runtime/machine/elements.h"
#include "runtime/machine/formulas.h"
#include "runtime/machine/machine.h"

// A member of what a register points at.
#define MINDS_AT(base, type, field) \
  Mem { base, static_cast<int32_t>(offsetof(type, field)) }

namespace minds::runtime::machine {

// A program of which no function is too large; what is larger is left to the interpreter.
constexpr size_t kMostInstructions = 1 << 12, kMostSlots = 1 << 12;
// Bytes of code: a short function may make many large frames, and jumps reach 2 GiB.
constexpr size_t kMostCode = size_t{64} << 20;
constexpr int32_t kScratch = 128;  // words of the machine's stack, for tail calls and the steps of kernels
static_assert(Elements::kMostNodes <= kScratch);

class Compiler {
 public:
  Compiler(Program& p, const std::vector<Attrs>& attrs);
  // The code of all functions; they point into it from now on. nullptr: it is too large, or the system has no memory for
  // it.
  std::unique_ptr<Code> compile();

 private:
  // Code that is rarely needed, behind the function.
  struct Aside {
    Label at, back;
    Words words;  // held by registers when it goes back
    std::function<void()> emit;
    bool saves;  // the registers that an instruction uses on its way
  };
  // Where a function starts.
  struct Entry {
    Label at;      // its frame is made,
    Label inside;  // and registers hold the params that they hold in `words`
    Words words;
    bool keeps = true;  // nothing is written where its constants are
  };
  // A value on its way into the frame of a tail call, 8 bytes.
  struct Move {
    enum class From : uint8_t { kFrame, kStack, kRegister, kValue } from;
    int32_t to;
    int32_t at = 0;
    uint64_t value = 0;
  };

  Entry entry_of(const Function& f);
  void frame_of_machine_code();
  bool function(uint32_t number);
  void instruction(const Instr& i);
  void formula(const Instr& i);
  void back_from_step(Label slow, const Instr& i);
  bool kernel(const Instr& i);
  bool in_place(const Elements& e, const Instr& i, Label done);
  bool divide(const Instr& i);
  void divide_by(int64_t divisor, bool quotient, uint32_t operand, uint32_t result);
  int64_t known_divisor(const Function& g, const Instr& i) const;
  bool gather(const Instr& i);
  const Elements* spelled(uint32_t kernel);
  static Instr formula_of(const Node& node, uint32_t number);
  Mem place_of(const Operand& o, Gpr spare);
  void nodes(const Elements& e, const Instr& i, Words& scratch);
  void take_element(Mem from, DType t, uint32_t n, Words& scratch);
  void choose(const Node& node, uint32_t n, Words& scratch);
  void put_elements(Mem to, const Elements& e, const std::vector<uint32_t>& result, Words& scratch);
  void release_moved(const Instr& i);
  bool copy(const Instr& i);
  void drop(const Instr& i);
  void step(const Instr& i);
  void note(const Instr& i);
  void branch(const Instr& i);
  bool is_short(const Function& g) const;
  bool in_place(const Instr& i, const Site& s, Label slow, Label joined);
  std::vector<uint32_t> steps_in_place(const Function& g, std::vector<uint32_t> words, Label slow);
  void jump_unless(const Operand& o, Label l);
  void call(const Instr& i, const Site& s);
  void push_frame(const Function& g, const Instr& i, Label slow);
  void put_constants(Gpr frame, const Function& g);
  void put_empty(Gpr frame, const Function& g);
  void resume(const Instr& i);
  void results(const Instr& i);
  void tail(const Instr& i, const Site& s);
  bool moves_of(const Function& g, const Site& s, std::vector<Move>& moves);
  void shuffle(std::vector<Move> moves);
  void check_room(const Function& g, Label slow);
  void resize_frame(const Function& g);
  void call_value(const Instr& i);
  void give(const Instr& i);
  void left_behind(const Site& s);
  void hand_over(const Site& s);
  void keep_shared(const Site& s);
  void keep(uint32_t object);
  void release(uint32_t object);
  void if_it_owns(uint32_t object, void (*work)(Slot*));
  void leave_to(const void* (*work)(Shared*, Frame*, const Instr*, const Site*), const Instr& i, const Site& s);
  void leave_to(const void* (*work)(Shared*, Frame*, const Instr*), const Instr& i);
  void leave_to(const void* work, const Instr& i);
  void call_out(const void* work);
  void put_slot(Mem to, const Operand& o);
  Label aside(std::function<void()> emit, bool saves = true);
  bool asides();

  Mem object(uint32_t k, int32_t part = 0) const {
    return {rbp, static_cast<int32_t>(sizeof(Frame) + k * sizeof(Slot)) + part};
  }
  static int32_t words_of(const Function& f) {
    return static_cast<int32_t>(sizeof(Frame) + f.objects * sizeof(Slot));
  }
  static int32_t rounded(size_t bytes) { return static_cast<int32_t>((bytes + kAlignment - 1) & ~(kAlignment - 1)); }

  Program& p_;
  const std::vector<Attrs>& attrs_;  // of the kernels
  std::vector<std::unique_ptr<Elements>> elements_;
  Assembler a_;
  std::vector<Entry> entries_;  // of the functions
  std::vector<bool> taken_;     // whether a function is compiled
  const Function* f_ = nullptr;
  Words words_;
  std::vector<bool> held_;  // object slots of f_ that may own something
  std::vector<Aside> asides_;
  Label done_{}, failed_{};
  Label resume_{};  // where f_ goes on after the call that is compiled
};

}  // namespace minds::runtime::machine
