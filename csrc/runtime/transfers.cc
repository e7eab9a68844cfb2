// What a run does for a device that has memory of its own: copies to and from the host, events between lanes, and
// faults, which arrive later.
#include <algorithm>
#include <cstring>

#include "kernel/unrepeated.h"
#include "runtime/executor.h"

namespace minds::runtime {
namespace {

// The host is never further ahead of the device than so many runs of a program.
constexpr size_t kMostPending = 8;

// Programs with runs that may still tell of a fault.
struct Unsettled {
  std::mutex lock;
  std::vector<Program*> programs;
  std::vector<std::pair<Device*, Status>> orphans;  // faults of programs that are gone
};

Unsettled& unsettled() {
  static Unsettled& all = *new Unsettled;
  return all;
}

}  // namespace

// ---- arrays from elsewhere

// An array from the host, or for it.
Status Run::place(const Array& a, Device& home, Array& out) {
  if (&a.device() == p_.host || &home == p_.host) return copy_array(a, home, out);
  return {Code::kValue, to_string(a.spec) + " is on " + a.device().label() + ", the program runs on " + home.label()};
}

// ---- instructions

Status Run::event(const Instr& i) {
  if (c_->events.size() < p_.events) c_->events.resize(p_.events);
  std::unique_ptr<Event>& e = c_->events[i.a];
  if (!e) e = p_.device->event(false);
  Stream& q = p_.device->stream(i.lane);
  return i.op == Opcode::kSignal ? q.record(*e) : q.wait(*e);
}

// The host goes on when what was saved before the event is there.
Status Run::arrive(const Instr& i) {
  const bool signalled = i.a < c_->events.size() && c_->events[i.a];
  return signalled ? c_->events[i.a]->synchronize() : Status{};
}

Status Run::transfer(const Instr& i) {
  const Operand& in = p_.operands[i.in.begin];
  const Operand& out = p_.operands[i.out.begin];
  const bool upload = i.op == Opcode::kUpload;
  if (p_.types[i.a].kind == Kind::kSized) return transfer_sized(i);
  Stream& q = p_.device->stream(i.lane);
  BufferRef made;
  if (out.place == Place::kPool) {
    if (Status s = reserve(i.bytes, upload ? *p_.device : *p_.host, made)) return s;
  }
  void* to = made ? made->data() : const_cast<void*>(address(out));
  if (out.place == Place::kWord) words_[out.index].bits = 0;
  if (i.bytes != 0) {
    const CopyKind kind = upload ? CopyKind::kToDevice : CopyKind::kToHost;
    if (Status s = p_.device->copy(to, address(in), i.bytes, kind, q)) return s;
  }
  if (i.op == Opcode::kDownload) {
    if (Status s = await(q)) return s;
  }
  if (in.place == Place::kMove) release(objects_[in.index]);
  if (made) put(out.index, Slot::adopt(made.detach()));
  return {};
}

// What carries its shape.
Status Run::transfer_sized(const Instr& i) {
  const Operand& in = p_.operands[i.in.begin];
  const bool upload = i.op == Opcode::kUpload;
  Array there;
  const Array& from = objects_[in.index].sized()->array;
  if (Status s = copy_array(from, upload ? *p_.device : *p_.host, there)) return s;
  if (!upload) {
    if (Status s = await(stream_)) return s;
  }
  if (in.place == Place::kMove) release(objects_[in.index]);
  put(p_.operands[i.out.begin].index, Slot::adopt(new Sized{std::move(there)}));
  return {};
}

// A kernel on the side where its operands are.
Status Run::launch(const PreparedKernel& k) {
  const BufferRef& workspace = k.on_host ? c_->host_workspace : c_->workspace;
  Args a{c_->in.data(), c_->out.data(), workspace ? workspace->data() : nullptr};
  if (k.on_host) return k.kernel->run(a, p_.host->stream());
  a.fault = static_cast<FaultWord*>(fault_->data());
  a.instruction = static_cast<uint32_t>(number());
  if (batch_ != nullptr && dynamic_cast<const Unrepeated*>(k.kernel.get()) != nullptr) {
    if (Status s = flush()) return s;
    return k.kernel->run(a, stream_);
  }
  if (batch_ == nullptr) return k.kernel->run(a, stream_);
  if (batch_->full()) {
    if (Status s = flush()) return s;
  }
  batch_->add(p_, k, a);
  return {};
}

void Run::drop_later(Slot& s) {
  Buffer* const b = s.buffer();
  if (batch_->empty() || s.owner == 0 || (b != nullptr && b->use_count() > 1)) return release(s);
  batch_->keep(s);
  s = Slot{};
}

Status Run::flush_batch() { return batch_->empty() ? Status{} : batch_->flush(stream_, instruction_); }

Status Run::set_zero(void* to, size_t bytes) {
  if (bytes == 0) return {};
  if (!p_.away) {
    std::memset(to, 0, bytes);
    return {};
  }
  const uint8_t zero = 0;
  return p_.device->fill(to, &zero, 1, bytes, stream_);
}

// ---- faults

namespace {

// What a device's word says, and of which instruction. It comes from another processor: it is not trusted to be one.
Status told(const Program& p, const FaultWord& word, int64_t& instruction) {
  if (instruction_of(word) < p.instructions) instruction = instruction_of(word);
  return describe(word);
}

}  // namespace

// A word of device memory for the faults of this run, and those of earlier ones that are known by now.
Status Run::expect_no_fault() {
  if (Status s = settle(p_, instruction_)) return s;
  if (!c_->fault) {  // the same in each run, so that what was recorded finds it
    if (Status s = allocate(sizeof(FaultWord), c_->fault)) return s;
  }
  fault_ = c_->fault;
  return set_zero(fault_->data(), sizeof(FaultWord));
}

// The host goes on when `q` has come so far; what failed before is known then.
Status Run::await(Stream& q) {
  FaultWord word{};
  if (Status s = p_.device->copy(&word, fault_->data(), sizeof word, CopyKind::kToHost, q)) return s;
  if (Status s = q.synchronize()) return s;
  if (word.what == 0) return {};
  // A later kernel may be writing it at this moment.
  if (Status s = p_.device->synchronize()) return s;
  if (Status s = read_array({{DType::kUInt8, {sizeof word}}, fault_}, &word)) return s;
  return told(p_, word, instruction_);
}

// The run is queued: its word follows it to the host, who looks at it at the next occasion.
Status Run::leave_fault() {
  PendingFault f{std::make_unique<FaultWord>(), fault_, p_.device->event(false)};
  if (Status s = p_.device->copy(f.word.get(), f.there->data(), sizeof(FaultWord), CopyKind::kToHost, stream_)) return s;
  if (Status s = stream_.record(*f.read)) return s;
  {
    const std::lock_guard guard(p_.idle_lock);
    p_.pending.push_back(std::move(f));
  }
  Unsettled& all = unsettled();
  const std::lock_guard guard(all.lock);
  if (std::find(all.programs.begin(), all.programs.end(), &p_) == all.programs.end()) all.programs.push_back(&p_);
  return {};
}

Status settle(Program& p, int64_t& instruction) {
  const std::lock_guard guard(p.idle_lock);
  while (!p.pending.empty()) {
    PendingFault& first = p.pending.front();
    if (!first.read->done() && p.pending.size() <= kMostPending) return {};
    if (Status s = first.read->synchronize()) return s;
    const FaultWord word = *first.word;
    p.pending.pop_front();
    if (word.what == 0) continue;
    return told(p, word, instruction);
  }
  return {};
}

Program* settle_all(Device& device, Status& failed, int64_t& instruction) {
  Unsettled& all = unsettled();
  const std::lock_guard guard(all.lock);
  for (auto orphan = all.orphans.begin(); orphan != all.orphans.end(); ++orphan) {
    if (orphan->first != &device) continue;
    failed = std::move(orphan->second);
    all.orphans.erase(orphan);
    return nullptr;
  }
  for (size_t k = 0; k < all.programs.size();) {
    Program& p = *all.programs[k];
    if (p.device == &device) {
      failed = settle(p, instruction);
      if (failed) return &p;
    }
    const std::lock_guard pending(p.idle_lock);
    if (p.pending.empty()) {
      all.programs.erase(all.programs.begin() + static_cast<std::ptrdiff_t>(k));
    } else {
      ++k;
    }
  }
  return nullptr;
}

void forget(Program& p) noexcept {
  Unsettled& all = unsettled();
  {
    const std::lock_guard guard(all.lock);
    std::erase(all.programs, &p);
  }
  for (PendingFault& f : p.pending) {
    if (Status s = f.read->synchronize()) continue;  // the device is lost: nothing will be copied
    if (f.word->what == 0) continue;
    const std::lock_guard guard(all.lock);
    all.orphans.emplace_back(p.device, describe(*f.word));
    break;
  }
}

}  // namespace minds::runtime
