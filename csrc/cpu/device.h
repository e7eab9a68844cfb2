// The CPU: a caching pool of host memory and a stream that runs at once.
#pragma once
#include "device/device.h"

namespace minds::cpu {

Device& device();

}  // namespace minds::cpu
