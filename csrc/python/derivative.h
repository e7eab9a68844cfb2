// What a rule of an op, for its gradient or what it is made of, does with operands of certain dtypes and shapes: launches in
// order, found by watching the rule, which is a function of these alone.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "python/launches.h"

namespace minds::python {

// A value of a derivative: one of those given, one made by an earlier step, a constant, a row of such in its step; or none.
struct Ref {
  enum Kind : uint8_t { kNone, kGiven, kMade, kConstant, kRow } kind = kNone;
  size_t index = 0;
};

struct Step {
  PyObject* op;       // of the library, which lives for ever
  py::object launch;  // a Launch
  std::vector<Ref> operands;  // one per parameter; none for an attribute
  std::vector<std::vector<Ref>> rows;  // of operands that are lists of tensors
  std::vector<size_t> frees{};         // which of those made nothing needs any more
};

class Derivative {
 public:
  // What the rule gives for `given`: of a gradient the op's tensors, its result and the cotangent of that.
  py::tuple run(const std::vector<PyObject*>& given) const;

 private:
  friend class Trace;
  void find_ends();
  std::vector<Step> steps_;
  std::vector<py::object> constants_;
  std::vector<Ref> results_;
};

// What calls of ops do while a rule runs.
class Trace {
 public:
  // What is found holds for calls in which the same ones of `given` are one object.
  explicit Trace(const std::vector<PyObject*>& given);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  static Trace* current();  // of this thread, or null
  void call(PyObject* op, const py::object& launch, size_t count, PyObject* const* params, const py::object& out);
  void constant(const py::object& tensor);
  void fail() { failed_ = true; }  // something ran that is no launch of the core
  // The derivative whose results `grads` are; null if it is not known how they came about.
  std::unique_ptr<Derivative> finish(const py::object& grads);

 private:
  bool find(PyObject* v, Ref& ref) const;
  bool find_operand(PyObject* v, Step& step, Ref& ref) const;
  bool is_fixed(const Ref& ref) const;
  bool is_fixed(const Step& step, const py::tuple& outs) const;
  void keep_fixed();
  std::unordered_map<PyObject*, Ref> known_;
  std::vector<py::object> held_;  // what was made, in order: an identity must not be given to another
  std::vector<bool> fixed_;       // whether each of these is the same in all calls
  bool failed_ = false;
  Trace* outer_;
  std::unique_ptr<Derivative> found_ = std::make_unique<Derivative>();
};

// While one lives, no trace of this thread watches.
class Unwatched {
 public:
  Unwatched();
  ~Unwatched();
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  Trace* outer_;
};

// The derivatives of an op by launch, wanted gradients and description of the cotangent.
class Derivatives {
 public:
  struct Entry {
    py::object launch;
    uint64_t need;
    PyObject* cotangent;  // lives for ever
    int tries = 0;
    std::shared_ptr<const Derivative> known{};
  };
  // Valid until the next one is asked for.
  Entry& at(const py::object& launch, uint64_t need, PyObject* cotangent);
  void clear() { buckets_.clear(), count_ = 0; }

 private:
  std::vector<std::vector<Entry>> buckets_;
  size_t count_ = 0;
};

}  // namespace minds::python
