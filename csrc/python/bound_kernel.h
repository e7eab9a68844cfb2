// class Kernel: a kernel prepared for one signature, and its launches from Python.
#pragma once
#include <memory>
#include <string>

#include "kernel/unrepeated.h"
#include "python/bindings.h"

namespace minds::python {

class BoundKernel {
 public:
  BoundKernel(const std::string& op, const py::object& device, const py::sequence& inputs, const py::sequence& outputs,
              const py::dict& attrs);

  // Runs it on `inputs()` arrays and gives `out` its results; with `takes`, which the op must allow, the first takes the
  // buffer of the first operand. Throws Python's exceptions.
  void run(const Array* const* in, Array* out, bool takes = false) const;
  py::object call(const py::args& args) const;

  bool on_host() const { return here_; }
  // Whether what failed may be run again to say why.
  bool repeats() const { return dynamic_cast<const Unrepeated*>(kernel_.get()) == nullptr; }
  size_t inputs() const { return signature_.inputs.size(); }
  size_t outputs() const { return signature_.outputs.size(); }

 private:
  void check_operand(const Array& a, size_t i) const;
  BufferRef allocate(size_t bytes, Stream& q) const;
  Array moved(const Array& a, size_t i) const;
  Status run_watched(const Args& a, Stream& q) const;

  const std::string& op_;
  Device& device_;
  const bool here_;  // the device has the host's memory, and has run what it was given
  Signature signature_;
  std::shared_ptr<const std::vector<TensorSpec>> operands_;  // the inputs, for launches that fail later
  Prepared prepared_;
  std::unique_ptr<Kernel> kernel_;
  bool big_ = false;
};

}  // namespace minds::python
