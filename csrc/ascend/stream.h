// Streams and events of CANN.
#pragma once
#include <atomic>

#include "ascend/acl.h"
#include "device/device.h"

namespace minds::ascend {

class AscendDevice;

class AscendStream final : public Stream {
 public:
  AscendStream(AscendDevice& device, Lane lane, aclrtStream stream);
  Status record(Event& e) override;
  Status wait(Event& e) override;
  Status synchronize() override;
  bool idle() override;
  uintptr_t handle() const override { return reinterpret_cast<uintptr_t>(stream_); }
  aclrtStream stream() const { return stream_; }

 private:
  AscendDevice& ascend_;
  const aclrtStream stream_;  // lives as long as the device: for ever
};

class AscendEvent final : public Event {
 public:
  AscendEvent(AscendDevice& device, aclrtEvent event, bool timing) : device_(device), event_(event), timing_(timing) {}
  ~AscendEvent() override;
  AscendEvent(const AscendEvent&) = delete;
  AscendEvent& operator=(const AscendEvent&) = delete;
  Status synchronize() override;
  bool done() override;
  Status milliseconds_since(Event& earlier, double& out) override;
  AscendDevice& device() const { return device_; }
  aclrtEvent event() const { return event_; }
  bool recorded() const { return recorded_; }
  void set_recorded() { recorded_ = true; }

 private:
  AscendDevice& device_;
  const aclrtEvent event_;
  const bool timing_;
  std::atomic<bool> recorded_ = false;
};

inline aclrtStream stream_of(Stream& q) { return static_cast<AscendStream&>(q).stream(); }

}  // namespace minds::ascend
