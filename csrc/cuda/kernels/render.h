// Elementwise programs as CUDA C: one kernel for a chain of functions.
#pragma once
#include <string>
#include <vector>

#include "kernel/tile_program.h"

namespace minds::cuda {

// What the kernel takes, in its order: the inputs, the outputs, `i64 n`; then what inputs that are neither whole nor
// a number are indexed by (`i64` of a periodic one, a View of a strided one), in the order of the inputs; then, if it
// can fail, the fault word and the instruction.
struct Rendering {
  std::string text;  // with one kernel, `elementwise`
  int each = 1;      // elements that a thread handles at once
};

enum class Taken : uint8_t {
  kWhole,
  kNumber,  // by its address
  kWord,    // by value: a word of the host
  kPeriodic,
  kStrided,
};

// How input `k` is taken.
Taken taken(const TileProgram& p, size_t k, const Signature& s);

// Of one step on complex numbers (kernel/complex.h), `formula` is what it computes, of z or of a and b.
Rendering render(const TileProgram& p, const Signature& s, const char* formula = nullptr);

// The same steps on many tensors of different sizes. The kernel takes the inputs that are numbers, a struct of so many
// `Part`, and how many of these there are. A Part is the addresses of its tensors and results, `i64` elements, and the
// `u32` numbers of its first block and of its blocks. All inputs are whole or numbers.
Rendering render_parts(const TileProgram& p, const Signature& part, int capacity);

// Whether the program's steps can fail on data: only a stand-alone op of integers does.
bool can_fail(const TileProgram& p);

}  // namespace minds::cuda
