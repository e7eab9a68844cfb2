#include "cuda/stream.h"

#include "cuda/device.h"

namespace minds::cuda {

CudaStream::CudaStream(CudaDevice& device, Lane lane, CUstream stream)
    : Stream(device, lane), cuda_(device), stream_(stream) {}

Status CudaStream::record(Event& e) {
  auto* const mine = dynamic_cast<CudaEvent*>(&e);
  if (mine == nullptr || &mine->device() != &cuda_) {
    return {Code::kValue, "an event of another device cannot be recorded on " + cuda_.label()};
  }
  if (Status s = cuda_.enter()) return s;
  return MINDS_DRIVER(cuEventRecord, mine->event(), stream_);
}

Status CudaStream::wait(Event& e) {
  auto* const mine = dynamic_cast<CudaEvent*>(&e);
  if (mine == nullptr || &mine->device() != &cuda_) return e.synchronize();  // of another device
  if (Status s = cuda_.enter()) return s;
  return MINDS_DRIVER(cuStreamWaitEvent, stream_, mine->event(), 0);
}

Status CudaStream::synchronize() {
  if (Status s = cuda_.enter()) return s;
  return cuda_.settle(MINDS_DRIVER(cuStreamSynchronize, stream_));
}

bool CudaStream::idle() { return driver().cuStreamQuery(stream_) != CUDA_ERROR_NOT_READY; }

CudaEvent::~CudaEvent() {
  if (!device_.enter()) driver().cuEventDestroy_v2(event_);
}

Status CudaEvent::synchronize() {
  if (Status s = device_.enter()) return s;
  return device_.settle(MINDS_DRIVER(cuEventSynchronize, event_));
}

bool CudaEvent::done() { return !device_.enter() && driver().cuEventQuery(event_) != CUDA_ERROR_NOT_READY; }

Status CudaEvent::milliseconds_since(Event& earlier, double& out) {
  const auto* before = dynamic_cast<CudaEvent*>(&earlier);
  if (before == nullptr || !before->timing_ || !timing_) {
    return {Code::kValue, "an event has no time: it was made without timing"};
  }
  if (Status s = device_.enter()) return s;
  float ms = 0;
  Status s = MINDS_DRIVER(cuEventElapsedTime, &ms, before->event_, event_);
  out = ms;
  return s;
}

Graph::~Graph() {
  if (!device_.enter()) driver().cuGraphExecDestroy(graph_);
}

Status Graph::replay(Stream& q) { return MINDS_DRIVER(cuGraphLaunch, graph_, stream_of(q)); }

}  // namespace minds::cuda
