// Which tensors share their elements in PyNative mode. A root has a list: how many entries it may have before those of views
// that are gone are left out, then weak references to its views. A view has a tuple: its root, the way that leads there,
// and None, or what else Python keeps while it is out of date (minds/eager_views.py).
#pragma once
#include "python/launches.h"

namespace minds::python {

// A launch, the object of which is `self`, gave `out` for `params`: its parts may be views of the first of these.
void note_views(const Launch& launch, PyObject* self, PyObject* const* params, size_t n, PyObject* out);

}  // namespace minds::python
