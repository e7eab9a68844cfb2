#include "kernel/plan/scatter.h"

#include <algorithm>
#include <iterator>

namespace minds {

Status find_scatter_mode(const std::string& name, DType t, ScatterMode& mode) {
  const auto found = std::find(std::begin(kScatterModes), std::end(kScatterModes), name);
  if (found == std::end(kScatterModes)) {
    return bad_value("mode '" + name + "' is not one of update add sub mul div max min");
  }
  mode = static_cast<ScatterMode>(found - std::begin(kScatterModes));
  if (t == DType::kBool && mode != ScatterMode::kUpdate) return bad_type("booleans can only be updated");
  if (t > DType::kFloat64 && mode > ScatterMode::kSub) {
    return bad_type("complex numbers can only be updated, added and subtracted");
  }
  return {};
}

}  // namespace minds
