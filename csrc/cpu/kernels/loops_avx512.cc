#define MINDS_VECTOR_BYTES 64
#define MINDS_LOOPS add_vector_loops_avx512
#include "cpu/kernels/loops_vector.h"
