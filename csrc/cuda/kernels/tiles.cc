// tiles: the steps of a `tile` on many tensors of different sizes, such as all parameters of an optimiser, in one launch.
//
// Attributes: those of kernel/tile_program.h but `shape`; `parts`, how many there are, and `numbers`, how many inputs of
// one element come first, which all parts share. Then come the inputs of each part, and the results of each.
#include <algorithm>
#include <array>
#include <cstring>

#include "cuda/kernels/render.h"
#include "cuda/module.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

constexpr size_t kMostBytes = 32000;  // of parameters, of which a launch takes 32764

class Tiles final : public Kernel {
 public:
  explicit Tiles(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status bad = divide(s)) return bad;
    TileProgram p;
    Signature part;
    if (Status bad = first_part(s, p, part)) return bad;
    stride_ = (tensors_ + results_ + 2) * sizeof(uint64_t);
    const size_t most = std::max<size_t>(1, std::min<size_t>(256, kMostBytes / stride_));
    capacity_ = 1;
    while (capacity_ < std::min(most, parts_) && 2 * capacity_ <= most) capacity_ *= 2;
    const Rendering r = render_parts(p, part, static_cast<int>(capacity_));
    for (size_t k = 0; k < numbers_; ++k) {
      words_.push_back(taken(p, k, part) == Taken::kWord);
      sizes_.push_back(words_[k] ? s.inputs[k].bytes() : sizeof(void*));
    }
    sizes_.push_back(capacity_ * stride_);
    sizes_.push_back(sizeof(int));
    share(s, r.each);
    return compile_function(*s.device, "tiles", r.text, "elementwise", function_);
  }

  Status run(const Args& a, Stream& q) const override {
    alignas(8) std::array<std::byte, kMostBytes> table;
    std::array<void*, kTileValues + 2> at;
    for (size_t k = 0; k < numbers_; ++k) {
      at[k] = const_cast<void*>(words_[k] ? a.in[k] : static_cast<const void*>(&a.in[k]));
    }
    at[numbers_] = table.data();
    for (size_t begin = 0; begin < parts_; begin += capacity_) {
      const size_t end = std::min(parts_, begin + capacity_);
      for (size_t n = begin; n < end; ++n) {
        std::byte* to = table.data() + (n - begin) * stride_;
        std::memcpy(to, a.in + numbers_ + n * tensors_, tensors_ * sizeof(void*));
        to += tensors_ * sizeof(void*);
        std::memcpy(to, a.out + n * results_, results_ * sizeof(void*));
        std::memcpy(to + results_ * sizeof(void*), &shares_[n], sizeof shares_[n]);
      }
      int count = static_cast<int>(end - begin);
      const size_t filled = (end - begin) * stride_;  // the driver gets the whole table: nothing that was left on the stack
      std::memset(table.data() + filled, 0, capacity_ * stride_ - filled);
      at[numbers_ + 1] = &count;
      Grid g;
      g.x = shares_[end - 1].first + shares_[end - 1].blocks;
      if (Status bad = launch_counted(*function_, q, g, at.data(), sizes_.data(), sizes_.size())) return bad;
    }
    return {};
  }

 private:
  // How a part ends (kernels/render.h).
  struct Share {
    int64_t elements;
    uint32_t first, blocks;
  };

  Status divide(const Signature& s) {
    parts_ = static_cast<size_t>(attrs_.i64("parts"));
    numbers_ = static_cast<size_t>(attrs_.i64("numbers"));
    const bool fits = attrs_.i64("parts") > 0 && attrs_.i64("numbers") >= 0 && numbers_ < s.inputs.size() &&
                      (s.inputs.size() - numbers_) % parts_ == 0 && s.outputs.size() % parts_ == 0;
    if (!fits || s.outputs.empty()) return bad_value("the operands are not those of " + std::to_string(parts_) + " parts");
    tensors_ = (s.inputs.size() - numbers_) / parts_;
    results_ = s.outputs.size() / parts_;
    return {};
  }

  // The program of the steps, and what the first part takes; all others take the same but for their size.
  Status first_part(const Signature& s, TileProgram& p, Signature& part) const {
    const auto count = [](size_t n) { return static_cast<std::ptrdiff_t>(n); };
    part.device = s.device;
    part.inputs.assign(s.inputs.begin(), s.inputs.begin() + count(numbers_ + tensors_));
    part.outputs.assign(s.outputs.begin(), s.outputs.begin() + count(results_));
    for (size_t k = 0; k < part.inputs.size(); ++k) {
      part.inputs_at.push_back(s.on_host(k) ? Residence::kHost : Residence::kDevice);
    }
    Attrs attrs = attrs_;
    attrs.set("shape", part.outputs[0].shape);
    if (Status bad = p.parse(attrs, part)) return bad;
    for (size_t k = 0; k < p.inputs; ++k) {
      const Taken how = taken(p, k, part);
      if ((how == Taken::kWhole) != (k >= numbers_) || how == Taken::kPeriodic || how == Taken::kStrided) {
        return bad_value("input " + std::to_string(k) + " is neither a number nor of the part's size");
      }
    }
    for (size_t n = 0; n < parts_; ++n) {
      const int64_t size = s.outputs[n * results_].size();
      for (size_t k = 0; k < tensors_; ++k) {
        const TensorSpec& x = s.inputs[numbers_ + n * tensors_ + k];
        if (x.dtype != part.inputs[numbers_ + k].dtype || x.size() != size) return bad_value("the parts differ");
      }
      for (size_t k = 0; k < results_; ++k) {
        const TensorSpec& y = s.outputs[n * results_ + k];
        if (y.dtype != part.outputs[k].dtype || y.size() != size) return bad_value("the parts differ");
      }
    }
    return {};
  }

  // Blocks for each part of each launch.
  void share(const Signature& s, int each) {
    constexpr int64_t kLoops = 4, kBlock = 256, kMost = 1 << 20;
    uint32_t first = 0;
    for (size_t n = 0; n < parts_; ++n) {
      if (n % capacity_ == 0) first = 0;
      const int64_t size = s.outputs[n * results_].size(), per_block = kBlock * each * kLoops;
      const auto blocks = static_cast<uint32_t>(std::clamp<int64_t>((size + per_block - 1) / per_block, 1, kMost));
      shares_.push_back({size, first, blocks});
      first += blocks;
    }
  }

  const Attrs attrs_;
  size_t parts_ = 0, numbers_ = 0, tensors_ = 0, results_ = 0;  // the last two of one part
  size_t capacity_ = 1, stride_ = 0;                            // parts of a launch, bytes of each
  std::vector<bool> words_;                                     // which numbers are words of the host
  std::vector<size_t> sizes_;                                   // of the kernel's parameters
  std::vector<Share> shares_;
  const Function* function_ = nullptr;
};

MINDS_KERNEL("cuda", "tiles", Tiles, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cuda
