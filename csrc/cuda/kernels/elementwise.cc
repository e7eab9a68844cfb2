#include "cuda/kernels/elementwise.h"

#include <array>

#include "cuda/kernels/render.h"
#include "kernel/plan/elementwise.h"
#include "kernel/registry.h"

namespace minds::cuda {

void Elementwise::add(Argument::Kind kind, size_t at, size_t bytes) {
  arguments_.push_back({kind, at});
  sizes_.push_back(bytes);
}

Status Elementwise::prepare(const TileProgram& p, const Signature& s, std::string_view label, const char* formula) {
  const Rendering r = render(p, s, formula);
  if (Status e = compile_function(*s.device, label, r.text, "elementwise", function_)) return e;
  grid_ = grid_for(p.size, *s.device, 256, static_cast<unsigned>(r.each));
  for (size_t k = 0; k < p.inputs; ++k) {
    const bool word = taken(p, k, s) == Taken::kWord;
    add(word ? Argument::kWord : Argument::kInput, k, word ? item_size(p.values[k].dtype) : sizeof(void*));
  }
  for (size_t k = 0; k < s.outputs.size(); ++k) add(Argument::kOutput, k, sizeof(void*));
  add(Argument::kNumber, 0, sizeof(int64_t));
  numbers_ = {p.size};
  for (size_t k = 0; k < p.inputs; ++k) {
    const BroadcastPlan& space = p.values[k].space;
    const BroadcastPlan::Operand& o = space.operands[0];
    const Taken how = taken(p, k, s);
    if (how == Taken::kPeriodic) {
      add(Argument::kNumber, numbers_.size(), sizeof(int64_t));
      numbers_.push_back(o.period);
    } else if (how == Taken::kStrided) {
      add(Argument::kNumber, numbers_.size(), 2 * space.dims.size() * sizeof(int64_t));
      numbers_.insert(numbers_.end(), space.dims.begin(), space.dims.end());
      numbers_.insert(numbers_.end(), o.strides.begin(), o.strides.end());
    }
  }
  if (can_fail(p)) {
    add(Argument::kFault, 0, sizeof(FaultWord*));
    add(Argument::kInstruction, 0, sizeof(uint32_t));
  }
  return {};
}

Status Elementwise::run(const Args& a, Stream& q) const {
  if (numbers_[0] == 0) return {};
  std::array<void*, 3 * kTileValues + 3> at;  // inputs, outputs, how they are indexed
  for (size_t k = 0; k < arguments_.size(); ++k) {
    const Argument& argument = arguments_[k];
    const void* value = nullptr;
    switch (argument.kind) {
      case Argument::kInput:
        value = &a.in[argument.at];
        break;
      case Argument::kWord:
        value = a.in[argument.at];
        break;
      case Argument::kOutput:
        value = &a.out[argument.at];
        break;
      case Argument::kNumber:
        value = &numbers_[argument.at];
        break;
      case Argument::kFault:
        value = &a.fault;
        break;
      case Argument::kInstruction:
        value = &a.instruction;
        break;
    }
    at[k] = const_cast<void*>(value);
  }
  return launch_counted(*function_, q, grid_, at.data(), sizes_.data(), arguments_.size());
}

Status program_of(TileProgram::Step step, const Signature& s, TileProgram& p) {
  const TensorSpec& result = s.outputs[0];
  p.size = result.size();
  p.inputs = s.inputs.size();
  for (size_t k = 0; k < p.inputs; ++k) {
    TileProgram::Value v;
    v.dtype = s.inputs[k].dtype;
    v.input = static_cast<int>(k);
    const TensorSpec& x = s.inputs[k];
    const TensorSpec same{x.dtype, result.shape};
    if (Status e = v.space.prepare_one(x.size() == result.size() ? same : x, result)) return e;
    p.values.push_back(std::move(v));
    step.args[k] = k;
  }
  TileProgram::Value out;
  out.dtype = result.dtype;
  out.output = 0;
  p.values.push_back(std::move(out));
  p.steps.push_back(step);
  return {};
}

namespace {

using Step = TileProgram::Step;

// A kernel of one step: `check` says what its signature must be.
class OneStep : public Kernel {
 public:
  OneStep(std::string_view op, const Step& step) : op_(op), step_(step) {}

  Status prepare(const Signature& s, Prepared&) override {
    TileProgram p;
    if (Status e = check(s)) return e;
    if (Status e = program_of(step_, s, p)) return e;
    return kernel_.prepare(p, s, op_);
  }
  Status run(const Args& a, Stream& q) const override { return kernel_.run(a, q); }

 private:
  Status check(const Signature& s) const {
    BroadcastPlan space;
    switch (step_.kind) {
      case Step::Kind::kUnary:
        return check_unary(s, step_.unary);
      case Step::Kind::kBinary:
        if (Status e = check_binary(s, step_.binary)) return e;
        return space.prepare(s.inputs.data(), 2, s.outputs[0]);
      case Step::Kind::kSelect:
        if (Status e = check_select(s)) return e;
        return space.prepare(s.inputs.data(), 3, s.outputs[0]);
      default:
        return check_cast(s);
    }
  }

  // A rank-0 result of a tensor with one element is a cast, too; so only the number of elements must agree.
  static Status check_cast(const Signature& s) {
    if (Status e = expect_counts(s, 1, 1)) return e;
    const TensorSpec &x = s.inputs[0], &y = s.outputs[0];
    return x.size() == y.size() ? Status{} : bad_value("cannot cast " + to_string(x) + " to " + to_string(y));
  }

  const std::string op_;
  const Step step_;
  Elementwise kernel_;
};

std::unique_ptr<Kernel> make(std::string_view op, const Attrs&) {
  Step step;
  if (const auto unary = unary_named(op)) {
    step.unary = *unary;
  } else if (const auto binary = binary_named(op)) {
    step.kind = Step::Kind::kBinary;
    step.binary = *binary;
  } else {
    step.kind = op == "select" ? Step::Kind::kSelect : Step::Kind::kCast;
  }
  return std::make_unique<OneStep>(op, step);
}

const bool added = [] {
  Registry& all = Registry::instance();
  for (const auto& op : kUnaryOps) all.add("cuda", op.name, dtypes_of(op.takes), make);
  for (const auto& op : kBinaryOps) all.add("cuda", op.name, dtypes_of(op.takes), make);
  all.add("cuda", "select", {DType::kBool}, make);
  all.add("cuda", "cast", {MINDS_ALL_DTYPES}, make);
  return true;
}();

class Copy final : public Kernel {
 public:
  explicit Copy(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 1, 1)) return e;
    bytes_ = s.inputs[0].bytes();
    word_ = s.on_host(0);
    return expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, s.inputs[0].shape);
  }

  Status run(const Args& a, Stream& q) const override {
    if (a.in[0] == a.out[0]) return {};
    return q.device().copy(a.out[0], a.in[0], bytes_, word_ ? CopyKind::kToDevice : CopyKind::kOnDevice, q);
  }

 private:
  size_t bytes_ = 0;
  bool word_ = false;
};

MINDS_KERNEL("cuda", "copy", Copy, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cuda
