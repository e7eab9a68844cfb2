#include "cuda/stream.h"

#include "cuda/device.h"

namespace minds::cuda {

Status DriverStreams::after(CUstream stream, CUevent event) {
  return MINDS_DRIVER(cuStreamWaitEvent, stream, event, 0);
}

Status DriverStreams::finish(CUstream stream) { return MINDS_DRIVER(cuStreamSynchronize, stream); }

bool DriverStreams::running(CUstream stream) { return driver().cuStreamQuery(stream) == CUDA_ERROR_NOT_READY; }

void DriverStreams::destroy(CUevent event) { driver().cuEventDestroy_v2(event); }

Status DriverStreams::elapsed(float& milliseconds, CUevent from, CUevent to) {
  return MINDS_DRIVER(cuEventElapsedTime, &milliseconds, from, to);
}

Graph::~Graph() {
  if (!device_.enter()) driver().cuGraphExecDestroy(graph_);
}

Status Graph::replay(Stream& q) { return MINDS_DRIVER(cuGraphLaunch, graph_, stream_of(q)); }

}  // namespace minds::cuda
