// Whether what compiled code read outside of its source is as it was, and what of it a run takes.
//
// A table has a row per read: (place, holder, name, how, expected). The holder is an object, a weak reference to
// one, or the number of a container that an earlier row found. `minds/jit/guards.py` writes it, with the same
// numbers.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "python/guards.h"

#include <structmember.h>  // after Python.h, which the bindings include

namespace minds::python {
namespace {

enum Place : long { kEntry, kCell, kClass, kAttribute, kItem, kSelf };
enum How : long {
  kAbsent, kSame, kOne, kMethod, kContent, kAbstract, kTensor, kNumber, kLeaf, kTuple, kList, kDict, kSet, kContainer
};

struct Names {
  PyObject* known = PyUnicode_InternFromString("_abstract");
  PyObject* abstract = PyUnicode_InternFromString("abstract");
  PyObject* array = PyUnicode_InternFromString("_array");
};

const Names& names() {
  static const Names n;
  return n;
}

// Like `PyObject_GetAttr`; what raises is absent.
py::object attribute(PyObject* holder, PyObject* name) {
  PyObject* v = PyObject_GetAttr(holder, name);
  if (v == nullptr) PyErr_Clear();
  return py::reinterpret_steal<py::object>(v);
}

// An item of a sequence that is neither list nor tuple.
py::object item(PyObject* holder, PyObject* index) {
  PyObject* v = PySequence_GetItem(holder, PyLong_AsSsize_t(index));
  if (v == nullptr) PyErr_Clear();
  return py::reinterpret_steal<py::object>(v);
}

// What stands in a place that holds it; null where that is empty.
PyObject* held(long place, PyObject* holder, PyObject* name) {
  PyObject* v = nullptr;
  switch (place) {
    case kEntry:
      if (PyDict_Check(holder)) v = PyDict_GetItemWithError(holder, name);
      if (v == nullptr) PyErr_Clear();
      return v;
    case kCell:
      return PyCell_Check(holder) ? PyCell_GET(holder) : nullptr;
    case kClass:
      return PyType_Check(holder) ? _PyType_Lookup(reinterpret_cast<PyTypeObject*>(holder), name) : nullptr;
    case kItem: {
      const Py_ssize_t i = PyLong_AsSsize_t(name);
      if (PyList_CheckExact(holder) && i < PyList_GET_SIZE(holder)) v = PyList_GET_ITEM(holder, i);
      if (PyTuple_Check(holder) && i < PyTuple_GET_SIZE(holder)) v = PyTuple_GET_ITEM(holder, i);
      return v;
    }
    default:
      return holder;
  }
}

}  // namespace

bool same(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {
    const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  if (PyComplex_CheckExact(a)) {
    const Py_complex x = PyComplex_AsCComplex(a), y = PyComplex_AsCComplex(b);
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  if (PyLong_CheckExact(a) || PyUnicode_CheckExact(a) || PyBytes_CheckExact(a)) {
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
  }
  if (!PyTuple_Check(a) || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) {
    if (!same(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))) return false;
  }
  return true;
}

namespace {

// A buffer of NumPy's, given back at the end.
class View {
 public:
  explicit View(PyObject* of) : valid_(PyObject_GetBuffer(of, &buffer_, PyBUF_FULL_RO) == 0) {
    if (!valid_) PyErr_Clear();
  }
  ~View() {
    if (valid_) PyBuffer_Release(&buffer_);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  // Whether the other, whose elements lie one behind the other, holds the same numbers.
  bool holds(const View& copy) const {
    const Py_buffer &a = buffer_, &b = copy.buffer_;
    if (!valid_ || !copy.valid_ || a.ndim != b.ndim || a.len != b.len) return false;
    if (std::string_view(a.format) != b.format || !std::equal(a.shape, a.shape + a.ndim, b.shape)) return false;
    if (PyBuffer_IsContiguous(&a, 'C') != 0) return std::memcmp(a.buf, b.buf, static_cast<size_t>(a.len)) == 0;
    std::vector<char> elements(static_cast<size_t>(a.len));
    if (PyBuffer_ToContiguous(elements.data(), &a, a.len, 'C') != 0) return PyErr_Clear(), false;
    return std::memcmp(elements.data(), b.buf, elements.size()) == 0;
  }

 private:
  Py_buffer buffer_;
  bool valid_;
};

// The elements of an array of a device; false if they cannot be had.
bool fetch(const Array& a, std::vector<char>& out) {
  out.resize(a.bytes());
  if (a.device().begin()) return false;
  const Ordered order(a.device());
  return !read_array(a, out.data());
}

bool same_elements(const Array& a, const Array& b) {
  if (a.bytes() == 0) return true;
  if (a.host() != nullptr && b.host() != nullptr) return std::memcmp(a.host(), b.host(), a.bytes()) == 0;
  std::vector<char> x, y;
  return fetch(a, x) && fetch(b, y) && x == y;
}

// Whether a tensor, an array or a number of NumPy holds what the copy does.
bool holds(PyObject* v, py::handle copy) {
  if (!py::isinstance<Array>(copy)) return View(v).holds(View(copy.ptr()));
  const py::object now = attribute(v, names().array);
  if (!now || !py::isinstance<Array>(now)) return false;
  const Array &a = py::cast<const Array&>(now), &b = py::cast<const Array&>(copy);
  return a.spec.dtype == b.spec.dtype && a.spec.shape == b.spec.shape && same_elements(a, b);
}

}  // namespace

Py_ssize_t slot_of(PyTypeObject* cls, PyObject* name) {
  PyObject* slot = _PyType_Lookup(cls, name);
  if (slot == nullptr || !Py_IS_TYPE(slot, &PyMemberDescr_Type)) return -1;
  return reinterpret_cast<PyMemberDescrObject*>(slot)->d_member->offset;
}

bool has_abstract(PyObject* v, PyObject* expected) {
  const Py_ssize_t slot = slot_of(Py_TYPE(v), names().known);
  if (slot < 0) return false;
  PyObject* known = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(v) + slot);
  if (known != nullptr && known != Py_None) return known == expected;
  return attribute(v, names().abstract).ptr() == expected;  // the property fills the slot
}

bool fits_word(PyObject* v) {
  int overflow = 0;
  if (PyLong_CheckExact(v)) PyLong_AsLongLongAndOverflow(v, &overflow);
  return overflow == 0;
}

namespace {

bool has_keys(PyObject* dict, PyObject* keys) {
  if (PyDict_GET_SIZE(dict) != PyTuple_GET_SIZE(keys)) return false;
  Py_ssize_t at = 0, i = 0;
  PyObject *key = nullptr, *value = nullptr;
  while (PyDict_Next(dict, &at, &key, &value) != 0) {
    if (!same(key, PyTuple_GET_ITEM(keys, i++))) return false;
  }
  return true;
}

bool has_elements(PyObject* of, PyObject* elements) {
  const py::object all = py::reinterpret_steal<py::object>(PySequence_Tuple(of));
  if (!all) PyErr_Clear();
  return all && same(all.ptr(), elements);
}

// One check of a table.
class Check {
 public:
  Check(std::vector<py::object>& leaves, std::vector<py::object>& containers)
      : leaves_(leaves), containers_(containers), first_(leaves.size()) {}

  bool row(PyObject* row) {
    const long place = PyLong_AsLong(PyTuple_GET_ITEM(row, 0)), how = PyLong_AsLong(PyTuple_GET_ITEM(row, 3));
    PyObject* holder = PyTuple_GET_ITEM(row, 1);
    PyObject* expected = PyTuple_GET_ITEM(row, 4);
    if (PyLong_CheckExact(holder)) holder = containers_[PyLong_AsSize_t(holder)].ptr();
    if (PyWeakref_Check(holder)) holder = PyWeakref_GET_OBJECT(holder);
    if (holder == Py_None) return gone(how);
    PyObject* name = PyTuple_GET_ITEM(row, 2);
    const bool computed = place == kItem && !PyList_CheckExact(holder) && !PyTuple_Check(holder);
    if (computed || place == kAttribute) {
      const py::object alive = py::reinterpret_borrow<py::object>(holder);
      const py::object v = computed ? item(holder, name) : attribute(holder, name);
      return v ? how != kAbsent && fits(v.ptr(), how, expected) : how == kAbsent;
    }
    PyObject* v = held(place, holder, name);
    return v != nullptr ? how != kAbsent && fits(v, how, expected) : how == kAbsent;
  }

  // A row of an object that was made while compiling and is gone: nothing can read it again. What was in a
  // container of its has no container then.
  bool gone(long how) {
    if (how >= kTuple && how <= kSet) containers_.push_back(py::none());
    return how != kTensor && how != kNumber;
  }

  // Whether the tensors are different ones, and the lists and dicts.
  bool apart() {
    std::sort(apart_.begin(), apart_.end());
    return std::adjacent_find(apart_.begin(), apart_.end()) == apart_.end();
  }

 private:
  bool fits(PyObject* v, long how, PyObject* expected) {
    const auto number = [&] { return PyLong_AsSize_t(expected); };
    switch (how) {
      case kSame:
        return same(v, expected);
      case kOne:
        return v != Py_None && PyWeakref_GET_OBJECT(expected) == v;
      case kMethod:
        return PyMethod_Check(v) && PyMethod_GET_FUNCTION(v) == PyMethod_GET_FUNCTION(expected) &&
               PyMethod_GET_SELF(v) == PyMethod_GET_SELF(expected);
      case kContent:
        return holds(v, expected);
      case kAbstract:
        return has_abstract(v, expected);
      case kTensor:
        leaves_.push_back(py::reinterpret_borrow<py::object>(v));
        apart_.push_back(v);
        return same(reinterpret_cast<PyObject*>(Py_TYPE(v)), PyTuple_GET_ITEM(expected, 0)) &&
               has_abstract(v, PyTuple_GET_ITEM(expected, 1));
      case kNumber:
        leaves_.push_back(py::reinterpret_borrow<py::object>(v));
        return reinterpret_cast<PyObject*>(Py_TYPE(v)) == expected && fits_word(v);
      case kLeaf:
        return leaves_[first_ + number()].ptr() == v;
      case kContainer:
        return containers_[number()].ptr() == v;
      default:
        return fits_container(v, how, expected);
    }
  }

  // Expects (class, number of elements, or the keys or elements).
  bool fits_container(PyObject* v, long how, PyObject* expected) {
    containers_.push_back(py::reinterpret_borrow<py::object>(v));
    if (how != kTuple) apart_.push_back(v);
    PyObject* held = PyTuple_GET_ITEM(expected, 1);
    if (reinterpret_cast<PyObject*>(Py_TYPE(v)) != PyTuple_GET_ITEM(expected, 0)) return false;
    if (how == kDict) return has_keys(v, held);
    return how == kSet ? has_elements(v, held) : PyObject_Size(v) == PyLong_AsSsize_t(held);
  }

  std::vector<py::object>&leaves_, &containers_;
  const size_t first_;  // of the leaves: those before it are the arguments'
  std::vector<PyObject*> apart_;
};

}  // namespace

Py_ssize_t first_changed(PyObject* table, std::vector<py::object>& leaves, std::vector<py::object>& containers) {
  Check check(leaves, containers);
  const Py_ssize_t count = PyTuple_GET_SIZE(table);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!check.row(PyTuple_GET_ITEM(table, i))) return i;
  }
  return check.apart() ? -1 : count;
}

void bind_guards(py::module_& m) {
  m.def(
      "changed",
      [](const py::tuple& table, py::list leaves, py::list containers) -> py::object {
        std::vector<py::object> taken, read;
        const Py_ssize_t at = first_changed(table.ptr(), taken, read);
        for (const py::object& v : taken) leaves.append(v);
        for (const py::object& v : read) containers.append(v);
        return at < 0 ? py::none() : py::object(py::int_(at));
      },
      py::arg("table"), py::arg("leaves"), py::arg("containers"),
      "The first row of a table of reads that does not hold, its length if what were different objects is one now, "
      "else None. Adds to the lists the tensors and numbers that a run takes, and the containers.");
}

}  // namespace minds::python
