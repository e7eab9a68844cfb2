// How a scattered value combines with what is there. Integers wrap; an integer divided by zero gives zero.
#pragma once
#include <type_traits>

#include "kernel/plan/scatter.h"
#include "kernel/types.h"

namespace minds::cpu {

struct Update {
  template <class C>
  static C apply(C, C b) {
    return b;
  }
};

struct Add {
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(static_cast<Wide<C>>(a) + static_cast<Wide<C>>(b));
  }
};

struct Sub {
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(static_cast<Wide<C>>(a) - static_cast<Wide<C>>(b));
  }
};

struct Mul {
  template <class C>
  static C apply(C a, C b) {
    return static_cast<C>(static_cast<Wide<C>>(a) * static_cast<Wide<C>>(b));
  }
};

struct Div {
  template <class C>
  static C apply(C a, C b) {
    if constexpr (std::is_floating_point_v<C>) {
      return a / b;
    } else {
      if (b == C(0)) return C(0);
      if constexpr (std::is_signed_v<C>) {
        if (b == C(-1)) return Sub::apply(C(0), a);  // the most negative number has no positive counterpart
      }
      return static_cast<C>(a / b);
    }
  }
};

struct Max {  // NaN wins
  template <class C>
  static C apply(C a, C b) {
    if constexpr (std::is_floating_point_v<C>) return b > a || b != b ? b : a;
    return b > a ? b : a;
  }
};

struct Min {
  template <class C>
  static C apply(C a, C b) {
    if constexpr (std::is_floating_point_v<C>) return b < a || b != b ? b : a;
    return b < a ? b : a;
  }
};

template <class F>
void visit_mode(ScatterMode mode, F&& f) {
  switch (mode) {
    case ScatterMode::kUpdate:
      return f(Update{});
    case ScatterMode::kAdd:
      return f(Add{});
    case ScatterMode::kSub:
      return f(Sub{});
    case ScatterMode::kMul:
      return f(Mul{});
    case ScatterMode::kDiv:
      return f(Div{});
    case ScatterMode::kMax:
      return f(Max{});
    case ScatterMode::kMin:
      return f(Min{});
  }
}

}  // namespace minds::cpu
