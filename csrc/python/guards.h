// What a program read outside of its source, compared with what is there now.
#pragma once
#include <vector>

#include "python/bindings.h"

namespace minds::python {

// Where a class keeps a slot of its objects, in bytes from their start; -1 if it has none of this name.
Py_ssize_t slot_of(PyTypeObject* cls, PyObject* name);

// Values of Python are the same if nothing can tell them apart; other objects if they are one.
bool same(PyObject* a, PyObject* b);

// Whether a number is one that programs compute with.
bool fits_word(PyObject* v);

// Whether a tensor has this abstract value.
bool has_abstract(PyObject* tensor, PyObject* expected);

// The first row of a table of reads that does not hold, its length if what were different objects is one now, else
// -1. Adds what a run takes to `leaves`, and what was read in them to `containers`.
Py_ssize_t first_changed(PyObject* table, std::vector<py::object>& leaves, std::vector<py::object>& containers);

}  // namespace minds::python
