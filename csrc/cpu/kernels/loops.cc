#include "cpu/kernels/loops.h"

namespace minds::cpu {

const LoopTable& loops() {
  static const LoopTable table = [] {
    LoopTable t;
    add_scalar_float_loops(t);
    add_integer_loops(t);
    switch (isa()) {
      case Isa::kGeneric:
        add_vector_loops_generic(t);
        break;
      case Isa::kAvx2:
        add_vector_loops_avx2(t);
        break;
      case Isa::kAvx512:
        add_vector_loops_avx512(t);
        break;
    }
    return t;
  }();
  return table;
}

}  // namespace minds::cpu
