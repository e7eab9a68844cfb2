// The programs of a function that ran last, and a call that finds its program among them.
//
// `minds/jit/latest.py` writes an entry per program: (what tells functions apart, where it runs, changes of hooks, key
// of the arguments, key of the named ones, Program, guards, how the result is made, makers of its leaves). A key is
// what `minds/jit/arguments.py` makes; what is not compared here (and is rare) has no entry or does not fit, and
// Python looks for the program.
#include "python/latest.h"

#include <algorithm>

#include "cpu/device.h"
#include "python/guards.h"

namespace minds::python {
namespace {

enum Entry : Py_ssize_t { kSpec, kPlace, kChanges, kArgs, kNamed, kProgram, kGuards, kOut, kMakers };

struct Names {
  PyObject* array = PyUnicode_InternFromString("_holds");
  PyObject* abstract = PyUnicode_InternFromString("_abstract");
  PyObject* shares = PyUnicode_InternFromString("_shares");
};

const Names& names() {
  static const Names n;
  return n;
}

PyObject*& field(PyObject* of, Py_ssize_t slot) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(of) + slot);
}

bool equal(PyObject* a, PyObject* b) {
  if (a == b) return true;
  const int same = PyObject_RichCompareBool(a, b, Py_EQ);
  if (same < 0) PyErr_Clear();
  return same == 1;
}

// One attempt: do the arguments fit, and which leaves do they have?
class Leaves {
 public:
  bool fit(PyObject* v, PyObject* key) {
    if (PyType_Check(key)) {
      if (reinterpret_cast<PyObject*>(Py_TYPE(v)) != key || !fits_word(v)) return false;
    } else if (PyTuple_CheckExact(key)) {
      return fit_parts(v, key);
    } else if (!has_abstract(v, key)) {
      return false;
    }
    all.push_back(py::reinterpret_borrow<py::object>(v));
    return true;
  }

  // Where a program runs elsewhere, its numbers are words there.
  bool are_tensors() const {
    return std::all_of(all.begin(), all.end(), [](const py::object& v) { return slot_of(Py_TYPE(v.ptr()), names().array) >= 0; });
  }

  std::vector<py::object> all;

 private:
  // A container, a constant or an object: (its class, what it holds, its value, or its identity).
  bool fit_parts(PyObject* v, PyObject* key) {
    const Py_ssize_t count = PyTuple_GET_SIZE(key) - 1;
    PyObject* kind = count < 0 ? nullptr : PyTuple_GET_ITEM(key, 0);
    if (kind == nullptr || kind != reinterpret_cast<PyObject*>(Py_TYPE(v))) return false;
    if (PyTuple_CheckExact(v) || PyList_CheckExact(v)) return fit_items(v, key, count);
    if (PyDict_CheckExact(v)) return fit_dict(v, key, count);
    PyObject* known = count == 1 ? PyTuple_GET_ITEM(key, 1) : nullptr;
    if (known != nullptr && PyLong_CheckExact(known) && !PyLong_CheckExact(v)) return v == PyLong_AsVoidPtr(known);
    if (PyTuple_Check(v) || PyList_Check(v)) return fit_items(v, key, count);  // named, or marked as mutable
    if (known == nullptr) return false;
    if (PyLong_CheckExact(v) || PyFloat_CheckExact(v) || PyUnicode_CheckExact(v)) return same(v, known);
    return v == known;
  }

  bool fit_items(PyObject* v, PyObject* key, Py_ssize_t count) {
    if (PySequence_Fast_GET_SIZE(v) != count) return false;
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!fit(PySequence_Fast_GET_ITEM(v, i), PyTuple_GET_ITEM(key, i + 1))) return false;
    }
    return true;
  }

  bool fit_dict(PyObject* v, PyObject* key, Py_ssize_t count) {
    if (PyDict_GET_SIZE(v) != count) return false;
    Py_ssize_t at = 0, i = 0;
    PyObject *name = nullptr, *value = nullptr;
    while (PyDict_Next(v, &at, &name, &value) != 0) {
      PyObject* pair = PyTuple_GET_ITEM(key, ++i);
      if (!same(name, PyTuple_GET_ITEM(pair, 0)) || !fit(value, PyTuple_GET_ITEM(pair, 1))) return false;
    }
    return true;
  }
};

// The array of a tensor, or of a number, which `made` keeps.
const Array* array_of(PyObject* leaf, std::vector<Array>& made) {
  const Py_ssize_t slot = slot_of(Py_TYPE(leaf), names().array);
  if (slot >= 0) {
    if (field(leaf, slot) == nullptr) py::object(py::handle(leaf).attr("_array"));  // a view is computed anew
    return &to_array(field(leaf, slot));
  }
  const bool whole = PyLong_CheckExact(leaf);
  TensorSpec type;
  type.dtype = whole ? DType::kInt64 : DType::kFloat64;
  Array word;
  check(make_array(cpu::device().allocator(), std::move(type), word));
  if (whole) {
    *static_cast<int64_t*>(word.data()) = PyLong_AsLongLong(leaf);
  } else {
    *static_cast<double*>(word.data()) = PyFloat_AS_DOUBLE(leaf);
  }
  made.push_back(std::move(word));
  return &made.back();
}

// A leaf of the result: a tensor, if its maker is a class, else what the maker makes of the array.
py::object result_of(Array&& array, PyObject* maker) {
  py::object held = py::cast(std::move(array));
  if (!PyType_Check(maker)) return py::handle(maker)(held);
  auto* cls = reinterpret_cast<PyTypeObject*>(maker);
  auto tensor = py::reinterpret_steal<py::object>(cls->tp_alloc(cls, 0));
  if (!tensor) throw py::error_already_set();
  field(tensor.ptr(), slot_of(cls, names().array)) = held.release().ptr();
  field(tensor.ptr(), slot_of(cls, names().abstract)) = py::none().release().ptr();
  field(tensor.ptr(), slot_of(cls, names().shares)) = py::none().release().ptr();
  return tensor;
}

// The result: the next leaf for None, a tuple for a tuple.
py::object arranged(PyObject* out, const std::vector<py::object>& leaves, size_t& next) {
  if (!PyTuple_CheckExact(out)) return leaves[next++];
  const Py_ssize_t count = PyTuple_GET_SIZE(out);
  py::tuple made(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(made.ptr(), i, arranged(PyTuple_GET_ITEM(out, i), leaves, next).release().ptr());
  }
  return made;
}

py::object run_entry(PyObject* entry, const std::vector<py::object>& leaves) {
  std::vector<const Array*> inputs;
  std::vector<Array> made, results;
  made.reserve(leaves.size());
  inputs.reserve(leaves.size());
  for (const py::object& v : leaves) inputs.push_back(array_of(v.ptr(), made));
  run_program(PyTuple_GET_ITEM(entry, kProgram), inputs, results);
  PyObject *out = PyTuple_GET_ITEM(entry, kOut), *makers = PyTuple_GET_ITEM(entry, kMakers);
  if (out == Py_None) return result_of(std::move(results[0]), PyTuple_GET_ITEM(makers, 0));
  std::vector<py::object> found;
  for (size_t i = 0; i < results.size(); ++i) {
    found.push_back(result_of(std::move(results[i]), PyTuple_GET_ITEM(makers, static_cast<Py_ssize_t>(i))));
  }
  size_t next = 0;
  if (PyTuple_CheckExact(out)) return arranged(out, found, next);
  py::list all;
  for (const py::object& v : found) all.append(v);
  return py::handle(out)(all);
}

// rerun(entries, spec, place, changes, args, kwargs)
py::object rerun(PyObject* const* given) {
  PyObject *entries = given[0], *kwargs = given[5];
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(entries); ++i) {
    const auto held = py::reinterpret_borrow<py::object>(PyList_GET_ITEM(entries, i));
    PyObject* entry = held.ptr();
    const auto part = [&](Entry e) { return PyTuple_GET_ITEM(entry, e); };
    if (!equal(part(kSpec), given[1]) || !equal(part(kPlace), given[2]) || !equal(part(kChanges), given[3])) continue;
    Leaves leaves;
    if (!leaves.fit(given[4], part(kArgs))) continue;
    const bool named = part(kNamed) != Py_None;
    if (named != (PyDict_GET_SIZE(kwargs) != 0) || (named && !leaves.fit(kwargs, part(kNamed)))) continue;
    std::vector<py::object> containers;
    if (first_changed(part(kGuards), leaves.all, containers) >= 0) continue;
    if (part(kPlace) == Py_None || leaves.are_tensors()) return run_entry(entry, leaves.all);
  }
  return py::reinterpret_borrow<py::object>(Py_NotImplemented);
}

// What pybind11 does around a function, without its tenth of a microsecond.
PyObject* called(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 6 || !PyList_Check(args[0]) || !PyTuple_Check(args[4]) || !PyDict_Check(args[5])) {
    PyErr_SetString(PyExc_TypeError, "rerun takes a list, four values of which the last is a tuple, and a dict");
    return nullptr;
  }
  try {
    return rerun(args).release().ptr();
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const py::builtin_exception& e) {
    e.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

PyMethodDef method{"rerun", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(called)), METH_FASTCALL,
                   "rerun(entries, spec, place, changes, args, kwargs): the result of a call whose program is among the "
                   "entries, else NotImplemented."};

}  // namespace

void bind_latest(py::module_& m) {
  m.attr("rerun") = py::reinterpret_steal<py::object>(PyCFunction_New(&method, nullptr));
}

}  // namespace minds::python
