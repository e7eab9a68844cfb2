// libopapi.so: the operators. Each function checks its arguments as its page of the manual says, and becomes one or
// more of the CPU's kernels.
#include <algorithm>
#include <optional>

#include "simulator.h"

namespace minds::sim::ascend {
namespace {

using Codes = std::vector<int>;
const Codes kFloats{0, 1, 27}, kNumbers{0, 1, 27, 2, 3, 4, 6, 9}, kSigned{0, 1, 27, 3, 9};
const Codes kNumbersAndBool{0, 1, 27, 2, 3, 4, 6, 9, 12}, kAll{0, 1, 27, 2, 3, 4, 6, 9, 11, 12};
constexpr int kBoolCode = 12;

DType dtype_of(int code) {
  switch (code) {
    case 0:
      return DType::kFloat32;
    case 1:
      return DType::kFloat16;
    case 27:
      return DType::kBFloat16;
    case 2:
      return DType::kInt8;
    case 3:
      return DType::kInt32;
    case 4:
      return DType::kUInt8;
    case 6:
      return DType::kInt16;
    case 9:
      return DType::kInt64;
    case 11:
      return DType::kFloat64;
    default:
      return DType::kBool;
  }
}

// What shapes broadcast to; none where they do not.
std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t back = 1; back <= out.size(); ++back) {
    const int64_t x = back <= a.size() ? a[a.size() - back] : 1, y = back <= b.size() ? b[b.size() - back] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - back] = x == 1 ? y : x;
  }
  return out;
}

bool contiguous(const aclTensor& t) {
  int64_t step = 1;
  for (size_t d = t.dims.size(); d-- > 0;) {
    if (t.dims[d] != 1 && t.strides[d] != step) return false;
    step *= t.dims[d];
  }
  return true;
}

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

  static Operand operand(const aclTensor* t) {
    return {t->data, {dtype_of(t->dtype), t->dims}, t->strides, t->offset, numel(t->storage)};
  }
  void step(const char* op, Attrs attrs, const std::vector<const aclTensor*>& in, const aclTensor* out) {
    Step s{op, std::move(attrs), {}, {operand(out)}};
    for (const aclTensor* t : in) s.in.push_back(operand(t));
    steps_.push_back(std::move(s));
  }
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

int second(const char* call, void* workspace, uint64_t bytes, aclOpExecutor* e, void* stream) {
  if (int r = entered(call)) return r;
  if (e == nullptr || !alive(e)) return wrong(kNull, call, "the executor is none, or was used up");
  if (std::string(e->call) != call) return wrong(kInvalid, call, std::string("the executor is of ") + e->call);
  if (bytes != e->workspace) return wrong(kInvalid, call, "the workspace has not the size that was told");
  const auto at = reinterpret_cast<uintptr_t>(workspace);
  if (bytes != 0 && (!of_device(at) || at % 512 != 0))
    return wrong(kInvalid, call, "the workspace is not aligned memory of the device");
  const int n = stream_number(stream);
  if (n < 0) return wrong(kInvalid, call, "the stream is none");
  for (const aclTensor* t : e->tensors) {
    if (!alive(t)) return wrong(kInvalid, call, "a tensor was destroyed between the phases");
    if (t->data % 32 != 0) return wrong(kInvalid, call, "a tensor's memory is not aligned");
  }
  const int queued = queue(call, n, workspace, bytes, e->steps);
  if (!e->repeatable) release(e);
  return queued;
}

Attrs axes(const aclIntArray* dims, bool keep) {
  Attrs a;
  a.set("axis", dims->values);
  a.set("keepdims", keep);
  return a;
}

Shape reduced(const Shape& x, const std::vector<int64_t>& dims, bool keep) {
  Shape out;
  for (size_t d = 0; d < x.size(); ++d) {
    const bool gone =
        std::count(dims.begin(), dims.end(), static_cast<int64_t>(d)) +
            std::count(dims.begin(), dims.end(), static_cast<int64_t>(d) - static_cast<int64_t>(x.size())) !=
        0;
    if (!gone) out.push_back(x[d]);
    if (gone && keep) out.push_back(1);
  }
  return out;
}

void unary(First& f, const char* op, const aclTensor* x, aclTensor* out, const Codes& dtypes, bool truth) {
  if (!f.tensor(x, dtypes) || !f.tensor(out, truth ? Codes{kBoolCode} : dtypes) || !f.shaped(out, x->dims)) return;
  if (f.expect(truth || x->dtype == out->dtype, "the result has another dtype")) f.step(op, {}, {x}, out);
}

void binary(First& f, const char* op, const aclTensor* x, const aclTensor* y, aclTensor* out, const Codes& dtypes,
            bool truth) {
  if (!f.tensor(x, dtypes) || !f.tensor(y, dtypes) || !f.tensor(out, truth ? Codes{kBoolCode} : dtypes)) return;
  if (!f.expect(x->dtype == y->dtype, "operands of two dtypes") || !f.shaped(out, broadcast(x->dims, y->dims))) return;
  if (f.expect(truth || x->dtype == out->dtype, "the result has another dtype")) f.step(op, {}, {x, y}, out);
}

void reduce(First& f, const char* op, const aclTensor* x, const aclIntArray* dims, bool keep, aclTensor* out,
            const Codes& dtypes) {
  if (!f.tensor(x, dtypes) || !f.tensor(out, dtypes) || !f.object(dims)) return;
  if (!f.expect(!dims->values.empty() && x->dtype == out->dtype, "no axes, or a result of another dtype")) return;
  if (!f.shaped(out, reduced(x->dims, dims->values, keep))) return;
  f.needs(1024);
  f.step(op, axes(dims, keep), {x}, out);
}

void along(First& f, const char* op, const aclTensor* x, int64_t dim, aclTensor* out) {
  if (!f.tensor(x, kFloats) || !f.tensor(out, kFloats) || !f.shaped(out, x->dims)) return;
  Attrs a;
  a.set("axis", dim);
  f.needs(512);
  f.step(op, std::move(a), {x}, out);
}

}  // namespace
}  // namespace minds::sim::ascend

using namespace minds::sim::ascend;
using minds::Attrs;
using minds::Shape;

#define SECOND(Name)                                                                            \
  ACL_EXPORT int aclnn##Name(void* workspace, uint64_t bytes, aclOpExecutor* e, void* stream) { \
    return second("aclnn" #Name, workspace, bytes, e, stream);                                  \
  }
#define FIRST(Name, ...) \
  SECOND(Name) ACL_EXPORT int aclnn##Name##GetWorkspaceSize(__VA_ARGS__, uint64_t* size, aclOpExecutor** e)
#define UNARY(Name, op, dtypes, truth)                 \
  FIRST(Name, const aclTensor* self, aclTensor* out) { \
    First f("aclnn" #Name, size, e);                   \
    unary(f, op, self, out, dtypes, truth);            \
    return f.end();                                    \
  }
#define BINARY(Name, op, dtypes, truth)                                        \
  FIRST(Name, const aclTensor* self, const aclTensor* other, aclTensor* out) { \
    First f("aclnn" #Name, size, e);                                           \
    binary(f, op, self, other, out, dtypes, truth);                            \
    return f.end();                                                            \
  }
#define SUM(Name, op)                                                                                             \
  FIRST(Name, const aclTensor* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out) {            \
    First f("aclnn" #Name, size, e);                                                                              \
    if (f.object(alpha) && f.expect(alpha->whole == 1 && alpha->real == 1, "the simulator knows alpha 1 only")) { \
      binary(f, op, self, other, out, kNumbers, false);                                                           \
    }                                                                                                             \
    return f.end();                                                                                               \
  }
#define REDUCE(Name, op, dtypes)                                                           \
  FIRST(Name, const aclTensor* self, const aclIntArray* dims, bool keep, aclTensor* out) { \
    First f("aclnn" #Name, size, e);                                                       \
    reduce(f, op, self, dims, keep, out, dtypes);                                          \
    return f.end();                                                                        \
  }
#define ALONG(Name, op)                                             \
  FIRST(Name, const aclTensor* self, int64_t dim, aclTensor* out) { \
    First f("aclnn" #Name, size, e);                                \
    along(f, op, self, dim, out);                                   \
    return f.end();                                                 \
  }

UNARY(Abs, "abs", kNumbers, false)
UNARY(Acos, "acos", kFloats, false)
UNARY(Asin, "asin", kFloats, false)
UNARY(Atan, "atan", kFloats, false)
UNARY(Ceil, "ceil", kFloats, false)
UNARY(Cos, "cos", kFloats, false)
UNARY(Cosh, "cosh", kFloats, false)
UNARY(Erf, "erf", kFloats, false)
UNARY(Erfc, "erfc", kFloats, false)
UNARY(Exp, "exp", kFloats, false)
UNARY(Expm1, "expm1", kFloats, false)
UNARY(Floor, "floor", kFloats, false)
UNARY(IsFinite, "isfinite", kFloats, true)
UNARY(Log, "log", kFloats, false)
UNARY(Log1p, "log1p", kFloats, false)
UNARY(LogicalNot, "logical_not", kNumbersAndBool, true)
UNARY(Neg, "neg", kSigned, false)
UNARY(Reciprocal, "reciprocal", kFloats, false)
UNARY(Relu, "relu", kSigned, false)
UNARY(Round, "round", kFloats, false)
UNARY(Rsqrt, "rsqrt", kFloats, false)
UNARY(Sigmoid, "sigmoid", kFloats, false)
UNARY(Sign, "sign", kSigned, false)
UNARY(Sin, "sin", kFloats, false)
UNARY(Sinh, "sinh", kFloats, false)
UNARY(Sqrt, "sqrt", kFloats, false)
UNARY(Tan, "tan", kFloats, false)
UNARY(Tanh, "tanh", kFloats, false)
UNARY(Trunc, "trunc", kFloats, false)
SUM(Add, "add")
SUM(Sub, "sub")
BINARY(Mul, "mul", kNumbers, false)
BINARY(Div, "div", kFloats, false)
BINARY(Maximum, "maximum", kNumbers, false)
BINARY(Minimum, "minimum", kNumbers, false)
BINARY(PowTensorTensor, "pow", kFloats, false)
BINARY(EqTensor, "equal", kNumbersAndBool, true)
BINARY(NeTensor, "not_equal", kNumbersAndBool, true)
BINARY(LtTensor, "less", kNumbers, true)
BINARY(LeTensor, "less_equal", kNumbers, true)
BINARY(GtTensor, "greater", kNumbers, true)
BINARY(GeTensor, "greater_equal", kNumbers, true)
BINARY(LogicalAnd, "logical_and", kNumbersAndBool, true)
BINARY(LogicalOr, "logical_or", kNumbersAndBool, true)
BINARY(LogicalXor, "logical_xor", Codes{kBoolCode}, true)
REDUCE(Amax, "amax", kSigned)
REDUCE(Amin, "amin", kSigned)
REDUCE(All, "all", Codes{kBoolCode})
REDUCE(Any, "any", Codes{kBoolCode})
ALONG(Softmax, "softmax")
ALONG(LogSoftmax, "log_softmax")

FIRST(ReduceSum, const aclTensor* self, const aclIntArray* dims, bool keep, int dtype, aclTensor* out) {
  First f("aclnnReduceSum", size, e);
  if (f.expect(out != nullptr, "a null tensor", kNull) && f.expect(dtype == out->dtype, "dtype is not the result's")) {
    reduce(f, "sum", self, dims, keep, out, kSigned);
  }
  return f.end();
}

FIRST(SWhere, const aclTensor* condition, const aclTensor* self, const aclTensor* other, aclTensor* out) {
  First f("aclnnSWhere", size, e);
  if (f.tensor(condition, Codes{kBoolCode}) && f.tensor(self, kAll) && f.tensor(other, kAll) && f.tensor(out, kAll)) {
    const auto both = broadcast(self->dims, other->dims);
    if (f.expect(both.has_value(), "the shapes do not fit") && f.shaped(out, broadcast(condition->dims, *both)) &&
        f.expect(self->dtype == other->dtype && out->dtype == self->dtype, "operands of two dtypes")) {
      f.step("select", {}, {condition, self, other}, out);
    }
  }
  return f.end();
}

FIRST(Cast, const aclTensor* self, int dtype, aclTensor* out) {
  First f("aclnnCast", size, e);
  if (f.tensor(self, kAll) && f.tensor(out, kAll) && f.shaped(out, self->dims) &&
      f.expect(dtype == out->dtype, "dtype is not the result's")) {
    f.step("cast", {}, {self}, out);
  }
  return f.end();
}

FIRST(InplaceCopy, aclTensor* self, const aclTensor* from) {
  First f("aclnnInplaceCopy", size, e);
  if (f.tensor(self, kAll) && f.tensor(from, kAll) && f.shaped(self, broadcast(self->dims, from->dims)) &&
      f.expect(self->dtype == from->dtype, "the simulator copies between equal dtypes only")) {
    Attrs a;
    a.set("shape", std::vector<int64_t>(self->dims));
    f.step("broadcast_to", std::move(a), {from}, self);
  }
  return f.end();
}

FIRST(InplaceFillScalar, aclTensor* self, const aclScalar* value) {
  First f("aclnnInplaceFillScalar", size, e);
  if (f.tensor(self, kNumbersAndBool) && f.object(value)) {
    Attrs a;
    if (value->dtype == 9) {
      a.set("value", value->whole);
    } else {
      a.set("value", value->real);
    }
    f.step("full", std::move(a), {}, self);
  }
  return f.end();
}

FIRST(Arange, const aclScalar* start, const aclScalar* stop, const aclScalar* step, aclTensor* out) {
  First f("aclnnArange", size, e);
  if (f.object(start) && f.object(stop) && f.object(step) && f.tensor(out, kSigned) &&
      f.expect(start->dtype == 9 && stop->dtype == 9 && step->dtype == 9 && step->whole > 0,
               "the simulator counts upwards by integers") &&
      f.shaped(out, Shape{(stop->whole - start->whole + step->whole - 1) / step->whole})) {
    Attrs a;
    a.set("start", start->real);
    a.set("stop", stop->real);
    a.set("step", step->real);
    f.step("arange", std::move(a), {}, out);
  }
  return f.end();
}

FIRST(Matmul, const aclTensor* self, const aclTensor* other, aclTensor* out, int8_t math) {
  First f("aclnnMatmul", size, e);
  if (f.tensor(self, kFloats) && f.tensor(other, kFloats) && f.tensor(out, kFloats) &&
      f.expect(math >= 0 && math <= 3, "there is no such cubeMathType") &&
      f.expect(self->dims.size() >= 2 && other->dims.size() >= 2 && out->dims.size() <= 6,
               "2 to 6 dimensions are taken") &&
      f.expect(self->dtype == other->dtype && out->dtype == self->dtype, "operands of two dtypes")) {
    f.needs(2048);
    f.step("matmul", {}, {self, other}, out);
  }
  return f.end();
}
