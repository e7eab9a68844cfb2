// The limit of the kernel `tile`, which the compiler keeps to.
#pragma once
#include <cstddef>

namespace minds::cpu {

inline constexpr size_t kTileValues = 96;  // inputs and steps together

}  // namespace minds::cpu
