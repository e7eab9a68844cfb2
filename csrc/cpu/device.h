// The CPU: a caching pool of host memory and a stream that runs at once.
#pragma once
#include "device/device.h"

namespace minds::cpu {

Device& device();
// What its pool takes for a buffer of so many bytes.
size_t pooled_bytes(size_t bytes);

}  // namespace minds::cpu
