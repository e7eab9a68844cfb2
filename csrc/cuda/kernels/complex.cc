// Elementwise functions of complex numbers (kernel/complex.h), computed in double and rounded once.
#include "kernel/complex.h"

#include "cuda/kernels/elementwise.h"
#include "kernel/plan/elementwise.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

// What a formula gives: complex like its operands, real or bool.
enum class Result : uint8_t { kComplex, kReal, kBool };

struct Row {
  std::string_view name;
  const char* formula;
};
#define MINDS_ROW(name, formula) {#name, #formula},
constexpr Row kUnary[] = {MINDS_COMPLEX_UNARY(MINDS_ROW)};
constexpr Row kBinary[] = {MINDS_COMPLEX_BINARY(MINDS_ROW)};
#undef MINDS_ROW

Result result_of(std::string_view op) {
  for (const std::string_view real : {"real", "imag", "abs"}) {
    if (op == real) return Result::kReal;
  }
  const auto unary = unary_named(op);
  const auto binary = binary_named(op);
  const bool truth = (unary && gives_bool(*unary)) || (binary && gives_bool(*binary));
  return truth ? Result::kBool : Result::kComplex;
}

DType dtype_of(Result r, DType t) {
  if (r == Result::kBool) return DType::kBool;
  if (r == Result::kComplex) return t;
  return t == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}

class Complex final : public Kernel {
 public:
  Complex(const Row& row, bool two) : row_(row), two_(two) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, two_ ? 2 : 1, 1)) return e;
    const DType t = s.inputs[0].dtype, result = dtype_of(result_of(row_.name), t);
    if (!two_) {
      if (Status e = expect_spec(s.outputs[0], "the result", result, s.inputs[0].shape)) return e;
    } else if (s.inputs[1].dtype != t || s.outputs[0].dtype != result) {
      return bad_type(std::string("the operands must have one dtype and the result ") + name(result));
    } else {
      BroadcastPlan space;
      if (Status e = space.prepare(s.inputs.data(), 2, s.outputs[0])) return e;
    }
    TileProgram p;
    if (Status e = program_of({}, s, p)) return e;
    return kernel_.prepare(p, s, row_.name, row_.formula);
  }
  Status run(const Args& a, Stream& q) const override { return kernel_.run(a, q); }

 private:
  const Row row_;
  const bool two_;
  Elementwise kernel_;
};

// complex(re, im): the numbers of two parts.
class OfParts final : public Kernel {
 public:
  explicit OfParts(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 2, 1)) return e;
    const TensorSpec& x = s.inputs[0];
    if (Status e = expect_spec(s.inputs[1], "the imaginary part", x.dtype, x.shape)) return e;
    const DType result = x.dtype == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128;
    if (Status e = expect_spec(s.outputs[0], "the result", result, x.shape)) return e;
    TileProgram p;
    if (Status e = program_of({}, s, p)) return e;
    return kernel_.prepare(p, s, "complex", "Complex(a.real(), b.real())");
  }
  Status run(const Args& a, Stream& q) const override { return kernel_.run(a, q); }

 private:
  Elementwise kernel_;
};

template <bool two>
std::unique_ptr<Kernel> make(std::string_view op, const Attrs&) {
  const Row *begin = two ? std::begin(kBinary) : std::begin(kUnary), *end = two ? std::end(kBinary) : std::end(kUnary);
  for (const Row* row = begin; row != end; ++row) {
    if (row->name == op) return std::make_unique<Complex>(*row, two);
  }
  return nullptr;  // it was registered by its row
}

const bool added = [] {
  Registry& all = Registry::instance();
  for (const Row& row : kUnary) all.add("cuda", row.name, {DType::kComplex64, DType::kComplex128}, make<false>);
  for (const Row& row : kBinary) all.add("cuda", row.name, {DType::kComplex64, DType::kComplex128}, make<true>);
  return true;
}();

MINDS_KERNEL("cuda", "complex", OfParts, DType::kFloat32, DType::kFloat64);

}  // namespace
}  // namespace minds::cuda
