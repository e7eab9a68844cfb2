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

// In a catch block around a callback: keeps the Python exception for `check`, which raises it again
// unchanged. To be called with the GIL held.
Status keep_host_error();

const Array& to_array(py::handle array);  // TypeError for anything else
double to_double(py::handle number);
DType to_dtype(int64_t code);
Shape to_shape(py::handle sequence);
TensorSpec to_spec(py::handle pair);  // (shape, dtype code)
Attrs to_attrs(const py::dict& attrs);
py::tuple to_tuple(const Shape& shape);

void bind_errors(py::module_& m);
void bind_array(py::module_& m);
void bind_dlpack(py::class_<Array>& array);
void bind_kernel(py::module_& m);
void bind_runtime(py::module_& m);
void bind_tables(py::module_& m);
void bind_guards(py::module_& m);
void bind_program(py::module_& m) __attribute__((weak));  // csrc/python/program.cc

// Calls `release` (which may need the interpreter) when the last user of foreign memory is gone.
BufferRef foreign_buffer(void* data, size_t bytes, Device& device, py::object owner);

}  // namespace minds::python
