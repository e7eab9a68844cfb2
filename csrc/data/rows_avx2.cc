#include "data/rows_loops.h"

namespace minds::data {
const RowLoops kAvx2Rows = kLoops;
}  // namespace minds::data
