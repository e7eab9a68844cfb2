// The plug-in's entry: how many GPUs there are, and one of them.
#include "cuda/device.h"
#include "cuda/nvrtc.h"
#include "kernel/plugin.h"

namespace minds::cuda {
namespace {

Status count(int& n) {
  n = 0;
  if (Status s = open_driver()) return s;
  if (Status s = open_nvrtc()) return s;
  return MINDS_DRIVER(cuDeviceGetCount, &n);
}

const Plugin& plugin() {
  static const Plugin made{"cuda", count, CudaDevice::open, Registry::instance()};
  return made;
}

}  // namespace
}  // namespace minds::cuda

MINDS_PLUGIN(minds::cuda::plugin())
