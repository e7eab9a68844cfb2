// each_conv2d and its gradients: a stack of convolutions of one shape, each with its own weights, one after the other. As many
// groups of channels of one convolution they would take twice the time: their images would have to be laid out anew, and
// a few channels do not fill the vectors. Convolutions take operands of any alignment.
#include <array>

#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

constexpr std::string_view kPrefix = "each_";

class Each final : public Kernel {
 public:
  Each(std::string_view op, const Attrs& a) : op_(op.substr(kPrefix.size())), attrs_(a) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto failed = expect_counts(s, kInputs, 1)) return failed;
    Signature one = s;
    count_ = s.inputs[0].shape.empty() ? 0 : s.inputs[0].shape[0];
    size_t at = 0;
    for (auto* specs : {&one.inputs, &one.outputs}) {
      for (TensorSpec& t : *specs) {
        if (t.shape.empty() || t.shape[0] != count_) {
          return bad_value("operands and result must stack as many, got " + to_string(t.shape));
        }
        t.shape.erase(t.shape.begin());
        bytes_[at++] = t.bytes();
      }
    }
    for (const char* name : {"in_shape", "w_shape"}) {
      if (!attrs_.has(name)) continue;
      Shape shape = attrs_.ints(name);
      if (shape.empty() || shape[0] != count_) return bad_value(std::string(name) + " is " + to_string(shape));
      shape.erase(shape.begin());
      attrs_.set(name, shape);
    }
    return Registry::instance().make("cpu", op_, attrs_, one, kernel_, p);
  }

  Status run(const Args& a, Stream& q) const override {
    for (int64_t i = 0; i < count_; ++i) {
      const size_t k = static_cast<size_t>(i);
      const void* in[kInputs];
      for (size_t j = 0; j < kInputs; ++j) in[j] = static_cast<const char*>(a.in[j]) + k * bytes_[j];
      void* out[] = {static_cast<char*>(a.out[0]) + k * bytes_[kInputs]};
      if (auto failed = kernel_->run({in, out, a.workspace, a.fault, a.instruction}, q)) return failed;
    }
    return Status::ok();
  }

 private:
  static constexpr size_t kInputs = 2;
  std::string op_;
  Attrs attrs_;
  int64_t count_ = 0;
  std::array<size_t, kInputs + 1> bytes_{};  // of one operand and one result
  std::unique_ptr<Kernel> kernel_;
};

template <class... T>
Registrar each(std::string_view op, T... dtypes) {
  return {"cpu", op, {dtypes...}, [](std::string_view name, const Attrs& a) -> std::unique_ptr<Kernel> {
            return std::make_unique<Each>(name, a);
          }};
}

const Registrar kForward = each("each_conv2d", MINDS_FLOATS), kData = each("each_conv2d_dx", MINDS_FLOATS),
                kWeight = each("each_conv2d_dw", MINDS_FLOATS);

}  // namespace

}  // namespace minds::cpu
