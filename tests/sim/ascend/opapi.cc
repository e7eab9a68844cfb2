// libopapi.so: the operators that go element by element or reduce, and the second phase of all. Each function checks
// its arguments as its page of the manual says, and becomes one or more of the CPU's kernels.
#include "opapi.h"

namespace minds::sim::ascend {

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

int second(const char* call, void* workspace, uint64_t bytes, aclOpExecutor* e, void* stream) {
  if (int r = entered(call)) return r;
  if (e == nullptr || !alive(e)) return wrong(kNull, call, "the executor is none, or was used up");
  if (std::string(e->call) != call) return wrong(kInvalid, call, std::string("the executor is of ") + e->call);
  if (bytes != e->workspace) return wrong(kInvalid, call, "the workspace has not the size that was told");
  const auto at = reinterpret_cast<uintptr_t>(workspace);
  if (bytes != 0 && (!of_device(at) || at % 512 != 0))
    return wrong(kInvalid, call, "the workspace is not aligned memory of the device");
  for (const aclTensor* t : e->tensors) {
    if (!alive(t)) return wrong(kInvalid, call, "a tensor was destroyed between the phases");
    if (t->data % 32 != 0) return wrong(kInvalid, call, "a tensor's memory is not aligned");
  }
  const int queued = queue(call, stream, workspace, bytes, e->steps);
  if (!e->repeatable) release(e);
  return queued;
}

Attrs number_of(const aclScalar* s) {
  Attrs a;
  if (s->dtype == kInt64Code) {
    a.set("number", s->whole);
  } else {
    a.set("number", s->real);
  }
  return a;
}

namespace {

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
  if (f.expect(truth || x->dtype == out->dtype, "the result has another dtype")) f.step(op, {}, {x}, {out});
}

void with_number(First& f, const char* op, const aclTensor* x, const aclScalar* y, aclTensor* out, const Codes& dtypes,
                 bool truth) {
  if (!f.tensor(x, dtypes) || !f.object(y) || !f.tensor(out, truth ? Codes{kBoolCode} : dtypes)) return;
  if (!f.shaped(out, x->dims) || !f.expect(truth || x->dtype == out->dtype, "the result has another dtype")) return;
  const bool whole = x->dtype != 0 && x->dtype != 1 && x->dtype != kBFloat16Code;
  if (f.expect(!whole || y->dtype == kInt64Code, "a fraction for integers")) f.step(op, number_of(y), {x}, {out});
}

void binary(First& f, const char* op, const aclTensor* x, const aclTensor* y, aclTensor* out, const Codes& dtypes,
            bool truth) {
  if (!f.tensor(x, dtypes) || !f.tensor(y, dtypes) || !f.tensor(out, truth ? Codes{kBoolCode} : dtypes)) return;
  if (!f.expect(x->dtype == y->dtype, "operands of two dtypes") || !f.shaped(out, broadcast(x->dims, y->dims))) return;
  if (f.expect(truth || x->dtype == out->dtype, "the result has another dtype")) f.step(op, {}, {x, y}, {out});
}

void reduce(First& f, const char* op, const aclTensor* x, const aclIntArray* dims, bool keep, aclTensor* out,
            const Codes& dtypes) {
  if (!f.tensor(x, dtypes) || !f.tensor(out, dtypes) || !f.object(dims)) return;
  if (!f.expect(!dims->values.empty() && x->dtype == out->dtype, "no axes, or a result of another dtype")) return;
  if (!f.shaped(out, reduced(x->dims, dims->values, keep))) return;
  f.needs(1024);
  f.step(op, axes(dims, keep), {x}, {out});
}

void along(First& f, const char* op, const aclTensor* x, int64_t dim, aclTensor* out) {
  if (!f.tensor(x, kFloats) || !f.tensor(out, kFloats) || !f.shaped(out, x->dims)) return;
  Attrs a;
  a.set("axis", dim);
  f.needs(512);
  f.step(op, std::move(a), {x}, {out});
}

}  // namespace
}  // namespace minds::sim::ascend

using namespace minds::sim::ascend;
using minds::Attrs;
using minds::Shape;

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
#define SCALAR(Name, op, dtypes, truth)                                            \
  FIRST(Name, const aclTensor* self, const aclScalar* other, aclTensor* out) {     \
    First f("aclnn" #Name, size, e);                                               \
    with_number(f, op, self, other, out, dtypes, truth);                           \
    return f.end();                                                                \
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
UNARY(Acosh, "acosh", kFloats, false)
UNARY(Asin, "asin", kFloats, false)
UNARY(Asinh, "asinh", kFloats, false)
UNARY(Atan, "atan", kFloats, false)
UNARY(Atanh, "atanh", kFloats, false)
UNARY(BitwiseNot, "bitwise_not", kIntegersAndBool, false)
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
BINARY(PowTensorTensor, "pow", kNumbers, false)
BINARY(Atan2, "atan2", kFloats, false)
BINARY(FloorDivide, "floor_divide", kNumbers, false)
BINARY(RemainderTensorTensor, "mod", kNumbers, false)
BINARY(FmodTensor, "fmod", kNumbers, false)
BINARY(BitwiseAndTensor, "bitwise_and", kIntegersAndBool, false)
BINARY(BitwiseOrTensor, "bitwise_or", kIntegersAndBool, false)
BINARY(BitwiseXorTensor, "bitwise_xor", kIntegersAndBool, false)
BINARY(EqTensor, "equal", kNumbersAndBool, true)
BINARY(NeTensor, "not_equal", kNumbersAndBool, true)
BINARY(LtTensor, "less", kNumbers, true)
BINARY(LeTensor, "less_equal", kNumbers, true)
BINARY(GtTensor, "greater", kNumbers, true)
BINARY(GeTensor, "greater_equal", kNumbers, true)
BINARY(LogicalAnd, "logical_and", kNumbersAndBool, true)
BINARY(LogicalOr, "logical_or", kNumbersAndBool, true)
BINARY(LogicalXor, "logical_xor", Codes{kBoolCode}, true)
SCALAR(EqScalar, "equal", kNumbersAndBool, true)
SCALAR(LtScalar, "less", kNumbers, true)
SCALAR(Muls, "mul", kNumbers, false)
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
      f.step("select", {}, {condition, self, other}, {out});
    }
  }
  return f.end();
}

FIRST(Cast, const aclTensor* self, int dtype, aclTensor* out) {
  First f("aclnnCast", size, e);
  if (f.tensor(self, kAll) && f.tensor(out, kAll) && f.shaped(out, self->dims) &&
      f.expect(dtype == out->dtype, "dtype is not the result's")) {
    f.step("cast", {}, {self}, {out});
  }
  return f.end();
}

FIRST(InplaceCopy, aclTensor* self, const aclTensor* from) {
  First f("aclnnInplaceCopy", size, e);
  if (f.tensor(self, kAll) && f.tensor(from, kAll) && f.shaped(self, broadcast(self->dims, from->dims)) &&
      f.expect(self->dtype == from->dtype, "the simulator copies between equal dtypes only")) {
    Attrs a;
    a.set("shape", std::vector<int64_t>(self->dims));
    f.step("broadcast_to", std::move(a), {from}, {self});
  }
  return f.end();
}

FIRST(InplaceFillScalar, aclTensor* self, const aclScalar* value) {
  First f("aclnnInplaceFillScalar", size, e);
  if (f.tensor(self, kAll) && f.object(value)) {
    Attrs a;
    if (value->dtype == 9) {
      a.set("value", value->whole);
    } else {
      a.set("value", value->real);
    }
    f.step("full", std::move(a), {}, {self});
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
    f.step("arange", std::move(a), {}, {out});
  }
  return f.end();
}

FIRST(Adds, const aclTensor* self, const aclScalar* other, const aclScalar* alpha, aclTensor* out) {
  First f("aclnnAdds", size, e);
  if (f.object(alpha) && f.expect(alpha->whole == 1 && alpha->real == 1, "the simulator knows alpha 1 only")) {
    with_number(f, "add", self, other, out, kNumbers, false);
  }
  return f.end();
}

FIRST(Clamp, const aclTensor* self, const aclScalar* least, const aclScalar* most, aclTensor* out) {
  First f("aclnnClamp", size, e);
  with_number(f, "maximum", self, least, out, kNumbers, false);
  with_number(f, "minimum", out, most, out, kNumbers, false);
  return f.end();
}

FIRST(Eye, int64_t n, int64_t m, aclTensor* out) {
  First f("aclnnEye", size, e);
  if (f.tensor(out, kNumbersAndBool) && f.shaped(out, Shape{n, m})) {
    Attrs a;
    a.set("n", n);
    a.set("m", m);
    f.step("eye", std::move(a), {}, {out});
  }
  return f.end();
}
