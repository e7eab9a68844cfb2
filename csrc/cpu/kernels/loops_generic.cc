#define MINDS_VECTOR_BYTES 16
#define MINDS_LOOPS add_vector_loops_generic
#include "cpu/kernels/loops_vector.h"
