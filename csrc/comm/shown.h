// Collectives of processes that share memory: each shows the others its operand, and reads theirs where they are.
#pragma once
#include <vector>

#include "comm/collectives.h"

namespace minds::comm {

class Shown {
 public:
  // Whether operands of so many bytes go this way; the same for all ranks of a group.
  static bool can(const Group& g, size_t bytes);

  Shown(const Group& g, Elements e);
  ~Shown();
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  bool has_room() const { return place_ >= 0; }
  char* data() const;  // where the operand is written before the following, of which one is called

  // After this `read` gives the sum of all.
  Status all_reduce(Reduction op, const Call& called);
  // After this `read` gives this process's part of the sum.
  Status reduce_scatter(Reduction op, const Call& called);
  // After this `of` gives what each has shown.
  Status all_gather(const Call& called);

  void read(size_t offset, size_t bytes, void* to) const;
  const char* of(int i) const;

 private:
  int64_t begin(int i) const { return e_.count * i / g_.size(); }  // of the part of the i-th
  size_t bytes(int64_t elements) const { return static_cast<size_t>(elements) * item_size(e_.dtype); }
  size_t part(int i) const { return bytes(begin(i + 1) - begin(i)); }
  template <class Sent, class Received>
  Status meet(const Call& call, Sent sent, Received received);
  void reduce(Reduction op);

  const Group g_;
  const Elements e_;
  const int64_t place_;
  std::vector<int64_t> places_;  // of all, once they are known
  bool has_parts_ = false;       // whether each has a part of the result
};

}  // namespace minds::comm
