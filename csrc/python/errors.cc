// Status to exceptions.
#include <array>
#include <string>

#include "kernel/plugin.h"
#include "python/bindings.h"

namespace minds::python {
namespace {

constexpr int kCodes = static_cast<int>(Code::kOverflow) + 1;
std::array<PyObject*, kCodes> classes{};  // kept for ever, as a module once loaded is

// What to add to the message of a lack of memory; by set_holders.
PyObject* holders = nullptr;

// The exception of the callback that failed in this thread; a Status carries no Python object.
thread_local std::exception_ptr host_error;

// A device that has ended gives out no memory: that is then what went wrong.
Status end_of_device(const Status& s) {
  if (s.code() != Code::kMemory) return {};
  for (Device* d : open_devices()) {
    if (s.message().find(d->label()) == std::string::npos) continue;
    if (Status ended = d->begin()) return ended;
  }
  return {};
}

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
      "A failure of the native core; `instruction` is the failing instruction of a program, `site` the user's "
      "line of an eager launch that a device found to have failed later; else they are None.",
      PyExc_Exception, nullptr));
  error.attr("instruction") = py::none();
  error.attr("site") = py::none();
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
  m.def(
      "set_holders",
      [](const py::object& fn) {
        Py_XDECREF(holders);
        holders = py::object(fn).release().ptr();
      },
      py::arg("fn"), "To the message of a lack of memory is added what `fn` gives for it.");
}

py::object error_of(const Status& s, int instruction) {
  if (const Status ended = end_of_device(s)) return error_of(ended, instruction);
  py::object message = py::str(s.message());
  if (s.code() == Code::kMemory && holders != nullptr) message = message + py::handle(holders)(message);
  py::object error = py::handle(classes[static_cast<size_t>(s.code())])(message);
  if (instruction >= 0) error.attr("instruction") = instruction;
  return error;
}

void raise(const py::object& error) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

void check(const Status& s, int instruction) {
  if (s.is_ok()) return;
  if (s.code() == Code::kHost && host_error) std::rethrow_exception(std::exchange(host_error, nullptr));
  raise(error_of(s, instruction));
}

void keep_interrupt(const py::error_already_set& error) {
  if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
}

Status keep_host_error() {
  host_error = std::current_exception();
  return {Code::kHost, "a Python callback failed"};
}

}  // namespace minds::python
