// Convolutions with windows of one pixel as products of matrices, over the threads.
#pragma once
#include <memory>

#include "cpu/provider/provider.h"

namespace minds::cpu {

// Sets a plan, or leaves null where the provider's convolution is as fast, or has no product of this dtype. Results do not
// depend on the number of threads.
Status make_pointwise(const ConvSpec& s, std::unique_ptr<Plan>& plan);

}  // namespace minds::cpu
