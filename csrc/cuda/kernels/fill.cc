// full(shape, value, dtype): one number everywhere.
#include <cstring>

#include "cuda/module.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"
#include "kernel/types.h"

namespace minds::cuda {
namespace {

class Full final : public Kernel {
 public:
  explicit Full(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 0, 1)) return e;
    size_ = static_cast<size_t>(s.outputs[0].size());
    item_ = item_size(s.outputs[0].dtype);
    visit(s.outputs[0].dtype, [&](auto zero) {
      using T = decltype(zero);
      const T value = number_as<T>(attrs_, "value");
      std::memcpy(&value_, &value, sizeof value);
    });
    return static_cast<CudaDevice*>(s.device)->prepare_fill(item_);
  }

  Status run(const Args& a, Stream& q) const override { return q.device().fill(a.out[0], &value_, item_, size_, q); }

 private:
  const Attrs attrs_;
  size_t size_ = 0, item_ = 1;
  uint64_t value_ = 0;
};

MINDS_KERNEL("cuda", "full", Full, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cuda
