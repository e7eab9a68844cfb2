// Machine code of a program's functions, for programs with loops or recursion on x86-64.
//
// Machine code works on the interpreter's own frames and stacks, so each may call, resume and return to the other, and
// what is rare (a stack that must grow, an error, an instruction without machine code of its own) is left to the
// interpreter's functions. What is checked when a program is loaded holds for both. The environment variable
// MINDS_MACHINE_CODE=0 leaves everything to the interpreter, as do other processors and systems that give no memory for
// code.
//
// In machine code rbp is the frame, r12 the `Shared`, r14 the frame's arena, r15 the ends of the stack of frames. A
// function starts with its frame made. A call notes in its frame where it goes on; results are left in the scratch
// arrays.
#pragma once
#include <memory>
#include <exception>

#include "base/pages.h"
#include "runtime/executor.h"

namespace minds::runtime::machine {

// What machine code and the functions that it calls know of a run.
struct Shared {
  int64_t fuel;
  Frame* frame;
  Stack::Ends* frames;
  Stack::Ends* arena;
  Word* words;  // scratch
  Slot* slots;
  void** out;  // where a kernel's results are
  const void* done;    // where machine code is left: for the interpreter to go on,
  const void* failed;  // for an error
  Run* run;
  Status* status;
  std::exception_ptr* thrown;  // machine code cannot be unwound: exceptions go around it
};

// What machine code calls. Where `const void*` is returned, machine code goes on there.
struct Calls {
  static uint64_t step(Shared* s, Frame* f, const Instr* i);  // one instruction; not 0: it failed
  // Before and after a kernel in machine code: memory for its results, and where they and its operands go.
  static uint64_t make_room(Shared* s, Frame* f, const Instr* i);
  static void put_away(Shared* s, Frame* f, const Instr* i);
  // Whether a result of so many bytes may lie where an operand does that ends.
  static uint64_t may_take(const Slot* given, size_t bytes);
  static uint64_t tick(Shared* s, Frame* f);
  static const void* call(Shared* s, Frame* f, const Instr* i, const Site* site);
  static const void* tail(Shared* s, Frame* f, const Instr* i, const Site* site);
  // `in_place`: where it goes on if nothing had to be called, and the results are where they belong.
  static const void* value(Shared* s, Frame* f, const Instr* i, const void* in_place);
  static const void* give(Shared* s, Frame* f, const Instr* i);  // kReturn
  static void keep(Slot* slot);
  static void drop(Slot* slot);

 private:
  static void attach(Shared* s, Frame* f, const Instr* next);
  static const void* go(Shared* s);
  template <class Work>
  static uint64_t guarded(Shared* s, Work work);
};

class Code {
 public:
  Code(Pages pages, size_t enter, size_t done, size_t failed)
      : pages_(std::move(pages)), enter_(enter), done_(done), failed_(failed) {}
  const void* done() const { return pages_.at(done_); }
  const void* failed() const { return pages_.at(failed_); }
  // Runs from `at` on, until something is left to the interpreter. Not 0: it failed.
  uint64_t run(Shared& s, const void* at) const {
    return reinterpret_cast<uint64_t (*)(Shared*, const void*)>(reinterpret_cast<uintptr_t>(pages_.at(enter_)))(&s, at);
  }

 private:
  Pages pages_;
  size_t enter_, done_, failed_;
};

// Gives the functions of a checked program their machine code, where that pays and the machine has it.
// `attrs` are the kernels'.
void assemble(Program& p, const std::vector<Attrs>& attrs);

}  // namespace minds::runtime::machine
