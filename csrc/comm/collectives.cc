#include "comm/collectives.h"

#include <algorithm>
#include <cstring>

namespace minds::comm {
namespace {

// Up to so many bytes everybody gets everything: one exchange instead of two.
constexpr size_t kSmall = 16 << 10;

char* at(void* p, size_t bytes) { return static_cast<char*>(p) + bytes; }
const char* at(const void* p, size_t bytes) { return static_cast<const char*>(p) + bytes; }

// Where the part of the `i`-th begins when `e` is split.
int64_t begin_of(const Group& g, Elements e, int i) { return e.count * i / g.size(); }
Elements part_of(const Group& g, Elements e, int i) { return {e.dtype, begin_of(g, e, i + 1) - begin_of(g, e, i)}; }
size_t offset_of(const Group& g, Elements e, int i) {
  return static_cast<size_t>(begin_of(g, e, i)) * item_size(e.dtype);
}

bool is_small(const Group& g, Elements e) { return e.bytes() <= kSmall || e.count < g.size(); }

// Sends the `i`-th part of `in`, at offset(i), to the `i`-th of the group, and reduces what arrives into `out`.
template <class Offset, class Part>
Status scatter_and_reduce(const Group& g, Reduction op, const void* in, Offset offset, Part part, void* out,
                          void* workspace, const Call& call) {
  const Elements own = part(g.here);
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  std::vector<const void*> parts;
  for (int i = 0; i < g.size(); ++i) {
    if (i == g.here) {
      parts.push_back(at(in, offset(i)));
      continue;
    }
    void* to = at(workspace, own.bytes() * static_cast<size_t>(i));
    send.push_back({g.ranks[i], at(in, offset(i)), part(i).bytes()});
    receive.push_back({g.ranks[i], to, own.bytes()});
    parts.push_back(to);
  }
  if (Status s = World::instance().exchange(send, receive, call)) return s;
  reduce_in_order(op, own.dtype, parts.data(), g.size(), out, own.count);
  return {};
}

// Everybody's part of `data` goes to everybody.
Status share(const Group& g, Elements e, void* data, const Call& call) {
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  for (int i = 0; i < g.size(); ++i) {
    if (i == g.here) continue;
    send.push_back({g.ranks[i], at(data, offset_of(g, e, g.here)), part_of(g, e, g.here).bytes()});
    receive.push_back({g.ranks[i], at(data, offset_of(g, e, i)), part_of(g, e, i).bytes()});
  }
  return World::instance().exchange(send, receive, call);
}

}  // namespace

Status begin_next(const Group& g, const Call& call, Call& next) {
  next = call;
  if (g.size() == 1) return {};
  if (Status s = World::instance().find_line(next)) return s;
  next.history = g.history;
  next.number = g.history->next();
  return {};
}

Status Group::make(const std::vector<int64_t>& ranks, Group& out) {
  const World& world = World::instance();
  out.ranks.assign(ranks.begin(), ranks.end());
  const auto found = std::find(out.ranks.begin(), out.ranks.end(), world.rank());
  out.here = static_cast<int>(found - out.ranks.begin());
  for (const int r : out.ranks) {
    if (r >= 0 && r < world.size()) continue;
    return {Code::kValue, "there is no rank " + std::to_string(r) + " in a world of " + std::to_string(world.size()) +
                              (world.is_open() ? "" : ": start the program by python -m minds.launch and call "
                                                      "communication.init() first")};
  }
  if (found == out.ranks.end()) {
    return {Code::kValue, "rank " + std::to_string(world.rank()) + " is not in the group of this collective"};
  }
  out.history = &History::of(out.ranks);
  return {};
}

size_t all_reduce_workspace(const Group& g, Elements e) {
  if (g.size() == 1) return 0;
  if (is_small(g, e)) return e.bytes() * static_cast<size_t>(g.size());
  return part_of(g, e, g.here).bytes() * static_cast<size_t>(g.size());
}

Status all_reduce(const Group& g, Reduction op, Elements e, const void* in, void* out, void* workspace,
                  const Call& called) {
  if (g.size() == 1) {
    if (in != out) std::memcpy(out, in, e.bytes());
    return {};
  }
  Call call;
  if (Status s = begin_next(g, called, call)) return s;
  if (is_small(g, e)) {
    const auto all = [&](int) { return e; };
    return scatter_and_reduce(g, op, in, [](int) { return size_t{0}; }, all, out, workspace, call);
  }
  const auto offset = [&](int i) { return offset_of(g, e, i); };
  const auto part = [&](int i) { return part_of(g, e, i); };
  if (Status s = scatter_and_reduce(g, op, in, offset, part, at(out, offset(g.here)), workspace, call)) return s;
  return share(g, e, out, call);
}

Status reduce(const Group& g, Reduction op, Elements e, int root, const void* in, void* out, void* workspace,
              const Call& called) {
  if (g.size() == 1) return all_reduce(g, op, e, in, out, workspace, called);
  Call call;
  if (Status s = begin_next(g, called, call)) return s;
  const auto offset = [&](int i) { return offset_of(g, e, i); };
  const auto part = [&](int i) { return part_of(g, e, i); };
  if (Status s = scatter_and_reduce(g, op, in, offset, part, at(out, offset(g.here)), workspace, call)) return s;
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  if (g.here != root) send.push_back({g.ranks[root], at(out, offset(g.here)), part(g.here).bytes()});
  for (int i = 0; g.here == root && i < g.size(); ++i) {
    if (i != root) receive.push_back({g.ranks[i], at(out, offset(i)), part(i).bytes()});
  }
  if (Status s = World::instance().exchange(send, receive, call)) return s;
  if (g.here != root) std::memset(out, 0, e.bytes());
  return {};
}

Status reduce_scatter(const Group& g, Reduction op, Elements e, const void* in, void* out, void* workspace,
                      const Call& called) {
  Call call;
  if (Status s = begin_next(g, called, call)) return s;
  const auto offset = [&](int i) { return e.bytes() * static_cast<size_t>(i); };
  return scatter_and_reduce(g, op, in, offset, [&](int) { return e; }, out, workspace, call);
}

Status all_gather(const Group& g, size_t bytes, const void* in, void* out, const Call& called) {
  Call call;
  if (Status s = begin_next(g, called, call)) return s;
  if (bytes != 0) std::memmove(at(out, bytes * static_cast<size_t>(g.here)), in, bytes);
  const auto n = static_cast<int64_t>(bytes) * g.size();
  return share(g, {DType::kUInt8, n}, out, call);
}

// A binomial tree: who has it passes it on, to one that is half as far away each time.
Status broadcast(const Group& g, size_t bytes, int root, void* data, const Call& called) {
  Call call;
  if (Status s = begin_next(g, called, call)) return s;
  const int n = g.size(), mine = (g.here - root + n) % n;
  const auto rank = [&](int i) { return g.ranks[static_cast<size_t>((i + root) % n)]; };
  int step = 1;
  while (step < n && (mine & step) == 0) step *= 2;
  if (mine != 0) {
    const Incoming from{rank(mine - step), data, bytes};
    if (Status s = World::instance().exchange({}, {&from, 1}, call)) return s;
  }
  std::vector<Outgoing> send;
  for (step /= 2; step > 0; step /= 2) {
    if (mine + step < n) send.push_back({rank(mine + step), data, bytes});
  }
  return World::instance().exchange(send, {}, call);
}

Status barrier(const Group& g, const Call& called) {
  Call call;
  if (Status s = begin_next(g, called, call)) return s;
  const int n = g.size();
  for (int step = 1; step < n; step *= 2) {
    char token = 0, got = 0;
    const Outgoing to{g.ranks[static_cast<size_t>((g.here + step) % n)], &token, 1};
    const Incoming from{g.ranks[static_cast<size_t>((g.here - step + n) % n)], &got, 1};
    if (Status s = World::instance().exchange({&to, 1}, {&from, 1}, call)) return s;
  }
  return {};
}

}  // namespace minds::comm
