// The cases of a switch over the instructions on words: `words` and `i` are the frame's words and the instruction. The
// formulas are those of the kernels, so this is for source files only.
#pragma once
#include "kernel/exact.h"
#include "runtime/program.h"

namespace minds::runtime {
namespace {

// An exact op on words of type T; loading refuses the numbers of what it does not take.
template <class Op, class T>
inline void on_words(Word* words, const Instr& i) {
  if constexpr (Op::template kTakes<T>) {
    using Result = typename Op::template Result<T>;
    if constexpr (requires { Op::apply(T{}); }) {
      set(words[i.dst], static_cast<Result>(Op::apply(get<T>(words[i.a]))));
    } else {
      set(words[i.dst], static_cast<Result>(Op::apply(get<T>(words[i.a]), get<T>(words[i.b]))));
    }
  }
}

}  // namespace
}  // namespace minds::runtime

#define MINDS_EXACT(Op, Name)                                                                 \
  MINDS_CASE(scalar_number<bool>(Op::k##Name), (on_words<exact::Name, bool>(words, i)))       \
  MINDS_CASE(scalar_number<int64_t>(Op::k##Name), (on_words<exact::Name, int64_t>(words, i))) \
  MINDS_CASE(scalar_number<float>(Op::k##Name), (on_words<exact::Name, float>(words, i)))     \
  MINDS_CASE(scalar_number<double>(Op::k##Name), (on_words<exact::Name, double>(words, i)))
#define MINDS_CASE(number, action) \
  case kScalarBase + (number):     \
    action;                        \
    break;
#define MINDS_UNARY(Name, ...) MINDS_EXACT(UnaryOp, Name)
#define MINDS_BINARY(Name, ...) MINDS_EXACT(BinaryOp, Name)
#define MINDS_CONVERSION(From, To) \
  MINDS_CASE((kConversion<From, To>), set(words[i.dst], static_cast<To>(get<From>(words[i.a]))))
#define MINDS_CHECKED_CASE(Name, name, T, fails, code, message) \
  case kScalarBase + checked_number<T>(BinaryOp::k##Name): {    \
    const Word a = words[i.a], b = words[i.b];                  \
    Word r;                                                     \
    if (fails) [[unlikely]] return Status{Code::code, message}; \
    words[i.dst] = r;                                           \
    break;                                                      \
  }
#define MINDS_SCALAR_CASES             \
  MINDS_EXACT_UNARY(MINDS_UNARY)       \
  MINDS_EXACT_BINARY(MINDS_BINARY)     \
  MINDS_CONVERSIONS(MINDS_CONVERSION)  \
  MINDS_CHECKED(MINDS_CHECKED_CASE)
