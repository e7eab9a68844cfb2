// python_number(operation): a function of one or two of Python's numbers, with CPython's errors (number.cuh).
#include "cuda/module.h"
#include "kernel/elementwise.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

struct Form {
  std::string_view op;
  DType in;
  const char* name;     // in number.cuh; or
  const char* formula;  // of x, checked
  Infinite infinite;
};

constexpr DType kInt = DType::kInt64, kFloat = DType::kFloat64;
constexpr Infinite kRange = Infinite::kRange;

#define MINDS_NUMBER(Name, name, infinite, formula) {#name, kFloat, nullptr, #formula, Infinite::infinite},
constexpr Form kForms[] = {{"floor_divide", kInt, "floor_divide_int", nullptr, kRange},
                                   {"mod", kInt, "mod_int", nullptr, kRange},
                                   {"pow", kInt, "pow_int", nullptr, kRange},
                                   {"left_shift", kInt, "left_shift_int", nullptr, kRange},
                                   {"right_shift", kInt, "right_shift_int", nullptr, kRange},
                                   {"floor_divide", kFloat, "floor_divide_float", nullptr, kRange},
                                   {"mod", kFloat, "mod_float", nullptr, kRange},
                                   {"pow", kFloat, "pow_float", nullptr, kRange},
                                   {"cast", kFloat, "to_int", nullptr, kRange},
                                   {"sqrt", kFloat, nullptr, "sqrt(x)", kRange},
                                   MINDS_LIBM_UNARY(MINDS_NUMBER)};
#undef MINDS_NUMBER

const Form* find(const std::string& op, DType in) {
  for (const Form& f : kForms) {
    if (f.op == op && f.in == in) return &f;
  }
  return nullptr;
}

// One thread; an operand that is a word of the host comes by value.
std::string text_of(const Form& f, const Signature& s) {
  const bool two = s.inputs.size() == 2;
  std::string text = "#include \"number.cuh\"\n\nextern \"C\" __global__ void number(";
  for (size_t k = 0; k < s.inputs.size(); ++k) {
    text += std::string(s.on_host(k) ? "Number" : "const Number*") + (k == 0 ? " x0, " : " x1, ");
  }
  text += "Number* out, FaultWord* word, u32 instruction) {\n";
  text += std::string("  const Number a = ") + (s.on_host(0) ? "x0" : "*x0") + ", b = ";
  text += !two ? "a" : s.on_host(1) ? "x1" : "*x1";
  text += ";\n  Number y;\n  y.i = 0;\n";
  if (f.name != nullptr) {
    text += std::string("  const FaultKind wrong = ") + f.name + "(a, b, y);\n";
  } else {
    std::string formula = f.formula;
    for (size_t at; (at = formula.find("std::")) != formula.npos;) formula.replace(at, 5, "math::");
    text += "  const double x = a.d;\n  y.d = " + formula + ";\n  const FaultKind wrong = checked(x, y.d, " +
            (f.infinite == Infinite::kPole ? "true" : "false") + ");\n";
  }
  return text + "  if (wrong != kNone) {\n    fault(word, wrong, instruction, 0, 0, 0);\n  } else {\n    *out = y;\n  }\n}\n";
}

class PythonNumber final : public Kernel {
 public:
  explicit PythonNumber(const Attrs& a) : op_(a.str("operation")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (s.inputs.empty() || s.inputs.size() > 2) return bad_value("a number is computed from one or two");
    for (const TensorSpec& t : s.inputs) {
      if (Status e = expect_spec(t, "an operand", s.inputs[0].dtype, {})) return e;
    }
    if (Status e = expect_counts(s, s.inputs.size(), 1)) return e;
    const DType in = s.inputs[0].dtype;
    if (Status e = expect_spec(s.outputs[0], "the result", op_ == "cast" ? kInt : in, {})) return e;
    const Form* f = find(op_, in);
    if (f == nullptr) return bad_type("no such function of numbers: " + op_);
    for (size_t k = 0; k < s.inputs.size(); ++k) words_[k] = s.on_host(k);
    two_ = s.inputs.size() == 2;
    return compile_function(*s.device, "python_number", text_of(*f, s), "number", function_);
  }

  Status run(const Args& a, Stream& q) const override {
    void* at[5];
    const size_t sizes[5] = {8, 8, 8, 8, 4};
    const size_t skipped = two_ ? 0 : 1;
    for (size_t k = 0; k < (two_ ? 2 : 1); ++k) {
      at[k] = words_[k] ? const_cast<void*>(a.in[k]) : const_cast<const void**>(&a.in[k]);
    }
    at[2 - skipped] = const_cast<void**>(&a.out[0]);
    at[3 - skipped] = const_cast<FaultWord**>(&a.fault);
    at[4 - skipped] = const_cast<uint32_t*>(&a.instruction);
    return launch_counted(*function_, q, {1, 1, 1, 1, 0}, at, sizes + skipped, 5 - skipped);
  }

 private:
  const std::string op_;
  const Function* function_ = nullptr;
  bool two_ = false, words_[2] = {};
};

MINDS_KERNEL("cuda", "python_number", PythonNumber, DType::kInt64, DType::kFloat64);

}  // namespace
}  // namespace minds::cuda
