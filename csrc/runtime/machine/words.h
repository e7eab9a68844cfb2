// Which registers hold words of a frame. Every result is written to the frame at once, so registers may be forgotten at
// any time, and what the frame says is always true.
#pragma once
#include <array>
#include <span>

#include "runtime/machine/assembler.h"

namespace minds::runtime::machine {

class Words {
 public:
  // rax, rcx, rdx, r10, r11 and the first two xmm registers are never held: they are for what an instruction needs.
  static constexpr std::array<Gpr, 6> kIntegers{rsi, rdi, r8, r9, rbx, r13};
  static constexpr unsigned kFirstReal = 2, kReals = 14;

  // The words are at `first` from `base` on.
  Words(Assembler& a, Gpr base, int32_t first) : a_(&a), base_(base), first_(first) {}

  // Words from here on lie on the machine's stack.
  static constexpr uint32_t kOutside = 1 << 24;
  Mem at(uint32_t word) const {
    if (word >= kOutside) return {rsp, 8 * static_cast<int32_t>(word - kOutside)};
    return {base_, first_ + 8 * static_cast<int32_t>(word)};
  }
  // Registers that hold a word: as an integer, as 0 or 1, as a float.
  Gpr integer(uint32_t word);
  Gpr truth(uint32_t word);
  unsigned real(uint32_t word, bool is_double);
  // A register for a result, and its word from now on: between the two no other register is asked for, which could be the
  // same.
  Gpr new_integer();
  unsigned new_real();
  void define(uint32_t word, Gpr r, bool truth = false);
  void define_real(uint32_t word, unsigned r, bool is_double);
  // A copy of the word in memory; takes rcx.
  void keep(Mem to, uint32_t word);
  // The register that holds it (of a float with zeros above it), -1: none; and what is in it, in memory.
  int held(uint32_t word) const;
  void put(Mem to, int held);
  // The frame has another word there now.
  void changed(uint32_t word);
  void forget();
  // Loads what registers hold once more, after a call.
  void reload();

  // How a word is read.
  enum class Form : uint8_t { kInteger, kTruth, kFloat, kDouble };
  // Gives a word one of the registers that hold nothing, if there is one; no code.
  void expect(uint32_t word, Form form);
  // Another frame has been made in the place of this one, and its word k was word `from[k]` here. Brings to registers what
  // `next` has there: from registers, else from the frame.
  void hand_on(const Words& next, std::span<const uint32_t> from) const;

 private:
  struct Held {
    int64_t word = -1;
    Form form = Form::kInteger;
    uint32_t used = 0;
  };
  template <size_t n>
  void hand_on(const Words& next, std::array<Held, n> Words::* bank, std::span<const uint32_t> from, bool real) const;
  void copy(bool real, size_t to, size_t from) const;
  template <size_t n>
  size_t oldest(std::array<Held, n>& bank);
  template <size_t n>
  Held* find(std::array<Held, n>& bank, uint32_t word, Form form);
  Gpr general(uint32_t word, Form form);
  void load(size_t k, Form form, uint32_t word) const;

  Assembler* a_;
  Gpr base_;
  int32_t first_;
  uint32_t clock_ = 0;
  std::array<Held, kIntegers.size()> integers_{};
  std::array<Held, kReals> reals_{};
};

}  // namespace minds::runtime::machine
