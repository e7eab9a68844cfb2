#define MINDS_VECTOR_BYTES 16
#define MINDS_TIER Generic
#include "cpu/kernels/pool_windows_loops.h"
