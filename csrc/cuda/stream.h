// Streams and events of the driver.
#pragma once
#include "cuda/transfers.h"
#include "device/vendor_streams.h"

namespace minds::cuda {

class CudaDevice;

struct DriverStreams : DriverCopies {
  using Device = CudaDevice;
  static Status after(CUstream stream, CUevent event);
  static Status finish(CUstream stream);
  static bool running(CUstream stream);
  static void destroy(CUevent event);
  static Status elapsed(float& milliseconds, CUevent from, CUevent to);
};

using CudaStream = VendorStream<DriverStreams>;
using CudaEvent = VendorEvent<DriverStreams>;

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
