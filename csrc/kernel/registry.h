// Kernels by (device, op, dtype of the first input, or of the first output where there is no input).
#pragma once
#include <shared_mutex>
#include <string>
#include <vector>

#include "kernel/kernel.h"

namespace minds {

class Registry {
 public:
  static Registry& instance();
  // A second kernel for one key is refused: the first stays, and the key is among the `conflicts`.
  void add(std::string_view device, std::string_view op, const std::vector<DType>& dtypes, KernelFactory make);
  const std::vector<std::string>& conflicts() const { return conflicts_; }
  // Adds the kernels for `device` of a plug-in's own registry, which may hold others that these are made of.
  Status merge(std::string_view device, const Registry& others);
  // A plug-in takes back what it has not the library for.
  void drop(std::string_view device, std::string_view op);
  bool contains(std::string_view device, std::string_view op, DType t) const;
  // Constructs the kernel for a signature and prepares it.
  Status make(std::string_view device, std::string_view op, const Attrs& a, const Signature& s,
              std::unique_ptr<Kernel>& kernel, Prepared& p) const;
  struct Entry {
    std::string device, op;
    DType dtype;
  };
  std::vector<Entry> entries() const;  // the platform table is made from this

 private:
  mutable std::shared_mutex lock_;  // a plug-in may be opened while others look kernels up
  std::map<std::string, KernelFactory, std::less<>> factories_;
  std::vector<std::string> conflicts_;
};

struct Registrar {
  Registrar(std::string_view device, std::string_view op, const std::vector<DType>& dtypes, KernelFactory make) {
    Registry::instance().add(device, op, dtypes, make);
  }
};

}  // namespace minds

#define MINDS_CONCAT_(a, b) a##b
#define MINDS_CONCAT(a, b) MINDS_CONCAT_(a, b)

// MINDS_KERNEL("cpu", "log_softmax", LogSoftmax, DType::kFloat32, DType::kFloat64); in namespace minds, at
// file scope. The class is constructed from Attrs.
#define MINDS_KERNEL(device, op, Class, ...)                                         \
  static const ::minds::Registrar MINDS_CONCAT(registrar_, __COUNTER__) {            \
    device, op, {__VA_ARGS__},                                                       \
        [](std::string_view, const ::minds::Attrs& a) -> std::unique_ptr<::minds::Kernel> { \
      return std::make_unique<Class>(a);                                             \
    }                                                                                \
  }
