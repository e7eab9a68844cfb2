// What the binding files share. Conversions only: this directory is the one place with PyObject and
// exceptions.
#pragma once
#include <pybind11/pybind11.h>

#include "base/status.h"
#include "device/array.h"
#include "kernel/kernel.h"

namespace minds::python {

namespace py = pybind11;

// Throws the Python exception for a failed status: `_core.Error` and the builtin class of its code.
// `instruction` is the failing instruction of a program, or -1.
void check(const Status& s, int instruction = -1);

// The same in two steps, for who adds to the exception.
py::object error_of(const Status& s, int instruction);
[[noreturn]] void raise(const py::object& error);

// In a catch block around a callback: keeps the Python exception for `check`, which raises it again
// unchanged. To be called with the GIL held.
Status keep_host_error();

// Of an exception after which Python does all again: Ctrl-C comes again then.
void keep_interrupt(const py::error_already_set& error);

const Array& to_array(py::handle array);  // TypeError for anything else
double to_double(py::handle number);
DType to_dtype(int64_t code);
Shape to_shape(py::handle sequence);
TensorSpec to_spec(py::handle pair);  // (shape, dtype code)
Attrs to_attrs(const py::dict& attrs);
Device& to_device(py::handle device);  // a Device, its label or None: the current one
py::tuple to_tuple(const Shape& shape);

// Where arrays are made that nobody placed: set_device's choice, or use_device's for this thread.
Device& current_device();
// Where this thread's eager work on a device is queued.
Stream& current_stream(Device& d);
// While one lives, what goes to a device's default stream is in order with the work of this thread's own stream there.
class Ordered {
 public:
  explicit Ordered(Device& d);
  ~Ordered();
  Ordered(const Ordered&) = delete;
  Ordered& operator=(const Ordered&) = delete;
  // The default stream has been given work on `a`, which may be of the own.
  void uses(const Array& a) const;

 private:
  Stream &own_, &others_;
};
// Copies the host's bytes into an array of a device that was made for them, on this thread's stream there, or within
// `Ahead` on the copy lane.
Status upload(Array& to, const void* from);
// Copies between the host and a device, or two devices: without the interpreter lock where they take time.
Array array_on(const Array& a, Device& to);
void read(const Array& a, void* to);
// Throws what kernels on `d` found to be wrong with their data: those of eager launches, then those of programs. To be
// called when the host has waited for `d`.
void check_faults(Device& d);
void check_programs(Device& d) __attribute__((weak));  // csrc/python/program.cc
// The line of the user's that is running, as a number for `Buffer::set_site`, and (file, line, function) of a number.
uint16_t user_site();
py::object site_of(uint16_t number);

void bind_errors(py::module_& m);
void bind_array(py::module_& m);
void bind_dlpack(py::class_<Array>& array);
void bind_sites(py::module_& m);
void bind_device(py::module_& m);
void bind_kernel(py::module_& m);
void bind_tensor(py::module_& m);
void bind_op(py::module_& m);
void bind_memo(py::module_& m);
void bind_tape(py::module_& m);
void bind_views(py::module_& m);
void bind_runtime(py::module_& m);
void bind_tables(py::module_& m);
void bind_guards(py::module_& m);
void bind_feed(py::module_& m);
void bind_images(py::module_& m);
void bind_trace(py::module_& m);
void bind_program(py::module_& m) __attribute__((weak));  // csrc/python/program.cc
void bind_latest(py::module_& m) __attribute__((weak));   // csrc/python/latest.cc

// Calls `release` (which may need the interpreter) when the last user of foreign memory is gone.
BufferRef foreign_buffer(void* data, size_t bytes, Device& device, py::object owner);

}  // namespace minds::python
