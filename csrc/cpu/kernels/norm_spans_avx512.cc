#define MINDS_TIER Avx512
#include "cpu/kernels/norm_spans_loops.h"
