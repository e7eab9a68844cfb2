// Work of the other simulated libraries, queued as kernels are.
#include "driver_state.h"
#include "simulator.h"

using minds::sim::Kind;
using minds::sim::Writer;
using minds::sim::driver::Call;
using minds::sim::driver::Node;

unsigned cuda_simulator_call(CUstream_st* s, const char* caller, const char* function, const void* body, size_t bytes,
                             const CudaOperand* operands, size_t count) {
  CALL(caller);
  if (CUresult r = call.check(s)) return r;
  Node node{Kind::kCall, Writer().text(function).put(count), {}, {}, caller};
  for (size_t n = 0; n < count; ++n) {
    const CudaOperand& o = operands[n];
    if (o.bytes != 0 && !minds::sim::driver::inside(call.context().blocks, o.at, o.bytes)) {
      return call.wrong(kInvalidValue, "operand " + std::to_string(n) + ", " + std::to_string(o.bytes) + " bytes at " +
                                           minds::sim::driver::hexadecimal(o.at) +
                                           ", is in no block of the device's memory that is in use");
    }
    if (o.bytes != 0) node.uses.push_back({o.at, o.writes});
    node.body.put(o.at).put(o.bytes);
  }
  node.body.raw(body, bytes);
  return call.queue(s, std::move(node));
}

void cuda_simulator_wrong(const char* caller, const char* what) {
  minds::sim::driver::wrong(kInvalidValue, caller, what);
}

int cuda_simulator_device() {
  const CUctx_st* const c = minds::sim::driver::current();
  return c == nullptr ? -1 : c->index;
}

bool cuda_simulator_has_context() { return minds::sim::driver::current() != nullptr; }
