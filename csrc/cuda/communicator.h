// Groups of GPUs, each of another process, by NCCL.
#pragma once
#include "device/communicator.h"

namespace minds::cuda {

extern const Communication kCommunication;

// To be asked when the host has waited for a device: whether what the device exchanged with others has failed.
Status check_collectives();

}  // namespace minds::cuda
