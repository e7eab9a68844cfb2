// A plan made of oneDNN primitives: reorders into a wished layout, the computation, a reorder back.
//
// Included only by the files of this provider. Primitives are shared by all runs; what a run changes (the addresses inside
// dnnl_memory objects) lives in a `Frame`, of which one is kept for the next run and more are made only when threads meet.
#pragma once
#include <dnnl.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cpu/provider/provider.h"

namespace minds::cpu::onednn {

const dnnl::engine& engine();
dnnl::memory::data_type data_type(DType t);  // undef where oneDNN has no such type

class PrimitivePlan final : public Plan {
 public:
  enum Source { kX, kY, kOut, kWorkspace };
  using Slot = size_t;
  using Arguments = std::vector<std::pair<int, Slot>>;

  // `serial`: too little work to share. Make it, and its primitives, within OneThread(serial).
  explicit PrimitivePlan(bool serial) : serial_(serial) {}
  PrimitivePlan(const PrimitivePlan&) = delete;
  PrimitivePlan& operator=(const PrimitivePlan&) = delete;
  ~PrimitivePlan() override;

  // A value of the computation; one in the workspace gets its own place there.
  Slot slot(Source source, const dnnl::memory::desc& d);
  // Appends one primitive. Its scratchpad, if any, lies in the workspace and is shared by all steps.
  void step(const dnnl::primitive& p, const dnnl::memory::desc& scratchpad, Arguments args);
  // The operand `from` in layout `d`: itself if that is its layout, otherwise a reordered copy in the workspace.
  Slot wanted(Slot from, const dnnl::memory::desc& d);
  // Where a primitive that writes layout `d` has to write so that `finish` brings it to `to`.
  Slot target(Slot to, const dnnl::memory::desc& d);
  void finish(Slot written, Slot to);

  size_t workspace() const override { return bytes_ + scratch_; }
  Status run(const void* x, const void* y, void* out, void* workspace) const override;

 private:
  struct Value {
    dnnl::memory::desc desc;
    Source source;
    size_t offset;
  };
  struct Step {
    dnnl::primitive primitive;
    Arguments args;
    dnnl::memory::desc scratchpad;
  };
  struct Frame;
  void reorder(Slot from, Slot to);
  std::unique_ptr<Frame> make_frame() const;

  std::vector<Value> values_;
  std::vector<Step> steps_;
  bool serial_;
  size_t bytes_ = 0, scratch_ = 0;
  mutable std::atomic<Frame*> spare_{nullptr};
};

// Attributes that every primitive of ours has: the caller provides the scratchpad.
dnnl::primitive_attr attributes();
// Whether so many multiplications take less time than threads need to meet, some 20 µs (benchmarks/kernels.py).
bool is_little(int64_t multiplications, DType t);
// Whether an implementation is one that oneDNN runs only for want of a better one; ours is faster then.
bool is_reference(const char* implementation);

Status make_gemm(const GemmSpec& s, std::unique_ptr<Plan>& plan);
Status make_conv(const ConvSpec& s, ConvLayout layout, std::unique_ptr<Plan>& plan);

}  // namespace minds::cpu::onednn
