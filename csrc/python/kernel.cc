#include <map>
#include <set>
#include <string>

#include "kernel/fault.h"
#include "kernel/registry.h"
#include "python/bound_kernel.h"
#include "runtime/kept.h"
#include "runtime/trace.h"

namespace minds::python {
namespace {

// Below this many bytes of operands and results the interpreter lock is kept: giving it away costs more than
// it frees.
constexpr size_t kBigWork = 256 * 1024;

// Makes of an error with `site`, `op` and `operands` one that names them; by set_explain.
PyObject* explain = nullptr;

// Which op was launched where, and on what; a fault is known long before a place is taken again.
struct Launch {
  const std::string* op;  // one of `names`
  uint16_t site;
  std::shared_ptr<const std::vector<TensorSpec>> operands;
};
constexpr uint32_t kLaunches = 4096;

// Where the kernels of a device say that the data of eager work is at fault. Under the interpreter lock.
struct Faults {
  BufferRef word;
  uint32_t launches = 0;  // how many there were
  std::vector<Launch> last = std::vector<Launch>(kLaunches);
  bool known = true;      // how all of them went
  bool aside = false;     // some were on the user's streams, which need not have come as far as the device's
};

Faults& faults(Device& d) {
  static auto& all = *new std::map<Device*, Faults>;  // its buffers outlive the static destructors
  return all[&d];
}

Status clear(const Faults& f) {
  Device& d = f.word->device();
  const uint64_t zero = 0;
  return d.fill(f.word->data(), &zero, sizeof zero, sizeof(FaultWord) / sizeof zero, d.stream());
}

// For the next launch, whose number `launch` becomes.
FaultWord* fault_word(Device& d, const Stream& q, const Launch& what, uint32_t& launch) {
  Faults& f = faults(d);
  if (!f.word) {
    f.word = d.allocator().allocate(sizeof(FaultWord));
    if (!f.word) check({Code::kMemory, "out of memory on " + d.label()});
    check(clear(f));
    check(d.synchronize());  // other streams write there too
  }
  f.known = false;
  f.aside |= &q != &d.stream();
  launch = f.launches++;
  f.last[launch % kLaunches] = what;
  return static_cast<FaultWord*>(f.word->data());
}

// Of ops; for ever, so that a launch may refer to them.
std::set<std::string>& names() {
  static auto& all = *new std::set<std::string>;
  return all;
}

py::list kernels() {
  py::list out;
  for (const auto& e : Registry::instance().entries())
    out.append(py::make_tuple(e.device, e.op, static_cast<int>(e.dtype)));
  return out;
}

}  // namespace

BoundKernel::BoundKernel(const std::string& op, const py::object& device, const py::sequence& inputs,
                         const py::sequence& outputs, const py::dict& attrs)
    : op_(*names().insert(op).first), device_(to_device(device)), here_(device_.traits().host_memory) {
  signature_.device = &device_;
  if (!here_) check(device_.begin());
  for (const auto& s : inputs) signature_.inputs.push_back(to_spec(s));
  for (const auto& s : outputs) signature_.outputs.push_back(to_spec(s));
  check(Registry::instance().make(device_.name(), op, to_attrs(attrs), signature_, kernel_, prepared_));
  size_t bytes = prepared_.workspace;
  for (const auto& s : signature_.inputs) bytes += s.bytes();
  for (const auto& s : signature_.outputs) bytes += s.bytes();
  big_ = bytes >= kBigWork || attrs.contains("ranks");  // a collective waits for others
  if (!here_) operands_ = std::make_shared<const std::vector<TensorSpec>>(signature_.inputs);
}

void BoundKernel::check_operand(const Array& a, size_t i) const {
  const TensorSpec& want = signature_.inputs[i];
  if (a.spec.dtype == want.dtype && a.spec.shape == want.shape) return;
  throw py::value_error("operand " + std::to_string(i) + " must be " + to_string(want) + ", got " +
                        to_string(a.spec));
}

void BoundKernel::run(const Array* const* arrays, Array* results, bool takes) const {
  const size_t n = inputs(), m = outputs();
  constexpr size_t kFew = 8;
  const void* few_in[kFew];
  void* few_out[kFew];
  std::vector<const void*> many_in(n > kFew ? n : 0);
  std::vector<void*> many_out(m > kFew ? m : 0);
  const void** in = n > kFew ? many_in.data() : few_in;
  void** out = m > kFew ? many_out.data() : few_out;

  // The GIL may be given away while the kernel reads: another thread may assign to the box, so hold the
  // buffer too.
  BufferRef few_held[kFew];
  std::vector<BufferRef> many_held(n > kFew ? n : 0);
  BufferRef* held = n > kFew ? many_held.data() : few_held;
  check(device_.begin());
  for (size_t i = 0; i < n; ++i) {
    const Array& a = *arrays[i];
    check_operand(a, i);
    in[i] = a.data();
    if (&a.device() != &device_) [[unlikely]] {
      held[i] = moved(a, i).buffer;
      in[i] = held[i]->data();
    } else if (big_ || !here_) {
      held[i] = a.buffer;
    }
  }
  Stream& q = here_ ? device_.stream() : current_stream(device_);
  const uint16_t site = here_ ? 0 : user_site();
  for (size_t i = 0; i < m; ++i) {
    Array a{signature_.outputs[i],
            takes && i == 0 ? arrays[0]->buffer : allocate(signature_.outputs[i].bytes(), q)};
    if (!a.buffer) check({Code::kMemory, "cannot allocate " + to_string(a.spec) + " on " + device_.label()});
    out[i] = a.data();
    if (!here_) a.buffer->set_site(site);
    results[i] = std::move(a);
  }
  BufferRef workspace;
  if (prepared_.workspace > 0) {
    workspace = allocate(prepared_.workspace, q);
    if (!workspace)
      check({Code::kMemory, "cannot allocate " + std::to_string(prepared_.workspace) + " bytes of workspace"});
  }
  Args a{in, out, workspace ? workspace->data() : nullptr};
  if (!here_) a.fault = fault_word(device_, q, {&op_, site, operands_}, a.instruction);
  Status s;
  if (runtime::watched() != runtime::kNothing) [[unlikely]] {
    s = run_watched(a, q);
  } else if (big_ && (here_ || !repeats())) {
    const py::gil_scoped_release nogil;
    s = kernel_->run(a, q);
  } else {
    s = kernel_->run(a, q);
  }
  for (size_t i = 0; !here_ && i < n; ++i) {
    if (!held[i]->foreign()) device_.allocator().used_by(*held[i].get(), q);
  }
  check(s);
}

// As `run` runs it, with what a watcher wants to know. A device is waited for: its kernels run one by one.
Status BoundKernel::run_watched(const Args& a, Stream& q) const {
  const uint16_t site = user_site();
  const int wanted = runtime::watched();
  const py::gil_scoped_release nogil;
  std::vector<runtime::Watched> given, made;
  for (size_t i = 0; i < inputs(); ++i) given.push_back({&signature_.inputs[i], a.in[i]});
  for (size_t i = 0; i < outputs(); ++i) made.push_back({&signature_.outputs[i], a.out[i]});
  int before = -1, after = -1;
  if (wanted & runtime::kNan) {
    if (Status s = runtime::find_nan(device_, q, given, before)) return s;
  }
  const int64_t begin = runtime::now();
  if (Status s = kernel_->run(a, q)) return s;
  if (!here_) {
    if (Status s = q.synchronize()) return s;
  }
  if (wanted & runtime::kTimes)
    runtime::note({op_, 0, site, begin, runtime::now(), 0, device_.allocator().stats().in_use});
  if (!(wanted & runtime::kNan)) return {};
  if (Status s = runtime::find_nan(device_, q, made, after)) return s;
  return after < 0 ? Status{} : runtime::nan_given(before);
}

py::object BoundKernel::call(const py::args& args) const {
  const size_t n = inputs(), m = outputs();
  if (args.size() != n) {
    throw py::type_error("the kernel takes " + std::to_string(n) + " arrays, got " + std::to_string(args.size()));
  }
  std::vector<const Array*> in;
  for (const py::handle a : args) in.push_back(&to_array(a));
  std::vector<Array> out(m);
  run(in.data(), out.data());
  if (m == 1) return py::cast(std::move(out[0]));
  py::tuple many(m);
  for (size_t i = 0; i < m; ++i) many[i] = py::cast(std::move(out[i]));
  return many;
}

BufferRef BoundKernel::allocate(size_t bytes, Stream& q) const {
  if (here_) return device_.allocator().allocate(bytes);
  BufferRef b = device_.allocator().allocate(bytes, q);
  return b || !runtime::give_back(device_) ? b : device_.allocator().allocate(bytes, q);
}

// An operand from elsewhere: a number of the host goes to the device, nothing else does by itself.
Array BoundKernel::moved(const Array& a, size_t i) const {
  if (a.device().traits().host_memory && a.spec.shape.empty()) return array_on(a, device_);
  throw py::value_error("the operands are on different devices: operand " + std::to_string(i) + " is on " +
                        a.device().label() + ", others are on " + device_.label() + "; move it with Tensor.to");
}

void check_faults(Device& d) {
  if (d.traits().host_memory) return;
  Faults& f = faults(d);
  if (!f.known) {
    FaultWord word{};
    f.known = !f.aside;
    check(d.copy(&word, f.word->data(), sizeof word, CopyKind::kToHost, d.stream()));
    check(d.stream().synchronize());
    if (word.what != 0) {
      check(d.synchronize());  // a later kernel may be writing it at this moment
      check(clear(f));
      py::object error = error_of(describe(word), -1);
      const Launch& what = f.last[instruction_of(word) % kLaunches];
      if (what.op == nullptr) raise(error);  // what the device gave is not what a kernel wrote
      error.attr("site") = site_of(what.site);
      error.attr("op") = *what.op;
      py::list operands;
      for (const TensorSpec& spec : *what.operands) operands.append(to_string(spec));
      error.attr("operands") = operands;
      raise(explain == nullptr ? error : py::handle(explain)(error));
    }
  }
  if (check_programs != nullptr) check_programs(d);
}

void bind_kernel(py::module_& m) {
  py::class_<BoundKernel>(m, "Kernel", py::is_final(),
                          "A kernel prepared for one signature; call it with arrays.")
      .def(py::init<const std::string&, const py::object&, const py::sequence&, const py::sequence&,
                    const py::dict&>(),
           py::arg("op"), py::arg("device"), py::arg("inputs"), py::arg("outputs"), py::arg("attrs"))
      .def("__call__", &BoundKernel::call);
  m.def(
      "set_explain",
      [](const py::object& fn) {
        Py_XDECREF(explain);
        explain = fn.is_none() ? nullptr : py::object(fn).release().ptr();
      },
      py::arg("fn"),
      "What a device says of an eager launch later is raised as what `fn` gives; `error.op` is the kernel, "
      "`error.operands` are the types of its operands, `error.site` is the line (file, line, function), or None.");
  m.def("kernels", &kernels, "All kernels as (device, op, dtype code).");
  m.def(
      "has_kernel",
      [](const std::string& op, const std::string& device, int dtype) {
        return Registry::instance().contains(device, op, to_dtype(dtype));
      },
      py::arg("op"), py::arg("device"), py::arg("dtype"));
}

}  // namespace minds::python
