#include "python/views.h"

#include "python/tensor.h"

namespace minds::python {
namespace {

// By `set_views`.
struct Library {
  PyObject* quiet = nullptr;  // a set: the threads in which nothing is a view
  PyObject* note = nullptr;   // does all of `note_views`
  long many = 0;              // entries of a new list
};
Library library;

// The way that goes on from `before` as `way` does from a root, where it is known; borrowed.
PyObject* further(PyObject* before, PyObject* way) {
  static PyObject* const name = PyUnicode_InternFromString("after");
  const auto after = py::reinterpret_steal<py::object>(PyObject_GetAttr(before, name));
  if (!after) throw py::error_already_set();
  PyObject* found = PyDict_CheckExact(after.ptr()) ? PyDict_GetItemWithError(after.ptr(), way) : nullptr;
  if (found == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return found == Py_None ? nullptr : found;
}

bool has_room(PyObject* views) {
  return PyList_CheckExact(views) && PyList_GET_SIZE(views) > 0 &&
         PyList_GET_SIZE(views) <= PyLong_AsLong(PyList_GET_ITEM(views, 0));
}

// False where there is more to do than to note one view, of which the way is known.
bool noted(PyObject* way, PyObject* x, PyObject* out) {
  PyObject*& shares = shares_of(x);
  if (shares == nullptr || shares == Py_None) {
    py::list views;
    views.append(library.many);
    Py_XDECREF(std::exchange(shares, views.release().ptr()));
  }
  PyObject* root = x;
  if (PyTuple_CheckExact(shares)) {
    root = PyTuple_GET_ITEM(shares, 0);
    way = further(PyTuple_GET_ITEM(shares, 1), way);
  }
  PyObject* views = shares_of(root);
  if (way == nullptr || views == nullptr || !has_room(views)) return false;
  const auto ref = py::reinterpret_steal<py::object>(PyWeakref_NewRef(out, nullptr));
  auto entry = py::reinterpret_steal<py::object>(PyTuple_Pack(3, root, way, Py_None));
  if (!ref || !entry || PyList_Append(views, ref.ptr()) != 0) throw py::error_already_set();
  Py_XDECREF(std::exchange(shares_of(out), entry.release().ptr()));
  return true;
}

}  // namespace

void note_views(const Launch& launch, PyObject* self, PyObject* const* params, size_t n, PyObject* out) {
  PyObject* ways = launch.ways.ptr();
  if (ways == nullptr || !PyTuple_CheckExact(ways) || PyTuple_GET_SIZE(ways) == 0 || library.note == nullptr) return;
  PyObject* way = PyTuple_GET_ITEM(ways, 0);
  const bool plain = PyTuple_GET_SIZE(ways) == 1 && way != Py_None && is_tensor(out) && is_tensor(params[0]);
  if (plain && PySet_GET_SIZE(library.quiet) == 0 && noted(way, params[0], out)) return;
  py::list given(n);
  for (size_t i = 0; i < n; ++i) given[i] = py::reinterpret_borrow<py::object>(params[i]);
  py::handle(library.note)(py::handle(self), given, py::handle(out));
}

void bind_views(py::module_& m) {
  m.def(
      "set_views",
      [](const py::set& quiet, const py::object& note, long many) {
        library = {quiet.inc_ref().ptr(), note.inc_ref().ptr(), many};
      },
      py::arg("quiet"), py::arg("note"), py::arg("many"),
      "What notes views, but in the threads of a set, and how many entries a new list of views may have.");
}

}  // namespace minds::python
