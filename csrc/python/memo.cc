// class Memo: a function of tensors that is made of ops. What it does for tensors and values like those of an earlier call
// is known from watching that, and done without Python.
#include "python/op.h"
#include "python/tape.h"
#include "python/tensor.h"

#include <structmember.h>  // after Python.h, which the bindings include

namespace minds::python {
namespace {

constexpr int kTries = 4;  // of watching: the first calls resolve their ops

struct Known {
  std::shared_ptr<const Derivative> steps;
  bool many = false;  // whether the function gives a tuple
  int tries = 0;
};

struct Memo {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject* fn;
  bool changes;  // whether its result takes the place of its first argument
  Launches known;
};

// The key of a call, and its tensors in order; false where a value may be anything.
bool fill(Key& key, PyObject* const* args, size_t n, PyObject* names, std::vector<PyObject*>& tensors) {
  for (size_t i = 0; i < n; ++i) {
    if (!key.add_any(args[i], tensors)) return false;
  }
  return names == nullptr || key.add_value(names);
}

PyObject* repeat(const Known& known, const std::vector<PyObject*>& tensors) {
  try {
    py::tuple out = known.steps->run(tensors);
    return known.many ? out.release().ptr() : Py_NewRef(PyTuple_GET_ITEM(out.ptr(), 0));
  } catch (py::error_already_set& e) {  // the function says what is wrong
    keep_interrupt(e);
  } catch (const std::exception&) {
  }
  return nullptr;
}

PyObject* watch(Known& known, PyObject* fn, PyObject* const* args, size_t nargsf, PyObject* names,
                const std::vector<PyObject*>& tensors) {
  Trace trace(tensors);
  PyObject* out = PyObject_Vectorcall(fn, args, nargsf, names);
  if (out == nullptr || (!is_tensor(out) && !PyTuple_CheckExact(out))) return out;
  known.many = PyTuple_CheckExact(out);
  known.steps = trace.finish(py::reinterpret_borrow<py::object>(out));
  return out;
}

PyObject* call_memo(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  auto* m = reinterpret_cast<Memo*>(self);
  const auto n = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
  const bool dies = m->changes && n > 0 && is_tensor(args[0]) && runs_at_once() && active_tapes().empty();
  const Dying scope(dies ? own_buffer(args[0]) : nullptr);
  const size_t all = n + (names == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(names)));
  Key key;
  std::vector<PyObject*> tensors;
  try {
    if (!runs_at_once() || !fill(key, args, all, names, tensors) || tensors.empty())
      return PyObject_Vectorcall(m->fn, args, nargsf, names);
    py::object found = py::reinterpret_borrow<py::object>(m->known.find(key));
    if (!found) {
      found = py::cast(std::make_unique<Known>());
      m->known.keep(key, found);
    }
    auto& known = py::cast<Known&>(found);
    if (known.steps) {
      PyObject* out = repeat(known, tensors);
      return out != nullptr ? out : PyObject_Vectorcall(m->fn, args, nargsf, names);
    }
    if (known.tries++ < kTries) return watch(known, m->fn, args, nargsf, names, tensors);
  } catch (py::error_already_set& e) {
    e.restore();
    return nullptr;
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return nullptr;
  }
  return PyObject_Vectorcall(m->fn, args, nargsf, names);
}

PyObject* bind_memo_to(PyObject* self, PyObject* to, PyObject*) {
  return to == nullptr || to == Py_None ? Py_NewRef(self) : PyMethod_New(self, to);
}

PyObject* attribute_of_memo(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return found;
  PyErr_Clear();
  return PyObject_GetAttr(reinterpret_cast<Memo*>(self)->fn, name);
}

int visit_memo(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<Memo*>(self)->fn);
  return reinterpret_cast<Memo*>(self)->known.visit(visit, arg);
}

int clear_memo(PyObject* self) {
  reinterpret_cast<Memo*>(self)->known.clear();
  return 0;
}

void drop_memo(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  reinterpret_cast<Memo*>(self)->known.~Launches();
  Py_XDECREF(reinterpret_cast<Memo*>(self)->fn);
  type->tp_free(self);
  Py_DECREF(type);
}

PyTypeObject* memo_type = nullptr;

py::object memo(const py::object& fn, bool changes) {
  py::object made = py::reinterpret_steal<py::object>(memo_type->tp_alloc(memo_type, 0));
  if (!made) throw py::error_already_set();
  auto* m = reinterpret_cast<Memo*>(made.ptr());
  m->call = call_memo;
  m->fn = fn.inc_ref().ptr();
  m->changes = changes;
  new (&m->known) Launches;
  return made;
}

template <class F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

}  // namespace

void bind_memo(py::module_& m) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Memo, call), READONLY, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(drop_memo)},      {Py_tp_traverse, slot(visit_memo)},
      {Py_tp_clear, slot(clear_memo)},       {Py_tp_call, slot(PyVectorcall_Call)},
      {Py_tp_descr_get, slot(bind_memo_to)}, {Py_tp_getattro, slot(attribute_of_memo)},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char*>("A function made of ops, whose calls like earlier ones the core repeats.")},
      {0, nullptr}};
  PyType_Spec spec = {"minds._core.Memo", sizeof(Memo), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                          Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  m.attr("Memo") = py::handle(type);
  memo_type = reinterpret_cast<PyTypeObject*>(type);
  py::class_<Known>(py::handle(), "Known", py::is_final());
  m.def("memo", &memo, py::arg("fn"), py::arg("changes") = false,
        "`fn`, a function of tensors and values whose ops depend on dtypes, shapes and these values alone; its calls like "
        "earlier ones run without Python. If it `changes` its first argument, whose new value it gives, the op that may "
        "take that one's buffer is the last that reads it.");
}

}  // namespace minds::python
