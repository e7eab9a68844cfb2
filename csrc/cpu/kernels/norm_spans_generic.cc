#define MINDS_TIER Generic
#include "cpu/kernels/norm_spans_loops.h"
