#include "data/rows_loops.h"

namespace minds::data {
const RowLoops kGenericRows = kLoops;
}  // namespace minds::data
