// Sums (products, …) of the parts of several processes, element by element in the order of the parts, so that a result
// does not depend on when which part arrived.
#pragma once
#include <string_view>

#include "base/dtype.h"
#include "base/status.h"
#include "device/communicator.h"

namespace minds::comm {

Status reduction_of(std::string_view name, DType t, Reduction& out);

// out[i] = parts[0][i] op parts[1][i] op …; `out` may be one of the parts. 16-bit floats are rounded once, at the end.
void reduce_in_order(Reduction op, DType t, const void* const* parts, int count, void* out, int64_t n);

}  // namespace minds::comm
