// The collectives as kernels of devices that communicate by themselves.
#include <map>
#include <mutex>

#include "comm/collective_kernel.h"
#include "comm/device_group.h"
#include "comm/queue.h"
#include "kernel/plan/check.h"
#include "kernel/plugin.h"
#include "kernel/registry.h"
#include "kernel/unrepeated.h"

namespace minds::comm {
namespace {

Status copy_here(void* to, const void* from, size_t bytes, Stream& q) {
  return bytes == 0 || to == from ? Status{} : q.device().copy(to, from, bytes, CopyKind::kOnDevice, q);
}

// `Base` describes the call; a class says what a group does, and a group of one copies.
template <class Base>
class OnDevice : public Base {
 protected:
  explicit OnDevice(const Attrs& a) : Base(a) { this->by_ = " by their devices"; }

  Status run_group(Stream& q, const DeviceGroup::Work& work) const {
    DeviceGroup* g = nullptr;
    if (Status s = DeviceGroup::of(q.device(), this->group_, this->call_, g)) return s;
    return g->run(q, this->call_, work);
  }
  bool alone() const { return this->group_.size() == 1; }
};

using MovingOnDevice = OnDevice<Collective>;
using ReducingOnDevice = OnDevice<Reducing>;

// Of one tensor or several.
class AllReduce final : public ReducingOnDevice {
 public:
  explicit AllReduce(const Attrs& a) : ReducingOnDevice(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (s.inputs.empty() || s.inputs.size() != s.outputs.size()) return {Code::kValue, "there is no operand"};
    for (const TensorSpec& t : s.inputs) counts_.push_back(t.size());
    return describe("all_reduce", s);
  }

  Status run(const Args& a, Stream& q) const override {
    std::vector<Reduced> parts;
    for (size_t i = 0; i < counts_.size(); ++i) {
      const size_t bytes = static_cast<size_t>(counts_[i]) * item_size(elements_.dtype);
      if (alone()) {
        if (Status s = copy_here(a.out[i], a.in[i], bytes, q)) return s;
      } else if (bytes != 0) {
        parts.push_back({a.in[i], a.out[i], counts_[i]});
      }
    }
    if (parts.empty()) return {};
    return run_group(q, [&](Communicator& c, Stream& lane) { return c.all_reduce(op_, elements_.dtype, parts, lane); });
  }

 private:
  std::vector<int64_t> counts_;
};

class Reduce final : public ReducingOnDevice {
 public:
  explicit Reduce(const Attrs& a) : ReducingOnDevice(a), root_(static_cast<int>(a.i64("root"))) { has_parts(); }

  Status prepare(const Signature& s, Prepared&) override {
    if (Status bad = describe(("reduce to " + std::to_string(root_) + " ").c_str(), s)) return bad;
    return root_ < 0 || root_ >= group_.size() ? Status{Code::kValue, "the group has no such process"} : Status{};
  }

  Status run(const Args& a, Stream& q) const override {
    if (alone()) return copy_here(a.out[0], a.in[0], elements_.bytes(), q);
    if (elements_.count == 0) return {};
    const Reduced part{a.in[0], a.out[0], elements_.count};
    const auto work = [&](Communicator& c, Stream& lane) { return c.reduce(op_, elements_.dtype, part, root_, lane); };
    if (Status s = run_group(q, work)) return s;
    if (group_.here == root_) return {};
    const uint8_t zero = 0;
    return q.device().fill(a.out[0], &zero, 1, elements_.bytes(), q);
  }

 private:
  const int root_;
};

class ReduceScatter final : public ReducingOnDevice {
 public:
  explicit ReduceScatter(const Attrs& a) : ReducingOnDevice(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status bad = describe("reduce_scatter", s)) return bad;
    if (s.outputs[0].bytes() * group_.ranks.size() != s.inputs[0].bytes()) {
      return {Code::kValue, "the result has another size than a part of the operand"};
    }
    elements_.count = s.outputs[0].size();
    return {};
  }

  Status run(const Args& a, Stream& q) const override {
    if (alone()) return copy_here(a.out[0], a.in[0], elements_.bytes(), q);
    if (elements_.count == 0) return {};
    const Reduced part{a.in[0], a.out[0], elements_.count};
    return run_group(q, [&](Communicator& c, Stream& lane) { return c.reduce_scatter(op_, elements_.dtype, part, lane); });
  }
};

class AllGather final : public MovingOnDevice {
 public:
  explicit AllGather(const Attrs& a) : MovingOnDevice(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    bytes_ = s.inputs[0].bytes();
    if (Status bad = describe("all_gather of " + to_string(s.inputs[0]))) return bad;
    if (s.outputs[0].bytes() != bytes_ * group_.ranks.size()) return {Code::kValue, "the result has another size"};
    return {};
  }

  Status run(const Args& a, Stream& q) const override {
    if (alone() || bytes_ == 0) return copy_here(a.out[0], a.in[0], bytes_, q);
    return run_group(q, [&](Communicator& c, Stream& lane) { return c.all_gather(a.in[0], a.out[0], bytes_, lane); });
  }

 private:
  size_t bytes_ = 0;
};

class Broadcast final : public MovingOnDevice {
 public:
  explicit Broadcast(const Attrs& a) : MovingOnDevice(a), root_(static_cast<int>(a.i64("root"))) { has_parts(); }

  Status prepare(const Signature& s, Prepared&) override {
    bytes_ = s.inputs[0].bytes();
    if (Status bad = describe("broadcast from " + std::to_string(root_) + " of " + to_string(s.inputs[0]))) return bad;
    return root_ < 0 || root_ >= group_.size() ? Status{Code::kValue, "the group has no such process"} : Status{};
  }

  Status run(const Args& a, Stream& q) const override {
    if (alone() || bytes_ == 0) return copy_here(a.out[0], a.in[0], bytes_, q);
    return run_group(q, [&](Communicator& c, Stream& lane) {
      return c.broadcast(a.in[0], a.out[0], bytes_, root_, lane);
    });
  }

 private:
  const int root_;
  size_t bytes_ = 0;
};

// Where all of a group take part, be it a group of two, the device does it; messages without a group, which may pass one
// another and collectives by, go through the host.
class Exchange final : public MovingOnDevice {
 public:
  explicit Exchange(const Attrs& a)
      : MovingOnDevice(a), to_(a.ints("to")), source_(a.ints("source")), staged_(a.ints("ranks").empty()),
        tag_(a.i64("tag")), by_host_(make_exchange(a)) {
    has_parts();
  }

  Status prepare(const Signature& s, Prepared& p) override {
    for (const TensorSpec& t : s.inputs) sent_.push_back(t.bytes());
    for (const TensorSpec& t : s.outputs) received_.push_back(t.bytes());
    if (Status bad = by_host_->prepare(s, p)) return bad;  // checks
    if (staged_) return {};
    const DType t = s.inputs.empty() ? s.outputs[0].dtype : s.inputs[0].dtype;
    if (Status bad = describe(what(s, t))) return bad;
    for (const auto* ranks : {&to_, &source_}) {
      for (const int64_t r : *ranks) {
        if (member(r) < 0) return {Code::kValue, "rank " + std::to_string(r) + " is not in the group"};
      }
    }
    return {};
  }

  Status run(const Args& a, Stream& q) const override {
    if (staged_) return run_by_host(a, q);
    std::vector<Passed> send, receive;
    for (size_t i = 0; i < to_.size(); ++i) {
      if (sent_[i] != 0) send.push_back({member(to_[i]), a.in[i], nullptr, sent_[i]});
    }
    for (size_t i = 0; i < source_.size(); ++i) {
      if (received_[i] != 0) receive.push_back({member(source_[i]), nullptr, a.out[i], received_[i]});
    }
    if (alone()) {
      for (size_t i = 0; i < receive.size(); ++i) {
        if (i >= send.size() || send[i].bytes != receive[i].bytes) return {Code::kValue, "what is sent is not what is received"};
        if (Status s = copy_here(receive[i].out, send[i].in, send[i].bytes, q)) return s;
      }
      return {};
    }
    return run_group(q, [&](Communicator& c, Stream& lane) { return c.exchange(send, receive, lane); });
  }

 private:
  // Both sides of a single message say the same of it.
  std::string what(const Signature& s, DType t) const {
    if (to_.size() + source_.size() != 1) return std::string("exchange of ") + name(t);
    const int here = World::instance().rank();
    const bool sends = source_.empty();
    return "message " + std::to_string(tag_) + " of " + to_string(sends ? s.inputs[0] : s.outputs[0]) + " from rank " +
           std::to_string(sends ? here : source_[0]) + " to rank " + std::to_string(sends ? to_[0] : here);
  }

  int member(int64_t rank) const {
    for (int i = 0; i < group_.size(); ++i) {
      if (group_.ranks[static_cast<size_t>(i)] == rank) return i;
    }
    return -1;
  }

  Status run_by_host(const Args& a, Stream& q) const {
    Device& d = q.device();
    std::vector<std::vector<char>> sent(sent_.size()), received(received_.size());
    std::vector<const void*> in;
    std::vector<void*> out;
    for (size_t i = 0; i < sent.size(); ++i) {
      sent[i].resize(sent_[i]);
      in.push_back(sent[i].data());
      if (sent_[i] == 0) continue;
      if (Status s = d.copy(sent[i].data(), a.in[i], sent_[i], CopyKind::kToHost, q)) return s;
    }
    if (!sent.empty()) {
      if (Status s = q.synchronize()) return s;
    }
    for (size_t i = 0; i < received.size(); ++i) out.push_back((received[i].resize(received_[i]), received[i].data()));
    if (Status s = by_host_->run({in.data(), out.data(), nullptr}, q)) return s;
    for (size_t i = 0; i < received.size(); ++i) {
      if (received_[i] == 0) continue;
      if (Status s = d.copy(a.out[i], received[i].data(), received_[i], CopyKind::kToDevice, q)) return s;
    }
    return {};
  }

  const std::vector<int64_t> to_, source_;
  const bool staged_;
  const int64_t tag_;
  const std::unique_ptr<Kernel> by_host_;
  std::vector<size_t> sent_, received_;
};

// What was begun: its results, which the device writes while the program goes on. Found by the address of the number that
// stands for it in the program, which is there until the end.
struct Parcel {
  BufferRef data;
  std::shared_ptr<Event> done;
};

class Parcels {
 public:
  void put(const void* at, Parcel p) {
    const std::lock_guard guard(lock_);
    under_way_[at] = std::move(p);
  }
  Parcel take(const void* at) {
    const std::lock_guard guard(lock_);
    auto found = under_way_.extract(at);
    return found.empty() ? Parcel{} : std::move(found.mapped());
  }

 private:
  std::mutex lock_;
  std::map<const void*, Parcel> under_way_;
};

Parcels& parcels() {
  static auto& all = *new Parcels;
  return all;
}

class Begin final : public ReducingOnDevice {
 public:
  explicit Begin(const Attrs& a) : ReducingOnDevice(a), scatters_(a.boolean("scatters")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (s.inputs.empty()) return {Code::kValue, "there is no operand"};
    if (s.outputs.size() != 1) return {Code::kType, "the result is no number"};
    for (const TensorSpec& t : s.inputs) bytes_.push_back(t.bytes());
    if (Status bad = describe(scatters_ ? "reduce_scatter" : "all_reduce", s)) return bad;
    whole_ = elements_.bytes();
    if (!scatters_) return {};
    if (s.inputs.size() != 1 || elements_.count % group_.size() != 0) return {Code::kValue, "there are no equal parts"};
    elements_.count /= group_.size();
    return {};
  }

  Status run(const Args& a, Stream& q) const override {
    Device& d = q.device();
    const size_t begin = whole_;  // a part of what is reduced is not where the whole is
    Parcel p{d.allocator().allocate(scatters_ ? 2 * whole_ : whole_, q), nullptr};
    if (!p.data) return {Code::kMemory, "no memory for what is reduced"};
    char* const all = static_cast<char*>(p.data->data());
    char* next = scatters_ ? all + begin : all;
    for (size_t i = 0; i < bytes_.size(); next += bytes_[i++]) {
      if (Status s = copy_here(next, a.in[i], bytes_[i], q)) return s;
    }
    const Reduced part{scatters_ ? all + begin : all, all, elements_.count};
    if (alone()) {
      if (Status s = copy_here(part.out, part.in, elements_.bytes(), q)) return s;
    } else if (elements_.count != 0) {
      DeviceGroup* g = nullptr;
      if (Status s = DeviceGroup::of(d, group_, call_, g)) return s;
      const auto work = [&](Communicator& c, Stream& lane) {
        return scatters_ ? c.reduce_scatter(op_, elements_.dtype, part, lane)
                         : c.all_reduce(op_, elements_.dtype, {&part, 1}, lane);
      };
      if (Status s = g->begin(q, call_, work, p.done)) return s;
      d.allocator().used_by(*p.data.get(), d.stream(Lane::kComm));
    }
    parcels().put(a.out[0], std::move(p));
    return {};
  }

 private:
  const bool scatters_;
  std::vector<size_t> bytes_;
  size_t whole_ = 0;
};

class End final : public Kernel, public Unrepeated {
 public:
  explicit End(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (s.inputs.size() != 1) return {Code::kType, "the operand is no number"};
    for (const TensorSpec& t : s.outputs) {
      bytes_.push_back(t.bytes());
      total_ += t.bytes();
    }
    return {};
  }

  Status run(const Args& a, Stream& q) const override {
    const Parcel p = parcels().take(a.in[0]);
    if (!p.data || p.data->bytes() < total_) return {Code::kValue, "this was not begun, or ended before"};
    if (p.done != nullptr) {
      if (Status s = q.wait(*p.done)) return s;
    }
    const char* next = static_cast<const char*>(p.data->data());
    for (size_t i = 0; i < bytes_.size(); next += bytes_[i++]) {
      if (Status s = copy_here(a.out[i], next, bytes_[i], q)) return s;
    }
    return {};
  }

 private:
  std::vector<size_t> bytes_;
  size_t total_ = 0;
};

template <class K>
std::unique_ptr<Kernel> make(std::string_view, const Attrs& a) {
  return std::make_unique<K>(a);
}

void add(std::string_view device, const Communication& c) {
  const std::vector<DType> reduces = c.reduces();
  if (reduces.empty()) return;
  DeviceGroup::offer(device, c);
  Registry& r = Registry::instance();
  const std::vector<DType> all{MINDS_ALL_DTYPES};
  r.add(device, "all_reduce", reduces, make<AllReduce>);
  r.add(device, "all_reduce_bucket", reduces, make<AllReduce>);
  r.add(device, "reduce_to", reduces, make<Reduce>);
  r.add(device, "reduce_scatter", reduces, make<ReduceScatter>);
  r.add(device, "reduction_begin", reduces, make<Begin>);
  r.add(device, "reduction_end", {DType::kInt64}, make<End>);
  r.add(device, "all_gather", all, make<AllGather>);
  r.add(device, "broadcast_from", all, make<Broadcast>);
  r.add(device, "exchange", all, make<Exchange>);
}

[[maybe_unused]] const bool told = (on_communicating(&add), true);

}  // namespace
}  // namespace minds::comm
