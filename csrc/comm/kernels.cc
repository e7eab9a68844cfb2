// The collectives as kernels of the CPU. A process that waits in one has released Python's lock.
#include <cstring>
#include <memory>
#include <mutex>

#include "comm/collective_kernel.h"
#include "comm/queue.h"
#include "comm/shown.h"
#include "kernel/begun.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::comm {
namespace {

Status no_room() { return {Code::kMemory, "there is no memory that the processes share"}; }

// Tensors one after the other in memory.
void pack(const std::vector<size_t>& bytes, const void* const* from, char* to) {
  for (size_t i = 0; i < bytes.size(); to += bytes[i++]) std::memcpy(to, from[i], bytes[i]);
}
void unpack(const std::vector<size_t>& bytes, const char* from, void* const* to) {
  for (size_t i = 0; i < bytes.size(); from += bytes[i++]) std::memcpy(to[i], from, bytes[i]);
}
void unpack(const std::vector<size_t>& bytes, const Shown& from, void* const* to) {
  size_t offset = 0;
  for (size_t i = 0; i < bytes.size(); offset += bytes[i++]) from.read(offset, bytes[i], to[i]);
}

// Of one tensor, or of several as if they were one after the other in memory.
class AllReduce final : public Reducing {
 public:
  explicit AllReduce(const Attrs& a) : Reducing(a) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (s.inputs.empty() || s.inputs.size() != s.outputs.size()) return {Code::kValue, "there is no operand"};
    for (const TensorSpec& t : s.inputs) bytes_.push_back(t.bytes());
    if (Status bad = describe("all_reduce", s)) return bad;
    shows_ = Shown::can(group_, elements_.bytes());
    if (shows_) return {};
    p.workspace = all_reduce_workspace(group_, elements_);
    if (bytes_.size() > 1) p.workspace += room();
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (Status s = after_begun()) return s;
    if (shows_) {
      Shown all(group_, elements_);
      if (!all.has_room()) return no_room();
      pack(bytes_, a.in, all.data());
      if (Status s = all.all_reduce(op_, call_)) return s;
      unpack(bytes_, all, a.out);
      return {};
    }
    if (bytes_.size() == 1) return all_reduce(group_, op_, elements_, a.in[0], a.out[0], a.workspace, call_);
    char* all = static_cast<char*>(a.workspace);
    pack(bytes_, a.in, all);
    if (Status s = all_reduce(group_, op_, elements_, all, all, all + room(), call_)) return s;
    unpack(bytes_, all, a.out);
    return {};
  }

 private:
  size_t room() const { return (elements_.bytes() + 63) / 64 * 64; }
  bool shows_ = false;
  std::vector<size_t> bytes_;
};

// Buffers of one size that are used again, as new memory is slow to touch for the first time.
class Room {
 public:
  explicit Room(size_t bytes) : bytes_(bytes) {}
  std::unique_ptr<char[]> take() {
    {
      const std::lock_guard guard(lock_);
      if (!spare_.empty()) {
        auto found = std::move(spare_.back());
        spare_.pop_back();
        return found;
      }
    }
    return std::make_unique_for_overwrite<char[]>(bytes_);
  }
  void give(std::unique_ptr<char[]> buffer) {
    const std::lock_guard guard(lock_);
    spare_.push_back(std::move(buffer));
  }

 private:
  const size_t bytes_;
  std::mutex lock_;
  std::vector<std::unique_ptr<char[]>> spare_;
};

// A reduction that runs beside the program. `Begin` takes copies of the operands and gives a number, by which `End` finds
// the results. The thread of communication keeps it as long as it runs.
struct Parcel final : public Begun {
  Parcel(Call c, std::shared_ptr<Room> r, size_t all)
      : call(std::move(c)), bytes(all), room(std::move(r)), data(room->take()) {}
  Parcel(Call c, const Group& g, Elements e)
      : call(std::move(c)), bytes(e.bytes()), shown(std::make_unique<Shown>(g, e)) {}
  ~Parcel() override {
    if (room != nullptr) room->give(std::move(data));
  }
  std::string text() const override { return call.site.empty() ? call.what : call.what + ", at " + call.site + ","; }

  const Call call;
  const size_t bytes;  // of the operands
  const std::shared_ptr<Room> room;
  std::unique_ptr<char[]> data;  // the operands, and what the sum needs
  const std::unique_ptr<Shown> shown;  // or these, where the others read them
  std::shared_ptr<Job> job;
};

class Begin final : public Reducing {
 public:
  explicit Begin(const Attrs& a) : Reducing(a), scatters_(a.boolean("scatters")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (s.inputs.empty()) return {Code::kValue, "there is no operand"};
    if (s.outputs.size() != 1 || s.outputs[0].dtype != DType::kInt64 || s.outputs[0].size() != 1) {
      return {Code::kType, "the result is no number"};
    }
    for (const TensorSpec& t : s.inputs) bytes_.push_back(t.bytes());
    if (Status bad = describe(scatters_ ? "reduce_scatter" : "all_reduce", s)) return bad;
    whole_ = elements_.bytes();
    size_t workspace = whole_;
    if (!scatters_) {
      workspace = all_reduce_workspace(group_, elements_);
    } else if (s.inputs.size() != 1 || elements_.count % group_.size() != 0) {
      return {Code::kValue, "there are no equal parts"};
    } else {
      elements_.count /= group_.size();
    }
    if (Shown::can(group_, whole_)) return {};
    behind_ = (whole_ + 63) / 64 * 64;
    room_ = std::make_shared<Room>(behind_ + workspace);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    BegunByRun* const run = BegunByRun::current();
    if (run == nullptr) return {Code::kValue, "what runs beside a program is begun in a program, not in PyNative mode"};
    Call call = call_;
    if (Status s = World::instance().find_line(call)) return s;
    if (room_ == nullptr) return show(std::move(call), a, *run);
    auto p = std::make_shared<Parcel>(std::move(call), room_, whole_);
    pack(bytes_, a.in, p->data.get());
    p->job = begin([p, g = group_, op = op_, e = elements_, behind = behind_, scatters = scatters_] {
      char* const all = p->data.get();
      if (!scatters) return all_reduce(g, op, e, all, all, all + behind, p->call);
      return reduce_scatter(g, op, e, all, all, all + behind, p->call);
    });
    *static_cast<int64_t*>(a.out[0]) = run->put(p);
    return {};
  }

 private:
  Status show(Call call, const Args& a, BegunByRun& run) const {
    const Elements all{elements_.dtype, elements_.count * (scatters_ ? group_.size() : 1)};
    auto p = std::make_shared<Parcel>(std::move(call), group_, all);
    if (!p->shown->has_room()) return no_room();
    pack(bytes_, a.in, p->shown->data());
    p->job = begin([p, op = op_, scatters = scatters_] {
      return scatters ? p->shown->reduce_scatter(op, p->call) : p->shown->all_reduce(op, p->call);
    });
    *static_cast<int64_t*>(a.out[0]) = run.put(p);
    return {};
  }

  const bool scatters_;
  std::vector<size_t> bytes_;
  size_t whole_ = 0, behind_ = 0;  // of the operands; where what the sum needs is
  std::shared_ptr<Room> room_;
};

class End final : public Kernel, public Unrepeated {
 public:
  explicit End(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (s.inputs.size() != 1 || s.inputs[0].dtype != DType::kInt64 || s.inputs[0].size() != 1) {
      return {Code::kType, "the operand is no number"};
    }
    for (const TensorSpec& t : s.outputs) {
      bytes_.push_back(t.bytes());
      total_ += t.bytes();
    }
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    BegunByRun* const run = BegunByRun::current();
    const std::shared_ptr<Begun> found = run == nullptr ? nullptr : run->take(*static_cast<const int64_t*>(a.in[0]));
    const auto p = std::dynamic_pointer_cast<Parcel>(found);
    if (p == nullptr || p->bytes < total_) return {Code::kValue, "nothing of this number was begun"};
    if (Status s = finish(*p->job)) {
      // What failed beside the program is told by the thread that asks, with the error of Python that it was.
      Status again = World::instance().exchange({}, {}, {"a reduction", "", 0});
      if (again) return again;
      return s;
    }
    if (p->shown != nullptr) {
      unpack(bytes_, *p->shown, a.out);
    } else {
      unpack(bytes_, p->data.get(), a.out);
    }
    return {};
  }

 private:
  std::vector<size_t> bytes_;
  size_t total_ = 0;
};

class Reduce final : public Reducing {
 public:
  explicit Reduce(const Attrs& a) : Reducing(a), root_(static_cast<int>(a.i64("root"))) { has_parts(); }

  Status prepare(const Signature& s, Prepared& p) override {
    if (Status bad = describe(("reduce to " + std::to_string(root_) + " ").c_str(), s)) return bad;
    if (root_ < 0 || root_ >= group_.size()) return {Code::kValue, "the group has no such process"};
    p.workspace = all_reduce_workspace(group_, elements_);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (Status s = after_begun()) return s;
    return reduce(group_, op_, elements_, root_, a.in[0], a.out[0], a.workspace, call_);
  }

 private:
  const int root_;
};

class ReduceScatter final : public Reducing {
 public:
  explicit ReduceScatter(const Attrs& a) : Reducing(a) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (Status bad = describe("reduce_scatter", s)) return bad;
    if (s.outputs[0].bytes() * group_.ranks.size() != s.inputs[0].bytes()) {
      return {Code::kValue, "the result has another size than a part of the operand"};
    }
    elements_.count = s.outputs[0].size();
    whole_ = {elements_.dtype, s.inputs[0].size()};
    shows_ = Shown::can(group_, whole_.bytes());
    if (!shows_) p.workspace = whole_.bytes();
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (Status s = after_begun()) return s;
    if (shows_) {
      Shown all(group_, whole_);
      if (!all.has_room()) return no_room();
      std::memcpy(all.data(), a.in[0], whole_.bytes());
      if (Status s = all.reduce_scatter(op_, call_)) return s;
      all.read(0, elements_.bytes(), a.out[0]);
      return {};
    }
    return reduce_scatter(group_, op_, elements_, a.in[0], a.out[0], a.workspace, call_);
  }

 private:
  Elements whole_{};
  bool shows_ = false;
};

class AllGather final : public Collective {
 public:
  explicit AllGather(const Attrs& a) : Collective(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    bytes_ = s.inputs[0].bytes();
    if (Status bad = describe("all_gather of " + to_string(s.inputs[0]))) return bad;
    if (s.outputs[0].bytes() != bytes_ * group_.ranks.size()) return {Code::kValue, "the result has another size"};
    shows_ = Shown::can(group_, bytes_);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (Status s = after_begun()) return s;
    if (!shows_) return all_gather(group_, bytes_, a.in[0], a.out[0], call_);
    Shown own(group_, {DType::kUInt8, static_cast<int64_t>(bytes_)});
    if (!own.has_room()) return no_room();
    std::memcpy(own.data(), a.in[0], bytes_);
    if (Status s = own.all_gather(call_)) return s;
    for (int i = 0; i < group_.size(); ++i) {
      std::memcpy(static_cast<char*>(a.out[0]) + bytes_ * static_cast<size_t>(i), own.of(i), bytes_);
    }
    return {};
  }

 private:
  bool shows_ = false;
  size_t bytes_ = 0;
};

class Broadcast final : public Collective {
 public:
  explicit Broadcast(const Attrs& a) : Collective(a), root_(static_cast<int>(a.i64("root"))) { has_parts(); }

  Status prepare(const Signature& s, Prepared&) override {
    bytes_ = s.inputs[0].bytes();
    if (Status bad = describe("broadcast from " + std::to_string(root_) + " of " + to_string(s.inputs[0]))) return bad;
    if (root_ < 0 || root_ >= group_.size()) return {Code::kValue, "the group has no such process"};
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (Status s = after_begun()) return s;
    if (a.in[0] != a.out[0] && bytes_ != 0) std::memcpy(a.out[0], a.in[0], bytes_);
    return broadcast(group_, bytes_, root_, a.out[0], call_);
  }

 private:
  const int root_;
  size_t bytes_ = 0;
};

// Gives its operand, which is there so that it has a place in the program.
class Barrier final : public Collective {
 public:
  explicit Barrier(const Attrs& a) : Collective(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    bytes_ = s.inputs[0].bytes();
    return describe("barrier");
  }

  Status run(const Args& a, Stream&) const override {
    if (Status s = after_begun()) return s;
    if (a.in[0] != a.out[0]) std::memcpy(a.out[0], a.in[0], bytes_);
    return barrier(group_, call_);
  }

 private:
  size_t bytes_ = 0;
};

// Each operand goes to a process, each result comes from one. Where all of a group do so it is a collective, in the
// order of the others; without a group, and alone, messages pass those by. One that only begins to send goes on while the program
// does; if it receives too, it waits first for all that were begun.
class Exchange final : public Kernel, public Unrepeated {
 public:
  explicit Exchange(const Attrs& a)
      : to_(a.ints("to")), source_(a.ints("source")), collective_(!a.ints("ranks").empty() && to_.size() + source_.size() != 1) {
    if (a.has("site")) call_.site = a.str("site");
    call_.tag = tag_of("exchange " + std::to_string(a.i64("tag")));
    call_.told = true;
    begins_ = a.has("begins") && a.boolean("begins");
  }

  Status prepare(const Signature& s, Prepared&) override {
    if (s.inputs.size() != to_.size() || s.outputs.size() != source_.size()) {
      return {Code::kValue, "there is not one tensor for each rank"};
    }
    std::string what;
    for (size_t i = 0; i < to_.size(); ++i) {
      sent_.push_back(to_string(s.inputs[i]));
      what += (i == 0 ? "send " : ", ") + sent_.back() + " to rank " + std::to_string(to_[i]);
      in_bytes_.push_back(s.inputs[i].bytes());
    }
    for (size_t i = 0; i < source_.size(); ++i) {
      received_.push_back(to_string(s.outputs[i]));
      what += (i == 0 ? (what.empty() ? "receive " : "; receive ") : ", ") + received_.back() + " from rank " +
              std::to_string(source_[i]);
      out_bytes_.push_back(s.outputs[i].bytes());
    }
    call_.what = std::move(what);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (collective_) {
      if (Status s = after_begun()) return s;
    }
    const bool waits = begins_ && !source_.empty();
    if (waits) {
      if (Status s = World::instance().settle(call_)) return s;
    }
    std::vector<Outgoing> send;
    std::vector<Incoming> receive;
    for (size_t i = 0; i < to_.size(); ++i) send.push_back({static_cast<int>(to_[i]), a.in[i], in_bytes_[i], sent_[i]});
    for (size_t i = 0; i < source_.size(); ++i) {
      receive.push_back({static_cast<int>(source_[i]), a.out[i], out_bytes_[i], received_[i]});
    }
    if (begins_ && !waits) return World::instance().begin_send(send, call_);
    return World::instance().exchange(send, receive, call_);
  }

 private:
  const std::vector<int64_t> to_, source_;
  const bool collective_;
  bool begins_ = false;
  Call call_;
  std::vector<size_t> in_bytes_, out_bytes_;
  std::vector<std::string> sent_, received_;  // what they are
};

#define MINDS_SUMMED MINDS_REALS, DType::kComplex64, DType::kComplex128
MINDS_KERNEL("cpu", "all_reduce", AllReduce, MINDS_SUMMED);
MINDS_KERNEL("cpu", "all_reduce_bucket", AllReduce, MINDS_SUMMED);
MINDS_KERNEL("cpu", "reduction_begin", Begin, MINDS_SUMMED);
MINDS_KERNEL("cpu", "reduction_end", End, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "reduce_to", Reduce, MINDS_SUMMED);
MINDS_KERNEL("cpu", "reduce_scatter", ReduceScatter, MINDS_SUMMED);
MINDS_KERNEL("cpu", "all_gather", AllGather, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "broadcast_from", Broadcast, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "exchange", Exchange, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "barrier", Barrier, MINDS_ALL_DTYPES);

}  // namespace

std::unique_ptr<Kernel> make_exchange(const Attrs& a) { return std::make_unique<Exchange>(a); }

}  // namespace minds::comm
