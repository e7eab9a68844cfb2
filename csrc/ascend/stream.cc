#include "ascend/stream.h"

namespace minds::ascend {

Status AclStreams::after(aclrtStream stream, aclrtEvent event) {
  return MINDS_ACL(aclrtStreamWaitEvent, stream, event);
}

Status AclStreams::finish(aclrtStream stream) { return MINDS_ACL(aclrtSynchronizeStream, stream); }

bool AclStreams::running(aclrtStream stream) {
  aclrtStreamStatus status{};
  return acl().aclrtStreamQuery(stream, &status) == ACL_SUCCESS && status == ACL_STREAM_STATUS_NOT_READY;
}

void AclStreams::destroy(aclrtEvent event) { acl().aclrtDestroyEvent(event); }

Status AclStreams::elapsed(float& milliseconds, aclrtEvent from, aclrtEvent to) {
  return MINDS_ACL(aclrtEventElapsedTime, &milliseconds, from, to);
}

}  // namespace minds::ascend
