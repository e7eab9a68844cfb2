#include "ascend/transfers.h"

namespace minds::ascend {

Status AclCopies::make(aclrtEvent& done, void*& memory, size_t bytes) {
  if (Status s = MINDS_ACL(aclrtCreateEventExWithFlag, &done, ACL_EVENT_SYNC)) return s;
  return MINDS_ACL(aclrtMallocHost, &memory, bytes);
}

Status AclCopies::to_device(void* to, const void* from, size_t bytes, aclrtStream stream) {
  return MINDS_ACL(aclrtMemcpyAsync, to, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

Status AclCopies::to_host(void* to, const void* from, size_t bytes, aclrtStream stream) {
  return MINDS_ACL(aclrtMemcpyAsync, to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
}

Status AclCopies::record(aclrtEvent done, aclrtStream stream) { return MINDS_ACL(aclrtRecordEvent, done, stream); }

Status AclCopies::wait(aclrtEvent done) { return MINDS_ACL(aclrtSynchronizeEvent, done); }

Progress AclCopies::progress(aclrtEvent done) {
  aclrtEventRecordedStatus status{};
  if (acl().aclrtQueryEventStatus(done, &status) != ACL_SUCCESS) return Progress::kFailed;
  return status == ACL_EVENT_RECORDED_STATUS_NOT_READY ? Progress::kRunning : Progress::kEnded;
}

}  // namespace minds::ascend
