#include "data/rows.h"

#include <cstdlib>
#include <string_view>

namespace minds::data {

const RowLoops& row_loops() {
  static const RowLoops& chosen = []() -> const RowLoops& {
    const char* wanted = std::getenv("MINDS_ISA");
    const bool generic = wanted != nullptr && std::string_view(wanted) == "generic";
    return !generic && __builtin_cpu_supports("avx2") ? kAvx2Rows : kGenericRows;
  }();
  return chosen;
}

}  // namespace minds::data
