// The plug-in's entry: how many GPUs there are, and one of them.
#include "cuda/communicator.h"
#include "cuda/device.h"
#include "cuda/nvrtc.h"
#include "cuda/provider/provider.h"
#include "kernel/plugin.h"

namespace minds::cuda {
namespace {

// A driver loads what compilers of its CUDA version, or of an earlier one, have made; the minor version does not matter.
Status expect_versions() {
  const int major = driver_version() / 1000;
  if (std::stoi(nvrtc_version()) <= major) return {};
  return {Code::kBackend, "the display driver is for CUDA " + std::to_string(major) + ", NVIDIA's compiler of kernels is " +
                              nvrtc_version() + "; get a newer driver, or `pip install nvidia-cuda-nvrtc-cu" +
                              std::to_string(major) + "` in place of nvidia-cuda-nvrtc"};
}

Status count(int& n) {
  n = 0;
  if (Status s = open_driver()) return s;
  if (Status s = open_nvrtc()) return s;
  if (Status s = expect_versions()) return s;
  return MINDS_DRIVER(cuDeviceGetCount, &n);
}

// Without its library an op is the host's.
const Registry& registry() {
  const auto drop = [](std::initializer_list<const char*> ops) {
    for (const char* op : ops) Registry::instance().drop("cuda", op);
  };
  if (is_left_out("cufft")) drop({"dft"});
  if (is_left_out("cusolver")) drop({"cholesky", "det", "inverse", "qr", "slogdet", "solve"});
  return Registry::instance();
}

const Plugin& plugin() {
  static const Plugin made{"cuda", count, CudaDevice::open, registry(), &kCommunication};
  return made;
}

}  // namespace
}  // namespace minds::cuda

MINDS_PLUGIN(minds::cuda::plugin())
