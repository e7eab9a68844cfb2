// Kernels of few elements, spelled as steps on single elements, so that machine code does them without a call.
#pragma once
#include <vector>

#include "runtime/program.h"

namespace minds::runtime::machine {

struct Node {
  enum class Kind : uint8_t {
    kInput,    // element b of operand a
    kZero,
    kFormula,  // the instruction on words `number` of a and b
    kSelect,   // a ? b : c
  };
  Kind kind = Kind::kZero;
  DType dtype = DType::kFloat64;
  uint32_t a = 0, b = 0, c = 0;  // of a step: numbers of nodes before it
  uint32_t number = 0;
};

struct Elements {
  static constexpr size_t kMostNodes = 96, kMostResults = 16;

  std::vector<Node> nodes;
  std::vector<std::vector<uint32_t>> results;  // of each result the nodes of its elements
};

// False: it has too many, or is another kind of kernel. `kernel` is prepared.
bool spell(const Program& p, const PreparedKernel& kernel, const Attrs& attrs, Elements& e);

}  // namespace minds::runtime::machine
