// Streams and events of CANN.
#pragma once
#include "ascend/transfers.h"
#include "device/vendor_streams.h"

namespace minds::ascend {

class AscendDevice;

struct AclStreams : AclCopies {
  using Device = AscendDevice;
  static Status after(aclrtStream stream, aclrtEvent event);
  static Status finish(aclrtStream stream);
  static bool running(aclrtStream stream);
  static void destroy(aclrtEvent event);
  static Status elapsed(float& milliseconds, aclrtEvent from, aclrtEvent to);
};

using AscendStream = VendorStream<AclStreams>;
using AscendEvent = VendorEvent<AclStreams>;

inline aclrtStream stream_of(Stream& q) { return static_cast<AscendStream&>(q).stream(); }

}  // namespace minds::ascend
