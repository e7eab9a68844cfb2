#include "cpu/assembled/tiles.h"

#include "cpu/assembled/formulas.h"
#include "cpu/isa.h"

namespace minds::cpu::assembled {
namespace {

using Kind = TileProgram::Step::Kind;

constexpr int64_t kLeast = 1024;  // elements that are worth code of their own

bool is_half(DType t) { return t == DType::kFloat16 || t == DType::kBFloat16; }
bool is_real(DType t) { return t == DType::kFloat32 || is_half(t); }
bool is_number(const TileProgram::Value& v) {
  return v.input >= 0 && v.space.operands[0].kind == BroadcastPlan::kNumber;
}

size_t operands(const TileProgram::Step& s) { return s.kind == Kind::kSelect ? 3 : s.kind == Kind::kBinary ? 2 : 1; }

bool has_formula(const TileProgram& p, const TileProgram::Step& s, DType gives) {
  const DType t = p.values[s.args[0]].dtype;
  switch (s.kind) {
    case Kind::kUnary:
      return t == DType::kBool ? s.unary == UnaryOp::kLogicalNot : assembled::has_formula(s.unary);
    case Kind::kBinary:
      return t == DType::kBool ? has_truth_formula(s.binary) : assembled::has_formula(s.binary);
    case Kind::kSelect:
      return gives != DType::kBool;
    default:
      return true;
  }
}

bool can(const TileProgram& p) {
  for (const TileProgram::Value& v : p.values) {
    if (!is_real(v.dtype) && v.dtype != DType::kBool) return false;
    if (v.dtype == DType::kBool && is_number(v)) return false;
  }
  for (size_t k = 0; k < p.steps.size(); ++k) {
    if (!has_formula(p, p.steps[k], p.values[p.inputs + k].dtype)) return false;
  }
  return true;
}

void convert(Groups& g, Group d, Group x, DType from, DType to) {
  if (from == DType::kBool) return g.with(Op::kAnd, d, x, 1.0f);
  if (to == DType::kBool) {
    g.compare_with(0, Compare::kNotEqual, x, 0.0f);
    return g.truth_of(d, 0);
  }
  g.op(Op::kMove, d, x);
  if (is_half(to)) g.round_to(to, d);
}

void step(Groups& g, const TileProgram& p, size_t k) {
  const TileProgram::Step& s = p.steps[k];
  const DType t = p.values[s.args[0]].dtype, gives = p.values[p.inputs + k].dtype;
  Group in[3] = {};
  for (size_t n = 0; n < operands(s); ++n) in[n] = g.get(s.args[n]);
  const Group d = g.define(p.inputs + k);
  switch (s.kind) {
    case Kind::kUnary:
      t == DType::kBool ? emit_not(g, d, in[0]) : emit(g, s.unary, d, in[0]);
      break;
    case Kind::kBinary:
      t == DType::kBool ? emit_truth(g, s.binary, d, in[0], in[1]) : emit(g, s.binary, d, in[0], in[1]);
      break;
    case Kind::kSelect:
      g.mask_of(0, in[0]);
      g.blend(d, 0, in[2], in[1]);
      break;
    case Kind::kCast:
      convert(g, d, in[0], t, gives);
  }
  if ((s.kind == Kind::kUnary || s.kind == Kind::kBinary) && is_half(gives)) g.round_to(gives, d);
  if (p.values[p.inputs + k].output >= 0) g.store(d, gives, p.inputs + k);
  g.end_step(k);
}

}  // namespace

std::unique_ptr<Tiles> Tiles::make(const TileProgram& p) {
  if (isa() == Isa::kGeneric || p.size < kLeast || !machine_code_wanted() || !can(p)) return nullptr;
  const Target& target = isa() == Isa::kAvx512 ? kAvx512 : kAvx2;
  Groups g(target, p.values.size());
  for (size_t v = 0; v < p.inputs; ++v) g.input(v, p.values[v].dtype, is_number(p.values[v]), v);
  for (size_t k = 0; k < p.steps.size(); ++k) {
    for (size_t n = 0; n < operands(p.steps[k]); ++n) g.read_by(p.steps[k].args[n], k);
  }
  for (size_t k = 0; k < p.steps.size(); ++k) step(g, p, k);
  Pages pages(g.finish());
  if (pages.empty()) return nullptr;
  return std::unique_ptr<Tiles>(new Tiles(std::move(pages), target.turn()));
}

Tiles::Tiles(Pages pages, int64_t turn)
    : turn_(turn), pages_(std::move(pages)), run_(reinterpret_cast<void (*)(char* const*, int64_t)>(
                                    reinterpret_cast<uintptr_t>(pages_.at(0)))) {}

}  // namespace minds::cpu::assembled
