#include "runtime/machine/elements.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernel/tile_program.h"

namespace minds::runtime::machine {
namespace {

constexpr int64_t kMostElements = 64;  // of an operand of a kernel that only moves elements

// The number of a dtype among those of words; -1: it is none.
int slot_of(DType t) {
  const auto* at = std::find(std::begin(kWordTypes), std::end(kWordTypes), t);
  return at == std::end(kWordTypes) ? -1 : static_cast<int>(at - std::begin(kWordTypes));
}

class Speller {
 public:
  Speller(const Program& p, const PreparedKernel& k, const Attrs& attrs, Elements& e)
      : k_(k), attrs_(attrs), e_(e), stream_(p.host->stream()), workspace_(k.workspace) {
    for (uint32_t t : k.in) {
      sized_ |= p.types[t].kind != Kind::kTensor;
      s_.inputs.push_back(p.types[t].spec);
    }
    for (uint32_t t : k.out) {
      sized_ |= p.types[t].kind != Kind::kTensor;
      s_.outputs.push_back(p.types[t].spec);
    }
    s_.device = p.device;
  }

  bool run() {
    int64_t results = 0;
    for (const TensorSpec& s : s_.outputs) results += s.size();
    if (sized_ || results == 0 || results > static_cast<int64_t>(Elements::kMostResults)) return false;
    constexpr std::string_view kMoves[] = {"strided_slice", "strided_slice_dx", "concat", "split", "broadcast_to",
                                           "transpose", "flip"};
    const bool moves = std::find(std::begin(kMoves), std::end(kMoves), k_.name) != std::end(kMoves);
    return (moves        ? moved()
            : k_.name == "sum"  ? summed()
            : k_.name == "tile" ? fused()
                                : alone()) &&
           e_.nodes.size() <= Elements::kMostNodes;
  }

 private:
  uint32_t add(Node n) {
    e_.nodes.push_back(n);
    return static_cast<uint32_t>(e_.nodes.size() - 1);
  }
  uint32_t input(size_t operand, int64_t element) {
    const Node n{Node::Kind::kInput, s_.inputs[operand].dtype, static_cast<uint32_t>(operand),
                 static_cast<uint32_t>(element)};
    for (uint32_t k = 0; k < e_.nodes.size(); ++k) {
      const Node& have = e_.nodes[k];
      if (have.kind == n.kind && have.a == n.a && have.b == n.b) return k;
    }
    return add(n);
  }
  bool formula(uint32_t number, DType gives, uint32_t a, uint32_t b, uint32_t& out) {
    if (!is_scalar(number)) return false;
    out = add({Node::Kind::kFormula, gives, a, b, 0, number});
    return true;
  }

  // What only moves elements says where to itself: it is run once on elements that are numbers from 1 on.
  bool moved() {
    std::vector<std::vector<char>> in, out;
    std::vector<std::pair<uint32_t, uint32_t>> from{{}};  // by number
    for (uint32_t n = 0; n < s_.inputs.size(); ++n) {
      const TensorSpec& s = s_.inputs[n];
      const size_t item = item_size(s.dtype);
      if (s.size() > kMostElements || (item != 4 && item != 8)) return false;
      in.emplace_back(s.bytes() + kAlignment);
      for (uint32_t k = 0; k < s.size(); ++k) {
        const auto number = static_cast<uint64_t>(from.size());
        std::memcpy(aligned(in.back()) + k * item, &number, item);
        from.push_back({n, k});
      }
    }
    for (const TensorSpec& s : s_.outputs) {
      if (item_size(s.dtype) != item_size(s_.inputs[0].dtype)) return false;
      out.emplace_back(s.bytes() + kAlignment);
    }
    std::vector<const void*> reads;
    std::vector<void*> writes;
    for (auto& b : in) reads.push_back(aligned(b));
    for (auto& b : out) writes.push_back(aligned(b));
    std::vector<char> workspace(workspace_ + kAlignment);
    if (Status s = k_.kernel->run({reads.data(), writes.data(), aligned(workspace)}, stream_)) return false;
    for (size_t n = 0; n < s_.outputs.size(); ++n) {
      const size_t item = item_size(s_.outputs[n].dtype);
      std::vector<uint32_t>& result = e_.results.emplace_back();
      for (int64_t k = 0; k < s_.outputs[n].size(); ++k) {
        uint64_t number = 0;
        std::memcpy(&number, aligned(out[n]) + static_cast<size_t>(k) * item, item);
        if (number >= from.size()) return false;
        result.push_back(number == 0 ? add({Node::Kind::kZero, s_.outputs[n].dtype})
                                     : input(from[number].first, from[number].second));
      }
    }
    return true;
  }
  static char* aligned(std::vector<char>& b) {
    const auto at = reinterpret_cast<uintptr_t>(b.data());
    return b.data() + ((at + kAlignment - 1) / kAlignment * kAlignment - at);
  }

  // Over the last dimensions, and of fewer elements than the kernel has lanes: one after the other.
  bool summed() {
    const TensorSpec &x = s_.inputs[0], &out = s_.outputs[0];
    const int slot = slot_of(x.dtype);
    const int64_t n = x.size() / out.size();
    if (slot <= 0 || n >= 8 || n < 1) return false;
    const auto rank = static_cast<int64_t>(x.shape.size());
    int64_t over = 1;
    std::vector<bool> reduced(x.shape.size());
    for (int64_t a : attrs_.ints("axis")) reduced[static_cast<size_t>(a < 0 ? a + rank : a)] = true;
    for (size_t d = x.shape.size(); d-- > 0 && (reduced[d] || x.shape[d] == 1);) over *= x.shape[d];
    if (over != n) return false;
    const uint32_t number = (kUnaryCount + static_cast<uint32_t>(BinaryOp::kAdd)) * 4 + static_cast<uint32_t>(slot);
    std::vector<uint32_t>& result = e_.results.emplace_back();
    for (int64_t r = 0; r < out.size(); ++r) {
      uint32_t total = add({Node::Kind::kZero, x.dtype});
      for (int64_t k = 0; k < n; ++k) {
        if (!formula(number, x.dtype, total, input(0, r * n + k), total)) return false;
      }
      result.push_back(total);
    }
    return true;
  }

  // An operand's element of an element of the result.
  static int64_t element_of(const BroadcastPlan& space, int operand, int64_t e) {
    const BroadcastPlan::Operand& o = space.operands[static_cast<size_t>(operand)];
    if (o.kind == BroadcastPlan::kWhole) return e;
    if (o.kind == BroadcastPlan::kNumber) return 0;
    if (o.kind == BroadcastPlan::kPeriodic) return e % o.period;
    int64_t at = 0;
    for (size_t d = space.dims.size(); d-- > 0; e /= space.dims[d]) at += e % space.dims[d] * o.strides[d];
    return at;
  }

  // An elementwise op that stands alone.
  bool alone() {
    const auto unary = unary_named(k_.name);
    const auto binary = binary_named(k_.name);
    const int slot = s_.inputs.empty() ? -1 : slot_of(s_.inputs[0].dtype);
    if (slot < 0 || s_.outputs.size() != 1 || (!unary && !binary)) return false;
    if (s_.inputs.size() != (unary ? 1u : 2u) || !attrs_.values().empty()) return false;
    BroadcastPlan space;
    if (Status s = space.prepare(s_.inputs.data(), static_cast<int>(s_.inputs.size()), s_.outputs[0])) return false;
    const uint32_t op = unary ? static_cast<uint32_t>(*unary) : kUnaryCount + static_cast<uint32_t>(*binary);
    std::vector<uint32_t>& result = e_.results.emplace_back();
    for (int64_t k = 0; k < s_.outputs[0].size(); ++k) {
      const uint32_t a = input(0, element_of(space, 0, k));
      const uint32_t b = unary ? a : input(1, element_of(space, 1, k));
      if (!formula(op * 4 + static_cast<uint32_t>(slot), s_.outputs[0].dtype, a, b, result.emplace_back())) return false;
    }
    return true;
  }

  bool fused() {
    TileProgram t;
    if (Status s = t.parse(attrs_, s_)) return false;
    if (t.size * static_cast<int64_t>(t.values.size()) > static_cast<int64_t>(Elements::kMostNodes)) return false;
    e_.results.resize(s_.outputs.size());
    for (int64_t k = 0; k < t.size; ++k) {
      std::vector<uint32_t> nodes;
      for (size_t v = 0; v < t.values.size(); ++v) {
        const TileProgram::Value& value = t.values[v];
        if (slot_of(value.dtype) < 0) return false;
        if (value.input >= 0) {
          nodes.push_back(input(static_cast<size_t>(value.input), element_of(value.space, 0, k)));
        } else if (!step(t, t.steps[v - t.inputs], value.dtype, nodes)) {
          return false;
        }
        if (value.output >= 0) e_.results[static_cast<size_t>(value.output)].push_back(nodes.back());
      }
    }
    return true;
  }

  bool step(const TileProgram& t, const TileProgram::Step& s, DType gives, std::vector<uint32_t>& nodes) {
    using Kind = TileProgram::Step::Kind;
    const uint32_t a = nodes[s.args[0]];
    const auto slot = static_cast<uint32_t>(slot_of(t.values[s.args[0]].dtype));
    uint32_t found = 0;
    bool known = true;
    switch (s.kind) {
      case Kind::kUnary:
        known = formula(static_cast<uint32_t>(s.unary) * 4 + slot, gives, a, a, found);
        break;
      case Kind::kBinary:
        known = formula((kUnaryCount + static_cast<uint32_t>(s.binary)) * 4 + slot, gives, a, nodes[s.args[1]], found);
        break;
      case Kind::kCast:
        known = formula((kUnaryCount + kBinaryCount) * 4 + slot * 4 + static_cast<uint32_t>(slot_of(gives)), gives, a, a,
                        found);
        break;
      case Kind::kSelect:
        found = add({Node::Kind::kSelect, gives, a, nodes[s.args[1]], nodes[s.args[2]]});
    }
    nodes.push_back(found);
    return known;
  }

  const PreparedKernel& k_;
  const Attrs& attrs_;
  Elements& e_;
  Stream& stream_;
  size_t workspace_;
  Signature s_;
  bool sized_ = false;
};

}  // namespace

bool spell(const Program& p, const PreparedKernel& kernel, const Attrs& attrs, Elements& e) {
  return Speller(p, kernel, attrs, e).run();
}

}  // namespace minds::runtime::machine
