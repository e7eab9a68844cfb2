#include "cpu/kernels/random_loops.h"

namespace minds::cpu {

const RandomLoops& random_loops_avx512() { return kLoops; }

}  // namespace minds::cpu
