// What eager calls of one op resolved to: a table from operands and attributes to a launch.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "python/bound_kernel.h"

namespace minds::python {

class Derivative;

// What a call with operands of certain dtypes and shapes, and certain attributes, does.
struct Launch {
  py::object kernel;           // a BoundKernel, or None: it shares the first operand's buffer, or is made of other ops
  std::optional<Shape> view;   // the result's shape where it shares the first operand's buffer
  py::object abstract;         // of the result, or the results
  std::vector<py::object> each;
  bool many = false;           // whether there is a tuple of results
  py::object ways;             // a tuple: how its results show elements of the first operand (python/views.h)
  py::list params;             // the normalised attributes; None in the place of a tensor
  bool has_rule;               // whether the op has a gradient, by a rule or by the ops it is made of
  bool plain;                  // whether its rule gives one gradient per tensor
  bool pure;                   // whether the op is the library's, and does nothing but give its results
  bool takes = false;          // whether the result may take the first operand's buffer
  const BoundKernel* bound = nullptr;
  std::shared_ptr<const Derivative> made_of{};  // the launches of the ops that it is made of, once they were watched
  int tries = 0;                                // of watching

  Launch(py::object kernel, const py::object& view, py::object abstract, py::list params, bool has_rule, bool plain,
         bool pure);
  bool native() const { return bound != nullptr || view; }
  size_t operands() const { return view ? 1 : bound->inputs(); }  // of a native one
  // The Tensor, or the tuple of Tensors, that it gives for `arrays`.
  py::object run(const Array* const* arrays) const;
};

// While one lives, `buffer` holds what nobody will read again after the next launch that may take it: that one's result is
// written there.
class Dying {
 public:
  explicit Dying(const Buffer* buffer);
  ~Dying();
  Dying(const Dying&) = delete;
  Dying& operator=(const Dying&) = delete;

 private:
  const Buffer* before_;
};

enum class Kind : uint8_t { kTensor, kOptional, kTensors, kAttribute };

// What identifies a call: a description per tensor, a type per number in a tensor's place, attributes by value.
class Key {
 public:
  // False where something in a tensor's place is no tensor and no number, or an attribute no value that can be kept.
  bool fill(const std::vector<Kind>& kinds, PyObject* const* params);
  bool add_value(PyObject* v);
  // A tensor, which joins `tensors` once, counts by description and class; values, also in slices and rows, by value.
  bool add_any(PyObject* v, std::vector<PyObject*>& tensors, int depth = 4);

 private:
  friend class Launches;
  struct Word {
    PyObject* object;  // borrowed: what lives for ever, or a value of the call
    bool by_value;
  };
  bool add_operand(PyObject* v, bool optional);
  void add(PyObject* object, bool by_value, size_t hash);
  const Word* words() const { return count_ > kFew ? more_.data() : few_; }

  static constexpr size_t kFew = 12;
  Word few_[kFew];
  std::vector<Word> more_;  // all of them, where they are more
  size_t count_ = 0, hash_ = 0;
};

class Launches {
 public:
  // Borrowed: a Launch, or a tuple with the dtype that each parameter is cast to, or None; null if nothing is known.
  PyObject* find(const Key& key) const;
  void keep(const Key& key, py::object what);
  int visit(visitproc visit, void* arg) const;
  void clear();

 private:
  struct Entry {
    size_t hash;
    std::vector<Key::Word> words;
    std::vector<py::object> owned;  // the values among them
    py::object what;
    std::unique_ptr<Entry> next;
  };
  static bool equal(const Entry& e, const Key& key);
  std::vector<std::unique_ptr<Entry>> table_;  // by the low bits of the hash
  size_t count_ = 0;
};

}  // namespace minds::python
