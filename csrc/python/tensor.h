// Python's class Tensor as the core sees it: an object with three slots: its array, the interned description of shape
// and dtype, and of what it is a view.
#pragma once
#include "python/bindings.h"

namespace minds::python {

bool is_tensor(PyObject* v);
bool is_dtype(PyObject* v);
// TypeError where the tensor holds nothing, as one whose constructor failed.
const Array& array_of(PyObject* tensor);
// Borrowed; made and kept where it is not known yet.
PyObject* abstract_of(PyObject* tensor);
// The slot that says with which tensors it shares its elements (python/views.h).
PyObject*& shares_of(PyObject* tensor);
// The buffer of a plain Tensor in the host's memory that nobody else holds and that has no views; else null.
const Buffer* own_buffer(PyObject* tensor);
// A Tensor around an array; its description may be null.
py::object make_tensor(Array array, PyObject* abstract);

// What an instance of a class of ours holds, where that is known to be its class.
template <class T>
const T& held(PyObject* object) {
  return *static_cast<const T*>(reinterpret_cast<py::detail::instance*>(object)->simple_value_holder[0]);
}

}  // namespace minds::python
