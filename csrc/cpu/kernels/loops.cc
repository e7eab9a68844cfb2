#include "cpu/kernels/loops.h"

namespace minds::cpu {
namespace {

constexpr int64_t kCheap = 1 << 16, kVectorised = 1 << 14, kByLibm = 1 << 10;

}  // namespace

int64_t grain_of(UnaryOp op, DType t) {
  if (about(op).exact) return kCheap;
  return t != DType::kFloat64 && loops().vectorised[static_cast<int>(op)] ? kVectorised : kByLibm;
}

int64_t grain_of(BinaryOp op) { return about(op).exact ? kCheap : kByLibm; }

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
