// The engines that compute matrix products and convolutions on the CPU, behind one small table.
//
// A provider turns a description into a `Plan`, once; a plan runs many times without allocation, from several threads at
// once. A provider that has no good way to do something leaves the plan null, and the kernel takes its own path. No type of
// a vendor's library appears here.
#pragma once
#include <memory>

#include "kernel/plan/conv.h"

namespace minds::cpu {

class Plan {
 public:
  virtual ~Plan() = default;
  virtual size_t workspace() const = 0;  // bytes
  virtual Status run(const void* x, const void* y, void* out, void* workspace) const = 0;
};

// out[b] = op(x[b]) · op(y[b]) with m x k and k x n operands; batch dims are equal or 1 (broadcast), ranks are equal. A sum
// is added to what `out` holds, which is float32 then.
struct GemmSpec {
  DType dtype;
  Shape batch_x, batch_y;
  int64_t m, n, k;
  bool trans_x, trans_y, sum;
};

// How the operands are laid out inside; outside they are always NCHW and OIHW.
enum class ConvLayout { kPlain, kChannelsLast, kBlocked };

struct Provider {
  const char* name;
  Status (*gemm)(const GemmSpec&, std::unique_ptr<Plan>&);
  Status (*conv)(const ConvSpec&, ConvLayout, std::unique_ptr<Plan>&);
};

// The provider that this build was linked with.
const Provider& provider();

}  // namespace minds::cpu
