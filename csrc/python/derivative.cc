#include "python/derivative.h"

#include "python/op.h"
#include "python/tensor.h"

#include <algorithm>

namespace minds::python {
namespace {

constexpr size_t kMost = 1024;  // derivatives that one op keeps
constexpr size_t kBuckets = 61;
constexpr size_t kSmall = 1 << 14;  // bytes of a value that is kept in place of what makes it

Trace*& watching() {
  thread_local Trace* now = nullptr;
  return now;
}

}  // namespace

py::tuple Derivative::run(const std::vector<PyObject*>& given) const {
  std::vector<py::object> made;
  if (Trace* t = Trace::current()) {
    for (const py::object& c : constants_) t->constant(c);
  }
  const auto value = [&](const Ref& r) -> PyObject* {
    switch (r.kind) {
      case Ref::kGiven:
        return given[r.index];
      case Ref::kMade:
        return made[r.index].ptr();
      case Ref::kConstant:
        return constants_[r.index].ptr();
      default:
        return Py_None;
    }
  };
  for (const Step& s : steps_) {
    std::vector<PyObject*> params;
    std::vector<py::tuple> rows;
    for (const auto& refs : s.rows) {
      py::tuple& row = rows.emplace_back(refs.size());
      for (size_t i = 0; i < refs.size(); ++i) row[i] = py::handle(value(refs[i]));
    }
    for (const Ref& r : s.operands) params.push_back(r.kind == Ref::kRow ? rows[r.index].ptr() : value(r));
    py::object out = perform(s.op, s.launch, params.data());
    if (!out) throw py::value_error("the derivative was found for other operands");
    if (!held<Launch>(s.launch.ptr()).many) {
      made.push_back(std::move(out));
    } else {
      for (const py::handle o : py::reinterpret_borrow<py::tuple>(out))
        made.push_back(py::reinterpret_borrow<py::object>(o));
    }
    out = {};
    params.clear();
    rows.clear();
    for (const size_t i : s.frees) made[i] = {};
  }
  py::tuple grads(results_.size());
  for (size_t i = 0; i < results_.size(); ++i) grads[i] = py::handle(value(results_[i]));
  return grads;
}

// Lets what is made go where it is read last.
void Derivative::find_ends() {
  std::vector<bool> read;
  const auto is_last = [&read](const Ref& r) {
    if (r.kind != Ref::kMade) return false;
    if (r.index >= read.size()) read.resize(r.index + 1);
    const bool last = !read[r.index];
    read[r.index] = true;
    return last;
  };
  for (const Ref& r : results_) is_last(r);
  for (auto s = steps_.rbegin(); s != steps_.rend(); ++s) {
    const auto see = [&](const std::vector<Ref>& refs) {
      for (const Ref& r : refs) {
        if (is_last(r)) s->frees.push_back(r.index);
      }
    };
    see(s->operands);
    for (const auto& row : s->rows) see(row);
  }
}

Trace::Trace(const std::vector<PyObject*>& given) : outer_(std::exchange(watching(), this)) {
  for (size_t i = 0; i < given.size(); ++i) known_.emplace(given[i], Ref{Ref::kGiven, i});
}

Trace::~Trace() { watching() = outer_; }

Trace* Trace::current() { return watching(); }

Unwatched::Unwatched() : outer_(std::exchange(watching(), nullptr)) {}

Unwatched::~Unwatched() { watching() = outer_; }

bool Trace::find(PyObject* v, Ref& ref) const {
  const auto found = known_.find(v);
  if (found == known_.end()) return false;
  ref = found->second;
  return true;
}

// Of what an op takes: a tensor, a row of tensors, or what is no operand.
bool Trace::find_operand(PyObject* v, Step& step, Ref& ref) const {
  if (is_tensor(v)) return find(v, ref);
  if (!PyTuple_CheckExact(v) && !PyList_CheckExact(v)) return true;
  std::vector<Ref> row(static_cast<size_t>(PySequence_Fast_GET_SIZE(v)));
  for (size_t i = 0; i < row.size(); ++i) {
    PyObject* e = PySequence_Fast_GET_ITEM(v, static_cast<Py_ssize_t>(i));
    if (!is_tensor(e)) return true;  // an attribute
    if (!find(e, row[i])) return false;
  }
  ref = {Ref::kRow, step.rows.size()};
  step.rows.push_back(std::move(row));
  return true;
}

void Trace::constant(const py::object& tensor) {
  const auto [at, added] = known_.emplace(tensor.ptr(), Ref{Ref::kConstant, found_->constants_.size()});
  if (added) {
    found_->constants_.push_back(tensor);
  } else if (at->second.kind != Ref::kConstant) {
    fail();  // a number that happens to be an operand of this call
  }
}

void Trace::call(PyObject* op, const py::object& launch, size_t count, PyObject* const* params, const py::object& out) {
  const Launch& what = held<Launch>(launch.ptr());
  if (failed_ || !what.pure) return fail();
  Step step{op, launch, std::vector<Ref>(count), {}, {}};
  for (size_t i = 0; i < count; ++i) {
    if (params[i] != nullptr && !find_operand(params[i], step, step.operands[i])) return fail();
  }
  const py::tuple all = what.many ? py::reinterpret_borrow<py::tuple>(out) : py::make_tuple(out);
  const bool fixed = is_fixed(step, all);
  found_->steps_.push_back(std::move(step));
  for (const py::handle o : all) {
    known_[o.ptr()] = {Ref::kMade, held_.size()};
    held_.push_back(py::reinterpret_borrow<py::object>(o));
    fixed_.push_back(fixed);
  }
}

bool Trace::is_fixed(const Ref& ref) const {
  return ref.kind == Ref::kNone || ref.kind == Ref::kConstant || ref.kind == Ref::kRow ||
         (ref.kind == Ref::kMade && fixed_[ref.index]);
}

// Whether a step makes, of nothing that is given, something small.
bool Trace::is_fixed(const Step& step, const py::tuple& outs) const {
  const auto all = [this](const std::vector<Ref>& refs) {
    return std::all_of(refs.begin(), refs.end(), [this](const Ref& r) { return is_fixed(r); });
  };
  if (!all(step.operands) || !std::all_of(step.rows.begin(), step.rows.end(), all)) return false;
  return std::all_of(outs.begin(), outs.end(),
                     [](const py::handle o) { return array_of(o.ptr()).bytes() <= kSmall; });
}

// Let constants stand for what steps make that are the same in all calls. A result must be made anew: it may share its
// elements with what it was made from, and its owner may change it.
void Trace::keep_fixed() {
  for (const Ref& r : found_->results_) {
    if (r.kind == Ref::kMade && fixed_[r.index]) return;
  }
  size_t left = 0;
  std::vector<Ref> now;
  for (size_t i = 0; i < held_.size(); ++i) {
    if (!fixed_[i]) {
      now.push_back({Ref::kMade, left++});
      continue;
    }
    now.push_back({Ref::kConstant, found_->constants_.size()});
    found_->constants_.push_back(held_[i]);
  }
  if (left == held_.size()) return;
  const auto rename = [&now](std::vector<Ref>& refs) {
    for (Ref& r : refs) {
      if (r.kind == Ref::kMade) r = now[r.index];
    }
  };
  std::vector<Step> steps;
  size_t at = 0;
  for (Step& s : found_->steps_) {
    const bool fixed = fixed_[at];
    at += held<Launch>(s.launch.ptr()).each.size();
    if (fixed) continue;
    rename(s.operands);
    for (auto& row : s.rows) rename(row);
    steps.push_back(std::move(s));
  }
  found_->steps_ = std::move(steps);
  rename(found_->results_);
}

std::unique_ptr<Derivative> Trace::finish(const py::object& grads) {
  const bool row = PyTuple_CheckExact(grads.ptr());
  const py::tuple all = row ? py::reinterpret_borrow<py::tuple>(grads) : py::make_tuple(grads);
  for (const py::handle g : all) {
    Ref ref;
    if (!g.is_none() && !find(g.ptr(), ref)) failed_ = true;
    found_->results_.push_back(ref);
  }
  if (failed_) return nullptr;
  keep_fixed();
  found_->find_ends();
  return std::move(found_);
}

Derivatives::Entry& Derivatives::at(const py::object& launch, uint64_t need, PyObject* cotangent) {
  if (count_ >= kMost) clear();
  if (buckets_.empty()) buckets_.resize(kBuckets);
  const size_t hash = (reinterpret_cast<size_t>(launch.ptr()) >> 4) ^ (reinterpret_cast<size_t>(cotangent) >> 4) ^ need;
  std::vector<Entry>& bucket = buckets_[hash % kBuckets];
  for (Entry& e : bucket) {
    if (e.launch.is(launch) && e.need == need && e.cotangent == cotangent) return e;
  }
  ++count_;
  bucket.push_back({launch, need, cotangent});
  return bucket.back();
}

}  // namespace minds::python
