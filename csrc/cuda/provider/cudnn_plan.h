// An execution plan of cuDNN for one convolution: the graph of one operation, its engine chosen by heuristics.
#pragma once
#include <memory>

#include "cuda/cudnn.h"
#include "device/device.h"
#include "kernel/plan/conv.h"

namespace minds::cuda {

class CudnnPlan {
 public:
  ~CudnnPlan();
  CudnnPlan(const CudnnPlan&) = delete;
  CudnnPlan& operator=(const CudnnPlan&) = delete;

  // The plan of so many sizes, found again while another kernel holds it; null: no engine computes it as we ask for. The
  // image's and the result's channels come last where `last` is set, the weights' too. Engines whose results vary from
  // run to run are not taken, nor, without `tf32`, those that round float32 operands.
  static Status make(const Device& d, const ConvSpec& s, bool last, bool tf32, std::shared_ptr<const CudnnPlan>& out);

  size_t workspace() const { return workspace_; }
  Status run(const void* image, const void* weights, const void* result, void* workspace, Stream& q) const;

 private:
  CudnnPlan() = default;
  CudnnHandle* handle_ = nullptr;
  std::shared_ptr<void> parts_;  // what it was made of
  cudnnBackendDescriptor_t plan_ = nullptr;
  size_t workspace_ = 0;
};

}  // namespace minds::cuda
