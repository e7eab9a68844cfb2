#define MINDS_TIER Avx2
#include "cpu/kernels/norm_spans_loops.h"
