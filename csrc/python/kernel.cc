// class Kernel: a prepared kernel as a callable, the eager mode's way to run one op.
#include "base/parallel.h"
#include "cpu/device.h"
#include "kernel/registry.h"
#include "python/bindings.h"

namespace minds::python {
namespace {

// Below this many bytes of operands and results the interpreter lock is kept: giving it away costs more than
// it frees.
constexpr size_t kBigWork = 256 * 1024;

class BoundKernel {
 public:
  BoundKernel(const std::string& op, const std::string& device, const py::sequence& inputs,
              const py::sequence& outputs, const py::dict& attrs) {
    for (const auto& s : inputs) signature_.inputs.push_back(to_spec(s));
    for (const auto& s : outputs) signature_.outputs.push_back(to_spec(s));
    if (device != "cpu") check({Code::kBackend, "device '" + device + "' is not available"});
    check(Registry::instance().make(device, op, to_attrs(attrs), signature_, kernel_, prepared_));
    size_t bytes = prepared_.workspace;
    for (const auto& s : signature_.inputs) bytes += s.bytes();
    for (const auto& s : signature_.outputs) bytes += s.bytes();
    big_ = bytes >= kBigWork;
  }

  py::object call(const py::args& args) const {
    const size_t n = signature_.inputs.size(), m = signature_.outputs.size();
    if (args.size() != n) {
      throw py::type_error("the kernel takes " + std::to_string(n) + " arrays, got " +
                           std::to_string(args.size()));
    }
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
    for (size_t i = 0; i < n; ++i) {
      const Array& a = to_array(PyTuple_GET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i)));
      const TensorSpec& want = signature_.inputs[i];
      if (a.spec.dtype != want.dtype || a.spec.shape != want.shape) {
        throw py::value_error("operand " + std::to_string(i) + " must be " + to_string(want) + ", got " +
                              to_string(a.spec));
      }
      in[i] = a.data();
      if (big_) held[i] = a.buffer;
    }
    Allocator& memory = cpu::device().allocator();
    py::object result;
    py::tuple many;
    if (m != 1) many = py::tuple(m);
    for (size_t i = 0; i < m; ++i) {
      Array a{signature_.outputs[i], memory.allocate(signature_.outputs[i].bytes())};
      if (!a.buffer) check({Code::kMemory, "cannot allocate " + to_string(a.spec)});
      out[i] = a.data();
      result = py::cast(std::move(a));
      if (m != 1) many[i] = std::move(result);
    }
    BufferRef workspace;
    if (prepared_.workspace > 0) {
      workspace = memory.allocate(prepared_.workspace);
      if (!workspace)
        check({Code::kMemory,
               "cannot allocate " + std::to_string(prepared_.workspace) + " bytes of workspace"});
    }
    const Args a{in, out, workspace ? workspace->data() : nullptr};
    adopt_num_threads();
    Status s;
    if (big_) {
      const py::gil_scoped_release nogil;
      s = kernel_->run(a, cpu::device().stream());
    } else {
      s = kernel_->run(a, cpu::device().stream());
    }
    check(s);
    if (m != 1) return many;
    return result;
  }

  const Signature& signature() const { return signature_; }

 private:
  Signature signature_;
  Prepared prepared_;
  std::unique_ptr<Kernel> kernel_;
  bool big_ = false;
};

py::list kernels() {
  py::list out;
  for (const auto& e : Registry::instance().entries())
    out.append(py::make_tuple(e.device, e.op, static_cast<int>(e.dtype)));
  return out;
}

}  // namespace

void bind_kernel(py::module_& m) {
  py::class_<BoundKernel>(m, "Kernel", py::is_final(),
                          "A kernel prepared for one signature; call it with arrays.")
      .def(py::init<const std::string&, const std::string&, const py::sequence&, const py::sequence&,
                    const py::dict&>(),
           py::arg("op"), py::arg("device"), py::arg("inputs"), py::arg("outputs"), py::arg("attrs"))
      .def("__call__", &BoundKernel::call);
  m.def("kernels", &kernels, "All kernels as (device, op, dtype code).");
  m.def(
      "has_kernel",
      [](const std::string& op, const std::string& device, int dtype) {
        return Registry::instance().contains(device, op, to_dtype(dtype));
      },
      py::arg("op"), py::arg("device"), py::arg("dtype"));
}

}  // namespace minds::python
