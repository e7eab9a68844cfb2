// The simulated driver's captures and graphs. A launch runs the nodes in an order that is drawn anew each time, among
// those that the captured dependencies allow: what was forgotten shows.
#include <algorithm>
#include <random>

#include "driver_state.h"

using minds::sim::Kind;
using minds::sim::Writer;
using minds::sim::driver::Call;
using minds::sim::driver::Capture;
using minds::sim::driver::Node;
using minds::sim::driver::state;

namespace {

// Whether all other streams' work comes before what the origin did last.
bool joined(const Capture& c) {
  std::vector<bool> before(c.nodes.size());
  std::vector<uint32_t> open;
  if (const auto own = c.last.find(c.origin); own != c.last.end()) open = own->second;
  while (!open.empty()) {
    const uint32_t n = open.back();
    open.pop_back();
    if (before[n]) continue;
    before[n] = true;
    open.insert(open.end(), c.nodes[n].after.begin(), c.nodes[n].after.end());
  }
  return std::all_of(c.last.begin(), c.last.end(), [&](const auto& s) {
    return std::all_of(s.second.begin(), s.second.end(), [&](uint32_t n) { return before[n]; });
  });
}

std::vector<uint32_t> some_order(const std::vector<Node>& nodes) {
  static std::mt19937_64 random(1);
  std::vector<uint32_t> order;
  std::vector<bool> done(nodes.size());
  while (order.size() < nodes.size()) {
    std::vector<uint32_t> ready;
    for (uint32_t n = 0; n < nodes.size(); ++n) {
      const auto& after = nodes[n].after;
      if (!done[n] && std::all_of(after.begin(), after.end(), [&](uint32_t m) { return done[m]; })) ready.push_back(n);
    }
    const uint32_t n = ready[random() % ready.size()];
    done[n] = true;
    order.push_back(n);
  }
  return order;
}

// What a launch needs of the nodes: the blocks that they use are still there.
CUresult check(const Call& call, const std::vector<Node>& nodes) {
  const CUctx_st& c = call.context();
  for (const Node& n : nodes) {
    for (const auto& [p, writes] : n.uses) {
      if (minds::sim::driver::inside(c.blocks, p, 0) || minds::sim::driver::inside(c.pinned_blocks, p, 0)) continue;
      return call.wrong(kInvalidValue, n.what + " of the graph uses memory that was freed: " +
                                           minds::sim::driver::hexadecimal(p));
    }
  }
  return kSuccess;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream_st* s, unsigned mode) {
  CALL("cuStreamBeginCapture");
  if (CUresult r = call.check(s)) return r;
  if (mode > 2) return call.wrong(kInvalidValue, "there is no such mode");
  if (s->capture) return call.wrong(kInvalidValue, "the stream is capturing");
  s->capture = std::make_shared<Capture>();
  s->capture->origin = s;
  s->capture->mode = mode;
  s->capture->thread = std::this_thread::get_id();
  s->capture->last[s] = {};
  state().captures.insert(s->capture);
  return kSuccess;
}

CUresult cuStreamIsCapturing(CUstream_st* s, unsigned* status) {
  CALL("cuStreamIsCapturing");
  if (CUresult r = call.check(s)) return r;
  if (status == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  *status = !s->capture ? 0 : s->capture->invalid ? 2 : 1;
  return kSuccess;
}

CUresult cuStreamEndCapture(CUstream_st* s, CUgraph_st** out) {
  CALL("cuStreamEndCapture");
  if (CUresult r = call.check(s)) return r;
  if (out == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  *out = nullptr;
  const std::shared_ptr<Capture> c = s->capture;
  if (!c) return call.wrong(kInvalidValue, "the stream is not capturing");
  if (c->origin != s) return call.wrong(kCaptureUnmatched, "the capture began in another stream");
  constexpr unsigned kRelaxed = 2;
  if (c->mode != kRelaxed && c->thread != std::this_thread::get_id()) {
    return call.wrong(kCaptureWrongThread, "the capture was begun by another thread");
  }
  const bool whole = joined(*c);
  for (auto& [stream, last] : c->last) stream->capture = nullptr;
  for (auto& [event, owner] : state().events) {
    if (event->capture == c) event->capture = nullptr, event->recorded = false;
  }
  state().captures.erase(c);
  if (c->invalid) return call.wrong(kCaptureInvalidated, "the capture was ended by an error before");
  if (!whole) return call.wrong(kCaptureUnjoined, "a stream that joined the capture has work that nothing waits for");
  *out = state().graphs.add(std::unique_ptr<CUgraph_st>(new CUgraph_st{s->context, std::move(c->nodes)}));
  return kSuccess;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec_st** out, CUgraph_st* g, unsigned long long flags) {
  CALL("cuGraphInstantiate");
  if (out == nullptr || flags > 15) return call.wrong(kInvalidValue, "a null pointer, or no such flags");
  if (!state().graphs.has(g)) return call.wrong(kInvalidValue, "the graph does not exist");
  *out = state().execs.add(std::unique_ptr<CUgraphExec_st>(new CUgraphExec_st{g->context, g->nodes}));
  return kSuccess;
}

CUresult cuGraphUpload(CUgraphExec_st* g, CUstream_st* s) {
  CALL("cuGraphUpload");
  if (CUresult r = call.check(s)) return r;
  return state().execs.has(g) ? kSuccess : call.wrong(kInvalidValue, "the graph does not exist");
}

CUresult cuGraphLaunch(CUgraphExec_st* g, CUstream_st* s) {
  CALL("cuGraphLaunch");
  if (CUresult r = call.check(s)) return r;
  if (!state().execs.has(g)) return call.wrong(kInvalidValue, "the graph does not exist");
  if (s->capture) return call.wrong(kCaptureUnsupported, "the simulator has no graphs in graphs");
  if (CUresult r = check(call, g->nodes)) return r;
  // Launches of one graph run one after the other.
  s->context->order.wait(s->number, g->clock);
  if (g->stream != s->number && !s->context->process->finished(g->stream, g->number)) {
    if (CUresult r = call.queue(s, {Kind::kWait, Writer().put(g->stream).put(g->number), {}, {}, "wait"})) return r;
  }
  for (const uint32_t n : some_order(g->nodes)) {
    if (CUresult r = call.queue(s, g->nodes[n])) return r;
  }
  g->stream = s->number;
  g->number = s->context->process->posted(s->number);
  g->clock = s->context->order.before(s->number);
  return kSuccess;
}

CUresult cuGraphGetNodes(CUgraph_st* g, void** nodes, size_t* count) {
  CALL("cuGraphGetNodes");
  if (!state().graphs.has(g) || count == nullptr) return call.wrong(kInvalidValue, "no graph, or a null pointer");
  if (nodes != nullptr) return call.wrong(kNotSupported, "the simulator's nodes have no handles");
  *count = g->nodes.size();
  return kSuccess;
}

CUresult cuGraphExecDestroy(CUgraphExec_st* g) {
  CALL("cuGraphExecDestroy", Call::kInit);
  if (!state().execs.has(g)) return call.wrong(kInvalidValue, "the graph does not exist");
  state().execs.drop(g);
  return kSuccess;
}

CUresult cuGraphDestroy(CUgraph_st* g) {
  CALL("cuGraphDestroy", Call::kInit);
  if (!state().graphs.has(g)) return call.wrong(kInvalidValue, "the graph does not exist");
  state().graphs.drop(g);
  return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
