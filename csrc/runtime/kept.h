// Arenas that programs keep between runs on a device that records: what was recorded finds them where it was.
#pragma once
#include "runtime/program.h"

namespace minds::runtime {

// A context of the program that is idle keeps its arena.
void keeps(Program& p);
// Before the program goes.
void keeps_nothing(Program& p) noexcept;
// Where memory lacks: the idle arenas go back to the device's pool. False: there were none.
bool give_back(Device& device) noexcept;

}  // namespace minds::runtime
