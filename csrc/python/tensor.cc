#include "python/tensor.h"

#include <structmember.h>  // after Python.h, which the bindings include

namespace minds::python {
namespace {

// By `set_tensor`.
struct Class {
  PyTypeObject* type = nullptr;
  Py_ssize_t array = 0, abstract = 0, shares = 0;  // the offsets of the slots
  PyObject* describe = nullptr;        // (shape, dtype code) → the description
  PyTypeObject* array_type = nullptr;
  PyObject* dtype_type = nullptr;
};
Class cls;

PyObject*& slot(PyObject* tensor, Py_ssize_t offset) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(tensor) + offset);
}

Py_ssize_t offset_of(PyObject* type, const char* name) {
  const py::object member = py::reinterpret_steal<py::object>(PyObject_GetAttrString(type, name));
  if (!member) throw py::error_already_set();
  if (!PyObject_TypeCheck(member.ptr(), &PyMemberDescr_Type))
    throw py::type_error(std::string(name) + " is no slot of Tensor");
  return reinterpret_cast<PyMemberDescrObject*>(member.ptr())->d_member->offset;
}

// A view that is out of date holds no array, nor does a parameter that lies in parts: Python computes it.
void catch_up(PyObject* tensor) {
  if (slot(tensor, cls.shares) == nullptr) return;  // it was refused while it was made
  py::handle(tensor).attr("_catch_up")();
}

// The attribute `_array`.
PyObject* get_array(PyObject* tensor, void*) {
  try {
    if (slot(tensor, cls.array) == nullptr) catch_up(tensor);
  } catch (py::error_already_set& e) {
    e.restore();
    return nullptr;
  }
  PyObject* array = slot(tensor, cls.array);
  if (array == nullptr) PyErr_SetString(PyExc_AttributeError, "the tensor holds no array");
  return Py_XNewRef(array);
}

int put_array(PyObject* tensor, PyObject* array, void*) {
  PyObject* old = std::exchange(slot(tensor, cls.array), Py_XNewRef(array));
  Py_XDECREF(old);
  return 0;
}

PyGetSetDef attribute{"_array", get_array, put_array, "The array, which is computed now if none is held.", nullptr};

void set_tensor(const py::type& type, const py::type& dtype, const py::object& describe) {
  cls.array = offset_of(type.ptr(), "_holds");
  cls.abstract = offset_of(type.ptr(), "_abstract");
  cls.shares = offset_of(type.ptr(), "_shares");
  cls.describe = py::object(describe).release().ptr();
  cls.dtype_type = py::object(dtype).release().ptr();
  cls.array_type = reinterpret_cast<PyTypeObject*>(py::type::of<Array>().ptr());
  cls.type = reinterpret_cast<PyTypeObject*>(py::object(type).release().ptr());
  py::handle(type).attr("_array") = py::reinterpret_steal<py::object>(PyDescr_NewGetSet(cls.type, &attribute));
}

PyObject* wrap(PyObject*, PyObject* array) {
  if (Py_TYPE(array) != cls.array_type) {
    PyErr_SetString(PyExc_TypeError, "expected an Array");
    return nullptr;
  }
  PyObject* made = cls.type->tp_alloc(cls.type, 0);
  if (made == nullptr) return nullptr;
  slot(made, cls.array) = Py_NewRef(array);
  slot(made, cls.shares) = Py_NewRef(Py_None);
  return made;
}

// What a property of Tensor gives.
template <py::object (*get)(PyObject*)>
PyObject* property(PyObject*, PyObject* tensor) {
  try {
    if (!is_tensor(tensor)) throw py::type_error("expected a Tensor");
    return get(tensor).release().ptr();
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const py::builtin_exception& e) {
    e.set_error();
  }
  return nullptr;
}

py::object abstract(PyObject* tensor) { return py::reinterpret_borrow<py::object>(abstract_of(tensor)); }
py::object dtype(PyObject* tensor) { return py::handle(abstract_of(tensor)).attr("dtype"); }

py::object shape(PyObject* tensor) {
  if (slot(tensor, cls.array) == nullptr) return py::handle(abstract_of(tensor)).attr("shape");
  return to_tuple(array_of(tensor).spec.shape);
}


PyMethodDef functions[] = {
    {"wrap", wrap, METH_O, "A Tensor around an Array, without a copy."},
    {"abstract_of", property<abstract>, METH_O, "The description of a Tensor."},
    {"dtype_of", property<dtype>, METH_O, "The element type of a Tensor."},
    {"shape_of", property<shape>, METH_O, "The dimensions of a Tensor."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool is_tensor(PyObject* v) { return cls.type != nullptr && PyObject_TypeCheck(v, cls.type); }

bool is_dtype(PyObject* v) { return reinterpret_cast<PyObject*>(Py_TYPE(v)) == cls.dtype_type; }

const Array& array_of(PyObject* tensor) {
  if (slot(tensor, cls.array) == nullptr) catch_up(tensor);
  PyObject* array = slot(tensor, cls.array);
  if (array == nullptr) throw py::attribute_error("the tensor holds no array");
  if (Py_TYPE(array) != cls.array_type) return to_array(array);
  return held<Array>(array);
}

PyObject* abstract_of(PyObject* tensor) {
  PyObject* known = slot(tensor, cls.abstract);
  if (known != nullptr && known != Py_None) return known;
  const TensorSpec& spec = array_of(tensor).spec;
  py::object made = py::handle(cls.describe)(to_tuple(spec.shape), static_cast<int>(spec.dtype));
  PyObject* old = std::exchange(slot(tensor, cls.abstract), made.release().ptr());
  Py_XDECREF(old);
  return slot(tensor, cls.abstract);
}

const Buffer* own_buffer(PyObject* tensor) {
  if (Py_TYPE(tensor) != cls.type) return nullptr;
  PyObject* const shares = slot(tensor, cls.shares);
  // A root whose views are gone has a list of one number.
  if (shares != Py_None && (shares == nullptr || !PyList_CheckExact(shares) || PyList_GET_SIZE(shares) > 1)) return nullptr;
  PyObject* const array = slot(tensor, cls.array);
  if (array == nullptr || Py_TYPE(array) != cls.array_type || Py_REFCNT(array) != 1) return nullptr;
  const BufferRef& buffer = held<Array>(array).buffer;
  return buffer && buffer->unique() && buffer->device().traits().host_memory ? buffer.get() : nullptr;
}

py::object make_tensor(Array array, PyObject* abstract) {
  py::object held = py::cast(std::move(array));
  py::object made = py::reinterpret_steal<py::object>(cls.type->tp_alloc(cls.type, 0));
  if (!made) throw py::error_already_set();
  slot(made.ptr(), cls.array) = held.release().ptr();
  slot(made.ptr(), cls.abstract) = Py_XNewRef(abstract);
  slot(made.ptr(), cls.shares) = Py_NewRef(Py_None);
  return made;
}

PyObject*& shares_of(PyObject* tensor) { return slot(tensor, cls.shares); }

void bind_tensor(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), functions) != 0) throw py::error_already_set();
  m.def("set_tensor", &set_tensor, py::arg("type"), py::arg("dtype"), py::arg("describe"),
        "The classes Tensor and DType, and what makes the description of a shape and a dtype code.");
}

}  // namespace minds::python
