// Calls of ops that the core runs.
#pragma once
#include "python/derivative.h"
#include "python/launches.h"

namespace minds::python {

// Whether an op that is called now by this thread runs at once, on operands as they are.
bool runs_at_once();
// The result of `op`, an Op, by a launch; it is recorded on the tapes. Of `params` the attributes do not count. Null where
// Python must do it.
py::object perform(PyObject* op, const py::object& launch, PyObject* const* params);
Derivatives& derivatives_of(PyObject* op);

}  // namespace minds::python
