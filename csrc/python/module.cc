// The module minds._core.
#include "base/crc32.h"
#include "base/parallel.h"
#include "base/random.h"
#include "cpu/device.h"
#include "cpu/isa.h"
#include "kernel/registry.h"
#include "python/bindings.h"
#include "python/comm.h"

namespace minds::python {

void bind_runtime(py::module_& m) {
  m.def("set_num_threads", &set_num_threads, py::arg("n"));
  m.def("get_num_threads", &num_threads);
  m.def("cpu_features", &cpu::features,
        "The instruction sets that the kernels use and that the processor has.");
  m.def(
      "seed", [](int64_t n) { set_random_state({n, 0}); }, py::arg("n"), "Starts the random sequence anew.");
  m.def("random_state", [] {
    const RandomState s = random_state();
    return py::make_tuple(s.seed, s.counter);
  });
  m.def(
      "set_random_state", [](int64_t seed, int64_t counter) { set_random_state({seed, counter}); },
      py::arg("seed"), py::arg("counter"));
  m.def("memory", [] {
    const Allocator::Stats s = cpu::device().allocator().stats();
    py::dict d;
    d["in_use"] = s.in_use;
    d["cached"] = s.cached;
    d["peak"] = s.peak;
    return d;
  }, "Of the host: bytes in use, kept for reuse, and the most that were in use.");
  m.def("pooled_bytes", &cpu::pooled_bytes, py::arg("bytes"), "What the host's pool takes for a buffer.");
  m.def("trim_memory", [] { cpu::device().allocator().trim(); });
  m.def(
      "crc32",
      [](const py::buffer& given) {
        const py::buffer_info bytes = given.request();
        if (bytes.itemsize != 1 || bytes.ndim != 1 || (bytes.size > 1 && bytes.strides[0] != 1))
          throw py::type_error("crc32 takes bytes");
        const py::gil_scoped_release nogil;
        return crc32({static_cast<const uint8_t*>(bytes.ptr), static_cast<size_t>(bytes.size)});
      },
      py::arg("bytes"), "The checksum of zlib.");
}

}  // namespace minds::python

PYBIND11_MODULE(_core, m) {
  using namespace minds::python;
  m.doc() = "The native core of minds: arrays, kernels, programs.";
  const std::vector<std::string>& twice = minds::Registry::instance().conflicts();
  if (!twice.empty()) throw py::import_error("two kernels for " + twice[0]);
  bind_errors(m);
  bind_sites(m);
  bind_device(m);
  bind_array(m);
  bind_kernel(m);
  bind_tensor(m);
  bind_op(m);
  bind_memo(m);
  bind_tape(m);
  bind_views(m);
  bind_runtime(m);
  bind_comm(m);
  bind_tables(m);
  bind_guards(m);
  bind_feed(m);
  bind_images(m);
  bind_trace(m);
  if (bind_program != nullptr) bind_program(m);
  if (bind_latest != nullptr) bind_latest(m);
}
