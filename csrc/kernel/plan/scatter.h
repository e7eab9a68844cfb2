// How a scattered value combines with what is there.
#pragma once
#include <string>

#include "kernel/plan/check.h"

namespace minds {

enum class ScatterMode : unsigned char { kUpdate, kAdd, kSub, kMul, kDiv, kMax, kMin };
inline constexpr const char* kScatterModes[] = {"update", "add", "sub", "mul", "div", "max", "min"};

// The mode of this name, for elements of a dtype.
Status find_scatter_mode(const std::string& name, DType t, ScatterMode& mode);

}  // namespace minds
