#include "python/launches.h"

#include <cstring>

#include "python/tensor.h"

namespace minds::python {
namespace {

constexpr size_t kMost = 1024;  // launches that one op keeps

bool is_row(PyObject* v) { return PyTuple_CheckExact(v) || PyList_CheckExact(v); }

PyObject* element(PyObject* row, Py_ssize_t i) {
  return PyTuple_CheckExact(row) ? PyTuple_GET_ITEM(row, i) : PyList_GET_ITEM(row, i);
}

Py_ssize_t length(PyObject* row) { return PyTuple_CheckExact(row) ? PyTuple_GET_SIZE(row) : PyList_GET_SIZE(row); }

// Values that are compared without running Python code.
bool is_plain(PyObject* v) { return PyLong_CheckExact(v) || PyUnicode_CheckExact(v) || PyComplex_CheckExact(v); }

// Objects of which there is one, for ever.
bool is_single(PyObject* v) { return v == Py_None || PyBool_Check(v) || is_dtype(v); }

size_t mixed(size_t hash, size_t with) {
  hash = (hash ^ with) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}

constexpr Py_ssize_t kLongest = 64;   // of rows that a key looks into; longer ones are data

constexpr int kDepth = 6;  // of rows in rows; one may hold itself

// Lists and tuples count by their elements; 1, True and 1.0 differ. False for what must not be kept, as it may hold
// anything.
bool hash_of(PyObject* v, size_t& hash, int depth = kDepth) {
  hash = 0;
  if (is_row(v)) {
    for (Py_ssize_t i = 0; i < length(v); ++i) {
      size_t h;
      if (depth == 0 || !hash_of(element(v, i), h, depth - 1)) return false;
      hash = mixed(hash, h);
    }
  } else if (PyFloat_CheckExact(v)) {
    const double d = PyFloat_AS_DOUBLE(v);
    std::memcpy(&hash, &d, sizeof hash);
  } else if (is_plain(v)) {
    hash = static_cast<size_t>(PyObject_Hash(v)) ^ (reinterpret_cast<size_t>(Py_TYPE(v)) >> 4);
  } else if (is_single(v)) {
    hash = reinterpret_cast<size_t>(v) >> 4;
  } else {
    return false;
  }
  return true;
}

// Of what has a hash.
bool same_value(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (is_row(a) && is_row(b)) {
    if (length(a) != length(b)) return false;
    for (Py_ssize_t i = 0; i < length(a); ++i) {
      if (!same_value(element(a, i), element(b, i))) return false;
    }
    return true;
  }
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {
    const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  return is_plain(a) && PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

// A value that does not change: its lists as tuples.
py::object frozen(PyObject* v) {
  if (!is_row(v)) return py::reinterpret_borrow<py::object>(v);
  py::tuple made(length(v));
  for (Py_ssize_t i = 0; i < length(v); ++i) made[i] = frozen(element(v, i));
  return made;
}

}  // namespace

Launch::Launch(py::object kernel_, const py::object& view_, py::object abstract_, py::list params_,
               bool has_rule_, bool plain_, bool pure_)
    : kernel(std::move(kernel_)), abstract(std::move(abstract_)), params(std::move(params_)), has_rule(has_rule_),
      plain(plain_), pure(pure_) {
  if (!kernel.is_none()) bound = &py::cast<const BoundKernel&>(kernel);
  if (!view_.is_none()) view = to_shape(view_);
  many = py::hasattr(abstract, "items");
  if (many) {
    for (const py::handle a : abstract.attr("items")) each.push_back(py::reinterpret_borrow<py::object>(a));
  } else {
    each.push_back(abstract);
  }
}

namespace {
thread_local const Buffer* dying = nullptr;
}  // namespace

Dying::Dying(const Buffer* buffer) : before_(std::exchange(dying, buffer)) {}

Dying::~Dying() { dying = before_; }

py::object Launch::run(const Array* const* arrays) const {
  if (view) return make_tensor({{arrays[0]->spec.dtype, *view}, arrays[0]->buffer}, each[0].ptr());
  constexpr size_t kFew = 4;
  const size_t m = bound->outputs();
  Array few[kFew];
  std::vector<Array> more(m > kFew ? m : 0);
  Array* out = m > kFew ? more.data() : few;
  const bool taking = takes && dying != nullptr && arrays[0]->buffer.get() == dying;
  if (taking) dying = nullptr;
  bound->run(arrays, out, taking);
  if (!many) return make_tensor(std::move(out[0]), each[0].ptr());
  py::tuple all(m);
  for (size_t i = 0; i < m; ++i) all[i] = make_tensor(std::move(out[i]), each[i].ptr());
  return all;
}

bool Key::add_operand(PyObject* v, bool optional) {
  if (is_tensor(v)) {
    PyObject* a = abstract_of(v);
    add(a, false, reinterpret_cast<size_t>(a) >> 4);
  } else if (PyFloat_CheckExact(v) || PyLong_CheckExact(v) || PyBool_Check(v)) {
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(v));
    add(type, false, reinterpret_cast<size_t>(type) >> 4);
  } else if (optional && v == Py_None) {
    add(Py_None, false, 1);
  } else {
    return false;
  }
  return true;
}

bool Key::add_value(PyObject* v) {
  size_t hash;
  if (!hash_of(v, hash)) return false;
  add(v, true, hash);
  return true;
}

bool Key::add_any(PyObject* v, std::vector<PyObject*>& tensors, int depth) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(v));
  if (is_tensor(v)) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i] != v) continue;
      add(reinterpret_cast<PyObject*>(i + 1), false, i + 1);  // no object: the place of one that was there before
      return true;
    }
    add(type, false, reinterpret_cast<size_t>(type) >> 4);
    tensors.push_back(v);
    return add_operand(v, false);
  }
  if (v == Py_Ellipsis) {
    add(v, false, 2);
    return true;
  }
  if (PySlice_Check(v)) {
    const auto* s = reinterpret_cast<PySliceObject*>(v);
    add(type, false, 3);
    return add_value(s->start) && add_value(s->stop) && add_value(s->step);
  }
  if (!is_row(v)) return add_value(v);
  if (depth == 0 || length(v) > kLongest) return false;
  add(type, false, reinterpret_cast<size_t>(type) >> 4);
  for (Py_ssize_t i = 0; i < length(v); ++i) {
    if (!add_any(element(v, i), tensors, depth - 1)) return false;
  }
  add(nullptr, false, static_cast<size_t>(length(v)));  // where the row ends
  return true;
}

void Key::add(PyObject* object, bool by_value, size_t hash) {
  if (count_ == kFew) more_.assign(few_, few_ + kFew);
  if (count_ < kFew) {
    few_[count_] = {object, by_value};
  } else {
    more_.push_back({object, by_value});
  }
  ++count_;
  hash_ = mixed(hash_, hash);
}

bool Key::fill(const std::vector<Kind>& kinds, PyObject* const* params) {
  for (size_t i = 0; i < kinds.size(); ++i) {
    PyObject* v = params[i];
    if (kinds[i] == Kind::kAttribute) {
      if (!add_value(v)) return false;
    } else if (kinds[i] == Kind::kTensors) {
      if (!is_row(v)) return false;
      for (Py_ssize_t j = 0; j < length(v); ++j) {
        if (!is_tensor(element(v, j)) || !add_operand(element(v, j), false)) return false;
      }
      add(nullptr, false, static_cast<size_t>(length(v)));  // where the list ends
    } else if (!add_operand(v, kinds[i] == Kind::kOptional)) {
      return false;
    }
  }
  return true;
}

bool Launches::equal(const Entry& e, const Key& key) {
  if (e.hash != key.hash_ || e.words.size() != key.count_) return false;
  for (size_t i = 0; i < e.words.size(); ++i) {
    const Key::Word &a = e.words[i], &b = key.words()[i];
    if (a.by_value != b.by_value) return false;
    if (a.by_value ? !same_value(a.object, b.object) : a.object != b.object) return false;
  }
  return true;
}

PyObject* Launches::find(const Key& key) const {
  if (table_.empty()) return nullptr;
  for (const Entry* e = table_[key.hash_ & (table_.size() - 1)].get(); e != nullptr; e = e->next.get()) {
    if (equal(*e, key)) return e->what.ptr();
  }
  return nullptr;
}

void Launches::clear() {
  const auto gone = std::move(table_);  // what it holds may run Python code when it goes
  table_.clear();
  count_ = 0;
}

void Launches::keep(const Key& key, py::object what) {
  if (count_ >= kMost) clear();
  if (count_ >= table_.size()) {  // grow
    std::vector<std::unique_ptr<Entry>> old(table_.size() < 4 ? 4 : 4 * table_.size());
    old.swap(table_);
    for (auto& first : old) {
      while (first) {
        std::unique_ptr<Entry> e = std::move(first);
        first = std::move(e->next);
        auto& at = table_[e->hash & (table_.size() - 1)];
        e->next = std::move(at);
        at = std::move(e);
      }
    }
  }
  auto made = std::make_unique<Entry>();
  made->hash = key.hash_;
  made->words.assign(key.words(), key.words() + key.count_);
  for (Key::Word& w : made->words) {
    if (!w.by_value) continue;
    made->owned.push_back(frozen(w.object));
    w.object = made->owned.back().ptr();
  }
  made->what = std::move(what);
  auto& at = table_[made->hash & (table_.size() - 1)];
  made->next = std::move(at);
  at = std::move(made);
  ++count_;
}

int Launches::visit(visitproc visit, void* arg) const {
  for (const auto& first : table_) {
    for (const Entry* e = first.get(); e != nullptr; e = e->next.get()) {
      Py_VISIT(e->what.ptr());
      for (const py::object& v : e->owned) Py_VISIT(v.ptr());
    }
  }
  return 0;
}

}  // namespace minds::python
