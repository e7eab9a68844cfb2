// What stands in for CANN: the state that its three libraries share. Written from the manuals, not from the plug-in's
// tables: the declarations here and in the sources are the tests' own.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/shape.h"
#include "kernel/kernel.h"

#define ACL_EXPORT extern "C" __attribute__((visibility("default")))

struct aclTensor {
  int dtype, format;
  minds::Shape dims, strides, storage;
  int64_t offset;
  uintptr_t data;
};
struct aclScalar {
  int dtype;
  double real;
  int64_t whole;
};
struct aclBoolArray {
  std::vector<bool> values;
};
struct aclIntArray {
  std::vector<int64_t> values;
};

namespace minds::sim::ascend {

constexpr int kNull = 161001, kInvalid = 161002;                // of operators
constexpr int kInvalidParam = 100000, kUninitialized = 100001;  // of the runtime
constexpr int kNoMemory = 207001, kDeviceFailed = 507000;

// Says on stderr, and in the file MINDS_ASCEND_REPORT, which rule a call broke; returns the code.
int wrong(int code, const char* call, const std::string& what);

// Fine, or wrong: initialised, and this thread has a context.
int entered(const char* call);
// Whether the address is in the memory of this thread's device.
bool of_device(uintptr_t at);

// A tensor as the device process gets it.
struct Operand {
  uintptr_t data;
  TensorSpec spec;
  Shape strides;
  int64_t offset, elements;  // of the storage
};
// One of the CPU's kernels, which the device process runs.
struct Step {
  std::string op;
  Attrs attrs;
  std::vector<Operand> in, out;
};
int queue(const char* call, void* stream, void* workspace, uint64_t bytes, const std::vector<Step>& steps);

// Objects of libnnopbase that are alive.
bool alive(const aclTensor* t);
bool alive(const aclScalar* s);
bool alive(const aclIntArray* l);
bool alive(const aclBoolArray* l);

}  // namespace minds::sim::ascend

struct aclOpExecutor {
  const char* call;
  std::vector<minds::sim::ascend::Step> steps;
  std::vector<const aclTensor*> tensors;
  uint64_t workspace;
  bool repeatable, used;
};

namespace minds::sim::ascend {
bool alive(const aclOpExecutor* e);
aclOpExecutor* adopt(aclOpExecutor&& e);
void release(aclOpExecutor* e);
}  // namespace minds::sim::ascend
