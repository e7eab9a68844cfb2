#define MINDS_VECTOR_BYTES 32
#define MINDS_LOOPS add_vector_loops_avx2
#include "cpu/kernels/loops_vector.h"
