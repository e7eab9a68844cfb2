// The collectives as kernels of the CPU. A process that waits in one has released Python's lock.
#include <cstring>

#include "comm/collectives.h"
#include "comm/queue.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::comm {
namespace {

std::string text_of(const Group& g) { return " over " + std::to_string(g.size()) + " ranks"; }

// What all of them have: a group, and what is said of the call to others.
class Collective : public Kernel {
 protected:
  explicit Collective(const Attrs& a) : ranks_(a.ints("ranks")) {
    if (a.has("site")) call_.site = a.str("site");
  }

  // `what` is what all processes must agree on.
  Status describe(std::string what) {
    if (Status s = Group::make(ranks_, group_)) return s;
    call_.what = std::move(what) + text_of(group_);
    std::string agreed = call_.what;
    for (const int64_t r : ranks_) agreed += "," + std::to_string(r);
    call_.tag = tag_of(agreed);
    return {};
  }

  Group group_;
  Call call_;

 private:
  const std::vector<int64_t> ranks_;
};

class Reducing : public Collective {
 protected:
  Reducing(const Attrs& a) : Collective(a), op_name_(a.str("op")) {}

  Status describe(const char* name, const Signature& s) {
    elements_ = {s.inputs[0].dtype, 0};
    std::string shapes;
    for (const TensorSpec& t : s.inputs) {
      if (t.dtype != elements_.dtype) return {Code::kType, "the operands have different dtypes"};
      elements_.count += t.size();
      shapes += (shapes.empty() ? "" : ", ") + to_string(t);
    }
    if (Status bad = reduction_of(op_name_, elements_.dtype, op_)) return bad;
    return Collective::describe(std::string(name) + "(" + op_name_ + ") of " + shapes);
  }

  Reduction op_{};
  Elements elements_{};  // of all operands

 private:
  const std::string op_name_;
};

// Of one tensor, or of several as if they were one after the other in memory.
class AllReduce final : public Reducing {
 public:
  explicit AllReduce(const Attrs& a) : Reducing(a) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (s.inputs.empty() || s.inputs.size() != s.outputs.size()) return {Code::kValue, "there is no operand"};
    for (const TensorSpec& t : s.inputs) bytes_.push_back(t.bytes());
    if (Status bad = describe("all_reduce", s)) return bad;
    p.workspace = all_reduce_workspace(group_, elements_);
    if (bytes_.size() > 1) p.workspace += room();
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    after_begun();
    if (bytes_.size() == 1) return all_reduce(group_, op_, elements_, a.in[0], a.out[0], a.workspace, call_);
    char* all = static_cast<char*>(a.workspace);
    char* next = all;
    for (size_t i = 0; i < bytes_.size(); next += bytes_[i++]) std::memcpy(next, a.in[i], bytes_[i]);
    if (Status s = all_reduce(group_, op_, elements_, all, all, all + room(), call_)) return s;
    next = all;
    for (size_t i = 0; i < bytes_.size(); next += bytes_[i++]) std::memcpy(a.out[i], next, bytes_[i]);
    return {};
  }

 private:
  size_t room() const { return (elements_.bytes() + 63) / 64 * 64; }
  std::vector<size_t> bytes_;
};

class Reduce final : public Reducing {
 public:
  explicit Reduce(const Attrs& a) : Reducing(a), root_(static_cast<int>(a.i64("root"))) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (Status bad = describe(("reduce to " + std::to_string(root_) + " ").c_str(), s)) return bad;
    if (root_ < 0 || root_ >= group_.size()) return {Code::kValue, "the group has no such process"};
    p.workspace = all_reduce_workspace(group_, elements_);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    after_begun();
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
    p.workspace = s.inputs[0].bytes();
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    after_begun();
    return reduce_scatter(group_, op_, elements_, a.in[0], a.out[0], a.workspace, call_);
  }
};

class AllGather final : public Collective {
 public:
  explicit AllGather(const Attrs& a) : Collective(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    bytes_ = s.inputs[0].bytes();
    if (Status bad = describe("all_gather of " + to_string(s.inputs[0]))) return bad;
    if (s.outputs[0].bytes() != bytes_ * group_.ranks.size()) return {Code::kValue, "the result has another size"};
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    after_begun();
    return all_gather(group_, bytes_, a.in[0], a.out[0], call_);
  }

 private:
  size_t bytes_ = 0;
};

class Broadcast final : public Collective {
 public:
  explicit Broadcast(const Attrs& a) : Collective(a), root_(static_cast<int>(a.i64("root"))) {}

  Status prepare(const Signature& s, Prepared&) override {
    bytes_ = s.inputs[0].bytes();
    if (Status bad = describe("broadcast from " + std::to_string(root_) + " of " + to_string(s.inputs[0]))) return bad;
    if (root_ < 0 || root_ >= group_.size()) return {Code::kValue, "the group has no such process"};
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    after_begun();
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
    after_begun();
    if (a.in[0] != a.out[0]) std::memcpy(a.out[0], a.in[0], bytes_);
    return barrier(group_, call_);
  }

 private:
  size_t bytes_ = 0;
};

// Each operand goes to a process, each result comes from one. Where all of a group do so it is a collective, in the
// order of the others; without a group, messages pass those by. One that only begins to send goes on while the program
// does; if it receives too, it waits first for all that were begun.
class Exchange final : public Kernel {
 public:
  explicit Exchange(const Attrs& a)
      : to_(a.ints("to")), source_(a.ints("source")), collective_(!a.ints("ranks").empty()) {
    if (a.has("site")) call_.site = a.str("site");
    call_.tag = tag_of("exchange " + std::to_string(a.i64("tag")));
    begins_ = a.has("begins") && a.boolean("begins");
  }

  Status prepare(const Signature& s, Prepared&) override {
    if (s.inputs.size() != to_.size() || s.outputs.size() != source_.size()) {
      return {Code::kValue, "there is not one tensor for each rank"};
    }
    std::string what;
    for (size_t i = 0; i < to_.size(); ++i) {
      what += (i == 0 ? "send " : ", ") + to_string(s.inputs[i]) + " to rank " + std::to_string(to_[i]);
      in_bytes_.push_back(s.inputs[i].bytes());
    }
    for (size_t i = 0; i < source_.size(); ++i) {
      what += (i == 0 ? (what.empty() ? "receive " : "; receive ") : ", ") + to_string(s.outputs[i]) + " from rank " +
              std::to_string(source_[i]);
      out_bytes_.push_back(s.outputs[i].bytes());
    }
    call_.what = std::move(what);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (collective_) after_begun();
    const bool waits = begins_ && !source_.empty();
    if (waits) {
      if (Status s = World::instance().settle(call_)) return s;
    }
    std::vector<Outgoing> send;
    std::vector<Incoming> receive;
    for (size_t i = 0; i < to_.size(); ++i) send.push_back({static_cast<int>(to_[i]), a.in[i], in_bytes_[i]});
    for (size_t i = 0; i < source_.size(); ++i) {
      receive.push_back({static_cast<int>(source_[i]), a.out[i], out_bytes_[i]});
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
};

#define MINDS_SUMMED MINDS_REALS, DType::kComplex64, DType::kComplex128
MINDS_KERNEL("cpu", "all_reduce", AllReduce, MINDS_SUMMED);
MINDS_KERNEL("cpu", "all_reduce_bucket", AllReduce, MINDS_SUMMED);
MINDS_KERNEL("cpu", "reduce_to", Reduce, MINDS_SUMMED);
MINDS_KERNEL("cpu", "reduce_scatter", ReduceScatter, MINDS_SUMMED);
MINDS_KERNEL("cpu", "all_gather", AllGather, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "broadcast_from", Broadcast, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "exchange", Exchange, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "barrier", Barrier, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::comm
