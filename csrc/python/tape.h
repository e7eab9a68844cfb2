// The eager tape: what ran, in order, and the walk back over it.
#pragma once
#include <unordered_set>
#include <vector>

#include "python/bindings.h"

namespace minds::python {

// What one application left on a tape. Tensors are known by their identity.
struct Record {
  py::object op;
  py::list params;                     // tensors and attributes, in the order of the op's parameters
  std::vector<PyObject*> leaves, outs;  // the tensors among them, and the results
  std::vector<bool> need;              // which of the leaves a gradient flows to
  py::object out;                      // the result, or a tuple of them
  py::object loc;                      // of the user's line, or None
  enum Kind : uint8_t {
    kPlain,   // an op with a rule that gives one gradient per leaf
    kOther,   // Python's `gradients` gives one per leaf
    kAgain,   // has `pull`, which goes on with the sums
    kRebind,  // a tensor took another value
  } kind;
  py::object launch;                   // by which it ran, or null
};

class Tape {
 public:
  void watch(const py::object& t);
  bool tracks(PyObject* t) const { return tracked_.count(t) != 0; }
  // `leaves` are the tensors among `params`.
  void record(py::object op, py::list params, const std::vector<PyObject*>& leaves, py::object out, Record::Kind kind,
              const py::object& loc, const py::object& launch = {});
  // `op`, which has no inputs, gave `out` another value: gradients end there.
  void cut(py::object op, const py::object& out);
  // What was recorded has `now` in place of the tensor `was`, under the identity of that.
  void exchange(PyObject* was, const py::object& now);
  // Adds to `sums`, by identity, what flows from `outs`; those of `keep` are asked for later. With `last` each record goes
  // when it has been used.
  void walk(const py::dict& sums, const py::list& outs, const py::list& douts, const py::set& keep, bool last);

  int visit(visitproc visit, void* arg) const;
  void clear();

 private:
  void back(const Record& r, const py::dict& sums, const py::set& keep);

  std::vector<Record> records_;
  std::unordered_set<PyObject*> tracked_;
  std::vector<py::object> held_;  // the tracked tensors: an identity must not be given to another
};

// The tapes of this thread that record now, outermost first. `native` is null for one whose class records otherwise.
struct Active {
  PyObject* self;
  Tape* native;
};
std::vector<Active>& active_tapes();

// While one lives, no tape of this thread records.
class NoTapes {
 public:
  NoTapes() { active_tapes().swap(before_); }
  ~NoTapes() { active_tapes().swap(before_); }
  NoTapes(const NoTapes&) = delete;
  NoTapes& operator=(const NoTapes&) = delete;

 private:
  std::vector<Active> before_;
};

}  // namespace minds::python
