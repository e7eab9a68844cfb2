// select(cond, x, y): elements of x where cond holds, of y elsewhere. Elements are moved as bits.
#include "base/parallel.h"
#include "cpu/kernels/broadcast.h"
#include "cpu/kernels/loops.h"
#include "kernel/plan/elementwise.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

template <class T>
void choose(void* out, const void* c, const void* x, const void* y, int64_t n) {
  auto* d = static_cast<T*>(out);
  const auto* cond = static_cast<const uint8_t*>(c);
  const auto *a = static_cast<const T*>(x), *b = static_cast<const T*>(y);
  for (int64_t i = 0; i < n; ++i) {
    const T u = a[i], v = b[i];  // both are read, so the loop has no branch
    d[i] = cond[i] != 0 ? u : v;
  }
}

}  // namespace

SelectLoop select_loop(size_t bytes) {
  switch (bytes) {
    case 1:
      return choose<uint8_t>;
    case 2:
      return choose<uint16_t>;
    case 4:
      return choose<uint32_t>;
    case 8:
      return choose<uint64_t>;
    default:
      return choose<Bits128>;
  }
}

namespace {

class Select final : public Kernel {
 public:
  explicit Select(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = check_select(s)) return e;
    const size_t item = item_size(s.outputs[0].dtype);
    item_ = static_cast<int64_t>(item);
    choose_ = select_loop(item);
    return space_.prepare(s.inputs.data(), 3, s.outputs[0], false);
  }

  Status run(const Args& a, Stream&) const override {
    char* out = static_cast<char*>(a.out[0]);
    parallel_for(space_.size(), 1 << 15, [&](int64_t begin, int64_t end) {
      space_.walk(a.in, begin, end, end - begin,
                  [&](int64_t p, int64_t n, const char* const* at, const bool*) {
                    choose_(out + p * item_, at[0], at[1], at[2], n);
                  });
    });
    return {};
  }

 private:
  Broadcast space_;
  int64_t item_ = 0;
  SelectLoop choose_ = nullptr;
};

MINDS_KERNEL("cpu", "select", Select, DType::kBool);

}  // namespace
}  // namespace minds::cpu
