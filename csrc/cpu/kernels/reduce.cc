// sum, prod, amax, amin, all, any.
#include "cpu/kernels/reduce.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"
#include "base/parallel.h"
#include "cpu/isa.h"
#include "cpu/kernels/reduce_cut.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

const ReduceLoops* loops_for(ReduceOp op, DType t) {
  switch (isa()) {
    case Isa::kAvx512:
      return reduce_loops_avx512(op, t);
    case Isa::kAvx2:
      return reduce_loops_avx2(op, t);
    default:
      return reduce_loops_generic(op, t);
  }
}

template <class Half>
void round_to(const void* acc, void* out, int64_t n) {
  for (int64_t j = 0; j < n; ++j) static_cast<Half*>(out)[j] = static_cast<const float*>(acc)[j];
}

template <class A>
void test(const void* acc, void* out, int64_t n) {
  for (int64_t j = 0; j < n; ++j) static_cast<bool*>(out)[j] = static_cast<const A*>(acc)[j] != 0;
}

class Reduce : public Kernel {
 public:
  Reduce(const Attrs& a, ReduceOp op) : op_(op), axes_(a.ints("axis")), keep_(a.boolean("keepdims")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    ReducePlan plan;
    if (auto bad = plan.prepare(s, axes_, keep_, op_ == ReduceOp::kAll || op_ == ReduceOp::kAny)) return bad;
    const TensorSpec &x = s.inputs[0], &out = s.outputs[0];
    dtype_ = x.dtype;
    out_item_ = item_size(out.dtype);
    loops_ = loops_for(op_, dtype_);
    if (x.size() == 0) {
      empty_ = out.size();
      if (empty_ > 0 && (op_ == ReduceOp::kAmax || op_ == ReduceOp::kAmin)) {
        return bad_value("an axis of size 0 has no maximum or minimum: shape " + to_string(x.shape));
      }
      cut_.tiles = 0;
      return {};
    }
    cut_ = ReduceCut(plan);
    slot_ = static_cast<size_t>(cut_.width(0)) * loops_->acc_size;
    if (cut_.segments > 1) p.workspace = static_cast<size_t>(cut_.tiles * cut_.segments) * slot_;
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    const char* x = static_cast<const char*>(a.in[0]);
    char* out = static_cast<char*>(a.out[0]);
    char* partial = static_cast<char*>(a.workspace);
    if (empty_ > 0) return fill_identity(out);
    if (cut_.inner && cut_.steps == 1) return many_short_rows(x, out);
    const int64_t segments = cut_.segments, units = cut_.tiles * segments;
    const int64_t work = cut_.steps_per_segment * cut_.step_size * cut_.width(0);
    parallel_for(units, kGrain / std::max<int64_t>(work, 1), [&](int64_t begin, int64_t end) {
      alignas(64) char acc[ReduceCut::kTile * sizeof(double)];
      for (int64_t u = begin; u < end; ++u) {
        const int64_t tile = u / segments;
        char* to = segments > 1 ? partial + static_cast<size_t>(u) * slot_ : acc;
        accumulate(x, tile, u % segments, to);
        if (segments == 1) finish(to, tile, out);
      }
    });
    if (segments > 1) {
      for (int64_t tile = 0; tile < cut_.tiles; ++tile) {
        char* first = partial + static_cast<size_t>(tile * segments) * slot_;
        for (int64_t step = 1; step < segments; step *= 2) {
          for (int64_t i = 0; i + step < segments; i += 2 * step) {
            loops_->combine(first + static_cast<size_t>(i) * slot_,
                            first + static_cast<size_t>(i + step) * slot_, cut_.width(tile));
          }
        }
        finish(first, tile, out);
      }
    }
    return {};
  }

 private:
  // One run of at most one block per output: no tree above it.
  Status many_short_rows(const char* x, char* out) const {
    constexpr int64_t kBatch = ReduceCut::kTile;
    parallel_for(cut_.tiles, kGrain / cut_.run, [&](int64_t begin, int64_t end) {
      alignas(64) char acc[kBatch * sizeof(double)];
      for (int64_t o = begin; o < end; o += kBatch) {
        const int64_t n = std::min(kBatch, end - o);
        loops_->inner(x + static_cast<size_t>(o * cut_.run) * loops_->item, n, cut_.run, cut_.run, acc);
        round(acc, out + static_cast<size_t>(o) * out_item_, n);
      }
    });
    return {};
  }

  // acc = the reduction of one segment of one tile.
  void accumulate(const char* x, int64_t tile, int64_t segment, char* acc) const {
    const int64_t width = cut_.width(tile), per_run = cut_.steps / cut_.runs;
    const int64_t first = segment * cut_.steps_per_segment;
    const int64_t last = std::min(first + cut_.steps_per_segment, cut_.steps);
    const Odometer base(cut_.kept, tile / cut_.tiles_across);
    const int64_t column = tile % cut_.tiles_across * cut_.tile_width;
    Odometer at(cut_.over, first / per_run);
    int64_t step = first % per_run;
    Cascade cascade(loops_, width);
    for (int64_t i = first; i < last; ++i) {
      const int64_t skip = step * cut_.step_size, n = std::min(cut_.step_size, cut_.run - skip);
      const int64_t offset = base.in + at.in + skip * cut_.row_stride + column * cut_.column_stride;
      const char* from = x + static_cast<size_t>(offset) * loops_->item;
      if (cut_.inner) {
        loops_->inner(from, width, cut_.column_stride, n, cascade.next());
      } else {
        rows(from, n, width, cascade.next());
      }
      cascade.push();
      if (++step == per_run) {
        step = 0;
        at.next();
      }
    }
    cascade.total(acc);
  }

  // acc = the reduction of n rows; narrow rows are taken `fold` at a time as one, and its parts added
  // afterwards.
  void rows(const char* x, int64_t n, int64_t width, char* acc) const {
    const int64_t wide = n / cut_.fold;
    if (cut_.fold == 1 || wide == 0) return loops_->outer(x, n, cut_.row_stride, width, acc);
    alignas(64) char folded[ReduceCut::kTile * sizeof(double)];
    loops_->outer(x, wide, cut_.row_stride * cut_.fold, width * cut_.fold, folded);
    std::memcpy(acc, folded, static_cast<size_t>(width) * loops_->acc_size);
    for (int64_t f = 1; f < cut_.fold; ++f) {
      loops_->combine(acc, folded + static_cast<size_t>(f * width) * loops_->acc_size, width);
    }
    const int64_t done = wide * cut_.fold;
    loops_->outer(x + static_cast<size_t>(done * cut_.row_stride) * loops_->item, n - done, cut_.row_stride,
                  width, folded);
    loops_->combine(acc, folded, width);
  }

  void finish(const char* acc, int64_t tile, char* out) const {
    const int64_t at =
        tile / cut_.tiles_across * cut_.columns + tile % cut_.tiles_across * cut_.tile_width;
    round(acc, out + static_cast<size_t>(at) * out_item_, cut_.width(tile));
  }

  // Accumulators to elements of the output.
  void round(const char* acc, char* out, int64_t n) const {
    if (op_ == ReduceOp::kAll || op_ == ReduceOp::kAny) {
      switch (loops_->acc_size) {
        case 1:
          return test<uint8_t>(acc, out, n);
        case 2:
          return test<uint16_t>(acc, out, n);
        case 4:
          return test<uint32_t>(acc, out, n);
        default:
          return test<uint64_t>(acc, out, n);
      }
    }
    if (dtype_ == DType::kFloat16) return round_to<float16>(acc, out, n);
    if (dtype_ == DType::kBFloat16) return round_to<bfloat16>(acc, out, n);
    std::memcpy(out, acc, static_cast<size_t>(n) * out_item_);
  }

  Status fill_identity(char* out) const {
    alignas(64) char acc[sizeof(double)];
    loops_->identity(acc, 1);
    for (int64_t i = 0; i < empty_; ++i) round(acc, out + static_cast<size_t>(i) * out_item_, 1);
    return {};
  }

  ReduceOp op_;
  std::vector<int64_t> axes_;
  bool keep_;
  DType dtype_{};
  const ReduceLoops* loops_ = nullptr;
  ReduceCut cut_;
  size_t slot_ = 0, out_item_ = 0;  // bytes of a tile's accumulators, and of an output element
  int64_t empty_ = 0;               // outputs of a reduction over nothing
};

template <ReduceOp kOp>
struct Of : Reduce {
  explicit Of(const Attrs& a) : Reduce(a, kOp) {}
};

MINDS_KERNEL("cpu", "sum", Of<ReduceOp::kSum>, MINDS_REALS);
MINDS_KERNEL("cpu", "prod", Of<ReduceOp::kProd>, MINDS_REALS);
MINDS_KERNEL("cpu", "amax", Of<ReduceOp::kAmax>, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cpu", "amin", Of<ReduceOp::kAmin>, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cpu", "all", Of<ReduceOp::kAll>, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cpu", "any", Of<ReduceOp::kAny>, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cpu
