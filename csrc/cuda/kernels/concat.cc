// concat and split: columns of wide rows, from or to one tensor each.
#include <algorithm>

#include "cuda/kernels/boxes.h"
#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/on_device.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

constexpr size_t kParts = 16;  // of one launch

struct Parts {  // as in move.cu
  void* at[kParts];
  int64_t end[kParts];
};

class Columns {
 public:
  // `kernel` joins or splits tensors of these shapes along the axis.
  Status prepare(Device& d, const char* kernel, const std::vector<TensorSpec>& parts, const Shape& whole, int64_t axis,
                 size_t item) {
    const auto at = static_cast<size_t>(axis);
    const int64_t inner = product(whole, at + 1, whole.size()), rows = product(whole, 0, at);
    width_ = whole[at] * inner;
    if (rows * width_ == 0) return {};
    int64_t unit = 16 / static_cast<int64_t>(item), end = 0;
    for (const TensorSpec& p : parts) unit = std::min(unit, common_unit(item, {p.shape[at] * inner}));
    width_ /= unit;
    const bool wide = is_wide(rows * width_);
    for (size_t first = 0; first < parts.size(); first += kParts) {
      Share share{first, std::min(kParts, parts.size() - first), end, 0, {}, {}};
      for (size_t k = 0; k < kParts; ++k) {
        if (k < share.count) end += parts[first + k].shape[at] * inner / unit;
        share.end[k] = end;
      }
      share.elements = rows * (end - share.begin);
      share.grid = grid_for(share.elements, d);
      if (share.elements > 0) shares_.push_back(share);
    }
    const Defines defines{{"T", bits_name(static_cast<int64_t>(item) * unit)},
                          {"PARTS", std::to_string(kParts)},
                          {"WIDE", flag(wide)}};
    return find_function(d, "move", kernel, defines, function_);
  }

  // `parts` are the addresses of the parts, whichever way the elements go.
  Status run(const void* const* parts, const void* whole, Stream& q) const {
    for (const Share& s : shares_) {
      Parts p{};
      std::copy(s.end.begin(), s.end.end(), p.end);
      for (size_t k = 0; k < s.count; ++k) p.at[k] = const_cast<void*>(parts[s.first + k]);
      if (Status bad = launch(*function_, q, s.grid, p, whole, s.begin, width_, s.elements)) return bad;
    }
    return {};
  }

 private:
  struct Share {
    size_t first, count;      // of the parts
    int64_t begin, elements;  // its first column; all of its elements
    std::array<int64_t, kParts> end;
    Grid grid;
  };
  int64_t width_ = 0;
  std::vector<Share> shares_;
  const Function* function_ = nullptr;
};

class Concat final : public OnDevice {
 public:
  explicit Concat(const Attrs& a) : axis_(a.i64("axis")) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    std::vector<Box> boxes;
    if (Status bad = plan_concat(s, axis_, boxes)) return bad;
    const TensorSpec& out = s.outputs[0];
    return columns_.prepare(*s.device, "move_join", s.inputs, out.shape, axis_, item_size(out.dtype));
  }
  Status queue(const Args& a, Stream& q) const override { return columns_.run(a.in, a.out[0], q); }

  const int64_t axis_;
  Columns columns_;
};

class Split final : public OnDevice {
 public:
  explicit Split(const Attrs& a) : sizes_(a.ints("sizes")), axis_(a.i64("axis")) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    std::vector<Box> boxes;
    if (Status bad = plan_split(s, axis_, sizes_, boxes)) return bad;
    const TensorSpec& x = s.inputs[0];
    return columns_.prepare(*s.device, "move_split", s.outputs, x.shape, axis_, item_size(x.dtype));
  }
  Status queue(const Args& a, Stream& q) const override { return columns_.run(a.out, a.in[0], q); }

  const Shape sizes_;
  const int64_t axis_;
  Columns columns_;
};

MINDS_KERNEL("cuda", "concat", Concat, MINDS_ALL_DTYPES);
MINDS_KERNEL("cuda", "split", Split, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cuda
