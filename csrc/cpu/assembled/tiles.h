// A tile program (kernel/tile_program.h) as machine code, for float32, 16-bit floats and truths on AVX-512 and AVX2: what
// lies between two steps stays in registers. The bits are those of the loops that run step by step.
#pragma once
#include <memory>

#include "base/pages.h"
#include "cpu/assembled/vectors.h"
#include "kernel/tile_program.h"

namespace minds::cpu::assembled {

class Tiles {
 public:
  // nullptr where the processor, the program or the system does not allow it.
  static std::unique_ptr<Tiles> make(const TileProgram& p);

  // Elements that are computed side by side.
  int64_t turn() const { return turn_; }
  // Computes n elements, a multiple of turn(). at[k] is where value k begins if it is an input or an output, and otherwise
  // not looked at; inputs that are no numbers have as many elements.
  void run(char* const* at, int64_t n) const { run_(at, n); }

 private:
  Tiles(Pages pages, int64_t turn);
  int64_t turn_;
  Pages pages_;
  void (*run_)(char* const* at, int64_t n) = nullptr;
};

}  // namespace minds::cpu::assembled
