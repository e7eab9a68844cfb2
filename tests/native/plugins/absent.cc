// A plug-in whose device cannot be opened at first, as one whose driver is not ready.
#include "kernel/plugin.h"

namespace minds {
namespace {

Status one(int& n) {
  n = 1;
  return {};
}

Status refuse(int, Device*&) { return {Code::kBackend, "the driver is missing"}; }

const Registry registry;
const Plugin plugin{"absent", one, refuse, registry};

}  // namespace
}  // namespace minds

MINDS_PLUGIN(minds::plugin)
