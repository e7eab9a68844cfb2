#include "cpu/kernels/random_loops.h"

namespace minds::cpu {

const RandomLoops& random_loops_avx2() { return kLoops; }

}  // namespace minds::cpu
