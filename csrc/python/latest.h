// Calls of compiled code for which there is a program: from the arguments to the result without Python.
#pragma once
#include <span>
#include <vector>

#include "python/bindings.h"

namespace minds::python {

// Runs a `Program` on arrays that the caller keeps alive; throws what its `explain` makes of what fails.
void run_program(py::handle program, std::span<const Array* const> inputs, std::vector<Array>& results);

}  // namespace minds::python
