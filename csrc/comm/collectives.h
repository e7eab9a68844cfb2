// Collectives over a group of the world's processes. Each is an exchange of messages or a few; reductions are done here,
// in the order of the group's ranks. All processes of the group take part, in the same order.
#pragma once
#include <vector>

#include "comm/reduce.h"
#include "comm/world.h"

namespace minds::comm {

struct Group {
  std::vector<int> ranks;  // of the world
  int here = 0;            // which of them this process is
  History* history = nullptr;

  int size() const { return static_cast<int>(ranks.size()); }
  // Of a world that is open, or of one process.
  static Status make(const std::vector<int64_t>& ranks, Group& out);
};

// The next collective of a group, as its ranks tell one another.
Status begin_next(const Group& g, const Call& call, Call& next);

struct Elements {
  DType dtype;
  int64_t count;
  size_t bytes() const { return static_cast<size_t>(count) * item_size(dtype); }
};

// `out` may be `in`. The workspace has `all_reduce_workspace` bytes.
size_t all_reduce_workspace(const Group& g, Elements e);
Status all_reduce(const Group& g, Reduction op, Elements e, const void* in, void* out, void* workspace, const Call& call);
// Of the whole to the `root`-th of the group; the others get zeros.
Status reduce(const Group& g, Reduction op, Elements e, int root, const void* in, void* out, void* workspace,
              const Call& call);
// `e` is what one process gets; `in` has that of all; so has the workspace.
Status reduce_scatter(const Group& g, Reduction op, Elements e, const void* in, void* out, void* workspace,
                      const Call& call);
// `out` gets `bytes` of each.
Status all_gather(const Group& g, size_t bytes, const void* in, void* out, const Call& call);
// From the `root`-th of the group, in place.
Status broadcast(const Group& g, size_t bytes, int root, void* data, const Call& call);
Status barrier(const Group& g, const Call& call);

}  // namespace minds::comm
