// transpose, broadcast_to, flip and strided_slice: one copy of a box each.
#include "cuda/kernels/boxes.h"
#include "cuda/kernels/on_device.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

class Move : public OnDevice {
 protected:
  virtual Status find_box(const Signature& s, Box& box) const = 0;

 private:
  Status plan(const Signature& s, Prepared&) final {
    Box box;
    if (Status bad = find_box(s, box)) return bad;
    return copy_.prepare(*s.device, box);
  }
  Status queue(const Args& a, Stream& q) const final { return copy_.run(a.in[0], a.out[0], q); }

  BoxCopy copy_;
};

// `find` reads a list of numbers from the attribute `name`.
template <Status (*find)(const Signature&, const Shape&, Box&)>
class Moved : public Move {
 public:
  Moved(const Attrs& a, const char* name) : numbers_(a.ints(name)) {}

 private:
  Status find_box(const Signature& s, Box& box) const final { return find(s, numbers_, box); }

  const Shape numbers_;
};

struct Transpose final : Moved<plan_transpose> {
  explicit Transpose(const Attrs& a) : Moved(a, "perm") {}
};
struct BroadcastTo final : Moved<plan_broadcast_to> {
  explicit BroadcastTo(const Attrs& a) : Moved(a, "shape") {}
};
struct Flip final : Moved<plan_flip> {
  explicit Flip(const Attrs& a) : Moved(a, "axis") {}
};

class StridedSlice final : public Move {
 public:
  explicit StridedSlice(const Attrs& a) : range_{a.ints("begin"), a.ints("end"), a.ints("step")} {}

 private:
  Status find_box(const Signature& s, Box& box) const override { return plan_slice(s, range_, box); }

  const SliceRange range_;
};

MINDS_KERNEL("cuda", "transpose", Transpose, MINDS_ALL_DTYPES);
MINDS_KERNEL("cuda", "broadcast_to", BroadcastTo, MINDS_ALL_DTYPES);
MINDS_KERNEL("cuda", "flip", Flip, MINDS_ALL_DTYPES);
MINDS_KERNEL("cuda", "strided_slice", StridedSlice, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cuda
