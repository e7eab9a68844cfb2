// The values of a tile program in registers: a value is a group of one register per vector of a turn. What there is no room
// for goes to the stack, or is read anew.
#pragma once
#include <span>
#include <vector>

#include "base/dtype.h"
#include "cpu/assembled/vectors.h"

namespace minds::cpu::assembled {

using Group = unsigned;  // registers g, g + Target::groups, …

class Groups {
 public:
  Groups(const Target& target, size_t values) : target_(target), code_(target), homes_(values), holders_(target.groups) {}

  // A value that is read from memory where it is needed: elements, or one number. At at[k].
  void input(size_t value, DType t, bool number, size_t k);
  // Steps that read it, rising.
  void read_by(size_t value, size_t step) { homes_[value].readers.push_back(step); }

  // A value's group; it stays there until the step ends.
  Group get(size_t value);
  Group define(size_t value);  // for a step's result
  Group spare();               // for a moment
  void give_back(Group g);
  void end_step(size_t step);

  // One instruction for all registers of groups.
  void op(Op o, Group d, Group a, Group b, int immediate = -1);
  void op(Op o, Group d, Group b) { op(o, d, 0, b, -1, true); }
  void with(Op o, Group d, Group a, uint32_t bits, int immediate = -1);
  void with(Op o, Group d, Group a, float number) { with(o, d, a, __builtin_bit_cast(uint32_t, number)); }
  void fill(Group d, float number);
  void shift(Shift how, Group d, Group a, int by);
  // Masks: sets 0 and 1, of which a load of truths and round_to() change the first.
  void compare(unsigned set, Compare how, Group a, Group b);
  void compare_with(unsigned set, Compare how, Group a, float number);
  void mask_of(unsigned set, Group truth);
  void truth_of(Group d, unsigned set);
  void blend(Group d, unsigned set, Group otherwise, Group where);
  void keep_where(Group d, unsigned set, Group a);  // 0 elsewhere
  void merge_with(Op o, Group d, unsigned set, Group a, uint32_t bits);  // d elsewhere
  void copy_sign(Group d, Group from);  // which d has then
  // m = m times 2^n, rounded once, for n as exp has it; `shifted` is n + 1.5 * 2^23. n may change.
  void scale(Group m, Group n, Group shifted);
  // Rounds to a 16-bit float, which is held as a float32.
  void round_to(DType t, Group g);
  void store(Group g, DType t, size_t k);

  const std::vector<uint8_t>& finish() { return code_.finish(slots_); }

 private:
  static constexpr int kNone = -1;
  struct Home {
    DType dtype = DType::kFloat32;
    bool input = false, number = false;
    size_t at = 0;
    int group = kNone, slot = kNone;
    std::vector<size_t> readers;
  };
  enum class State : uint8_t { kFree, kHeld, kBusy };  // busy: not to be taken away now
  struct Holder {
    State state = State::kFree;
    int value = kNone;
  };

  void op(Op o, Group d, Group a, Group b, int immediate, bool one);
  Group room();
  void evict(Group g);
  void load(const Home& h, Group g);
  size_t next_reader(const Home& h) const;

  void load_truths(unsigned r, unsigned way);
  void store_packed(unsigned r, DType t, unsigned way);

  unsigned vector(Group g, unsigned way) const { return g + way * target_.groups; }
  static Source of(unsigned r) { return {Source::Kind::kRegister, r, 0}; }
  Source reg(Group g, unsigned way) const { return of(vector(g, way)); }
  // AVX-512's masks; AVX2 has registers full of truths for them, and one for a moment.
  unsigned mask(unsigned set, unsigned way) const {
    return target_.wide ? 1 + set * target_.ways + way : target_.groups + set * target_.ways + way;
  }
  static constexpr unsigned kSpare = 15;

  Target target_;
  VectorCode code_;
  std::vector<Home> homes_;
  std::vector<Holder> holders_;
  size_t slots_ = 0, step_ = 0;
};

}  // namespace minds::cpu::assembled
