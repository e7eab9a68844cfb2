// arange, eye, one_hot, tril and triu: one pass over the result.
#include "cuda/kernels/boxes.h"
#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/on_device.h"
#include "kernel/plan/axis.h"
#include "kernel/plan/generators.h"
#include "kernel/plan/labels.h"
#include "kernel/registry.h"
#include "kernel/types.h"

namespace minds::cuda {
namespace {

// A kernel of make.cu that computes each element of the result by itself.
class Maker : public OnDevice {
 protected:
  Status find(const Signature& s, const char* kernel, Defines defines) {
    size_ = s.outputs[0].size();
    if (size_ == 0) return {};
    grid_ = grid_for(size_, *s.device);
    defines.emplace_back("WIDE", flag(is_wide(size_)));
    return find_function(*s.device, "make", kernel, defines, function_);
  }

  int64_t size_ = 0;
  Grid grid_;
  const Function* function_ = nullptr;  // none: the result is empty
};

// Element i is start + i * step, in int64 (wrapping) for integers and in float64, rounded once, for floats.
class Arange final : public Maker {
 public:
  explicit Arange(const Attrs& a)
      : start_(a.f64("start")),
        stop_(a.f64("stop")),
        step_(a.f64("step")),
        whole_(number_as<int64_t>(a, "start")),
        whole_step_(number_as<int64_t>(a, "step")) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    if (Status bad = check_arange(s, start_, stop_, step_)) return bad;
    const DType t = s.outputs[0].dtype;
    floats_ = is_float(t);
    return find(s, floats_ ? "make_range" : "make_whole_range", {{"T", type_name(t)}, {"RANGE", "1"}});
  }
  Status queue(const Args& a, Stream& q) const override {
    if (function_ == nullptr) return {};
    return floats_ ? launch(*function_, q, grid_, a.out[0], size_, start_, step_)
                   : launch(*function_, q, grid_, a.out[0], size_, whole_, whole_step_);
  }

  const double start_, stop_, step_;
  const int64_t whole_, whole_step_;
  bool floats_ = false;
};

class Eye final : public Maker {
 public:
  explicit Eye(const Attrs& a) : n_(a.i64("n")), m_(a.i64("m", a.i64("n"))) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    if (Status bad = check_eye(s, n_, m_)) return bad;
    return find(s, "make_eye", {{"T", type_name(s.outputs[0].dtype)}, {"EYE", "1"}});
  }
  Status queue(const Args& a, Stream& q) const override {
    return function_ == nullptr ? Status() : launch(*function_, q, grid_, a.out[0], size_, m_);
  }

  const int64_t n_, m_;
};

class OneHot final : public Maker {
 public:
  explicit OneHot(const Attrs& a) : depth_(a.i64("depth")), axis_(a.i64("axis")) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    if (Status bad = plan_.prepare(s, depth_, axis_)) return bad;
    return find(s, "make_one_hot", {{"T", bits_name(s.outputs[0].dtype)}, {"I", type_name(plan_.index)}});
  }
  Status queue(const Args& a, Stream& q) const override {
    if (function_ == nullptr) return {};
    return launch(*function_, q, grid_, a.in[0], a.in[1], a.in[2], a.out[0], size_, depth_, plan_.around.inner);
  }

  const int64_t depth_, axis_;
  OneHotPlan plan_;
};

template <bool kLower>
class Triangle final : public Maker {
 public:
  explicit Triangle(const Attrs& a) : k_(a.i64("k", 0)) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    if (Status bad = plan_.prepare(s, k_)) return bad;
    return find(s, "make_triangle", {{"T", bits_name(s.outputs[0].dtype)}, {"LOWER", flag(kLower)}});
  }
  Status queue(const Args& a, Stream& q) const override {
    if (function_ == nullptr) return {};
    return launch(*function_, q, grid_, a.in[0], a.out[0], size_, plan_.height, plan_.width, plan_.k);
  }

  const int64_t k_;
  TrianglePlan plan_;
};

MINDS_KERNEL("cuda", "arange", Arange, MINDS_REALS);
MINDS_KERNEL("cuda", "eye", Eye, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cuda", "one_hot", OneHot, MINDS_INTS);
MINDS_KERNEL("cuda", "tril", Triangle<true>, MINDS_ALL_DTYPES);
MINDS_KERNEL("cuda", "triu", Triangle<false>, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cuda
