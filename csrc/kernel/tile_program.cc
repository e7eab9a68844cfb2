#include "kernel/tile_program.h"

#include <algorithm>

#include "device/array.h"

namespace minds {
namespace {

using Kind = TileProgram::Step::Kind;

Status malformed(const std::string& what) { return bad_value("malformed program of tiles: " + what); }

Status undefined(DType t) { return bad_type(std::string("is not defined for ") + name(t)); }

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> found;
  for (size_t p = 0; p < names.size();) {
    const size_t end = std::min(names.find(' ', p), names.size());
    found.push_back(names.substr(p, end - p));
    p = end + 1;
  }
  return found;
}

size_t operands_of(Kind kind) { return kind == Kind::kSelect ? 3 : kind == Kind::kBinary ? 2 : 1; }

}  // namespace

Status TileProgram::parse(const Attrs& a, const Signature& s) {
  const std::vector<int64_t>&args = a.ints("args"), &casts = a.ints("casts"), &outs = a.ints("outs");
  if (s.outputs.empty() || s.inputs.empty() || outs.size() != s.outputs.size()) return malformed("its outputs");
  const TensorSpec result{s.outputs[0].dtype, a.ints("shape")};
  if (Status e = check_shape(result.shape, DType::kFloat64)) return e;
  const std::vector<std::string> names = split(a.str("ops"));
  if (names.empty() || names.size() + s.inputs.size() > kTileValues) return malformed("its length");
  size = result.size();
  for (const TensorSpec& x : s.inputs) {
    if (Status e = add_input(x, result)) return e;
  }
  size_t at = 0, cast = 0;
  for (const std::string& name : names) {
    const int64_t to = name != "cast" ? -1 : cast < casts.size() ? casts[cast++] : -1;
    if (Status e = add_step(name, args, at, to)) return e;
  }
  if (at != args.size()) return malformed("its operands");
  for (size_t k = 0; k < outs.size(); ++k) {
    if (outs[k] < static_cast<int64_t>(inputs) || outs[k] >= static_cast<int64_t>(values.size())) {
      return malformed("its outputs");
    }
    Value& v = values[static_cast<size_t>(outs[k])];
    if (v.output >= 0) return malformed("its outputs");
    if (s.outputs[k].dtype != v.dtype || s.outputs[k].size() != size) return malformed("an output's type");
    v.output = static_cast<int>(k);
  }
  return {};
}

Status TileProgram::add_input(const TensorSpec& s, const TensorSpec& result) {
  if (s.dtype > DType::kFloat64) return undefined(s.dtype);
  Value v;
  v.dtype = s.dtype;
  v.input = static_cast<int>(inputs);
  // One with as many elements is whole, whatever its shape.
  if (Status e = v.space.prepare_one(s.size() == size ? TensorSpec{s.dtype, result.shape} : s, result)) return e;
  values.push_back(std::move(v));
  ++inputs;
  return {};
}

// Decodes the next step, whose operands begin at args[at].
Status TileProgram::add_step(const std::string& name, const std::vector<int64_t>& args, size_t& at, int64_t cast_to) {
  Step s;
  if (name == "select") {
    s.kind = Kind::kSelect;
  } else if (name == "cast") {
    s.kind = Kind::kCast;
    if (cast_to < 0 || cast_to > static_cast<int64_t>(DType::kFloat64)) return malformed("a cast");
  } else if (const auto binary = binary_named(name)) {
    s.kind = Kind::kBinary;
    s.binary = *binary;
  } else if (const auto unary = unary_named(name)) {
    s.unary = *unary;
  } else {
    return malformed("no op '" + name + "'");
  }
  const size_t count = operands_of(s.kind);
  if (args.size() - at < count) return malformed("its operands");
  for (size_t k = 0; k < count; ++k, ++at) {
    if (args[at] < 0 || args[at] >= static_cast<int64_t>(values.size())) return malformed("its operands");
    s.args[k] = static_cast<size_t>(args[at]);
  }
  Value out;
  if (Status e = type_of(s, static_cast<DType>(cast_to), out.dtype)) return e;
  values.push_back(std::move(out));
  steps.push_back(s);
  return {};
}

// The dtype of what a step gives.
Status TileProgram::type_of(const Step& s, DType cast_to, DType& out) const {
  const DType t = values[s.args[0]].dtype;
  switch (s.kind) {
    case Kind::kUnary:
      if (!(kind_of(t) & about(s.unary).takes)) return undefined(t);
      out = gives_bool(s.unary) ? DType::kBool : t;
      return {};
    case Kind::kBinary:
      if (values[s.args[1]].dtype != t) return malformed("operands of two dtypes");
      // What integers have no result for is refused by the stand-alone kernel, which looks at its operand first.
      if (!(kind_of(t) & about(s.binary).takes) || (about(s.binary).refused != Refused::kNothing && is_integer(t))) {
        return undefined(t);
      }
      out = gives_bool(s.binary) ? DType::kBool : t;
      return {};
    case Kind::kSelect:
      out = values[s.args[1]].dtype;
      if (t != DType::kBool || values[s.args[2]].dtype != out) return malformed("the dtypes of a select");
      return {};
    default:
      out = cast_to;
      return t == out ? malformed("a cast to the same dtype") : Status{};
  }
}

}  // namespace minds
