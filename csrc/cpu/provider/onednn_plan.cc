#include "cpu/provider/onednn_plan.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"

namespace minds::cpu::onednn {

namespace {

constexpr size_t kAlign = 64;

size_t aligned(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

}  // namespace

const dnnl::engine& engine() {
  // Never destroyed: kernels that Python still holds may outlive the static objects of this library.
  static const auto* const e = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *e;
}

dnnl::memory::data_type data_type(DType t) {
  switch (t) {
    case DType::kFloat32: return dnnl::memory::data_type::f32;
    case DType::kFloat16: return dnnl::memory::data_type::f16;
    case DType::kBFloat16: return dnnl::memory::data_type::bf16;
    default: return dnnl::memory::data_type::undef;
  }
}

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr a;
  a.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return a;
}

bool is_reference(const char* implementation) {
  return std::strncmp(implementation, "ref", 3) == 0 || std::strstr(implementation, ":ref") != nullptr;
}

bool is_little(int64_t multiplications, DType t) {
  return multiplications < (t == DType::kFloat32 ? int64_t{1} << 21 : int64_t{1} << 23);
}

// The objects of one running call. Addresses are set before each execution.
struct PrimitivePlan::Frame {
  dnnl::stream stream;
  std::vector<dnnl::memory> values, scratchpads;
  std::vector<std::vector<dnnl_exec_arg_t>> args;  // of each step
};

PrimitivePlan::~PrimitivePlan() { delete spare_.load(); }

PrimitivePlan::Slot PrimitivePlan::slot(Source source, const dnnl::memory::desc& d) {
  values_.push_back({d, source, bytes_});
  if (source == kWorkspace) bytes_ += aligned(d.get_size());
  return values_.size() - 1;
}

void PrimitivePlan::step(const dnnl::primitive& p, const dnnl::memory::desc& scratchpad, Arguments args) {
  scratch_ = std::max(scratch_, aligned(scratchpad.get_size()));
  steps_.push_back({p, std::move(args), scratchpad});
}

void PrimitivePlan::reorder(Slot from, Slot to) {
  dnnl::reorder::primitive_desc pd(engine(), values_[from].desc, engine(), values_[to].desc, attributes());
  step(dnnl::reorder(pd), pd.scratchpad_desc(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

PrimitivePlan::Slot PrimitivePlan::wanted(Slot from, const dnnl::memory::desc& d) {
  if (values_[from].desc == d) return from;
  const Slot copy = slot(kWorkspace, d);
  reorder(from, copy);
  return copy;
}

PrimitivePlan::Slot PrimitivePlan::target(Slot to, const dnnl::memory::desc& d) {
  return values_[to].desc == d ? to : slot(kWorkspace, d);
}

void PrimitivePlan::finish(Slot written, Slot to) {
  if (written != to) reorder(written, to);
}

std::unique_ptr<PrimitivePlan::Frame> PrimitivePlan::make_frame() const {
  auto f = std::make_unique<Frame>();
  f->stream = dnnl::stream(engine());
  for (const Value& v : values_) f->values.emplace_back(v.desc, engine(), nullptr);
  for (const Step& s : steps_) {
    auto& args = f->args.emplace_back();
    for (auto [arg, at] : s.args) args.push_back({arg, f->values[at].get()});
    f->scratchpads.emplace_back(s.scratchpad, engine(), nullptr);
    if (s.scratchpad.get_size() > 0) args.push_back({DNNL_ARG_SCRATCHPAD, f->scratchpads.back().get()});
  }
  return f;
}

Status PrimitivePlan::run(const void* x, const void* y, void* out, void* workspace) const {
  try {
    std::unique_ptr<Frame> f(spare_.exchange(nullptr, std::memory_order_acquire));
    if (f == nullptr) f = make_frame();
    char* const base = static_cast<char*>(workspace);
    for (size_t i = 0; i < values_.size(); ++i) {
      const Value& v = values_[i];
      void* p = v.source == kX   ? const_cast<void*>(x)
                : v.source == kY ? const_cast<void*>(y)
                : v.source == kOut ? out
                                   : base + v.offset;
      dnnl_memory_set_data_handle(f->values[i].get(), p);
    }
    const OneThread scope(serial_);
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].scratchpad.get_size() > 0) dnnl_memory_set_data_handle(f->scratchpads[i].get(), base + bytes_);
      const auto& args = f->args[i];
      const dnnl_status_t failed = dnnl_primitive_execute(steps_[i].primitive.get(), f->stream.get(),
                                                          static_cast<int>(args.size()), args.data());
      if (failed != dnnl_success) {
        return {Code::kBackend, "oneDNN could not execute a primitive (status " + std::to_string(failed) + ")"};
      }
    }
    delete spare_.exchange(f.release(), std::memory_order_acq_rel);
    return Status::ok();
  } catch (const std::exception& e) {
    return {Code::kBackend, std::string("oneDNN: ") + e.what()};
  }
}

}  // namespace minds::cpu::onednn

namespace minds::cpu {

const Provider& provider() {
  static const Provider table{"oneDNN", onednn::make_gemm, onednn::make_conv};
  return table;
}

}  // namespace minds::cpu
