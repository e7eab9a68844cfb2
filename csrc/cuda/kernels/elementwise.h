// Elementwise programs as kernels: rendered, compiled, launched.
#pragma once
#include <string>
#include <vector>

#include "cuda/module.h"
#include "kernel/tile_program.h"

namespace minds::cuda {

class Elementwise {
 public:
  // `label` names the kernel in messages of the compiler; `formula` as in `render`.
  Status prepare(const TileProgram& p, const Signature& s, std::string_view label, const char* formula = nullptr);
  Status run(const Args& a, Stream& q) const;

 private:
  // An argument of the kernel: where `run` finds its value.
  struct Argument {
    enum Kind : uint8_t { kInput, kWord, kOutput, kNumber, kFault, kInstruction } kind;
    size_t at;  // which input or output, or the first of its `numbers_`
  };
  void add(Argument::Kind kind, size_t at, size_t bytes);

  const Function* function_ = nullptr;
  Grid grid_;
  std::vector<Argument> arguments_;
  std::vector<size_t> sizes_;     // of the arguments, in bytes
  std::vector<int64_t> numbers_;  // what arguments that are sizes and strides are made of
};

// One step on the inputs of a signature, whose shapes have been checked.
Status program_of(TileProgram::Step step, const Signature& s, TileProgram& p);

}  // namespace minds::cuda
