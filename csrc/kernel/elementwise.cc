#include "kernel/elementwise.h"

namespace minds {
namespace {

template <class Op, size_t n>
std::optional<Op> find(const Elementwise (&ops)[n], std::string_view name) {
  for (size_t i = 0; i < n; ++i) {
    if (ops[i].name == name) return static_cast<Op>(i);
  }
  return {};
}

}  // namespace

std::optional<UnaryOp> unary_named(std::string_view name) { return find<UnaryOp>(kUnaryOps, name); }
std::optional<BinaryOp> binary_named(std::string_view name) { return find<BinaryOp>(kBinaryOps, name); }

}  // namespace minds
