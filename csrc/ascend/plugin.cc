// The plug-in's entry: how many devices there are, and one of them.
#include "kernel/plugin.h"
#include "ascend/device.h"

namespace minds::ascend {
namespace {

Status count(int& n) {
  n = 0;
  if (Status s = open_acl()) return s;
  uint32_t found = 0;
  Status s = MINDS_ACL(aclrtGetDeviceCount, &found);
  n = static_cast<int>(found);
  return s;
}

const Plugin& plugin() {
  static const Plugin made{"ascend", count, AscendDevice::open, Registry::instance()};
  return made;
}

}  // namespace
}  // namespace minds::ascend

MINDS_PLUGIN(minds::ascend::plugin())
