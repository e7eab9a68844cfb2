#include "cpu/kernels/reduce_loops.h"

namespace minds::cpu {

const ReduceLoops* reduce_loops_generic(ReduceOp op, DType t) { return reduce_loops(op, t); }

}  // namespace minds::cpu
