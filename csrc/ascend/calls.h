// A kernel as a list of operators, planned once. Each has two phases: the first says how much workspace it needs and
// makes an executor, which the second uses up.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ascend/acl.h"
#include "kernel/fault.h"
#include "kernel/kernel.h"
#include "kernel/plan/check.h"

namespace minds::ascend {

class AscendDevice;

// A tensor that an operator reads or writes: part of an operand of the kernel, or of its workspace.
struct View {
  enum class Of : uint8_t { kInput, kOutput, kWorkspace, kFault };
  Of of = Of::kInput;
  size_t place = 0;  // which operand; in the workspace the first byte
  DType dtype{};
  Shape shape, strides;
  int64_t offset = 0;   // strides and offset count elements
  Shape storage;        // of the memory that it is a view of
  bool planes = false;  // of NCHW, which convolutions ask for
};

// A whole tensor seen with another shape.
View shaped(View v, const Shape& shape);

// An argument of an operator that is one number.
struct Number {
  std::variant<int64_t, double> value;
};

// The number by which a fault word says what is wrong, and for which instruction.
struct FaultTag {
  FaultKind kind;
};

// A list of truth values: which of three results are wanted.
struct Wanted {
  bool each[3];
};

// What lives from the first phase of a call to the end of the second.
class Arguments {
 public:
  Arguments(const Args& a, void* placeholder) : args_(a), placeholder_(placeholder) {}
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  aclTensor* make(const View& v);
  aclScalar* make(const Number& n);
  aclScalar* make(FaultTag tag);
  aclIntArray* make(const Shape& list);
  aclBoolArray* make(const Wanted& list);
  std::nullptr_t make(std::nullptr_t none) { return none; }  // a tensor that the operator can do without
  aclDataType make(DType t) { return acl_dtype(t); }
  template <class T>
    requires std::is_arithmetic_v<T>
  T make(T plain) {
    return plain;
  }

 private:
  const Args& args_;
  void* placeholder_;  // the address of every tensor; nullptr: their own
  std::vector<aclTensor*> tensors_;
  std::vector<aclScalar*> scalars_;
  std::vector<aclIntArray*> lists_;
  std::vector<aclBoolArray*> wanted_;
};

class Calls {
 public:
  explicit Calls(AscendDevice& device) : device_(&device) {}

  View in(size_t n, const TensorSpec& s) const { return whole(View::Of::kInput, n, s); }
  View out(size_t n, const TensorSpec& s) const { return whole(View::Of::kOutput, n, s); }
  View scratch(const TensorSpec& s);  // in the workspace, for all calls of the kernel
  View fault() const;                 // the run's fault word, as int64

  // The arguments are checked against the operator's line in the table when this is compiled.
  template <class... Kind, class... Given>
  void add(const Operator<void(Kind...)>& op, Given... given) {
    static_assert(sizeof...(Kind) == sizeof...(Given));
    list_.push_back({op.name, op.run, [&op, given...](Arguments& a, uint64_t* bytes, aclOpExecutor** executor) {
                       return op.size(static_cast<Kind>(a.make(given))..., bytes, executor);
                     }});
  }
  bool empty() const { return list_.empty(); }

  // Runs the first phase of all; gives the bytes that `run` needs.
  Status prepare(size_t& workspace);
  Status run(const Args& a, Stream& q) const;

 private:
  struct Call {
    const char* name;
    aclnnStatus (*run)(void*, uint64_t, aclOpExecutor*, aclrtStream);
    std::function<aclnnStatus(Arguments&, uint64_t*, aclOpExecutor**)> size;
    uint64_t workspace = 0;
  };
  static View whole(View::Of of, size_t n, const TensorSpec& s);

  AscendDevice* device_;
  std::vector<Call> list_;
  size_t scratch_ = 0;  // bytes
};

// A kernel that says which operators it is made of.
class CallsKernel : public Kernel {
 public:
  Status prepare(const Signature& s, Prepared& p) final;
  Status run(const Args& a, Stream& q) const final;

 protected:
  // Checks the signature and adds the calls. An empty result needs none.
  virtual Status plan(const Signature& s, Calls& calls) = 0;

 private:
  std::unique_ptr<Calls> calls_;
};

// What most operators take: the manual's tables have these for all processors that they name.
#define MINDS_ASCEND_FLOATS ::minds::DType::kFloat16, ::minds::DType::kBFloat16, ::minds::DType::kFloat32
#define MINDS_ASCEND_INTEGERS                                                                    \
  ::minds::DType::kInt8, ::minds::DType::kUInt8, ::minds::DType::kInt16, ::minds::DType::kInt32, \
      ::minds::DType::kInt64
#define MINDS_ASCEND_NUMBERS MINDS_ASCEND_FLOATS, MINDS_ASCEND_INTEGERS
// What those that copy take.
#define MINDS_ASCEND_MOVED ::minds::DType::kBool, MINDS_ASCEND_NUMBERS, ::minds::DType::kFloat64

}  // namespace minds::ascend
