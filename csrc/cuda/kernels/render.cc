#include "cuda/kernels/render.h"

#include <algorithm>
#include <set>

#include "cuda/kernels/dtypes.h"

namespace minds::cuda {
namespace {

using Kind = TileProgram::Step::Kind;

#define MINDS_FORMULA(Name, name, takes, gives, formula) #formula,
#define MINDS_LIBM_FORMULA(Name, name, infinite, formula) #formula,
constexpr const char* kUnaryFormulas[] = {MINDS_EXACT_UNARY(MINDS_FORMULA) MINDS_LIBM_UNARY(MINDS_LIBM_FORMULA)};
constexpr const char* kBinaryFormulas[] = {MINDS_EXACT_BINARY(MINDS_FORMULA) MINDS_LIBM_BINARY(MINDS_FORMULA)};
#undef MINDS_FORMULA
#undef MINDS_LIBM_FORMULA

// The functions of libm are in namespace `math` of formulas.cuh.
std::string in_cuda(std::string formula) {
  for (size_t at; (at = formula.find("std::")) != formula.npos;) formula.replace(at, 5, "math::");
  return formula;
}

std::string name_of(const char* letter, size_t k) { return letter + std::to_string(k); }
std::string x_of(size_t k) { return name_of("x", k); }
std::string y_of(int k) { return name_of("y", static_cast<size_t>(k)); }
std::string v_of(size_t k) { return name_of("v", k); }

// A bool of foreign memory may be any byte but 0.
std::string in_memory(DType t) { return t == DType::kBool ? "u8" : type_name(t); }
std::string element(DType t, const std::string& expression) {
  return t == DType::kBool ? "(" + expression + " != 0)" : expression;
}

constexpr size_t kRegisters = 36;  // of 64 that a thread is to have

class Renderer {
 public:
  Renderer(const TileProgram& p, const Signature& s, const char* complex) : p_(p), s_(s), complex_(complex) {
    for (size_t k = 0; k < p.inputs; ++k) taken_.push_back(taken(p, k, s));
    each_ = can_fail(p) ? 1 : std::min<size_t>(16 / widest(), 8);
    while (each_ > 1 && registers() > kRegisters) each_ /= 2;
    index_ = p.size < int64_t{1} << 31 ? "u32" : "u64";
  }

  // `capacity`: 0, or of how many parts.
  Rendering render(int capacity) {
    Rendering r;
    r.each = static_cast<int>(each_);
    text_ = "#include \"formulas.cuh\"\n";
    if (complex_ != nullptr) {
      text_ += "#include \"complex.cuh\"\n\nFN auto f(" + std::string(p_.inputs == 2 ? "Complex a, Complex b" : "Complex z") +
               ") { return " + in_cuda(complex_) + "; }\n";
    }
    for (const TileProgram::Step& s : p_.steps) define(s);
    compute();
    if (capacity == 0) {
      kernel();
    } else {
      parts_kernel(capacity);
    }
    r.text = std::move(text_);
    return r;
  }

 private:
  // What is loaded and stored as runs.
  template <class F>
  void for_runs(F&& f) const {
    for (size_t k = 0; k < p_.values.size(); ++k) {
      const bool in = p_.values[k].input >= 0 && taken_[k] != Taken::kNumber && taken_[k] != Taken::kWord;
      if (in || p_.values[k].output >= 0) f(item_size(p_.values[k].dtype), in && taken_[k] != Taken::kWhole);
    }
  }
  size_t widest() const {
    size_t bytes = 1;
    for_runs([&](size_t item, bool spread) { bytes = spread ? bytes : std::max(bytes, item); });
    return bytes;
  }
  // Of four bytes, that hold the runs: few threads would be on a multiprocessor if each had many.
  size_t registers() const {
    size_t count = 0;
    for_runs([&](size_t item, bool) { count += (item * each_ + 3) / 4; });
    return count;
  }

  const char* type(size_t v) const { return type_name(p_.values[v].dtype); }

  // The step's formula as a function, once.
  void define(const TileProgram::Step& s) {
    if (complex_ != nullptr || (s.kind != Kind::kUnary && s.kind != Kind::kBinary)) return;
    const bool two = s.kind == Kind::kBinary;
    const std::string name(two ? about(s.binary).name : about(s.unary).name);
    if (!defined_.insert(name).second) return;
    text_ += "template <class V>\nFN auto f_" + name + (two ? "(V a, V b) { return " : "(V x) { return ") +
             in_cuda(two ? kBinaryFormulas[static_cast<int>(s.binary)] : kUnaryFormulas[static_cast<int>(s.unary)]) +
             "; }\n";
  }

  // All steps, on one element.
  void compute() {
    text_ += "\nFN void compute(";
    for (size_t k = 0; k < p_.inputs; ++k) text_ += std::string(type(k)) + " " + v_of(k) + ", ";
    std::string outputs;
    for (size_t k = 0; k < p_.values.size(); ++k) {
      const int out = p_.values[k].output;
      if (out < 0) continue;
      outputs += (outputs.empty() ? "" : ", ") + in_memory(p_.values[k].dtype) + "& " + y_of(out);
    }
    text_ += outputs + ") {\n";
    for (size_t k = 0; k < p_.steps.size(); ++k) step(p_.steps[k], p_.inputs + k);
    text_ += "}\n";
  }

  void step(const TileProgram::Step& s, size_t out) {
    const std::string t = type(out);
    text_ += "  const " + t + " " + v_of(out) + " = (" + t + ")(" + value(s, t) + ");\n";
    if (p_.values[out].output >= 0) text_ += "  " + y_of(p_.values[out].output) + " = " + v_of(out) + ";\n";
  }

  std::string value(const TileProgram::Step& s, const std::string& t) const {
    if (complex_ != nullptr) {
      std::string list;
      for (size_t k = 0; k < p_.inputs; ++k) list += (k == 0 ? "convert<Complex>(" : ", convert<Complex>(") + v_of(k) + ")";
      return "convert<" + t + ">(f(" + list + "))";
    }
    const auto wide = [&](size_t v) {
      return "(" + std::string(compute_name(p_.values[v].dtype)) + ")" + v_of(v);
    };
    switch (s.kind) {
      case Kind::kUnary:
        return "f_" + std::string(about(s.unary).name) + "(" + wide(s.args[0]) + ")";
      case Kind::kBinary:
        return "f_" + std::string(about(s.binary).name) + "(" + wide(s.args[0]) + ", " + wide(s.args[1]) + ")";
      case Kind::kSelect:
        return v_of(s.args[0]) + " ? " + v_of(s.args[1]) + " : " + v_of(s.args[2]);
      default:
        return "convert<" + t + ">(" + v_of(s.args[0]) + ")";
    }
  }

  void kernel() {
    text_ += "\nextern \"C\" __global__ void elementwise(" + parameters() + ") {\n";
    body("grid_thread()", "grid_threads()");
  }

  // A block works on one part; its number tells which.
  void parts_kernel(int capacity) {
    std::string numbers, names, pointers;
    const auto member = [&](const std::string& type, const std::string& name) {
      pointers += "  " + type + "* " + name + ";\n";
      names += "  " + type + "* " + name + " = part." + name + ";\n";
    };
    for (size_t k = 0; k < p_.inputs; ++k) {
      const std::string t = in_memory(p_.values[k].dtype);
      if (taken_[k] == Taken::kWhole) {
        member("const " + t, x_of(k));
      } else {
        numbers += taken_[k] == Taken::kWord ? t + " " + x_of(k) + ", " : "const " + t + "* " + x_of(k) + ", ";
      }
    }
    for (size_t k = 0; k < s_.outputs.size(); ++k) member(in_memory(s_.outputs[k].dtype), y_of(static_cast<int>(k)));
    text_ += "\nstruct Part {\n" + pointers + "  i64 n;\n  u32 first, blocks;\n};\nstruct Parts {\n  Part at[" +
             std::to_string(capacity) + "];\n};\n\nextern \"C\" __global__ void elementwise(" + numbers +
             "Parts parts, int count) {\n"
             "  int low = 0, high = count - 1;\n"
             "  while (low < high) {\n"
             "    const int middle = (low + high + 1) / 2;\n"
             "    if (parts.at[middle].first <= blockIdx.x) {\n      low = middle;\n    } else {\n"
             "      high = middle - 1;\n    }\n  }\n"
             "  const Part part = parts.at[low];\n" +
             names +
             "  const i64 n = part.n, threads = (i64)part.blocks * blockDim.x;\n"
             "  const i64 thread = (i64)(blockIdx.x - part.first) * blockDim.x + threadIdx.x;\n";
    body("thread", "threads");
  }

  // The loop over the elements, by threads that are numbered so.
  void body(const std::string& thread, const std::string& threads) {
    for (size_t k = 0; k < p_.inputs; ++k) {
      if (taken_[k] == Taken::kNumber) {
        text_ += "  const " + in_memory(p_.values[k].dtype) + " n" + std::to_string(k) + " = n > 0 ? *" + x_of(k) +
                 " : " + in_memory(p_.values[k].dtype) + "();\n";
      }
    }
    if (each_ == 1) {
      text_ += "  for (i64 i = " + thread + "; i < n; i += " + threads + ") {\n";
      one();
      text_ += "  }\n}\n";
      return;
    }
    const std::string each = std::to_string(each_);
    // One run at a time: the registers of several in flight would leave fewer threads to hide the memory's delay.
    text_ += "  const i64 runs = n / " + each + ";\n#pragma unroll 1\n  for (i64 k = " + thread + "; k < runs; k += " +
             threads + ") {\n";
    many();
    text_ += "  }\n  const i64 i = runs * " + each + " + " + thread + ";\n  if (i < n) {\n";
    one();
    text_ += "  }\n}\n";
  }

  std::string parameters() const {
    std::string list;
    for (size_t k = 0; k < p_.inputs; ++k) {
      const std::string t = in_memory(p_.values[k].dtype);
      list += taken_[k] == Taken::kWord ? t + " " + x_of(k) + ", " : "const " + t + "* " + x_of(k) + ", ";
    }
    for (size_t k = 0; k < s_.outputs.size(); ++k) {
      list += in_memory(s_.outputs[k].dtype) + "* " + y_of(static_cast<int>(k)) + ", ";
    }
    list += "i64 n";
    for (size_t k = 0; k < p_.inputs; ++k) {
      if (taken_[k] == Taken::kPeriodic) list += ", i64 period" + std::to_string(k);
      if (taken_[k] == Taken::kStrided) {
        list += ", View<" + std::to_string(p_.values[k].space.dims.size()) + "> view" + std::to_string(k);
      }
    }
    if (can_fail(p_)) list += ", FaultWord* word, u32 instruction";
    return list;
  }

  // Where element `i` of the result lies in input k.
  std::string offset(size_t k, const std::string& i) const {
    const std::string n = std::to_string(k);
    switch (taken_[k]) {
      case Taken::kPeriodic:
        return "(i64)((" + std::string(index_) + ")" + i + " % (" + index_ + ")period" + n + ")";
      case Taken::kStrided:
        return "offset_in<" + std::string(index_) + ">(view" + n + ", (" + index_ + ")" + i + ")";
      case Taken::kWhole:
        return i;
      default:
        return "0";
    }
  }

  std::string load(size_t k, const std::string& i) const {
    const DType t = p_.values[k].dtype;
    if (taken_[k] == Taken::kWord) return element(t, x_of(k));
    if (taken_[k] == Taken::kNumber) return element(t, "n" + std::to_string(k));
    return element(t, x_of(k) + "[" + offset(k, i) + "]");
  }

  // Element `i` by itself.
  void one() {
    check();
    text_ += "    compute(";
    for (size_t k = 0; k < p_.inputs; ++k) text_ += load(k, "i") + ", ";
    for (size_t k = 0; k < s_.outputs.size(); ++k) {
      text_ += (k == 0 ? "" : ", ") + y_of(static_cast<int>(k)) + "[i]";
    }
    text_ += ");\n";
  }

  // The elements of run `k`: what an input has for all of them is loaded before.
  void many() {
    const std::string each = std::to_string(each_);
    text_ += "    const i64 i = k * " + each + ";\n";
    for (size_t k = 0; k < p_.inputs; ++k) {
      const std::string name = "    const auto r" + std::to_string(k), from = x_of(k) + " + " + offset(k, "i");
      switch (run_of(k)) {
        case InRun::kTogether:
          text_ += name + " = load_run<" + each + ">(" + from + ");\n";
          break;
        case InRun::kOne:
          text_ += name + " = *(" + from + ");\n";
          break;
        case InRun::kSideBySide:
          text_ += name + " = " + from + ";\n";
          break;
        case InRun::kApart:
          break;
      }
    }
    for (size_t k = 0; k < s_.outputs.size(); ++k) {
      text_ += "    Run<" + in_memory(s_.outputs[k].dtype) + ", " + each + "> w" + std::to_string(k) + ";\n";
    }
    text_ += "#pragma unroll\n    for (int e = 0; e < " + each + "; ++e) {\n      compute(";
    for (size_t k = 0; k < p_.inputs; ++k) {
      const std::string r = "r" + std::to_string(k);
      const InRun how = run_of(k);
      const std::string at = how == InRun::kTogether ? r + ".at[e]" : how == InRun::kOne ? r : r + "[e]";
      text_ += (how == InRun::kApart ? load(k, "(i + e)") : element(p_.values[k].dtype, at)) + ", ";
    }
    for (size_t k = 0; k < s_.outputs.size(); ++k) text_ += (k == 0 ? "w" : ", w") + std::to_string(k) + ".at[e]";
    text_ += ");\n    }\n";
    for (size_t k = 0; k < s_.outputs.size(); ++k) {
      text_ += "    store_run<" + each + ">(" + y_of(static_cast<int>(k)) + " + i, w" + std::to_string(k) + ");\n";
    }
  }

  // How the elements of a run lie in input k.
  enum class InRun : uint8_t {
    kTogether,    // side by side, at a multiple of their size
    kSideBySide,  // anywhere
    kOne,         // it is one element
    kApart,
  };
  InRun run_of(size_t k) const {
    const auto each = static_cast<int64_t>(each_);
    const BroadcastPlan& space = p_.values[k].space;
    const BroadcastPlan::Operand& o = space.operands[0];
    bool aligned = item_size(p_.values[k].dtype) * each_ <= 16;
    switch (taken_[k]) {
      case Taken::kWhole:
        return aligned ? InRun::kTogether : InRun::kSideBySide;
      case Taken::kPeriodic:
        if (o.period % each != 0) return InRun::kApart;
        return aligned ? InRun::kTogether : InRun::kSideBySide;
      case Taken::kStrided:
        if (space.dims.back() % each != 0) return InRun::kApart;
        if (o.strides.back() == 0) return InRun::kOne;
        for (size_t d = 0; d + 1 < o.strides.size(); ++d) aligned = aligned && o.strides[d] % each == 0;
        return aligned ? InRun::kTogether : InRun::kSideBySide;
      default:
        return InRun::kApart;
    }
  }

  // Integers have no value for some operands; the formula gives 0, but a wrong number must not go on silently.
  void check() {
    if (!can_fail(p_)) return;
    const bool zero = about(p_.steps[0].binary).refused == Refused::kZero;
    text_ += "    if (" + load(1, "i") + (zero ? " == 0" : " < 0") + ") fault(word, " +
             (zero ? "kIntegerDivision" : "kIntegerPower") + ", instruction, 0, 0, " + offset(1, "i") + ");\n";
  }

  const TileProgram& p_;
  const Signature& s_;
  const char* const complex_;
  std::vector<Taken> taken_;
  size_t each_ = 1;
  const char* index_ = "u64";
  std::set<std::string> defined_;
  std::string text_;
};

}  // namespace

Taken taken(const TileProgram& p, size_t k, const Signature& s) {
  if (s.on_host(k)) return Taken::kWord;
  switch (p.values[k].space.operands[0].kind) {
    case BroadcastPlan::kWhole:
      return Taken::kWhole;
    case BroadcastPlan::kNumber:
      return Taken::kNumber;
    case BroadcastPlan::kPeriodic:
      return Taken::kPeriodic;
    default:
      return Taken::kStrided;
  }
}

bool can_fail(const TileProgram& p) {
  const TileProgram::Step& s = p.steps[0];
  if (p.steps.size() != 1 || s.kind != Kind::kBinary) return false;
  const DType t = p.values[s.args[1]].dtype;
  const Refused refused = about(s.binary).refused;
  return is_integer(t) && (refused == Refused::kZero || (refused == Refused::kNegative && t < DType::kUInt8));
}

Rendering render(const TileProgram& p, const Signature& s, const char* formula) {
  return Renderer(p, s, formula).render(0);
}

Rendering render_parts(const TileProgram& p, const Signature& part, int capacity) {
  return Renderer(p, part, nullptr).render(capacity);
}

}  // namespace minds::cuda
