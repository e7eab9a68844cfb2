#pragma once
#include "python/bindings.h"

namespace minds::python {

void bind_orders(py::module_& m);

}  // namespace minds::python
