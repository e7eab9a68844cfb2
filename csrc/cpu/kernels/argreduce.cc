// argmax and argmin along an axis: the first of equal elements, or the first NaN if there is one, as NumPy.
#include <algorithm>

#include "base/parallel.h"
#include "cpu/isa.h"
#include "cpu/kernels/reduce.h"
#include "kernel/types.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

constexpr int64_t kColumns = 256;  // best values kept on the stack when the axis is not the innermost
constexpr int64_t kShort = 64;     // a shorter line is searched in one go
constexpr int64_t kBlock =
    256;  // of a longer line, the part that is searched for the value that its amax found

// What amax and amin accumulate in (reduce_loops.h).
template <class T>
using Best = std::conditional_t<kIsHalf<T>, float, std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;

template <bool kMax, class B>
bool better(B a, B best) {
  return (kMax ? a > best : a < best) || (a != a && best == best);
}

template <bool kMax>
class ArgReduce final : public Kernel {
 public:
  explicit ArgReduce(const Attrs& a)
      : axis_(a.i64("axis")), keep_(a.has("keepdims") && a.boolean("keepdims")) {}

  Status prepare(const Signature& s, Prepared&) override {
    AxisPlan along;
    if (auto bad = along.prepare_extreme(s, axis_, keep_)) return bad;
    n_ = along.size;
    inner_ = along.inner;
    outer_ = along.outer;
    dtype_ = s.inputs[0].dtype;
    const ReduceOp op = kMax ? ReduceOp::kAmax : ReduceOp::kAmin;
    loops_ = isa() == Isa::kAvx512 ? reduce_loops_avx512(op, dtype_)
             : isa() == Isa::kAvx2 ? reduce_loops_avx2(op, dtype_)
                                   : reduce_loops_generic(op, dtype_);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (outer_ * inner_ == 0) return {};
    visit(dtype_, [&]<class T>(T) {
      const T* x = static_cast<const T*>(a.in[0]);
      int64_t* out = static_cast<int64_t*>(a.out[0]);
      if (inner_ > 1) return columns(x, out);
      parallel_for(outer_, kGrain / n_, [&](int64_t begin, int64_t end) {
        for (int64_t l = begin; l < end; ++l)
          out[l] = n_ < kShort ? short_line(x + l * n_, n_) : line(x + l * n_);
      });
    });
    return {};
  }

 private:
  template <class T>
  static int64_t short_line(const T* x, int64_t n) {
    using B = Best<T>;
    int64_t at = 0;
    B best = static_cast<B>(x[0]);
    for (int64_t i = 1; i < n; ++i) {
      const B value = static_cast<B>(x[i]);
      const bool wins = better<kMax, B>(value, best);  // selected, not branched on: it is hard to predict
      best = wins ? value : best;
      at = wins ? i : at;
    }
    return at;
  }

  // The vectorised amax of each block finds the block, a search in it the element.
  template <class T>
  int64_t line(const T* x) const {
    using B = Best<T>;
    B best{};
    int64_t block = -1;
    for (int64_t first = 0; first < n_; first += kBlock) {
      B found;
      loops_->inner(x + first, 1, 0, std::min(kBlock, n_ - first), &found);
      if (block < 0 || better<kMax, B>(found, best)) {
        best = found;
        block = first;
      }
    }
    int64_t at = block;
    if (best == best) {
      while (static_cast<B>(x[at]) != best) ++at;
    } else {
      while (static_cast<B>(x[at]) == static_cast<B>(x[at])) ++at;
    }
    return at;
  }

  template <class T>
  void columns(const T* x, int64_t* out) const {
    using B = Best<T>;
    const int64_t tiles = (inner_ + kColumns - 1) / kColumns;
    parallel_for(outer_ * tiles, kGrain / (n_ * std::min(inner_, kColumns)), [&](int64_t begin, int64_t end) {
      B best[kColumns];
      for (int64_t u = begin; u < end; ++u) {
        const int64_t column = u % tiles * kColumns, width = std::min(kColumns, inner_ - column);
        const T* from = x + u / tiles * n_ * inner_ + column;
        int64_t* to = out + u / tiles * inner_ + column;
        for (int64_t j = 0; j < width; ++j) {
          best[j] = static_cast<B>(from[j]);
          to[j] = 0;
        }
        for (int64_t i = 1; i < n_; ++i) {
          for (int64_t j = 0; j < width; ++j) {
            const B value = static_cast<B>(from[i * inner_ + j]);
            const bool wins = better<kMax, B>(value, best[j]);
            best[j] = wins ? value : best[j];
            to[j] = wins ? i : to[j];
          }
        }
      }
    });
  }

  int64_t axis_;
  bool keep_;
  int64_t n_ = 0, inner_ = 1, outer_ = 1;
  DType dtype_{};
  const ReduceLoops* loops_ = nullptr;
};

MINDS_KERNEL("cpu", "argmax", ArgReduce<true>, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cpu", "argmin", ArgReduce<false>, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cpu
