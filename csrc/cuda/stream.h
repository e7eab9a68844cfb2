// Streams and events of the driver.
#pragma once
#include "cuda/driver.h"
#include "device/device.h"

namespace minds::cuda {

class CudaDevice;

class CudaStream final : public Stream {
 public:
  CudaStream(CudaDevice& device, Lane lane, CUstream stream);
  Status record(Event& e) override;
  Status wait(Event& e) override;
  Status synchronize() override;
  bool idle() override;
  uintptr_t handle() const override { return reinterpret_cast<uintptr_t>(stream_); }
  CUstream stream() const { return stream_; }

 private:
  CudaDevice& cuda_;
  const CUstream stream_;  // lives as long as the device: for ever
};

class CudaEvent final : public Event {
 public:
  CudaEvent(CudaDevice& device, CUevent event, bool timing) : device_(device), event_(event), timing_(timing) {}
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  Status synchronize() override;
  bool done() override;
  Status milliseconds_since(Event& earlier, double& out) override;
  CudaDevice& device() const { return device_; }
  CUevent event() const { return event_; }

 private:
  CudaDevice& device_;
  const CUevent event_;
  const bool timing_;
};

// What a stream was given, as a graph of the driver's.
class Graph final : public Recording {
 public:
  Graph(CudaDevice& device, CUgraphExec graph) : device_(device), graph_(graph) {}
  ~Graph() override;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Status replay(Stream& q) override;

 private:
  CudaDevice& device_;
  const CUgraphExec graph_;
};

inline CUstream stream_of(Stream& q) { return static_cast<CudaStream&>(q).stream(); }

}  // namespace minds::cuda
