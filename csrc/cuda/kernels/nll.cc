// nll: the negative log-likelihood of each row's class, and its gradient.
#include "cuda/kernels/dtypes.h"
#include "cuda/module.h"
#include "kernel/plan/labels.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

class Labels : public Kernel {
 public:
  Status run(const Args& a, Stream& q) const override {
    if (plan_.rows == 0) return {};
    return launch(*function_, q, grid_, a.in[0], a.in[1], a.out[0], plan_.rows, plan_.classes, a.fault, a.instruction);
  }

 protected:
  // `each`: threads of a row.
  Status find(const Signature& s, std::string_view name, int64_t each) {
    if (plan_.rows == 0) return {};
    grid_ = grid_for(plan_.rows * each, *s.device);
    const Defines defines{{"ELEMENT", type_name(plan_.dtype)},
                          {"TARGET", type_name(plan_.target)},
                          {"UNSIGNED", plan_.target >= DType::kUInt8 ? "true" : "false"}};
    return find_function(*s.device, "nll", name, defines, function_);
  }

  NllPlan plan_;

 private:
  Grid grid_;
  const Function* function_ = nullptr;
};

class Nll final : public Labels {
 public:
  explicit Nll(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = plan_.prepare(s)) return bad;
    return find(s, "nll", 1);
  }
};

class NllDx final : public Labels {
 public:
  explicit NllDx(const Attrs& a) : classes_(a.i64("classes")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = plan_.prepare_gradient(s, classes_)) return bad;
    return find(s, "nll_dx", 32);
  }

 private:
  const int64_t classes_;
};

MINDS_KERNEL("cuda", "nll", Nll, MINDS_FLOATS);
MINDS_KERNEL("cuda", "nll_dx", NllDx, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cuda
