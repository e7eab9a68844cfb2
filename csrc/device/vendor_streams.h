// Streams and events around a vendor's own.
//
// A vendor says what it calls things, as `Transfers` asks, and more: the type `Device`, which has `enter`, that makes it
// this thread's, and `settle`, that hands out what was copied once the host has waited; and the static functions
//   Status after(Stream, Event)    the stream waits for the event
//   Status finish(Stream)          the host waits for the stream
//   bool running(Stream)
//   void destroy(Event)
//   Status elapsed(float& milliseconds, Event, Event)
#pragma once
#include <atomic>

#include "device/device.h"
#include "device/transfers.h"

namespace minds {

template <class Vendor>
class VendorEvent final : public Event {
 public:
  using Device = typename Vendor::Device;
  VendorEvent(Device& device, typename Vendor::Event event, bool timing)
      : device_(device), event_(event), timing_(timing) {}
  ~VendorEvent() override {
    if (!device_.enter()) Vendor::destroy(event_);
  }
  VendorEvent(const VendorEvent&) = delete;
  VendorEvent& operator=(const VendorEvent&) = delete;

  Status synchronize() override {
    if (Status s = device_.enter()) return s;
    return device_.settle(recorded_ ? Vendor::wait(event_) : Status());
  }
  bool done() override {
    return !device_.enter() && (!recorded_ || Vendor::progress(event_) != Progress::kRunning);
  }
  Status milliseconds_since(Event& earlier, double& out) override {
    const auto* before = dynamic_cast<VendorEvent*>(&earlier);
    if (before == nullptr || !before->timing_ || !timing_) {
      return {Code::kValue, "an event has no time: it was made without timing"};
    }
    if (Status s = device_.enter()) return s;
    float milliseconds = 0;
    Status s = Vendor::elapsed(milliseconds, before->event_, event_);
    out = milliseconds;
    return s;
  }

  Device& device() const { return device_; }
  // On a stream of its device.
  Status record(typename Vendor::Stream stream) {
    Status s = Vendor::record(event_, stream);
    if (!s) recorded_ = true;
    return s;
  }
  // What the stream is given from now on comes after.
  Status hold(typename Vendor::Stream stream) { return recorded_ ? Vendor::after(stream, event_) : Status(); }

 private:
  Device& device_;
  const typename Vendor::Event event_;
  const bool timing_;
  std::atomic<bool> recorded_ = false;
};

template <class Vendor>
class VendorStream final : public Stream {
 public:
  using Device = typename Vendor::Device;
  VendorStream(Device& device, Lane lane, typename Vendor::Stream stream)
      : Stream(device, lane), device_(device), stream_(stream) {}

  Status record(Event& e) override {
    VendorEvent<Vendor>* const mine = own(e);
    if (mine == nullptr) return {Code::kValue, "an event of another device cannot be recorded on " + device_.label()};
    if (Status s = device_.enter()) return s;
    return mine->record(stream_);
  }
  Status wait(Event& e) override {
    VendorEvent<Vendor>* const mine = own(e);
    if (mine == nullptr) return e.synchronize();  // of another device
    if (Status s = device_.enter()) return s;
    return mine->hold(stream_);
  }
  Status synchronize() override {
    if (Status s = device_.enter()) return s;
    return device_.settle(Vendor::finish(stream_));
  }
  bool idle() override { return device_.enter() || !Vendor::running(stream_); }
  uintptr_t handle() const override { return reinterpret_cast<uintptr_t>(stream_); }
  typename Vendor::Stream stream() const { return stream_; }

 private:
  VendorEvent<Vendor>* own(Event& e) const {
    auto* const found = dynamic_cast<VendorEvent<Vendor>*>(&e);
    return found == nullptr || &found->device() != &device_ ? nullptr : found;
  }

  Device& device_;
  const typename Vendor::Stream stream_;  // lives as long as the device: for ever
};

}  // namespace minds
