#include "cpu/kernels/reduce_loops.h"

namespace minds::cpu {

const ReduceLoops* reduce_loops_avx512(ReduceOp op, DType t) { return reduce_loops(op, t); }

}  // namespace minds::cpu
