// sum, prod, amax, amin, all, any, argmax, argmin.
#include "cuda/kernels/reduce.h"

#include <algorithm>
#include <string>

#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/on_device.h"
#include "cuda/kernels/rows.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cuda {

ReduceCut::ReduceCut(const std::vector<ReducePlan::Group>& groups, DType t) {
  constexpr int64_t kLongRow = 1024;  // in packs: what a warp is too slow for
  constexpr int kMostParts = 8;       // each is a register or two
  std::vector<ReducePlan::Group> outer = groups;
  inner = !outer.empty() && outer.back().reduced;
  int64_t columns = 1;
  if (!outer.empty()) {
    (inner ? run : columns) = outer.back().size;
    outer.pop_back();
  }
  count = run;
  for (const ReducePlan::Group& g : outer) {
    Axes& axes = g.reduced ? over : kept;
    int& n = g.reduced ? over_count : kept_count;
    axes.size[n] = g.size;
    axes.stride[n++] = g.stride;
    (g.reduced ? count : outputs) *= g.size;
  }
  outputs *= columns;
  elements = outputs * count;
  int64_t steps;
  if (inner) {
    pack = std::min(pack_of(run, t), kMostParts);
    const int64_t packs = count / pack;
    lanes = packs >= kLongRow ? kThreads : power_above(ceil_div(packs, 4), 32);
    blocks = ceil_div(outputs, kThreads / lanes);
    steps = ceil_div(packs, lanes);
  } else {
    run = columns;
    lanes = column_width(columns);
    blocks = outputs / columns * ceil_div(columns, lanes);
    steps = ceil_div(count, kThreads / lanes);
  }
  segments = segments_of(blocks, steps, inner ? 4 : 16);
  const int64_t step = inner ? static_cast<int64_t>(lanes) * pack : kThreads / lanes;
  share = std::max<int64_t>(1, ceil_div(steps, segments)) * step;
  segments = std::max<int64_t>(1, ceil_div(count, share));
}

namespace {

// What is accumulated in: integers as wide as a register, unsigned where they wrap.
std::string register_name(DType t, bool ordered) {
  if (is_float(t)) return compute_name(t);
  const bool sign = ordered && t >= DType::kInt8 && t <= DType::kInt64;
  return std::string(sign ? "i" : "u") + (item_size(t) == 8 ? "64" : "32");
}

class Reduction : public OnDevice {
 protected:
  // `fold` with its type; `slot`: bytes of an accumulator.
  Status find(const Signature& s, const std::vector<ReducePlan::Group>& groups, const std::string& fold, size_t slot,
              Prepared& p) {
    const DType t = s.inputs[0].dtype;
    outputs_ = s.outputs[0].size();
    if (outputs_ == 0) return {};
    cut_ = ReduceCut(groups, t);
    const bool small = cut_.elements < int64_t{1} << 31;
    const Defines defines{{"ELEMENT", type_name(t)},
                          {"RESULT", type_name(s.outputs[0].dtype)},
                          {"FOLD", fold},
                          {"INDEX", small ? "u32" : "u64"},
                          {"KEPT", std::to_string(cut_.kept_count)},
                          {"OVER", std::to_string(cut_.over_count)},
                          {"VEC", std::to_string(cut_.pack)}};
    if (auto bad = find_function(*s.device, "reduce", cut_.inner ? "rows" : "columns", defines, main_)) return bad;
    if (cut_.segments == 1) return {};
    partial_ = reserve(p, static_cast<size_t>(cut_.segments * cut_.outputs) * slot);
    return find_function(*s.device, "reduce", "segments", defines, join_);
  }

  Status queue(const Args& a, Stream& q) const override {
    if (outputs_ == 0) return {};
    const ReduceCut& c = cut_;
    Grid g;
    g.x = static_cast<unsigned>(c.blocks);
    g.y = static_cast<unsigned>(c.segments);
    char* const partial = c.segments > 1 ? within(a, partial_) : nullptr;
    const uint64_t outputs = static_cast<uint64_t>(c.outputs), count = static_cast<uint64_t>(c.count);
    const uint64_t run = static_cast<uint64_t>(c.run), share = static_cast<uint64_t>(c.share);
    if (auto bad = launch(*main_, q, g, a.in[0], a.out[0], partial, outputs, count, run, share, c.lanes, c.kept, c.over)) {
      return bad;
    }
    if (c.segments == 1) return {};
    const unsigned width = column_width(c.outputs);
    Grid joins;
    joins.x = static_cast<unsigned>(ceil_div(c.outputs, width));
    return launch(*join_, q, joins, partial, a.out[0], outputs, static_cast<unsigned>(c.segments), width);
  }

 private:
  ReduceCut cut_;
  int64_t outputs_ = 0;
  size_t partial_ = 0;  // in the workspace
  const Function *main_ = nullptr, *join_ = nullptr;
};

enum class ReduceOp : uint8_t { kSum, kProd, kAmax, kAmin, kAll, kAny };
constexpr const char* kFolds[] = {"Sum", "Prod", "Amax", "Amin", "All", "Any"};

template <ReduceOp kOp>
class Reduce final : public Reduction {
 public:
  explicit Reduce(const Attrs& a) : axes_(a.ints("axis")), keep_(a.boolean("keepdims")) {}

  Status plan(const Signature& s, Prepared& p) override {
    constexpr bool kTruth = kOp == ReduceOp::kAll || kOp == ReduceOp::kAny;
    constexpr bool kOrdered = kOp == ReduceOp::kAmax || kOp == ReduceOp::kAmin;
    ReducePlan shape;
    if (auto bad = shape.prepare(s, axes_, keep_, kTruth)) return bad;
    const TensorSpec& x = s.inputs[0];
    if (kOrdered && x.size() == 0 && s.outputs[0].size() > 0) {
      return bad_value("an axis of size 0 has no maximum or minimum: shape " + to_string(x.shape));
    }
    const std::string type = kTruth && !is_float(x.dtype) ? type_name(x.dtype) : register_name(x.dtype, kOrdered);
    const std::string fold = std::string(kFolds[static_cast<int>(kOp)]) + "<" + type + ">";
    return find(s, shape.groups, fold, sizeof(uint64_t), p);
  }

 private:
  const std::vector<int64_t> axes_;
  const bool keep_;
};

template <bool kMax>
class ArgReduce final : public Reduction {
 public:
  explicit ArgReduce(const Attrs& a) : axis_(a.i64("axis")), keep_(a.has("keepdims") && a.boolean("keepdims")) {}

  Status plan(const Signature& s, Prepared& p) override {
    AxisPlan along;
    if (auto bad = along.prepare_extreme(s, axis_, keep_)) return bad;
    std::vector<ReducePlan::Group> groups;
    if (along.outer != 1) groups.push_back({along.outer, along.size * along.inner, false});
    groups.push_back({along.size, along.inner, true});
    if (along.inner != 1) groups.push_back({along.inner, 1, false});
    const std::string fold = std::string(kMax ? "ArgMax<" : "ArgMin<") + register_name(s.inputs[0].dtype, true) + ">";
    return find(s, groups, fold, 2 * sizeof(uint64_t), p);
  }

 private:
  const int64_t axis_;
  const bool keep_;
};

MINDS_KERNEL("cuda", "sum", Reduce<ReduceOp::kSum>, MINDS_REALS);
MINDS_KERNEL("cuda", "prod", Reduce<ReduceOp::kProd>, MINDS_REALS);
MINDS_KERNEL("cuda", "amax", Reduce<ReduceOp::kAmax>, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cuda", "amin", Reduce<ReduceOp::kAmin>, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cuda", "all", Reduce<ReduceOp::kAll>, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cuda", "any", Reduce<ReduceOp::kAny>, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cuda", "argmax", ArgReduce<true>, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cuda", "argmin", ArgReduce<false>, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cuda
