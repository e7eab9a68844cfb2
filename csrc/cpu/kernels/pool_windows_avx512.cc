#define MINDS_VECTOR_BYTES 64
#define MINDS_TIER Avx512
#include "cpu/kernels/pool_windows_loops.h"
