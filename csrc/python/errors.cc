// Status to exceptions.
#include <array>
#include <string>

#include "python/bindings.h"

namespace minds::python {
namespace {

constexpr int kCodes = static_cast<int>(Code::kOverflow) + 1;
std::array<PyObject*, kCodes> classes{};  // kept for ever, as a module once loaded is

// The exception of the callback that failed in this thread; a Status carries no Python object.
thread_local std::exception_ptr host_error;

}  // namespace

void bind_errors(py::module_& m) {
  struct Row {
    Code code;
    const char* name;
    PyObject* base;
  };
  const Row rows[] = {
      {Code::kValue, "ValueFault", PyExc_ValueError},
      {Code::kType, "TypeFault", PyExc_TypeError},
      {Code::kIndex, "IndexFault", PyExc_IndexError},
      {Code::kMemory, "MemoryFault", PyExc_MemoryError},
      {Code::kBackend, "BackendFault", PyExc_RuntimeError},
      {Code::kInternal, "InternalFault", PyExc_RuntimeError},
      {Code::kHost, "HostFault", PyExc_RuntimeError},
      {Code::kZeroDivision, "ZeroDivisionFault", PyExc_ZeroDivisionError},
      {Code::kOverflow, "OverflowFault", PyExc_OverflowError},
  };
  const py::object error = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      "minds._core.Error",
      "A failure of the native core; `instruction` is the failing instruction of a program, or None.",
      PyExc_Exception, nullptr));
  error.attr("instruction") = py::none();
  m.attr("Error") = error;
  for (const Row& row : rows) {
    const py::tuple bases = py::make_tuple(error, py::handle(row.base));
    const std::string name = std::string("minds._core.") + row.name;
    py::object cls =
        py::reinterpret_steal<py::object>(PyErr_NewException(name.c_str(), bases.ptr(), nullptr));
    if (!cls) throw py::error_already_set();
    m.attr(row.name) = cls;
    classes[static_cast<size_t>(row.code)] = cls.release().ptr();
  }
}

void check(const Status& s, int instruction) {
  if (s.is_ok()) return;
  if (s.code() == Code::kHost && host_error) std::rethrow_exception(std::exchange(host_error, nullptr));
  const py::handle cls(classes[static_cast<size_t>(s.code())]);
  const py::object error = cls(s.message());
  if (instruction >= 0) error.attr("instruction") = instruction;
  PyErr_SetObject(cls.ptr(), error.ptr());
  throw py::error_already_set();
}

Status keep_host_error() {
  host_error = std::current_exception();
  return {Code::kHost, "a Python callback failed"};
}

}  // namespace minds::python
