// What the kernel `python_number` computes.
#pragma once
#include <string_view>
#include <vector>

#include "kernel/elementwise.h"

namespace minds::cpu {

struct NumberForm {
  std::string_view op;
  DType in, out;
};

std::vector<NumberForm> number_forms();

}  // namespace minds::cpu
