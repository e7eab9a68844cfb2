// A kernel: `prepare` once per signature, `run` many times without allocation, lock or string.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/shape.h"
#include "base/status.h"

namespace minds {

class Device;  // device/device.h
class Stream;
struct FaultWord;  // kernel/fault.h

// The attributes of one application, by the op's parameter names. An absent optional tensor is an attribute
// that is none.
class Attrs {
 public:
  using Value = std::variant<std::monostate, bool, int64_t, double, std::string, DType, std::vector<int64_t>,
                             std::vector<double>>;
  void set(std::string name, Value v) { values_[std::move(name)] = std::move(v); }
  bool has(std::string_view name) const;     // present and not none
  int64_t i64(std::string_view name) const;  // these abort the construction with std::out_of_range or
  int64_t i64(std::string_view name,
              int64_t otherwise) const;     // std::bad_variant_access: our mistake, caught by the
  double f64(std::string_view name) const;  // registry and reported as Code::kInternal
  bool boolean(std::string_view name) const;
  const std::string& str(std::string_view name) const;
  DType dtype(std::string_view name) const;
  const std::vector<int64_t>& ints(std::string_view name) const;
  const std::vector<double>& floats(std::string_view name) const;
  const std::map<std::string, Value, std::less<>>& values() const { return values_; }

 private:
  const Value& at(std::string_view name) const;
  std::map<std::string, Value, std::less<>> values_;
};

// Where an operand lies.
enum class Residence : uint8_t {
  kDevice,
  kHost,  // a word of the host: a rank-0 value that `run` reads before it returns
};

struct Signature {
  std::vector<TensorSpec> inputs, outputs;
  std::vector<Residence> inputs_at{};  // empty: all on the device
  Device* device = nullptr;            // that the kernel will run on; tests of the CPU's kernels leave it out

  bool on_host(size_t input) const { return input < inputs_at.size() && inputs_at[input] == Residence::kHost; }
};

struct Prepared {
  size_t workspace = 0;  // bytes that `run` gets, 64-byte aligned
};

// Addresses of the device, 64-byte aligned and as large as the signature says; outputs do not overlap inputs, except
// where the op declares that an output may take an input's buffer: then they may be the same pointer.
struct Args {
  const void* const* in;
  void* const* out;
  void* workspace;
  // Where the device is to write that the data is at fault, and for which instruction; nullptr: `run` says it itself.
  FaultWord* fault = nullptr;
  uint32_t instruction = 0;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  // Checks everything that can be checked before data is there, and plans. Called once, before any `run`.
  virtual Status prepare(const Signature& s, Prepared& p) = 0;
  // Queues the work: it has run when the stream has come so far, on the CPU when this returns. May fail only because of
  // data (an index out of range). Must be safe to call from several threads at once.
  virtual Status run(const Args& a, Stream& q) const = 0;
};

// One factory may serve many ops.
using KernelFactory = std::unique_ptr<Kernel> (*)(std::string_view op, const Attrs&);

}  // namespace minds
