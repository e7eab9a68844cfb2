// matmul: an operand that is to be transposed is a view with its last two strides exchanged.
#include "kernel/plan/matmul.h"
#include "ascend/calls.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

constexpr size_t kMostDims = 6;   // that the operator takes
constexpr int8_t kKeepDtype = 0;  // cubeMathType: float32 is multiplied as float32

void transpose(View& v) {
  const size_t last = v.shape.size() - 1;
  std::swap(v.shape[last], v.shape[last - 1]);
  std::swap(v.strides[last], v.strides[last - 1]);
}

class Matmul final : public CallsKernel {
 public:
  explicit Matmul(const Attrs& a) : attrs_(a) {}

 protected:
  Status plan(const Signature& s, Calls& calls) override {
    MatmulPlan checked;
    if (Status bad = checked.prepare(attrs_, s)) return bad;
    if (s.outputs[0].shape.size() > kMostDims) {
      return bad_value("Ascend multiplies matrices of at most 6 dimensions, got " + to_string(s.outputs[0].shape));
    }
    View x = calls.in(0, s.inputs[0]), y = calls.in(1, s.inputs[1]), out = calls.out(0, s.outputs[0]);
    if (s.outputs[0].size() == 0) return {};
    if (s.inputs[0].size() == 0) {
      calls.add(aclnn().InplaceFillScalar, out, Number{int64_t{0}});
      return {};
    }
    if (checked.trans_x) transpose(x);
    if (checked.trans_y) transpose(y);
    calls.add(aclnn().Matmul, x, y, out, kKeepDtype);
    return {};
  }

 private:
  const Attrs attrs_;
};

MINDS_KERNEL("ascend", "matmul", Matmul, MINDS_ASCEND_FLOATS);

}  // namespace
}  // namespace minds::ascend
