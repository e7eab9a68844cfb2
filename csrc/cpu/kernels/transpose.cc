// transpose, broadcast_to and flip: one strided copy each.
#include "cpu/copy.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

// `plan` reads a list of numbers from the attribute `name`.
template <Status (*plan)(const Signature&, const Shape&, Box&)>
class CopyKernel : public Kernel {
 public:
  CopyKernel(const Attrs& a, const char* name) : numbers_(a.ints(name)) {}

  Status prepare(const Signature& s, Prepared&) override {
    Box box;
    if (auto bad = plan(s, numbers_, box)) return bad;
    copy_ = StridedCopy(box);
    return {};
  }

  Status run(const Args& a, Stream&) const final {
    copy_.run(a.in[0], a.out[0]);
    return {};
  }

 private:
  Shape numbers_;
  StridedCopy copy_;
};

struct Transpose final : CopyKernel<plan_transpose> {
  explicit Transpose(const Attrs& a) : CopyKernel(a, "perm") {}
};
struct BroadcastTo final : CopyKernel<plan_broadcast_to> {
  explicit BroadcastTo(const Attrs& a) : CopyKernel(a, "shape") {}
};
struct Flip final : CopyKernel<plan_flip> {
  explicit Flip(const Attrs& a) : CopyKernel(a, "axis") {}
};

MINDS_KERNEL("cpu", "transpose", Transpose, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "broadcast_to", BroadcastTo, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "flip", Flip, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu
