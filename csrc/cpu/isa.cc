#include "cpu/isa.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace minds::cpu {
namespace {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

Isa choose() {
  Isa best = has_avx512() ? Isa::kAvx512 : has_avx2() ? Isa::kAvx2 : Isa::kGeneric;
  if (const char* wanted = std::getenv("MINDS_ISA")) {
    const std::string_view w = wanted;
    if (w == "generic") best = Isa::kGeneric;
    if (w == "avx2") best = std::min(best, Isa::kAvx2);
  }
  return best;
}

}  // namespace

Isa isa() {
  static const Isa chosen = choose();
  return chosen;
}

bool vnni() {
  static const bool chosen =
      has_avx512() && __builtin_cpu_supports("avx512vnni") && std::getenv("MINDS_ISA") == nullptr;
  return chosen;
}

std::string features() {
  constexpr const char* names[] = {"generic", "avx2", "avx512"};
  std::string text = std::string(names[static_cast<int>(isa())]) + " (processor:";
  if (has_avx2()) text += " avx2";
  if (has_avx512()) text += " avx512";
  if (__builtin_cpu_supports("avx512vnni")) text += " avx512vnni";
  if (__builtin_cpu_supports("avx512bf16")) text += " avx512bf16";
  if (__builtin_cpu_supports("amx-bf16")) text += " amx-bf16";
  return text + ")";
}

}  // namespace minds::cpu
