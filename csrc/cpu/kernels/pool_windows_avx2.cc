#define MINDS_VECTOR_BYTES 32
#define MINDS_TIER Avx2
#include "cpu/kernels/pool_windows_loops.h"
