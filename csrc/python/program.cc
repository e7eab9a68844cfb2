// class Program: a loaded program as a callable.
#include <pybind11/stl.h>
#include <pythread.h>

#include <algorithm>
#include <map>
#include <optional>

#include "kernel/plugin.h"
#include "python/feed.h"
#include "python/latest.h"
#include "runtime/executor.h"

namespace minds::python {
namespace {

unsigned long main_thread = 0;  // the only one in which Python handles signals

// Ctrl-C: Python's handler only sets a flag while a program runs; this lets it act.
Status poll() {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return {};
  try {
    throw py::error_already_set();
  } catch (const py::error_already_set&) {
    return keep_host_error();
  }
}

// A Python callable that takes a list of arrays and returns one. It outlives the program that holds it; the
// interpreter lock is taken to drop it.
runtime::HostFn host_function(py::object fn) {
  const std::shared_ptr<py::object> held(new py::object(std::move(fn)), [](py::object* p) {
    if (!Py_IsInitialized()) return;
    const py::gil_scoped_acquire gil;
    delete p;
  });
  return [held](runtime::HostCall& call) -> Status {
    const py::gil_scoped_acquire gil;
    call.publish();
    try {
      py::list args;
      for (const Array& a : call.in) args.append(py::cast(a));
      for (const py::handle r : py::list((*held)(args))) call.out.push_back(py::cast<const Array&>(r));
    } catch (const py::error_already_set&) {
      return keep_host_error();
    } catch (const py::cast_error&) {
      return {Code::kType, "a callback must return a list of arrays"};
    }
    call.refresh();
    return {};
  };
}

class BoundProgram;

// By their programs, for what a device says later. Under the interpreter lock.
std::map<const runtime::Program*, BoundProgram*>& bound_programs() {
  static auto& all = *new std::map<const runtime::Program*, BoundProgram*>;
  return all;
}

class BoundProgram {
 public:
  BoundProgram(const py::bytes& code, const py::list& callbacks, const py::list& constants,
               const std::string& device, int index) {
    Device* home = nullptr;
    check(find_device(device, index, home));
    limits_ = runtime::default_limits(*home);
    char* data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(code.ptr(), &data, &size) != 0) throw py::error_already_set();
    std::vector<runtime::HostFn> functions;
    for (const py::handle f : callbacks)
      functions.push_back(host_function(py::reinterpret_borrow<py::object>(f)));
    std::vector<Array> arrays;
    for (const py::handle a : constants) arrays.push_back(py::cast<const Array&>(a));
    int64_t instruction = -1;
    Status s;
    {
      const py::gil_scoped_release nogil;  // preparing kernels takes a while
      s = runtime::load({reinterpret_cast<const uint8_t*>(data), static_cast<size_t>(size)}, *home,
                        std::move(functions), std::move(arrays), program_, instruction);
    }
    check(s, static_cast<int>(instruction));
    if (program_->away) bound_programs()[program_.get()] = this;
  }
  BoundProgram(const BoundProgram&) = delete;
  BoundProgram& operator=(const BoundProgram&) = delete;
  ~BoundProgram() { bound_programs().erase(program_.get()); }

  void bind(const py::list& params) {
    auto bound = std::make_shared<Params>();
    for (const py::handle p : params) {
      Array* box = &py::cast<Array&>(p);
      if (std::find(bound->boxes.begin(), bound->boxes.end(), box) != bound->boxes.end()) {
        throw py::value_error("the same array is bound to two parameters");
      }
      bound->boxes.push_back(box);
      bound->alive.append(p);
    }
    params_ = std::move(bound);
  }

  py::list call(const py::list& args) const {
    std::vector<const Array*> inputs;
    for (const py::handle a : args) inputs.push_back(&py::cast<const Array&>(a));
    std::vector<Array> results;
    run(inputs, results);
    py::list out;
    for (Array& a : results) out.append(py::cast(std::move(a)));
    return out;
  }

  // One run. The caller keeps the inputs alive.
  void run(std::span<const Array* const> inputs, std::vector<Array>& results) const {
    const std::shared_ptr<const Params> params = params_;  // stays alive if another thread binds anew
    const std::span<Array* const> boxes = params->boxes;
    runtime::Hooks hooks = limits_;
    if (PyThread_get_thread_ident() == main_thread) hooks.poll = poll;
    runtime::Run run(*program_, std::move(hooks));
    if (!run.try_lock()) {
      const py::gil_scoped_release nogil;
      run.lock();
    }
    std::optional<Ordered> order;
    if (program_->away) order.emplace(*program_->device);
    check(run.start(inputs, boxes));
    Status s;
    {
      const py::gil_scoped_release nogil;
      const int64_t begin = runtime::watched() != runtime::kNothing ? runtime::now() : 0;
      s = run.execute();
      if (begin != 0) {
        const size_t in_use = program_->device->allocator().stats().in_use;
        runtime::note({{}, program_->number, -1, begin, runtime::now(), 0, in_use});
      }
    }
    for (const Array* a : inputs) {
      if (order) order->uses(*a);
    }
    for (const Array* a : boxes) {
      if (order) order->uses(*a);
    }
    const Status finished = run.finish(results);
    check(s, static_cast<int>(run.instruction()));
    check(finished);
    if (program_->away) {
      const uint16_t site = user_site();
      for (Array& a : results) a.buffer->set_site(site);
    }
  }

  // Runs on one batch of `feed` after the other, `most` at the most; the arguments that follow a batch are `rest`.
  // Stops before a batch of another shape. Returns what the last run gave and how many there were.
  py::tuple sink(Feed& feed, const py::list& rest, size_t most) const {
    std::vector<Array> results;
    size_t done = 0;
    while (done < most && await(feed)) {
      const FedBatch& batch = feed.front();
      std::vector<const Array*> inputs;
      for (const py::list& part : {batch.arrays, rest}) {
        for (const py::handle a : part) inputs.push_back(&py::cast<const Array&>(a));
      }
      if (!fits(inputs, batch.arrays.size())) break;
      if (!batch.copies.is_none()) batch.copies.attr("wait")();
      run(inputs, results);
      feed.drop_front();
      ++done;
    }
    py::list out;
    for (Array& a : results) out.append(py::cast(std::move(a)));
    return py::make_tuple(out, done);
  }

  size_t memory_limit() const { return limits_.memory_limit; }
  void set_memory_limit(size_t bytes) { limits_.memory_limit = bytes; }
  size_t stack_limit() const { return limits_.stack_limit; }
  void set_stack_limit(size_t bytes) { limits_.stack_limit = bytes; }
  uint64_t number() const { return program_->number; }
  uint32_t instructions() const { return program_->instructions; }
  size_t workspace() const { return program_->workspace; }

  py::object explain = py::none();  // makes of an error with `instruction` one that names the user's line

 private:
  // Waits for a batch; false: there is none any more.
  static bool await(Feed& feed) {
    for (;;) {
      Feed::Next next;
      {
        const py::gil_scoped_release nogil;
        next = feed.await();
      }
      if (next != Feed::Next::kNotYet) return next == Feed::Next::kReady;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }

  // Whether the first `count` inputs are of the types that the program was compiled for.
  bool fits(const std::vector<const Array*>& inputs, size_t count) const {
    size_t k = 0;
    for (const runtime::Param& q : program_->root().params) {
      const runtime::Type& t = program_->types[q.type];
      if (t.kind == runtime::Kind::kRef) continue;
      if (k == count || k == inputs.size()) break;
      const TensorSpec& given = inputs[k++]->spec;
      if (given.dtype != t.spec.dtype || given.shape != t.spec.shape) return false;
    }
    return true;
  }

  struct Params {
    py::list alive;
    std::vector<Array*> boxes;  // in them
  };

  std::unique_ptr<runtime::Program> program_;
  std::shared_ptr<const Params> params_ = std::make_shared<Params>();
  runtime::Hooks limits_;
};

}  // namespace

void run_program(py::handle program, std::span<const Array* const> inputs, std::vector<Array>& results) {
  const BoundProgram& p = py::cast<const BoundProgram&>(program);
  try {
    p.run(inputs, results);
  } catch (py::error_already_set& e) {
    if (p.explain.is_none()) throw;
    const py::object error = e.value();
    raise(p.explain(error));
  }
}

void check_programs(Device& d) {
  Status s;
  int64_t instruction = -1;
  const runtime::Program* program = runtime::settle_all(d, s, instruction);
  if (program == nullptr) return check(s);  // fine, or the fault of a program that is gone
  py::object error = error_of(s, static_cast<int>(instruction));
  const auto bound = bound_programs().find(program);
  if (bound != bound_programs().end() && !bound->second->explain.is_none()) error = bound->second->explain(error);
  raise(error);
}

void bind_program(py::module_& m) {
  main_thread = py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  py::class_<BoundProgram>(
      m, "Program", py::is_final(),
      "A compiled program. `bind` gives it its parameters; call it with a list of arrays.")
      .def(py::init<const py::bytes&, const py::list&, const py::list&, const std::string&, int>(), py::arg("code"),
           py::arg("callbacks") = py::list(), py::arg("constants") = py::list(), py::arg("device") = "cpu",
           py::arg("index") = 0)
      .def_readwrite("explain", &BoundProgram::explain,
                     "What a device says of the program after the run (an error) is raised as what this gives.")
      .def("bind", &BoundProgram::bind, py::arg("params"))
      .def("__call__", &BoundProgram::call, py::arg("args"))
      .def("sink", &BoundProgram::sink, py::arg("feed"), py::arg("rest"), py::arg("most"))
      .def_property("memory_limit", &BoundProgram::memory_limit, &BoundProgram::set_memory_limit,
                    "Bytes of tensors beyond which a run ends with MemoryError; 0: no limit.")
      .def_property(
          "stack_limit", &BoundProgram::stack_limit, &BoundProgram::set_stack_limit,
          "Bytes of frames and their arenas, above the first, beyond which a run ends with MemoryError.")
      .def_property_readonly("number", &BoundProgram::number)
      .def_property_readonly("instructions", &BoundProgram::instructions)
      .def_property_readonly("workspace", &BoundProgram::workspace);
}

}  // namespace minds::python
