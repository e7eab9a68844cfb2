// concat and split: memcpy runs between one tensor and its parts along an axis.
#include "cpu/copy.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

class Concat final : public Kernel {
 public:
  explicit Concat(const Attrs& a) : axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared&) override {
    std::vector<Box> boxes;
    if (auto bad = plan_concat(s, axis_, boxes)) return bad;
    copies_ = {boxes.begin(), boxes.end()};
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    for (size_t i = 0; i < copies_.size(); ++i) copies_[i].run(a.in[i], a.out[0]);
    return {};
  }

 private:
  int64_t axis_;
  std::vector<StridedCopy> copies_;
};

class Split final : public Kernel {
 public:
  explicit Split(const Attrs& a) : sizes_(a.ints("sizes")), axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared&) override {
    std::vector<Box> boxes;
    if (auto bad = plan_split(s, axis_, sizes_, boxes)) return bad;
    copies_ = {boxes.begin(), boxes.end()};
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    for (size_t i = 0; i < copies_.size(); ++i) copies_[i].run(a.in[0], a.out[i]);
    return {};
  }

 private:
  Shape sizes_;
  int64_t axis_;
  std::vector<StridedCopy> copies_;
};

MINDS_KERNEL("cpu", "concat", Concat, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "split", Split, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu
