// pad, and the gradient of strided_slice: a box within a frame of one value, in one pass over the result.
#include <bit>
#include <cstring>

#include "cuda/kernels/boxes.h"
#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/on_device.h"
#include "kernel/registry.h"
#include "kernel/types.h"

namespace minds::cuda {
namespace {

// One dim of a result: elements begin, begin + step, ... are `count` of the source, `stride` apart there.
struct Axis {
  int64_t size, begin, step, count, stride;

  bool full() const { return begin == 0 && step == 1 && count == size; }
};

struct Bits {  // as in move.cu: an element, over and over
  uint64_t low, high;
};

Bits repeated(const void* element, size_t item) {
  char bytes[sizeof(Bits)];
  for (size_t at = 0; at < sizeof bytes; at += item) std::memcpy(bytes + at, element, item);
  return std::bit_cast<Bits>(bytes);
}

class Inset {
 public:
  Status prepare(Device& d, const Box& box, const Shape& whole, Bits around) {
    count_ = numel(whole);
    around_ = around;
    if (numel(box.shape) == count_) return copy_.prepare(d, box);
    if (count_ == 0) return {};
    std::vector<Axis> axes = axes_of(box, whole);
    merge(axes);
    const int64_t unit = widen(axes, box.item), bytes = unit * static_cast<int64_t>(box.item);
    const bool wide = is_wide(count_);
    count_ /= unit;
    Lists::List size{{}, 1}, begin{{}, 0}, step{{}, 1}, count{{}, 1}, stride{{}, 0};
    for (const Axis& a : axes) {
      size.values.push_back(a.size);
      begin.values.push_back(a.begin);
      step.values.push_back(a.step);
      count.values.push_back(a.count);
      stride.values.push_back(a.stride);
    }
    axes_ = Lists{size, begin, step, count, stride};
    grid_ = grid_for(count_, d);
    const Defines defines{{"T", bits_name(bytes)}, {"RANK", std::to_string(axes_.rank())}, {"WIDE", flag(wide)}};
    return find_function(d, "move", "move_inset", defines, function_);
  }

  Status run(const void* in, void* out, Stream& q) const {
    if (function_ == nullptr) return copy_.run(in, out, q);
    return launch_lists(*function_, q, grid_, static_cast<const char*>(in) + in_at_, out, axes_, around_, count_);
  }

 private:
  std::vector<Axis> axes_of(const Box& box, const Shape& whole) {
    const bool empty = numel(box.shape) == 0;
    const Shape strides = row_major(whole);
    int64_t rest = empty ? 0 : box.out_offset, in_at = box.in_offset;
    std::vector<Axis> axes;
    for (size_t d = 0; d < whole.size(); ++d) {
      Axis a{whole[d], rest / strides[d], box.out[d] / strides[d], empty ? 0 : box.shape[d], box.in[d]};
      rest %= strides[d];
      if (a.count <= 1) a.step = 1;
      if (a.step < 0) {  // the order of a copy is free: write forwards
        in_at += a.stride * (a.count - 1);
        a = {a.size, a.begin + a.step * (a.count - 1), -a.step, a.count, -a.stride};
      }
      axes.push_back(a);
    }
    in_at_ = in_at * static_cast<int64_t>(box.item);
    return axes;
  }

  // An axis that is copied whole is one with the axis around it.
  static void merge(std::vector<Axis>& axes) {
    for (size_t d = axes.size(); d-- > 1;) {
      Axis& out = axes[d - 1];
      const Axis& in = axes[d];
      if (!in.full() || out.step != 1) continue;
      if (in.size != 1 && out.count > 1 && out.stride != in.stride * in.size) continue;
      const int64_t stride = in.size == 1 ? out.stride : in.stride;
      out = {out.size * in.size, out.begin * in.size, 1, out.count * in.size, stride};
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(d));
    }
  }

  int64_t widen(std::vector<Axis>& axes, size_t item) {
    Axis& last = axes.back();
    if (last.step != 1 || last.stride != 1) return 1;
    std::vector<Dim> dims;
    for (size_t d = 0; d + 1 < axes.size(); ++d) dims.push_back({axes[d].size, axes[d].stride, 0});
    const int64_t at = in_at_ / static_cast<int64_t>(item);
    const int64_t unit = common_unit(item, {last.size, last.begin, last.count, at}, dims);
    for (Axis& a : axes) a.stride /= unit;
    last = {last.size / unit, last.begin / unit, 1, last.count / unit, 1};
    return unit;
  }

  BoxCopy copy_;  // where there is no frame
  const Function* function_ = nullptr;
  int64_t in_at_ = 0, count_ = 0;
  Lists axes_;
  Bits around_{};
  Grid grid_;
};

class Pad final : public OnDevice {
 public:
  explicit Pad(const Attrs& a) : attrs_(a), paddings_(a.ints("paddings")) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    Box box;
    if (Status bad = plan_pad(s, paddings_, box)) return bad;
    Bits value{};
    visit(s.inputs[0].dtype, [&]<class T>(T) {
      const T number = number_as<T>(attrs_, "value");
      value = repeated(&number, sizeof number);
    });
    return inset_.prepare(*s.device, box, s.outputs[0].shape, value);
  }
  Status queue(const Args& a, Stream& q) const override { return inset_.run(a.in[0], a.out[0], q); }

  const Attrs attrs_;
  const Shape paddings_;
  Inset inset_;
};

class StridedSliceDx final : public OnDevice {
 public:
  explicit StridedSliceDx(const Attrs& a)
      : range_{a.ints("begin"), a.ints("end"), a.ints("step")}, shape_(a.ints("shape")) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    Box box;
    if (Status bad = plan_slice_dx(s, range_, shape_, box)) return bad;
    return inset_.prepare(*s.device, box, shape_, {});
  }
  Status queue(const Args& a, Stream& q) const override { return inset_.run(a.in[0], a.out[0], q); }

  const SliceRange range_;
  const Shape shape_;
  Inset inset_;
};

MINDS_KERNEL("cuda", "pad", Pad, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cuda", "strided_slice_dx", StridedSliceDx, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cuda
