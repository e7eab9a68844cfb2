#include "device/device.h"

#include <unistd.h>

namespace minds {

namespace {

std::string label_of(std::string_view name, int index, const DeviceTraits& traits) {
  const std::string kind(traits.title.empty() ? name : traits.title);
  return traits.host_memory ? kind : kind + ":" + std::to_string(index);
}

}  // namespace

Device::Device(std::string_view name, int index, const DeviceTraits& traits, Allocator& allocator)
    : name_(name),
      index_(index),
      traits_(traits),
      label_(label_of(name, index, traits)),
      allocator_(allocator),
      process_(getpid()) {}

void Device::set_lane(Lane lane, Stream& stream) {
  for (size_t k = static_cast<size_t>(lane); k < kLanes; ++k) {
    if (lane != Lane::kCompute && k != static_cast<size_t>(lane)) break;
    lanes_[k] = &stream;
  }
}

Status Device::record(const std::function<Status(Stream&)>&, std::unique_ptr<Recording>&) {
  return {Code::kInternal, label() + " does not record"};
}

Status Device::check_process() const {
  if (process_ == getpid()) return {};
  return {Code::kBackend, "device " + label() +
                              " was opened before this process was forked, and a device does not survive a fork; start "
                              "the process with multiprocessing's 'spawn', or open the device in the child only"};
}

}  // namespace minds
