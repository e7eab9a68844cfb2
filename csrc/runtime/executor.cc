// A run from its start to its results: memory, frames, and the loop over instructions.
#include "runtime/executor.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "kernel/begun.h"
#include "runtime/kept.h"
#include "runtime/machine/machine.h"
#include "runtime/scalar_cases.h"

namespace minds::runtime {

Program::Program() : number([] {
  static std::atomic<uint64_t> programs{0};
  return ++programs;
}()) {}
Program::~Program() {
  keeps_nothing(*this);
  if (away) forget(*this);
}

Hooks default_limits(Device& device) {
  size_t memory = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    size_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) memory = std::min(memory, limit);
  }
  Hooks h;
  h.memory_limit = memory / 8 * 7;
  if (!device.traits().host_memory) {
    h.memory_limit = device.memory().total;
    memory = std::min(memory, h.memory_limit);  // frames are the host's, arenas the device's
  }
  h.stack_limit = std::min(memory / 8, size_t{1} << 30);  // some five million levels
  return h;
}

Run::Run(Program& p, Hooks hooks)
    : p_(p), hooks_(std::move(hooks)), memory_(p.device->allocator()), stream_(p.device->stream()) {}

Run::~Run() {
  unwind();
  for (Slot& s : result_slots_) release(s);
  if (c_) {
    const bool keeps_arena = batch_ != nullptr && batch_->repeats() && !exhausted_;
    if (batch_ != nullptr) batch_->finish();
    c_->arena.keep_first(keeps_arena);
    c_->frames.trim();
    c_->arena.trim();
    for (BufferRef* w : {&c_->workspace, &c_->host_workspace}) {
      if (*w && (*w)->bytes() > Stack::kKept) *w = BufferRef();
    }
    {
      const std::lock_guard guard(p_.idle_lock);
      p_.idle.push_back(std::move(c_));
    }
    if (keeps_arena) keeps(p_);
  }
  if (exhausted_) memory_.trim();  // what such a run took is more than others are likely to need
}

bool Run::try_lock() {
  if (!p_.assigns) return true;
  lock_ = std::unique_lock(p_.running, std::try_to_lock);
  return lock_.owns_lock();
}

void Run::lock() { lock_ = std::unique_lock(p_.running); }

Status Run::start(std::span<const Array* const> inputs, std::span<Array* const> params) {
  if (Status s = p_.host->begin()) return s;
  if (p_.away) {
    if (Status s = p_.device->begin()) return s;
  }
  const Function& root = p_.root();
  size_t n_inputs = 0, n_params = 0;
  for (const Param& q : root.params) ++(p_.types[q.type].kind == Kind::kRef ? n_params : n_inputs);
  if (inputs.size() != n_inputs) {
    return {Code::kType,
            "takes " + std::to_string(n_inputs) + " arrays, got " + std::to_string(inputs.size())};
  }
  if (params.size() != n_params) {
    return {Code::kType,
            "has " + std::to_string(n_params) + " parameters, bound are " + std::to_string(params.size())};
  }
  {
    const std::lock_guard guard(p_.idle_lock);
    if (!p_.idle.empty()) {
      c_ = std::move(p_.idle.back());
      p_.idle.pop_back();
    }
  }
  if (!c_) c_ = std::make_unique<Context>(p_.host->allocator(), memory_);
  c_->words.resize(std::max<size_t>(p_.max_args, root.params.size()));
  c_->slots.resize(c_->words.size());
  c_->in.resize(c_->words.size());
  c_->out.resize(c_->words.size());
  c_->fresh.resize(c_->words.size());
  if (p_.away && p_.device->traits().records) {
    if (!c_->batch) c_->batch = std::make_unique<Batch>();
    batch_ = c_->batch.get();
  }
  cells_.resize(n_params);
  size_t input = 0, param = 0, word = 0, object = 0;
  for (const Param& q : root.params) {
    const Type& t = p_.types[q.type];
    const bool is_ref = t.kind == Kind::kRef;
    Array moved;
    const Array* given = is_ref ? params[param] : inputs[input];
    Device& home = t.away ? *p_.device : *p_.host;
    if (given->buffer && &given->device() != &home) {
      if (Status s = place(*given, home, moved)) return s;
      if (is_ref) *params[param] = moved;  // the next run finds it there
      given = &moved;
    }
    const Array& a = *given;
    if (a.spec.dtype != t.spec.dtype || a.spec.shape != t.spec.shape || !a.buffer) {
      return {Code::kType,
              (is_ref ? "parameter " + std::to_string(param) : "argument " + std::to_string(input)) + " is " +
                  to_string(a.spec) + ", the program was compiled for " + to_string(t.spec)};
    }
    if (is_ref) {
      cells_[param] = {params[param], a.buffer, t.bytes, false};
      c_->slots[object++] = Slot::borrow(&cells_[param]);
      ++param;
      continue;
    }
    ++input;
    if (t.word) {
      c_->words[word].bits = 0;
      std::memcpy(&c_->words[word++], a.data(), t.bytes);
    } else {
      inputs_.push_back(a.buffer);
      if (batch_ != nullptr) batch_->argument(a.data(), t.bytes);
      c_->slots[object++] = Slot::borrow(a.data());
    }
  }
  return {};
}

Status Run::execute() {
  const Function& root = p_.root();
  if (p_.away) {
    if (Status s = expect_no_fault()) return s;
  }
  if (Status s = reserve(p_.workspace, *p_.device, c_->workspace)) return s;
  if (Status s = reserve(p_.host_workspace, *p_.host, c_->host_workspace)) return s;
  const auto arena = [&] { return c_->arena.prepare(root.arena); };
  if (!c_->frames.prepare(root.frame_bytes) || !(arena() || (give_back(*p_.device) && arena())))
    return out_of_memory(root.arena);
  c_->frames.set_limit(hooks_.stack_limit);
  c_->arena.set_limit(hooks_.stack_limit);
  next_poll_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  fuel_ = kFuel;
  assembled_ = watched() == kNothing;
  BegunByRun begun;
  Status s = enter(root, nullptr, c_->frames.mark(), c_->arena.mark(), root.param_objects, root.param_words);
  if (!s) s = loop();
  if (!s) s = begun.expect_none();
  const int64_t failed = instruction_;
  if (Status held = flush()) {
    if (s) instruction_ = failed;
    if (!s) s = std::move(held);
  }
  if (s && frame_ != nullptr && instruction_ < 0) {
    instruction_ = frame_->fn->first_instr + (frame_->pc - frame_->fn->code.data()) - 1;
  }
  exhausted_ = s && s.code() == Code::kMemory;
  if (!p_.away) return s;
  // What is queued may still use the memory that goes now, on any lane.
  if (s) static_cast<void>(p_.device->synchronize().is_ok());
  return s ? std::move(s) : leave_fault();
}

Status Run::finish(std::vector<Array>& results) {
  for (Cell& c : cells_) c.publish();
  results.clear();
  if (result_slots_.empty() && result_words_.empty()) return {};
  size_t word = 0, object = 0;
  for (uint32_t r : p_.root().results) {
    const Type& t = p_.types[r];
    if (t.kind == Kind::kSized) {
      results.push_back(result_slots_[object++].sized()->array);
      continue;
    }
    if (!t.word) {
      Slot& s = result_slots_[object++];
      Buffer* b = s.buffer();
      if (b != nullptr && b->unique() && b->data() == s.data && b->bytes() >= t.bytes) {
        results.push_back({t.spec, BufferRef(b)});
        s = Slot{};
        continue;
      }
    }
    Device& home = t.away ? *p_.device : *p_.host;
    Array a;
    if (Status s = make_array(home.allocator(), t.spec, a)) return s;
    const void* from =
        t.word ? static_cast<const void*>(&result_words_[word++]) : result_slots_[object - 1].data;
    if (t.bytes != 0) {
      if (Status s = home.copy(a.data(), from, t.bytes, CopyKind::kOnDevice, home.stream())) return s;
    }
    results.push_back(std::move(a));
  }
  return {};
}

void Run::unwind() {
  for (; frame_ != nullptr; frame_ = frame_->parent) {
    for (uint32_t i = 0; i < frame_->fn->objects; ++i) release(frame_->objects()[i]);
  }
}

// ---- memory

Status Run::out_of_memory(const std::string& why) const {
  return {Code::kMemory, "out of memory" + (p_.away ? " on " + p_.device->label() : "") + ": " + why};
}

Status Run::out_of_memory(size_t bytes) const {
  return out_of_memory("cannot allocate " + std::to_string(bytes) + " bytes");
}

Status Run::allocate(size_t bytes, BufferRef& out) {
  out = memory_.allocate(bytes);
  if (!out && batch_ != nullptr) {  // what is held back keeps memory from others
    if (Status s = flush()) return s;
    static_cast<void>(give_back(*p_.device));
    out = memory_.allocate(bytes);
  }
  if (!out) [[unlikely]]
    return out_of_memory(bytes);
  fuel_ -= static_cast<int64_t>(bytes >> 20);
  return {};
}

// Scratch of a kernel: at least `bytes`, kept from run to run.
Status Run::reserve(size_t bytes, Device& where, BufferRef& out) {
  if (out && bytes <= out->bytes()) return {};
  out = BufferRef();
  out = where.allocator().allocate(bytes);
  if (!out && give_back(where)) out = where.allocator().allocate(bytes);
  return out ? Status{} : out_of_memory(bytes);
}

// Looks at the clock, and every millisecond at the memory in use and at what the caller of the program wants.
Status Run::tick() {
  using namespace std::chrono;
  fuel_ = kFuel;
  const auto now = steady_clock::now();
  const auto above = [this] {
    return hooks_.memory_limit != 0 && memory_.stats().in_use + Closure::in_use() > hooks_.memory_limit;
  };
  if (above() && !(give_back(*p_.device) && !above())) {
    return out_of_memory("more than " + std::to_string(hooks_.memory_limit >> 20) + " MiB are in use");
  }
  if (now < next_poll_ || !hooks_.poll) return {};
  if (Status s = hooks_.poll()) return s;
  // Where asking is slow (another thread holds Python's lock), ask less often: at most a twentieth of the
  // time.
  const auto after = steady_clock::now();
  next_poll_ = after + std::max<steady_clock::duration>(milliseconds(1), 19 * (after - now));
  return {};
}

// ---- frames

// The arguments of a call into the scratch arrays, then the caller's dead.
[[gnu::always_inline]] inline void Run::gather(const Site& s) {
  const uint32_t* w = p_.indices.data() + s.words.begin;
  for (uint32_t k = 0; k < s.words.size; ++k) c_->words[k] = words_[w[k]];
  const Operand* o = p_.operands.data() + s.objects.begin;
  for (uint32_t k = 0; k < s.objects.size; ++k) c_->slots[k] = take(o[k]);
  const uint32_t* d = p_.indices.data() + s.drops.begin;
  for (uint32_t k = 0; k < s.drops.size; ++k) release(objects_[d[k]]);
}

// A frame for `f` above the given marks, with its first slots from the scratch arrays. On failure the scratch
// is released.
inline Status Run::enter(const Function& f, Frame* parent, Stack::Mark frames, Stack::Mark arena,
                         uint32_t objects, uint32_t words) {
  char* p = c_->frames.push(f.frame_bytes);
  char* a = arena_;
  if (p != nullptr && f.arena != 0) a = c_->arena.push(f.arena);
  if (p == nullptr || (f.arena != 0 && a == nullptr)) [[unlikely]] {
    for (uint32_t k = 0; k < objects; ++k) release(c_->slots[k]);
    return {Code::kMemory, "recursion is too deep: its frames need more than " +
                               std::to_string(hooks_.stack_limit >> 20) + " MiB"};
  }
  frame_ = new (p) Frame{&f, f.code.data(), parent, a, frames, arena, c_->arena.mark()};
  objects_ = frame_->objects();
  words_ = frame_->words();
  arena_ = a;
  for (uint32_t k = 0; k < words; ++k) words_[k] = c_->words[k];
  for (size_t k = 0; k < f.constants.size(); ++k) words_[words + k].bits = f.constants[k];
  for (uint32_t k = 0; k < objects; ++k) objects_[k] = c_->slots[k];
  for (uint32_t k = objects; k < f.objects; ++k) objects_[k] = Slot{};
  return {};
}

// Releases what the frame still holds; the frame itself is popped by whoever comes next.
inline void Run::leave() {
  for (uint32_t k = 0; k < frame_->fn->objects; ++k) {
    if (objects_[k].owner != 0) release(objects_[k]);
  }
}

// A frame on top of the current one, whose arena shrinks to `keep` bytes for the time of the call.
Status Run::nest(const Function& f, size_t keep, uint32_t objects, uint32_t words) {
  Stack::Mark arena = frame_->arena_top;
  if (frame_->fn->arena != 0) arena.top = arena_ + keep;
  c_->arena.pop(arena);
  return enter(f, frame_, c_->frames.mark(), arena, objects, words);
}

// A frame in the place of the current one.
Status Run::replace(const Function& f, uint32_t objects, uint32_t words) {
  leave();
  const Frame old = *frame_;
  c_->frames.pop(old.frame_below);
  c_->arena.pop(old.arena_below);
  frame_ = old.parent;
  Status s = enter(f, old.parent, old.frame_below, old.arena_below, objects, words);
  if (s) [[unlikely]]
    instruction_ = old.fn->first_instr + (old.pc - old.fn->code.data()) - 1;
  return s;
}

Status Run::call(const Instr& i, const Site& s) {
  const Function& f = p_.functions[s.fn];
  gather(s);
  return nest(f, i.keep, f.param_objects, f.param_words);
}

Status Run::tail(const Site& s) {
  const Function& f = p_.functions[s.fn];
  gather(s);
  return replace(f, f.param_objects, f.param_words);
}

Status Run::return_values(const Instr& i) {
  const Site& s = p_.sites[i.site];
  Frame* parent = frame_->parent;
  const uint32_t* w = p_.indices.data() + s.words.begin;
  const Operand* o = p_.operands.data() + s.objects.begin;
  if (parent == nullptr) {
    for (uint32_t k = 0; k < s.words.size; ++k) result_words_.push_back(words_[w[k]]);
    for (uint32_t k = 0; k < s.objects.size; ++k) result_slots_.push_back(take(o[k]));
    leave();
    frame_ = nullptr;
    return {};
  }
  const Instr& call = parent->pc[-1];
  const uint32_t* to_words = p_.indices.data() + call.result_words.begin;
  const uint32_t* to_objects = p_.indices.data() + call.result_objects.begin;
  Word* parent_words = parent->words();
  Slot* parent_objects = parent->objects();
  const bool scratch = parent->resume != nullptr;
  for (uint32_t k = 0; k < s.words.size; ++k) {
    (scratch ? c_->words[k] : parent_words[to_words[k]]) = words_[w[k]];
  }
  for (uint32_t k = 0; k < s.objects.size; ++k) {
    (scratch ? c_->slots[k] : parent_objects[to_objects[k]]) = take(o[k]);
  }
  leave();
  c_->frames.pop(frame_->frame_below);
  c_->arena.pop(parent->arena_top);
  frame_ = parent;
  objects_ = parent_objects;
  words_ = parent_words;
  arena_ = parent->arena;
  return {};
}

// ---- the loop

Status Run::loop() {
  // Goes on in machine code where there is some.
  const auto leaves = [this](const void* at, Status& s) {
    if (at != nullptr && assembled_) s = run_compiled(at);
    return s || frame_ == nullptr;
  };
  if (Status s; leaves(frame_->fn->compiled, s)) return s;
  for (;;) {
    const Instr& i = *frame_->pc++;
    Word* const words = words_;
    switch (i.scalar) {
      MINDS_SCALAR_CASES
      case static_cast<uint32_t>(Opcode::kRun):
        if (Status s = run_kernel(i)) return s;
        if (fuel_ < 0) {
          if (Status s = tick()) return s;
        }
        break;
      case static_cast<uint32_t>(Opcode::kSwitch):
      case static_cast<uint32_t>(Opcode::kCall): {
        if (Status e = flush()) return e;
        const bool first = i.op == Opcode::kCall || truth(p_.operands[i.in.begin]);
        if (Status e = call(i, p_.sites[first ? i.site : i.other])) return e;
        if (--fuel_ < 0) {
          if (Status e = tick()) return e;
        }
        if (Status e; leaves(frame_->fn->compiled, e)) return e;
        break;
      }
      case static_cast<uint32_t>(Opcode::kSwitchTail):
      case static_cast<uint32_t>(Opcode::kTail): {
        if (Status e = flush()) return e;
        const bool first = i.op == Opcode::kTail || truth(p_.operands[i.in.begin]);
        if (Status e = tail(p_.sites[first ? i.site : i.other])) return e;
        if (--fuel_ < 0) {
          if (Status e = tick()) return e;
        }
        if (Status e; leaves(frame_->fn->compiled, e)) return e;
        break;
      }
      case static_cast<uint32_t>(Opcode::kCallValue):
      case static_cast<uint32_t>(Opcode::kTailValue):
        if (Status s = flush()) return s;
        if (Status s = call_value(i)) return s;
        if (--fuel_ < 0) {
          if (Status s = tick()) return s;
        }
        if (frame_->pc == frame_->fn->code.data()) {
          if (Status s; leaves(frame_->fn->compiled, s)) return s;
        }
        break;
      case static_cast<uint32_t>(Opcode::kReturn):
        if (Status s = flush()) return s;
        if (Status s = return_values(i)) return s;
        if (frame_ == nullptr) return {};
        if (Status s; leaves(frame_->resume, s)) return s;
        break;
      default:
        if (Status s = inside(i)) return s;
    }
  }
}

// One instruction that stays in its frame.
Status Run::step(const Instr& i) {
  Word* const words = words_;
  switch (i.scalar) {
    MINDS_SCALAR_CASES
    case static_cast<uint32_t>(Opcode::kRun):
      return run_kernel(i);
    default:
      return inside(i);
  }
  return {};
}

// The same, but not on words and no kernel.
Status Run::inside(const Instr& i) {
  switch (i.op) {
    case Opcode::kSelect: {
      const Operand* in = p_.operands.data() + i.in.begin;
      const bool first = truth(in[0]);
      Slot f = take(in[1]), g = take(in[2]);
      drop(first ? g : f);
      put(i.dst, first ? f : g);
      break;
    }
    case Opcode::kClosure:
      if (Status s = flush()) return s;
      if (Status s = closure(i)) return s;
      break;
    case Opcode::kPartial:
      if (Status s = flush()) return s;
      if (Status s = partial(i)) return s;
      break;
    case Opcode::kCopy:
      if (Status s = copy(i)) return s;
      break;
    case Opcode::kLoad:
      if (Status s = load(i)) return s;
      break;
    case Opcode::kAssign:
      if (Status s = assign(i)) return s;
      break;
    case Opcode::kDrop:
      for (uint32_t k = 0; k < i.in.size; ++k) drop(objects_[p_.indices[i.in.begin + k]]);
      break;
    case Opcode::kUpload:
    case Opcode::kDownload:
    case Opcode::kSave:
      if (Status s = flush()) return s;
      if (Status s = transfer(i)) return s;
      if (--fuel_ < 0) {
        if (Status s = tick()) return s;
      }
      break;
    case Opcode::kWait:
    case Opcode::kSignal:
      if (Status s = flush()) return s;
      if (Status s = event(i)) return s;
      break;
    case Opcode::kArrive:
      if (Status s = flush()) return s;
      if (Status s = arrive(i)) return s;
      break;
    case Opcode::kHost:
      if (Status s = flush()) return s;
      if (Status s = run_host(i)) return s;
      break;
    default:
      return {Code::kInternal, "no such instruction"};
  }
  return {};
}

}  // namespace minds::runtime
