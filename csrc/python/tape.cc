#include "python/tape.h"

#include "python/op.h"
#include "python/tensor.h"

namespace minds::python {
namespace {

// By `set_tape`: what Python does on the way back.
struct Library {
  PyObject* add = nullptr;         // the op that sums
  PyObject* hooked = nullptr;      // a dict: the hooks of tensors; empty if none has any
  PyObject* applied = nullptr;     // (tensor, gradient) → what the tensor's hooks make of it
  PyObject* cotangents = nullptr;  // (parts, results) → the cotangents of an op with several results
  PyObject* gradients = nullptr;   // (op, params, out, dout, need) → the gradients, one per leaf
  PyObject* fail = nullptr;        // (error, loc): raises what says where
};
Library library;

py::object number(PyObject* t) { return py::reinterpret_steal<py::object>(PyLong_FromVoidPtr(t)); }

bool is_bool(PyObject* t) { return array_of(t).spec.dtype == DType::kBool; }

py::object called(PyObject* fn, std::initializer_list<PyObject*> args) {
  std::vector<PyObject*> given{nullptr};
  given.insert(given.end(), args.begin(), args.end());
  PyObject* out = PyObject_Vectorcall(fn, given.data() + 1, args.size() | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (out == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(out);
}

// The sum of what arrived under an identity so far, or null.
py::object sum_of(const py::dict& sums, const py::object& key) {
  PyObject* found = PyDict_GetItemWithError(sums.ptr(), key.ptr());
  if (found == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return py::reinterpret_borrow<py::object>(found);
}

void accumulate(const py::dict& sums, PyObject* t, const py::object& g) {
  const py::object key = number(t), old = sum_of(sums, key);
  sums[key] = old ? called(library.add, {old.ptr(), g.ptr()}) : g;
}

// `p` with the tensor `was` replaced, also in tuples and lists; null if it is not there.
py::object exchanged(py::handle p, PyObject* was, const py::object& now) {
  if (p.ptr() == was) return now;
  if (!PyTuple_CheckExact(p.ptr()) && !PyList_CheckExact(p.ptr())) return {};
  const auto old = py::reinterpret_steal<py::tuple>(PySequence_Tuple(p.ptr()));
  py::tuple made(old.size());
  bool any = false;
  for (size_t i = 0; i < old.size(); ++i) {
    py::object e = exchanged(old[i], was, now);
    any |= static_cast<bool>(e);
    made[i] = e ? std::move(e) : py::object(old[i]);
  }
  return any ? py::object(made) : py::object();
}

std::vector<PyObject*> results(const py::object& out) {
  if (!PyTuple_CheckExact(out.ptr())) return {out.ptr()};
  std::vector<PyObject*> all;
  for (const py::handle o : py::reinterpret_borrow<py::tuple>(out)) all.push_back(o.ptr());
  return all;
}

// The gradients of the leaves of an op by its rule, which gives one for each.
py::object by_rule(const Record& r, const py::object& dout) {
  static PyObject* const rule_name = PyUnicode_InternFromString("bprop_rule");
  static PyObject* const needs_name = PyUnicode_InternFromString("bprop_needs");
  static PyObject* const names = py::make_tuple("need").release().ptr();
  const auto rule = py::reinterpret_steal<py::object>(PyObject_GetAttr(r.op.ptr(), rule_name));
  const auto needs = py::reinterpret_steal<py::object>(PyObject_GetAttr(r.op.ptr(), needs_name));
  if (!rule || !needs) throw py::error_already_set();
  std::vector<PyObject*> args{nullptr};
  for (const py::handle p : r.params) args.push_back(p.ptr());
  args.push_back(r.out.ptr());
  args.push_back(dout.ptr());
  const size_t n = args.size() - 1;
  py::tuple need;
  if (needs.ptr() == Py_True) {
    need = py::tuple(r.need.size());
    for (size_t i = 0; i < r.need.size(); ++i) need[i] = py::bool_(r.need[i]);
    args.push_back(need.ptr());
  }
  PyObject* out = PyObject_Vectorcall(rule.ptr(), args.data() + 1, n | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                      needs.ptr() == Py_True ? names : nullptr);
  if (out == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(out);
}

// The same as `by_rule`, without Python where that was watched before.
py::object by_derivative(const Record& r, const py::object& dout) {
  if (!r.launch || !held<Launch>(r.launch.ptr()).pure || held<Launch>(r.launch.ptr()).many || r.need.size() > 32 ||
      !is_tensor(dout.ptr()) || !runs_at_once())
    return by_rule(r, dout);
  constexpr int kTries = 4;
  std::vector<PyObject*> given;
  for (const py::handle p : r.params) {
    if (is_tensor(p.ptr())) given.push_back(p.ptr());
  }
  given.push_back(r.out.ptr());
  given.push_back(dout.ptr());
  uint64_t need = 0;
  for (size_t i = 0; i < r.need.size(); ++i) need |= uint64_t{r.need[i]} << i;
  for (size_t k = 1; k < given.size(); ++k) {  // which of them are one tensor tells derivatives apart too
    const size_t first = static_cast<size_t>(std::find(given.begin(), given.end(), given[k]) - given.begin());
    if (first == k) continue;
    if (k >= 8) return by_rule(r, dout);
    need |= uint64_t{first + 1} << (32 + 4 * k);
  }
  Derivatives& all = derivatives_of(r.op.ptr());
  PyObject* like = abstract_of(dout.ptr());
  if (const std::shared_ptr<const Derivative> known = all.at(r.launch, need, like).known) {
    try {
      return known->run(given);
    } catch (py::error_already_set& e) {  // the rule says what is wrong
      keep_interrupt(e);
    } catch (const std::exception&) {
    }
    return by_rule(r, dout);
  }
  if (all.at(r.launch, need, like).tries++ >= kTries) return by_rule(r, dout);
  Trace trace(given);
  py::object grads = by_rule(r, dout);
  std::unique_ptr<Derivative> found = trace.finish(grads);
  if (found) all.at(r.launch, need, like).known = std::move(found);
  return grads;
}

py::object gradients_of(const Record& r, const py::object& dout) {
  try {
    if (r.kind == Record::kPlain) return by_derivative(r, dout);
    py::tuple need(r.need.size());
    for (size_t i = 0; i < r.need.size(); ++i) need[i] = py::bool_(r.need[i]);
    return called(library.gradients, {r.op.ptr(), r.params.ptr(), r.out.ptr(), dout.ptr(), need.ptr()});
  } catch (py::error_already_set& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    called(library.fail, {e.value().ptr(), r.loc.ptr()});
    throw;
  }
}

Record::Kind kind_of(const py::object& op) {
  if (py::hasattr(op, "pull")) return Record::kAgain;
  return py::hasattr(op, "rebinds") ? Record::kRebind : Record::kOther;
}

}  // namespace

std::vector<Active>& active_tapes() {
  thread_local std::vector<Active> all;
  return all;
}

void Tape::watch(const py::object& t) {
  if (tracked_.insert(t.ptr()).second) held_.push_back(t);
}

void Tape::record(py::object op, py::list params, const std::vector<PyObject*>& leaves, py::object out,
                  Record::Kind kind, const py::object& loc, const py::object& launch) {
  std::vector<bool> need(leaves.size());
  bool any = false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    need[i] = tracks(leaves[i]);  // of a bool only where it was asked for
    any |= need[i];
  }
  if (!any) return;
  std::vector<PyObject*> outs = results(out);
  for (PyObject* o : outs) {
    if (is_tensor(o) && !is_bool(o)) watch(py::reinterpret_borrow<py::object>(o));
  }
  records_.push_back({std::move(op), std::move(params), leaves, std::move(outs), std::move(need), std::move(out),
                      loc, kind, launch});
}

void Tape::cut(py::object op, const py::object& out) {
  if (!tracks(out.ptr())) return;
  records_.push_back({std::move(op), py::list(), {}, {out.ptr()}, {}, out, py::none(), Record::kRebind, {}});
}

void Tape::exchange(PyObject* was, const py::object& now) {
  for (Record& r : records_) {
    for (size_t i = 0; i < r.params.size(); ++i) {
      if (py::object p = exchanged(r.params[i], was, now)) r.params[i] = std::move(p);
    }
    if (py::object out = exchanged(r.out, was, now)) r.out = std::move(out);
  }
}

void Tape::walk(const py::dict& sums, const py::list& outs, const py::list& douts, const py::set& keep, bool last) {
  for (size_t i = 0; i < outs.size() && i < douts.size(); ++i) {
    const py::object o = outs[i], d = douts[i];
    if (!d.is_none() && tracks(o.ptr())) accumulate(sums, o.ptr(), d);
  }
  if (!last) {
    for (size_t i = records_.size(); i-- > 0;) back(Record(records_[i]), sums, keep);
    return;
  }
  held_.clear();  // the records hold what is still needed
  tracked_.clear();
  while (!records_.empty()) {
    const Record r = std::move(records_.back());
    records_.pop_back();
    back(r, sums, keep);
  }
}

void Tape::back(const Record& r, const py::dict& sums, const py::set& keep) {
  py::list parts;
  bool any = false;
  std::vector<bool> stays;
  for (PyObject* o : r.outs) {
    const py::object key = number(o), sum = sum_of(sums, key);
    stays.push_back(keep.contains(key));
    // Before a rebinding the tensor had another value, to which the sum so far does not belong.
    if (sum && (!stays.back() || r.kind == Record::kRebind)) PyDict_DelItem(sums.ptr(), key.ptr());
    any |= static_cast<bool>(sum);
    parts.append(sum ? sum : py::none());
  }
  if (!any) return;
  if (r.kind == Record::kAgain) {
    py::list ids;
    py::list need;
    for (size_t i = 0; i < r.leaves.size(); ++i) {
      ids.append(number(r.leaves[i]));
      need.append(py::bool_(r.need[i]));
    }
    r.op.attr("pull")(r.params, ids, need, parts, sums);
    return;
  }
  if (PyDict_GET_SIZE(library.hooked) != 0) {
    const std::vector<PyObject*> now = results(r.out);
    for (size_t i = 0; i < now.size(); ++i) {
      const py::object p = parts[i];
      if (!p.is_none() && !stays[i]) parts[i] = called(library.applied, {now[i], p.ptr()});
    }
  }
  const bool many = PyTuple_CheckExact(r.out.ptr());
  const py::object dout = many ? called(library.cotangents, {parts.ptr(), r.out.ptr()}) : py::object(parts[0]);
  const py::object grads = gradients_of(r, dout);
  const bool row = PyTuple_Check(grads.ptr()) || PyList_Check(grads.ptr());
  const size_t count = row ? static_cast<size_t>(PySequence_Fast_GET_SIZE(grads.ptr())) : 1;
  for (size_t i = 0; i < count && i < r.leaves.size(); ++i) {
    PyObject* g = row ? PySequence_Fast_GET_ITEM(grads.ptr(), static_cast<Py_ssize_t>(i)) : grads.ptr();
    if (r.need[i] && g != Py_None) accumulate(sums, r.leaves[i], py::reinterpret_borrow<py::object>(g));
  }
}

int Tape::visit(visitproc visit, void* arg) const {
  for (const Record& r : records_) {
    Py_VISIT(r.op.ptr());
    Py_VISIT(r.params.ptr());
    Py_VISIT(r.out.ptr());
  }
  for (const py::object& t : held_) Py_VISIT(t.ptr());
  return 0;
}

void Tape::clear() {
  const auto records = std::move(records_);  // what they hold may run Python code when it goes
  const auto held = std::move(held_);
  records_.clear();
  held_.clear();
  tracked_.clear();
}

namespace {

// The tape of an object, which the garbage collector may look at before there is one.
Tape* tape_of(PyObject* self) {
  auto* object = reinterpret_cast<py::detail::instance*>(self);
  const bool made = object->simple_layout && object->simple_holder_constructed;
  return made ? static_cast<Tape*>(object->simple_value_holder[0]) : nullptr;
}

// Tapes that Python's garbage collector looks into.
void collect(PyHeapTypeObject* heap) {
  PyTypeObject* type = &heap->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    const Tape* tape = tape_of(self);
    return tape != nullptr ? tape->visit(visit, arg) : 0;
  };
  type->tp_clear = [](PyObject* self) {
    if (Tape* tape = tape_of(self)) tape->clear();
    return 0;
  };
}

void record(Tape& tape, py::object op, const py::list& params, const py::list& leaves, py::object out,
            const py::object& loc) {
  std::vector<PyObject*> tensors;
  for (const py::handle t : leaves) {
    if (!is_tensor(t.ptr())) throw py::type_error("a leaf is no Tensor");
    tensors.push_back(t.ptr());
  }
  const Record::Kind kind = kind_of(op);
  tape.record(std::move(op), py::list(params.attr("copy")()), tensors, std::move(out), kind, loc);
}

Active active(py::handle tape) {
  static const py::handle usual = py::object(py::type::of<Tape>().attr("record")).release();
  const bool overrides = !py::object(py::type::of(tape).attr("record")).is(usual);
  auto* native = &py::cast<Tape&>(tape);
  return {tape.inc_ref().ptr(), overrides ? nullptr : native};
}

py::tuple all_active() {
  const std::vector<Active>& now = active_tapes();
  py::tuple all(now.size());
  for (size_t i = 0; i < now.size(); ++i) all[i] = py::reinterpret_borrow<py::object>(now[i].self);
  return all;
}

py::tuple swap(const py::tuple& tapes) {
  py::tuple before = all_active();
  std::vector<Active> now;
  for (const py::handle t : tapes) now.push_back(active(t));
  now.swap(active_tapes());
  for (const Active& a : now) Py_DECREF(a.self);
  return before;
}

}  // namespace

void bind_tape(py::module_& m) {
  py::class_<Tape>(m, "Tape", py::custom_type_setup(collect), "What ran, in order, and the walk back over it.")
      .def(py::init<>())
      .def("watch", &Tape::watch, py::arg("t"))
      .def("tracks", [](const Tape& t, const py::object& x) { return t.tracks(x.ptr()); }, py::arg("x"),
           "Whether a tensor is watched, or the result of what was recorded.")
      .def("record", &record, py::arg("op"), py::arg("params"), py::arg("leaves"), py::arg("out"),
           py::arg("loc") = py::none())
      .def("cut", &Tape::cut, py::arg("op"), py::arg("out"))
      .def("exchange", [](Tape& t, const py::object& was, const py::object& now) { t.exchange(was.ptr(), now); },
           py::arg("was"), py::arg("now"))
      .def("walk", &Tape::walk, py::arg("sums"), py::arg("outs"), py::arg("douts"), py::arg("keep"), py::arg("last"));
  m.def("active_tapes", &all_active, "The tapes of this thread that record now, outermost first.");
  m.def("swap_tapes", &swap, py::arg("tapes"), "Makes these the tapes that record; gives those that were.");
  m.def(
      "set_tape",
      [](py::object add, py::object hooked, py::object applied, py::object cotangents, py::object gradients,
         py::object fail) {
        PyObject** const members[] = {&library.add,        &library.hooked,    &library.applied,
                                      &library.cotangents, &library.gradients, &library.fail};
        py::object given[] = {std::move(add),        std::move(hooked),    std::move(applied),
                              std::move(cotangents), std::move(gradients), std::move(fail)};
        for (size_t i = 0; i < std::size(given); ++i) Py_XDECREF(std::exchange(*members[i], given[i].release().ptr()));
      },
      py::arg("add"), py::arg("hooked"), py::arg("applied"), py::arg("cotangents"), py::arg("gradients"),
      py::arg("fail"));
}

}  // namespace minds::python
