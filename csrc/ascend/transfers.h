// Copies between the host and the device, in CANN's words: it copies asynchronously to and from pinned memory alone.
#pragma once
#include "ascend/acl.h"
#include "device/transfers.h"

namespace minds::ascend {

struct AclCopies {
  using Event = aclrtEvent;
  using Stream = aclrtStream;
  static Status make(aclrtEvent& done, void*& memory, size_t bytes);
  static Status to_device(void* to, const void* from, size_t bytes, aclrtStream stream);
  static Status to_host(void* to, const void* from, size_t bytes, aclrtStream stream);
  static Status record(aclrtEvent done, aclrtStream stream);
  static Status wait(aclrtEvent done);
  static Progress progress(aclrtEvent done);
};

}  // namespace minds::ascend
