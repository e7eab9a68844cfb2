#include "ascend/device.h"

#include <algorithm>
#include <cstring>

#include "ascend/calls.h"

namespace minds::ascend {
namespace {

constexpr uint32_t kStreams = kLanes + 4;  // with those of users

DeviceTraits ascend_traits() {
  DeviceTraits t;
  t.title = "Ascend";
  t.lanes = kLanes;
  t.alignment = kUnit;
  return t;
}

}  // namespace

Status AscendDevice::open(int index, Device*& out) {
  if (Status s = open_acl()) return s;
  aclrtContext context = nullptr;
  if (Status s = MINDS_ACL(aclrtSetDevice, index)) return s;
  if (Status s = MINDS_ACL(aclrtGetCurrentContext, &context)) return s;
  // Else operators add what goes to one place in any order.
  if (Status s = MINDS_ACL(aclrtCtxSetSysParamOpt, ACL_OPT_DETERMINISTIC, 1)) return s;
  std::unique_ptr<AscendDevice> made(new AscendDevice(index, context, std::make_unique<Memory>()));
  if (Status s = made->add_streams()) return s;
  out = made.release();
  return {};
}

AscendDevice::AscendDevice(int index, aclrtContext context, std::unique_ptr<Memory> memory)
    : Device("ascend", index, ascend_traits(), *memory), context_(context), memory_(std::move(memory)) {
  memory_->serve(*this);
}

Status AscendDevice::add_streams() {
  for (uint32_t n = 0; n < kStreams; ++n) {
    const Lane lane = n < kLanes ? static_cast<Lane>(n) : Lane::kCompute;
    aclrtStream made = nullptr;
    if (Status s = MINDS_ACL(aclrtCreateStream, &made)) return s;
    streams_.push_back(std::make_unique<AscendStream>(*this, lane, made));
    if (n < kLanes) set_lane(lane, *streams_[n]);
  }
  return {};
}

Status AscendDevice::enter() const {
  if (Status s = check_process()) return s;
  return MINDS_ACL(aclrtSetCurrentContext, context_);
}

MemoryInfo AscendDevice::memory() {
  size_t available = 0, total = 0;
  if (enter() || MINDS_ACL(aclrtGetMemInfo, ACL_HBM_MEM, &available, &total)) return {0, 0};
  return {total, available};
}

DeviceProperties AscendDevice::properties() {
  DeviceProperties p;
  if (const char* name = acl().aclrtGetSocName()) p.name = name;
  return p;
}

std::unique_ptr<Event> AscendDevice::event(bool timing) {
  aclrtEvent made = nullptr;
  const uint32_t flags = timing ? ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC : ACL_EVENT_SYNC;
  if (enter() || acl().aclrtCreateEventExWithFlag(&made, flags) != ACL_SUCCESS) return nullptr;
  return std::make_unique<AscendEvent>(*this, made, timing);
}

Stream& AscendDevice::user_stream() { return *streams_[kLanes + turn_.fetch_add(1) % (kStreams - kLanes)]; }

Status AscendDevice::copy(void* to, const void* from, size_t bytes, CopyKind kind, Stream& q) {
  if (bytes == 0) return {};
  if (Status s = enter()) return s;  // the thread may have worked on another device since its call began
  switch (kind) {
    case CopyKind::kToDevice:
      return transfers_.upload(to, from, bytes, stream_of(q));
    case CopyKind::kToHost:
      return transfers_.download(to, from, bytes, stream_of(q));
    default:
      return MINDS_ACL(aclrtMemcpyAsync, to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_of(q));
  }
}

// Equal bytes by CANN's memset; other items by the operator, as integers of their size.
Status AscendDevice::fill(void* to, const void* item, size_t item_bytes, size_t count, Stream& q) {
  if (count == 0) return {};
  if (Status s = enter()) return s;
  const auto* bytes = static_cast<const unsigned char*>(item);
  if (std::all_of(bytes, bytes + item_bytes, [&](unsigned char b) { return b == bytes[0]; })) {
    const size_t total = item_bytes * count;
    return MINDS_ACL(aclrtMemsetAsync, to, total, bytes[0], total, stream_of(q));
  }
  constexpr DType types[] = {DType::kInt16, DType::kInt32, DType::kInt64};
  const size_t word = std::min<size_t>(item_bytes, 8), words = item_bytes / word;
  const DType type = types[word / 4];
  for (size_t n = 0; n < words; ++n) {
    int64_t value = 0;
    std::memcpy(&value, bytes + n * word, word);
    if (type == DType::kInt16) value = static_cast<int16_t>(value);
    if (type == DType::kInt32) value = static_cast<int32_t>(value);
    Calls calls(*this);
    View all = calls.out(0, {type, {static_cast<int64_t>(count)}});
    all.strides = {static_cast<int64_t>(words)};
    all.offset = static_cast<int64_t>(n);
    all.storage = {static_cast<int64_t>(count * words)};
    calls.add(aclnn().InplaceFillScalar, all, Number{value});
    size_t workspace = 0;
    if (Status s = calls.prepare(workspace)) return s;
    const BufferRef room = memory_->allocate(workspace, q);
    if (!room) return {Code::kMemory, "no memory for the workspace of a fill"};
    if (Status s = calls.run({nullptr, &to, room->data()}, q)) return s;
  }
  return {};
}

Status AscendDevice::placeholder(void*& out) {
  const std::lock_guard guard(lock_);
  if (!placeholder_) placeholder_ = memory_->allocate(kUnit);
  if (!placeholder_) return {Code::kMemory, "no memory left on " + label()};
  out = placeholder_->data();
  return {};
}

Status AscendDevice::synchronize() {
  if (Status s = enter()) return s;
  return settle(MINDS_ACL(aclrtSynchronizeDevice));
}

Status AscendDevice::settle(Status waited) {
  transfers_.deliver();
  return waited;
}

}  // namespace minds::ascend
