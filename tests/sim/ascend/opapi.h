// What the files of libopapi.so share: the checks of a call's first phase, and the functions' frames.
#pragma once
#include <algorithm>
#include <optional>

#include "simulator.h"

namespace minds::sim::ascend {

using Codes = std::vector<int>;
// Codes of dtypes: 0 float, 1 float16, 27 bfloat16, 2 int8, 3 int32, 4 uint8, 6 int16, 9 int64, 11 double, 12 bool.
inline const Codes kFloats{0, 1, 27}, kNumbers{0, 1, 27, 2, 3, 4, 6, 9}, kSigned{0, 1, 27, 3, 9};
inline const Codes kIntegers{2, 3, 4, 6, 9}, kIndices{3, 9}, kIntegersAndBool{2, 3, 4, 6, 9, 12};
inline const Codes kNumbersAndBool{0, 1, 27, 2, 3, 4, 6, 9, 12}, kAll{0, 1, 27, 2, 3, 4, 6, 9, 11, 12};
inline constexpr int kBoolCode = 12, kInt64Code = 9, kBFloat16Code = 27;

DType dtype_of(int code);
// What shapes broadcast to; none where they do not.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

bool contiguous(const aclTensor& t);

// The first phase of a call: collects what is wrong with it, and the steps.
class First {
 public:
  First(const char* call, uint64_t* size, aclOpExecutor** out) : call_(call), size_(size), out_(out) {
    code_ = entered(call);
    expect(size != nullptr && out != nullptr, "a null pointer for a result", kNull);
  }

  bool expect(bool right, const char* what, int code = kInvalid) {
    if (!right && code_ == 0) code_ = wrong(code, call_, what);
    return code_ == 0;
  }
  bool tensor(const aclTensor* t, const Codes& dtypes) {
    if (!expect(t != nullptr, "a null tensor", kNull)) return false;
    if (!expect(alive(t), "a tensor that was destroyed")) return false;
    if (!expect(std::count(dtypes.begin(), dtypes.end(), t->dtype) != 0, "a dtype that the operator does not take"))
      return false;
    tensors_.push_back(t);
    if (!contiguous(*t)) workspace_ += 512;  // for its copy
    return true;
  }
  template <class T>
  bool object(const T* p) {
    return expect(p != nullptr, "a null argument", kNull) && expect(alive(p), "an argument that was destroyed");
  }
  bool shaped(const aclTensor* t, const std::optional<Shape>& want) {
    return expect(want.has_value() && t->dims == *want, "the shapes do not fit");
  }
  void needs(uint64_t bytes) { workspace_ += bytes; }

  // A list of places along a dimension: of one dimension.
  bool places(const aclTensor* t) {
    return tensor(t, kIndices) && expect(t->dims.size() <= 1, "the index has more than one dimension");
  }
  // Along a dimension that the tensor has.
  bool dim(const aclTensor* t, int64_t d) {
    const auto rank = static_cast<int64_t>(t->dims.size());
    return expect(d >= -rank && d < rank, "there is no such dimension");
  }

  static Operand operand(const aclTensor* t) {
    return {t->data, {dtype_of(t->dtype), t->dims}, t->strides, t->offset, numel(t->storage)};
  }
  void step(const char* op, Attrs attrs, const std::vector<const aclTensor*>& in, const std::vector<aclTensor*>& out) {
    Step s{op, std::move(attrs), {}, {}};
    for (const aclTensor* t : in) s.in.push_back(operand(t));
    for (const aclTensor* t : out) s.out.push_back(operand(t));
    add(std::move(s));
  }
  void add(Step s) { steps_.push_back(std::move(s)); }
  int end() {
    if (code_ != 0) return code_;
    *size_ = workspace_;
    *out_ = adopt({call_, std::move(steps_), std::move(tensors_), workspace_, false, false});
    return 0;
  }

 private:
  const char* call_;
  uint64_t* size_;
  aclOpExecutor** out_;
  int code_ = 0;
  uint64_t workspace_ = 0;
  std::vector<Step> steps_;
  std::vector<const aclTensor*> tensors_;
};

int second(const char* call, void* workspace, uint64_t bytes, aclOpExecutor* e, void* stream);

// A scalar as the attribute `number` of a step, which the device process makes the last operand.
Attrs number_of(const aclScalar* s);
// The attribute `axis` and the like.
template <class T>
Attrs one(const char* name, T value) {
  Attrs a;
  a.set(name, value);
  return a;
}

}  // namespace minds::sim::ascend

#define SECOND(Name)                                                                            \
  ACL_EXPORT int aclnn##Name(void* workspace, uint64_t bytes, aclOpExecutor* e, void* stream) { \
    return second("aclnn" #Name, workspace, bytes, e, stream);                                  \
  }
#define FIRST(Name, ...) \
  SECOND(Name) ACL_EXPORT int aclnn##Name##GetWorkspaceSize(__VA_ARGS__, uint64_t* size, aclOpExecutor** e)
