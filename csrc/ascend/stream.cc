#include "ascend/stream.h"

#include "ascend/device.h"

namespace minds::ascend {

AscendStream::AscendStream(AscendDevice& device, Lane lane, aclrtStream stream)
    : Stream(device, lane), ascend_(device), stream_(stream) {}

Status AscendStream::record(Event& e) {
  auto* const mine = dynamic_cast<AscendEvent*>(&e);
  if (mine == nullptr || &mine->device() != &ascend_) {
    return {Code::kValue, "an event of another device cannot be recorded on " + ascend_.label()};
  }
  if (Status s = ascend_.enter()) return s;
  Status s = MINDS_ACL(aclrtRecordEvent, mine->event(), stream_);
  if (!s) mine->set_recorded();
  return s;
}

Status AscendStream::wait(Event& e) {
  auto* const mine = dynamic_cast<AscendEvent*>(&e);
  if (mine == nullptr || &mine->device() != &ascend_) return e.synchronize();  // of another device
  if (Status s = ascend_.enter()) return s;
  return mine->recorded() ? MINDS_ACL(aclrtStreamWaitEvent, stream_, mine->event()) : Status();
}

Status AscendStream::synchronize() {
  if (Status s = ascend_.enter()) return s;
  return ascend_.settle(MINDS_ACL(aclrtSynchronizeStream, stream_));
}

bool AscendStream::idle() {
  aclrtStreamStatus status{};
  return ascend_.enter() || acl().aclrtStreamQuery(stream_, &status) != ACL_SUCCESS ||
         status != ACL_STREAM_STATUS_NOT_READY;
}

AscendEvent::~AscendEvent() {
  if (!device_.enter()) acl().aclrtDestroyEvent(event_);
}

Status AscendEvent::synchronize() {
  if (Status s = device_.enter()) return s;
  return device_.settle(recorded_ ? MINDS_ACL(aclrtSynchronizeEvent, event_) : Status());
}

bool AscendEvent::done() {
  if (device_.enter()) return false;
  aclrtEventRecordedStatus status{};
  return !recorded_ || acl().aclrtQueryEventStatus(event_, &status) != ACL_SUCCESS ||
         status != ACL_EVENT_RECORDED_STATUS_NOT_READY;
}

Status AscendEvent::milliseconds_since(Event& earlier, double& out) {
  const auto* before = dynamic_cast<AscendEvent*>(&earlier);
  if (before == nullptr || !before->timing_ || !timing_) {
    return {Code::kValue, "an event has no time: it was made without timing"};
  }
  if (Status s = device_.enter()) return s;
  float ms = 0;
  Status s = MINDS_ACL(aclrtEventElapsedTime, &ms, before->event_, event_);
  out = ms;
  return s;
}

}  // namespace minds::ascend
