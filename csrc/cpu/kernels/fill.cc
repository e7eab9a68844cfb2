// full(shape, value, dtype): one number everywhere.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernel/types.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

class Full final : public Kernel {
 public:
  explicit Full(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 0, 1)) return e;
    size_ = s.outputs[0].size();
    fill_ = visit(s.outputs[0].dtype, [&](auto zero) {
      using T = decltype(zero);
      const T value = number_as<T>(attrs_, "value");
      static_assert(sizeof value <= sizeof value_);
      std::memcpy(&value_, &value, sizeof value);
      return +[](void* out, uint64_t bits, int64_t begin, int64_t end) {
        T v;
        std::memcpy(&v, &bits, sizeof v);
        std::fill(static_cast<T*>(out) + begin, static_cast<T*>(out) + end, v);
      };
    });
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    parallel_for(size_, 1 << 16, [&](int64_t begin, int64_t end) { fill_(a.out[0], value_, begin, end); });
    return {};
  }

 private:
  Attrs attrs_;
  int64_t size_ = 0;
  uint64_t value_ = 0;
  void (*fill_)(void*, uint64_t, int64_t, int64_t) = nullptr;
};

MINDS_KERNEL("cpu", "full", Full, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cpu
