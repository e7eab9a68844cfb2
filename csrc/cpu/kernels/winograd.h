// Convolutions with windows of 3x3 by Winograd's algorithm (winograd_tier.h), over the threads.
#pragma once
#include <memory>

#include "cpu/provider/provider.h"

namespace minds::cpu {

// A plan, or null where it would not pay or the processor has no wide vectors. Results do not depend on the number of
// threads.
std::unique_ptr<Plan> make_winograd(const ConvSpec& s);

}  // namespace minds::cpu
