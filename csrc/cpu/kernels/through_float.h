// float16 and bfloat16 by way of float32: converts the operands, runs the float32 kernel, rounds its results.
#pragma once
#include <vector>

#include "base/half.h"
#include "base/parallel.h"
#include "kernel/kernel.h"

namespace minds::cpu {

template <class From, class To>
void convert(const void* from, void* to, int64_t n) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  parallel_for(n, 1 << 15, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = static_cast<To>(x[i]);
  });
}

template <class Inner>
class ThroughFloat : public Kernel {
 public:
  explicit ThroughFloat(const Attrs& a) : inner_(a) {}

  Status prepare(const Signature& s, Prepared& p) override {
    Signature wide = s;
    for (auto* specs : {&wide.inputs, &wide.outputs}) {
      for (TensorSpec& t : *specs) {
        if (is_half(t.dtype)) t.dtype = DType::kFloat32;
      }
    }
    Prepared inner;
    if (auto failed = inner_.prepare(wide, inner)) return failed;
    workspace_ = (inner.workspace + 63) / 64 * 64;
    inputs_ = operands(s.inputs);
    outputs_ = operands(s.outputs);
    p.workspace = workspace_;
    return inputs_.size() <= kMost && outputs_.size() <= kMost
               ? Status::ok()
               : Status(Code::kInternal, "more operands than a kernel through float32 can have");
  }

  Status run(const Args& a, Stream& q) const override {
    char* const base = static_cast<char*>(a.workspace);
    const void* in[kMost] = {};
    void* out[kMost] = {};
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Operand& t = inputs_[i];
      if (is_half(t.dtype)) {
        (t.dtype == DType::kFloat16 ? convert<float16, float> : convert<bfloat16, float>)(a.in[i], base + t.offset,
                                                                                        t.size);
      }
      in[i] = is_half(t.dtype) ? base + t.offset : a.in[i];
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      out[i] = is_half(outputs_[i].dtype) ? base + outputs_[i].offset : a.out[i];
    }
    if (auto failed = inner_.run({in, out, base, a.fault, a.instruction}, q)) return failed;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const Operand& t = outputs_[i];
      if (!is_half(t.dtype)) continue;
      (t.dtype == DType::kFloat16 ? convert<float, float16> : convert<float, bfloat16>)(out[i], a.out[i], t.size);
    }
    return Status::ok();
  }

 private:
  static constexpr size_t kMost = 8;
  struct Operand {
    DType dtype;
    int64_t size;
    size_t offset;  // of its float32 form in the workspace
  };
  static bool is_half(DType t) { return t == DType::kFloat16 || t == DType::kBFloat16; }

  std::vector<Operand> operands(const std::vector<TensorSpec>& specs) {
    std::vector<Operand> list;
    for (const TensorSpec& t : specs) {
      list.push_back({t.dtype, t.size(), workspace_});
      if (is_half(t.dtype)) workspace_ += (static_cast<size_t>(t.size()) * sizeof(float) + 63) / 64 * 64;
    }
    return list;
  }

  Inner inner_;
  std::vector<Operand> inputs_, outputs_;
  size_t workspace_ = 0;
};

}  // namespace minds::cpu
