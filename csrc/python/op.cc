// class Op: what a call of an op does where it was done before with operands and attributes like these. Python's class
// derives from it, and does the rest.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "python/op.h"
#include "python/tape.h"
#include "python/tensor.h"
#include "python/views.h"

#include <structmember.h>  // after Python.h, which the bindings include

namespace minds::python {
namespace {

// What an op is, as Python said.
struct Description {
  std::vector<py::object> names, defaults;  // a default may be null: there is none
  std::vector<Kind> kinds;
  bool plain = false;    // the parameters are positional
  bool nondiff = false;  // nothing is recorded
};

struct Op {
  PyObject_HEAD
  vectorcallfunc call;
  Description what;
  Launches launches;
  Derivatives derivatives;
};

// By `set_eager`: state of the library that makes a call an unusual one, and what Python does for a usual one.
struct Library {
  PyObject* regions = nullptr;   // a list: where autocast is on
  PyObject* devices = nullptr;   // a set: beside the CPU
  PyObject* cast = nullptr;      // the op
  PyObject* constant = nullptr;  // (number, dtype) → Tensor
};
Library library;

PyTypeObject* op_type = nullptr;

// The builders of graphs of this thread, innermost last; None suspends building.
std::vector<PyObject*>& builders() {
  thread_local std::vector<PyObject*> all;
  return all;
}

// Numbers that become tensors again and again.
class Constants {
 public:
  py::object find(PyObject* number, PyObject* dtype) {
    double value;
    if (PyFloat_CheckExact(number)) {
      value = PyFloat_AS_DOUBLE(number);
    } else {
      int overflow = 0;
      const long long i = PyLong_AsLongLongAndOverflow(number, &overflow);
      if (overflow != 0 || i > kMost || i < -kMost)
        return py::handle(library.constant)(py::handle(number), py::handle(dtype));
      value = static_cast<double>(i);
    }
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    Kept& at = kept_[((bits ^ (bits >> 29) ^ (reinterpret_cast<size_t>(dtype) >> 4)) * 0x9E3779B97F4A7C15u) >> 56];
    if (!at.tensor || at.bits != bits || at.dtype != dtype || at.type != Py_TYPE(number)) {
      at = {bits, dtype, Py_TYPE(number), py::handle(library.constant)(py::handle(number), py::handle(dtype))};
    }
    return at.tensor;
  }

 private:
  struct Kept {
    uint64_t bits;
    PyObject* dtype;  // lives for ever
    PyTypeObject* type;
    py::object tensor;
  };
  static constexpr long long kMost = 1LL << 53;  // up to here integers are doubles
  Kept kept_[256] = {};
};

Constants& constants() {
  static auto& all = *new Constants;
  return all;
}

// The arrays of the tensors among `params`, and these.
struct Operands {
  std::vector<PyObject*> leaves;
  const Array* few[8];
  std::vector<const Array*> more;
  size_t count = 0;

  void add(PyObject* tensor, bool keep) {
    if (keep) leaves.push_back(tensor);
    const Array* a = &array_of(tensor);
    if (count == std::size(few)) more.assign(few, few + count);
    if (count < std::size(few)) {
      few[count] = a;
    } else {
      more.push_back(a);
    }
    ++count;
  }
  const Array* const* arrays() const { return count > std::size(few) ? more.data() : few; }
};

Operands operands_of(const Description& op, PyObject* const* params, bool keep) {
  Operands found;
  for (size_t i = 0; i < op.kinds.size(); ++i) {
    PyObject* v = params[i];
    if (op.kinds[i] == Kind::kAttribute || v == Py_None) continue;
    if (op.kinds[i] != Kind::kTensors) {
      found.add(v, keep);
      continue;
    }
    for (Py_ssize_t j = 0; j < PySequence_Fast_GET_SIZE(v); ++j) found.add(PySequence_Fast_GET_ITEM(v, j), keep);
  }
  return found;
}

bool all_here(const Operands& operands) {
  if (PySet_GET_SIZE(library.devices) == 0) return true;
  for (size_t i = 0; i < operands.count; ++i) {
    if (!operands.arrays()[i]->device().traits().host_memory) return false;
  }
  return operands.count > 0 || current_device().traits().host_memory;
}

void record(Op* op, const py::object& what, PyObject* const* params, const std::vector<PyObject*>& leaves,
            const py::object& out) {
  const py::object self = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(op));
  const Launch& launch = held<Launch>(what.ptr());
  for (const Active& tape : active_tapes()) {
    py::list given(op->what.kinds.size());
    for (size_t i = 0; i < op->what.kinds.size(); ++i) {
      const bool attribute = op->what.kinds[i] == Kind::kAttribute;
      py::object v = attribute ? py::object(launch.params[i]) : py::reinterpret_borrow<py::object>(params[i]);
      if (op->what.kinds[i] == Kind::kTensors) v = py::tuple(v);
      given[i] = std::move(v);
    }
    if (tape.native != nullptr) {
      const auto kind = launch.plain ? Record::kPlain : Record::kOther;
      tape.native->record(self, std::move(given), leaves, out, kind, py::none(), what);
    } else {
      py::list objects;
      for (PyObject* t : leaves) objects.append(py::handle(t));
      py::handle(tape.self).attr("record")(self, std::move(given), std::move(objects), out);
    }
  }
}

// The result of a call that was resolved before; null if it was not, or if anything is unusual or wrong: then Python does
// it, and says what.
py::object resolved(Op* op, PyObject* const* params, bool may_cast = true) {
  Key key;
  if (!key.fill(op->what.kinds, params)) return {};
  const py::object found = py::reinterpret_borrow<py::object>(op->launches.find(key));
  if (!found) return {};
  if (PyTuple_CheckExact(found.ptr())) {  // the dtypes that operands are cast to
    if (!may_cast) return {};
    std::vector<py::object> cast(op->what.kinds.size());
    std::vector<PyObject*> now(params, params + op->what.kinds.size());
    for (size_t i = 0; i < cast.size(); ++i) {
      PyObject* dtype = PyTuple_GET_ITEM(found.ptr(), static_cast<Py_ssize_t>(i));
      if (dtype == Py_None) continue;
      if (is_tensor(now[i])) {
        cast[i] = py::handle(library.cast)(py::handle(now[i]), py::handle(dtype));
      } else {
        cast[i] = constants().find(now[i], dtype);
        if (Trace* t = Trace::current()) t->constant(cast[i]);
      }
      now[i] = cast[i].ptr();
    }
    return resolved(op, now.data(), false);
  }
  return perform(reinterpret_cast<PyObject*>(op), found, params);
}

PyObject* quick(Op* op, PyObject* const* params) {
  if (!runs_at_once()) return nullptr;
  try {
    return resolved(op, params).release().ptr();
  } catch (py::error_already_set& e) {
    keep_interrupt(e);
  } catch (const std::exception&) {
  }
  return nullptr;
}

// The parameters of a call in order; false where it does not fit, or Python's own rules must say.
bool bind(const Description& op, PyObject* const* args, size_t n, PyObject* names, PyObject** params) {
  const size_t count = op.kinds.size();
  if (!op.plain || n > count) return false;
  std::copy(args, args + n, params);
  std::fill(params + n, params + count, nullptr);
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t j = 0; j < named; ++j) {
    PyObject* name = PyTuple_GET_ITEM(names, j);
    size_t i = n;
    while (i < count && op.names[i].ptr() != name && PyUnicode_Compare(op.names[i].ptr(), name) != 0) ++i;
    if (i == count || params[i] != nullptr) return false;
    params[i] = args[n + static_cast<size_t>(j)];
  }
  for (size_t i = n; i < count; ++i) {
    if (params[i] == nullptr) params[i] = op.defaults[i].ptr();
    if (params[i] == nullptr) return false;
  }
  return true;
}

PyObject* quick_call(Op* op, PyObject* const* args, size_t n, PyObject* names) {
  constexpr size_t kFew = 16;
  PyObject* params[kFew];
  if (op->what.kinds.size() > kFew || !bind(op->what, args, n, names, params)) return nullptr;
  return quick(op, params);
}

// `fn(first, args...)`
PyObject* call_with(PyObject* fn, PyObject* first, PyObject* const* args, size_t n, PyObject* names) {
  const size_t all = n + (names == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(names)));
  std::vector<PyObject*> given{nullptr, first};
  given.insert(given.end(), args, args + all);
  return PyObject_Vectorcall(fn, given.data() + 1, (n + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
}

PyObject* call_op(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  const auto n = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
  if (PyObject* out = quick_call(reinterpret_cast<Op*>(self), args, n, names)) return out;
  if (Trace* t = Trace::current()) t->fail();
  static PyObject* const called = PyUnicode_InternFromString("called");
  PyObject* fn = PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(self)), called);
  if (fn == nullptr) return nullptr;
  PyObject* out = call_with(fn, self, args, n, names);
  Py_DECREF(fn);
  return out;
}

PyObject* new_op(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  auto* op = reinterpret_cast<Op*>(self);
  op->call = call_op;
  new (&op->what) Description;
  new (&op->launches) Launches;
  new (&op->derivatives) Derivatives;
  return self;
}

int visit_op(PyObject* self, visitproc visit, void* arg) {
  auto* op = reinterpret_cast<Op*>(self);
  Py_VISIT(Py_TYPE(self));
  for (const py::object& v : op->what.defaults) Py_VISIT(v.ptr());
  return op->launches.visit(visit, arg);
}

int clear_op(PyObject* self) {
  reinterpret_cast<Op*>(self)->launches.clear();
  reinterpret_cast<Op*>(self)->derivatives.clear();
  return 0;
}

void drop_op(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  auto* op = reinterpret_cast<Op*>(self);
  op->derivatives.~Derivatives();
  op->launches.~Launches();
  op->what.~Description();
  type->tp_free(self);
  Py_DECREF(type);
}

Op* op_of(const py::object& self) {
  if (!PyObject_TypeCheck(self.ptr(), op_type)) throw py::type_error("expected an Op");
  return reinterpret_cast<Op*>(self.ptr());
}

void describe(const py::object& self, const py::list& names, const py::list& kinds, const py::list& defaults,
              const py::object& no_default, bool plain, bool nondiff) {
  Description& d = op_of(self)->what;
  d = {};
  d.plain = plain;
  d.nondiff = nondiff;
  for (const py::handle n : names) {
    PyObject* name = n.inc_ref().ptr();
    PyUnicode_InternInPlace(&name);
    d.names.push_back(py::reinterpret_steal<py::object>(name));
  }
  for (const py::handle k : kinds) {
    const auto text = py::cast<std::string>(k);
    d.kinds.push_back(text == "tensor"     ? Kind::kTensor
                      : text == "optional" ? Kind::kOptional
                      : text == "tensors"  ? Kind::kTensors
                                           : Kind::kAttribute);
  }
  for (const py::handle v : defaults)
    d.defaults.push_back(v.is(no_default) ? py::object() : py::reinterpret_borrow<py::object>(v));
}

// The key of a call on `on`, a description of a device or None for the CPU.
bool fill(Key& key, const Op& op, const py::list& params, const py::object& on) {
  std::vector<PyObject*> given;
  for (const py::handle v : params) given.push_back(v.ptr());
  if (given.size() != op.what.kinds.size()) throw py::value_error("one value per parameter");
  if (!key.fill(op.what.kinds, given.data())) return false;
  return on.is_none() || key.add_value(on.ptr());
}

py::object found(const py::object& self, const py::list& params, const py::object& on) {
  Key key;
  const Op* op = op_of(self);
  PyObject* known = fill(key, *op, params, on) ? op->launches.find(key) : nullptr;
  return known == nullptr || PyTuple_CheckExact(known) ? py::none() : py::reinterpret_borrow<py::object>(known);
}

void keep(const py::object& self, const py::list& params, const py::object& on, const py::object& what) {
  Key key;
  Op* op = op_of(self);
  if (fill(key, *op, params, on) && op->launches.find(key) == nullptr) op->launches.keep(key, what);
}

// The result of an op by the ops that it is made of, which no tape and no trace sees.
py::object made_of_others(const Launch& launch, const std::vector<PyObject*>& tensors) {
  const Unwatched unwatched;
  const NoTapes none;
  py::tuple out = launch.made_of->run(tensors);
  return launch.many ? py::object(std::move(out)) : py::object(out[0]);
}

// `rule(*params)`, of which `tensors` are the tensors: what an op without a kernel is made of. It is watched, so that the
// core does it from then on.
py::object make(Launch& launch, const py::list& tensors, const py::object& rule, const py::list& params) {
  constexpr int kTries = 4;  // the first calls resolve the ops
  std::vector<PyObject*> given;
  for (const py::handle t : tensors) given.push_back(t.ptr());
  std::vector<PyObject*> sorted = given;
  std::sort(sorted.begin(), sorted.end());
  const bool all_differ = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  const NoTapes none;
  if (!launch.pure || !all_differ || launch.tries++ >= kTries) return rule(*py::tuple(params));
  Trace trace(given);
  py::object out = rule(*py::tuple(params));
  const py::tuple all = launch.many ? py::tuple(out) : py::make_tuple(out);
  for (const py::handle o : all) {
    if (std::binary_search(sorted.begin(), sorted.end(), o.ptr())) return out;  // a result must be a tensor of its own
  }
  launch.made_of = trace.finish(out);
  return out;
}

py::object run(const Launch& launch, const py::list& arrays) {
  std::vector<const Array*> given;
  for (const py::handle a : arrays) given.push_back(&to_array(a));
  if (!launch.native() || given.size() < launch.operands())
    throw py::type_error("the launch does not take these arrays");
  return launch.run(given.data());
}

// ---- a method of Tensor that is an op on most operands

struct Method {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject* op;
  PyObject* otherwise;
  bool swapped;
};

PyObject* call_method(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  const auto* m = reinterpret_cast<Method*>(self);
  const auto n = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
  PyObject* out = nullptr;
  if (m->swapped && n == 2 && names == nullptr) {
    PyObject* const swapped[] = {args[1], args[0]};
    out = quick_call(reinterpret_cast<Op*>(m->op), swapped, 2, nullptr);
  } else if (!m->swapped) {
    out = quick_call(reinterpret_cast<Op*>(m->op), args, n, names);
  }
  return out != nullptr ? out : PyObject_Vectorcall(m->otherwise, args, nargsf, names);
}

PyObject* bind_method(PyObject* self, PyObject* to, PyObject*) {
  return to == nullptr || to == Py_None ? Py_NewRef(self) : PyMethod_New(self, to);
}

PyObject* attribute_of_method(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return found;
  PyErr_Clear();
  return PyObject_GetAttr(reinterpret_cast<Method*>(self)->otherwise, name);
}

int visit_method(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<Method*>(self)->op);
  Py_VISIT(reinterpret_cast<Method*>(self)->otherwise);
  return 0;
}

void drop_method(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(reinterpret_cast<Method*>(self)->op);
  Py_XDECREF(reinterpret_cast<Method*>(self)->otherwise);
  type->tp_free(self);
  Py_DECREF(type);
}

PyTypeObject* method_type = nullptr;

py::object method(const py::object& op, const py::object& otherwise, bool swapped) {
  op_of(op);
  py::object made = py::reinterpret_steal<py::object>(method_type->tp_alloc(method_type, 0));
  if (!made) throw py::error_already_set();
  auto* m = reinterpret_cast<Method*>(made.ptr());
  m->call = call_method;
  m->op = op.inc_ref().ptr();
  m->otherwise = otherwise.inc_ref().ptr();
  m->swapped = swapped;
  return made;
}

// ---- types

template <class Object>
constexpr PyMemberDef vectorcall_member[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Object, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyTypeObject* make_type(py::module_& m, PyType_Spec spec) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  m.attr(std::strrchr(spec.name, '.') + 1) = py::handle(type);
  return reinterpret_cast<PyTypeObject*>(type);
}

template <class F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

void make_types(py::module_& m) {
  PyType_Slot of_op[] = {
      {Py_tp_new, slot(new_op)},         {Py_tp_dealloc, slot(drop_op)},
      {Py_tp_traverse, slot(visit_op)},  {Py_tp_clear, slot(clear_op)},
      {Py_tp_call, slot(PyVectorcall_Call)},
      {Py_tp_members, const_cast<PyMemberDef*>(vectorcall_member<Op>)},
      {Py_tp_doc, const_cast<char*>("What an op resolved to, and its calls that were resolved before.")},
      {0, nullptr}};
  op_type = make_type(m, {"minds._core.Op", sizeof(Op), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                          of_op});
  PyType_Slot of_method[] = {
      {Py_tp_dealloc, slot(drop_method)}, {Py_tp_traverse, slot(visit_method)},
      {Py_tp_call, slot(PyVectorcall_Call)}, {Py_tp_descr_get, slot(bind_method)},
      {Py_tp_getattro, slot(attribute_of_method)},
      {Py_tp_members, const_cast<PyMemberDef*>(vectorcall_member<Method>)},
      {Py_tp_doc, const_cast<char*>("A method of tensors that is an op where that was resolved before.")},
      {0, nullptr}};
  method_type = make_type(m, {"minds._core.Method", sizeof(Method), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                  Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              of_method});
}

PyObject* current_builder(PyObject*, PyObject*) {
  const std::vector<PyObject*>& b = builders();
  return Py_NewRef(b.empty() ? Py_None : b.back());
}

PyObject* push_builder(PyObject*, PyObject* builder) {
  builders().push_back(Py_NewRef(builder));
  Py_RETURN_NONE;
}

PyObject* pop_builder(PyObject*, PyObject*) {
  std::vector<PyObject*>& b = builders();
  if (!b.empty()) {
    PyObject* last = b.back();
    b.pop_back();
    Py_DECREF(last);
  }
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"current_builder", current_builder, METH_NOARGS, "The innermost builder of this thread, or None."},
    {"push_builder", push_builder, METH_O, "Makes a builder the innermost of this thread; None suspends building."},
    {"pop_builder", pop_builder, METH_NOARGS, "Ends what the last `push_builder` began."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool runs_at_once() {
  const std::vector<PyObject*>& b = builders();
  return library.regions != nullptr && (b.empty() || b.back() == Py_None) && PyList_GET_SIZE(library.regions) == 0;
}

py::object perform(PyObject* self, const py::object& what, PyObject* const* params) {
  Op* op = reinterpret_cast<Op*>(self);
  const Launch& launch = held<Launch>(what.ptr());
  const bool taped = !op->what.nondiff && !active_tapes().empty();
  const Operands operands = operands_of(op->what, params, taped);
  if (!all_here(operands) || (taped && !launch.has_rule)) return {};
  py::object out;
  if (launch.native()) {
    if (operands.count < launch.operands() || (launch.bound != nullptr && !launch.bound->repeats())) return {};
    out = launch.run(operands.arrays());
  } else if (launch.made_of) {
    out = made_of_others(launch, operands_of(op->what, params, true).leaves);
  } else {
    return {};
  }
  if (launch.ways) note_views(launch, what.ptr(), params, op->what.kinds.size(), out.ptr());
  if (taped) record(op, what, params, operands.leaves, out);
  if (Trace* t = Trace::current()) t->call(self, what, op->what.kinds.size(), params, out);
  return out;
}

Derivatives& derivatives_of(PyObject* op) { return reinterpret_cast<Op*>(op)->derivatives; }

void bind_op(py::module_& m) {
  make_types(m);
  if (PyModule_AddFunctions(m.ptr(), functions) != 0) throw py::error_already_set();
  py::class_<Launch>(m, "Launch", py::is_final(), "What one op, with operands and attributes like some, resolved to.")
      .def(py::init<py::object, const py::object&, py::object, py::list, bool, bool, bool>(), py::arg("kernel"),
           py::arg("view"), py::arg("abstract"), py::arg("params"), py::arg("has_rule"), py::arg("plain"),
           py::arg("pure"))
      .def_property_readonly("native", &Launch::native, "Whether the core runs it; else Python does.")
      .def_property_readonly("on_host", [](const Launch& l) { return l.bound != nullptr && l.bound->on_host(); },
                             "Whether its kernel is one of the host's.")
      .def_readonly("abstract", &Launch::abstract)
      .def_readonly("many", &Launch::many)
      .def_readwrite("takes", &Launch::takes, "Whether the result may take the first operand's buffer.")
      .def_readonly("params", &Launch::params)
      .def_property(
          "ways", [](const Launch& l) { return l.ways ? l.ways : py::object(py::none()); },
          [](Launch& l, const py::tuple& ways) { l.ways = ways; }, "How its results show elements of the first operand.")
      .def("make", &make, py::arg("tensors"), py::arg("rule"), py::arg("params"),
           "What `rule(*params)` gives, by which the op, that has a gradient or none, is made of others. No tape sees these; "
           "the core repeats them in later calls.")
      .def("run", &run, py::arg("arrays"), "The Tensor, or the tuple of Tensors, that it gives.");
  m.def("describe_op", &describe, py::arg("op"), py::arg("names"), py::arg("kinds"), py::arg("defaults"),
        py::arg("no_default"), py::arg("plain"), py::arg("nondiff"));
  m.def("found_launch", &found, py::arg("op"), py::arg("params"), py::arg("on"),
        "The launch that a call with these parameters resolved to, or None; `on` describes a device, None the CPU.");
  m.def("keep_launch", &keep, py::arg("op"), py::arg("params"), py::arg("on"), py::arg("what"),
        "Calls with parameters like these resolve to a launch; or, by a tuple of dtypes and None, to what the call with "
        "its operands cast resolves to.");
  m.def("method", &method, py::arg("op"), py::arg("otherwise"), py::arg("swapped") = false,
        "A method: the op where it was resolved before, else `otherwise`.");
  m.def(
      "set_vectorcall",
      [](const py::type& type) {
        auto* t = reinterpret_cast<PyTypeObject*>(type.ptr());
        if (!PyType_IsSubtype(t, op_type) || t->tp_call != op_type->tp_call) throw py::type_error("no class of ops");
        t->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
      },
      py::arg("type"), "A class in Python that derives from Op is called by the protocol of Op.");
  m.def(
      "set_eager",
      [](const py::list& regions, const py::set& devices, const py::object& cast, const py::object& constant) {
        library = {regions.inc_ref().ptr(), devices.inc_ref().ptr(), cast.inc_ref().ptr(), constant.inc_ref().ptr()};
      },
      py::arg("regions"), py::arg("devices"), py::arg("cast"), py::arg("constant"));
}

}  // namespace minds::python
