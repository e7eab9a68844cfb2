// A plug-in under another one's name.
#include "kernel/plugin.h"

namespace minds {
namespace {

Status none(int& n) {
  n = 0;
  return {};
}

Status refuse(int, Device*&) { return {Code::kBackend, "cannot be opened"}; }

const Registry registry;
const Plugin plugin{"another", none, refuse, registry};

}  // namespace
}  // namespace minds

MINDS_PLUGIN(minds::plugin)
