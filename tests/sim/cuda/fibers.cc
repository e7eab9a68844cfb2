#include "fibers.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

extern "C" {
__thread CudaIndices cuda_indices __attribute__((tls_model("initial-exec")));

// Saves the registers that a function keeps on the stack, and the stack pointer in `*from`; goes on where `to` was
// left. (ucontext would ask the kernel twice per switch.)
void cuda_switch(void** from, void* to);
}
asm(R"(
.text
.globl cuda_switch
.hidden cuda_switch
.type cuda_switch, @function
cuda_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cuda_switch, .-cuda_switch
)");

namespace minds::sim {
namespace {

constexpr unsigned char kPoison = 0xff;
constexpr unsigned kWarp = 32;
constexpr size_t kStack = size_t{256} << 10;

struct Site {
  const char* what = nullptr;
  const char* file = nullptr;
  int line = 0;
  bool operator==(const Site& o) const {
    return line == o.line && std::strcmp(what, o.what) == 0 && std::strcmp(file, o.file) == 0;
  }
  std::string text() const { return std::string(file) + ":" + std::to_string(line) + ": " + what; }
};

enum class State : uint8_t { kNew, kReady, kAtBlock, kAtWarp, kDone };

struct Stack {
  char* bottom = nullptr;
  void* left = nullptr;  // the stack pointer where it was left
};

struct Thread {
  uint3 index;
  State state;
  Stack* stack;
  Site site;
  unsigned calls;  // of functions of the warp
};

struct Gate {
  unsigned arrived = 0;
  Site site;
};

struct Warp {
  Gate gate;
  unsigned long long words[2][kWarp];
};

struct Area {
  uintptr_t begin = 1, end = 0;
  bool holds(uintptr_t at, size_t bytes) const { return at >= begin && at + bytes <= end; }
};

// One for each thread of the host; runs one block at a time.
class Runner {
 public:
  std::string run(const Launch& l);
  void block_barrier(const Site& s);
  const unsigned long long* warp(unsigned mask, unsigned long long mine, const Site& s);
  void* dynamic_shared(size_t alignment);
  void access(uintptr_t at, size_t bytes, bool write, uintptr_t code);
  [[noreturn]] void fail(std::string message);
  const Launch& launch() const { return *launch_; }
  bool running() const { return current_ != nullptr; }

 private:
  static void enter();
  void work();
  bool block(uint3 index);
  bool sweep();
  void resume(Thread& t);
  void leave();
  bool known(uintptr_t at, size_t bytes, bool write);
  std::string stuck() const;
  std::string name(const Thread& t) const;
  Stack* take_stack();

  const Launch* launch_ = nullptr;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  Gate block_gate_;
  size_t done_ = 0;
  Thread* current_ = nullptr;
  void* scheduler_ = nullptr;  // where the scheduler was left
  std::deque<Stack> stacks_;   // all that were ever made
  std::vector<Stack*> free_;
  std::unique_ptr<char[]> dynamic_;
  Area indices_, words_, static_shared_, dynamic_shared_, recent_[4];
  unsigned turn_ = 0;
  std::string failure_;
};

thread_local Runner runner;

Stack* Runner::take_stack() {
  if (free_.empty()) {
    void* area = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) std::abort();
    mprotect(area, 4096, PROT_NONE);
    stacks_.push_back({static_cast<char*>(area), nullptr});
    free_.push_back(&stacks_.back());
  }
  Stack* s = free_.back();
  free_.pop_back();
  void** top = reinterpret_cast<void**>(s->bottom + kStack) - 2;
  *--top = nullptr;  // as if `enter` had been called
  *--top = reinterpret_cast<void*>(&enter);
  s->left = top - 6;
  return s;
}

void Runner::enter() { runner.work(); }

void Runner::work() {
  launch_->entry->call(launch_->arguments);
  current_->state = State::kDone;
  ++done_;
  leave();
}

void Runner::leave() { cuda_switch(&current_->stack->left, scheduler_); }

void Runner::resume(Thread& t) {
  if (t.stack == nullptr) t.stack = take_stack();
  current_ = &t;
  t.state = State::kReady;
  cuda_indices.thread = t.index;
  cuda_switch(&scheduler_, t.stack->left);
  current_ = nullptr;
  if (t.state == State::kDone) free_.push_back(std::exchange(t.stack, nullptr));  // the next begins at its top
}

// Lets each thread that can run do so once.
bool Runner::sweep() {
  bool any = false;
  for (size_t n = 0; n < threads_.size() && failure_.empty(); ++n) {
    Thread& t = threads_[launch_->threads_backward ? threads_.size() - 1 - n : n];
    if (t.state != State::kReady && t.state != State::kNew) continue;
    resume(t);
    any = true;
  }
  return any;
}

bool Runner::block(uint3 index) {
  cuda_indices.block = index;
  std::memset(reinterpret_cast<void*>(static_shared_.begin), kPoison, static_shared_.end - static_shared_.begin);
  if (dynamic_) std::memset(reinterpret_cast<void*>(dynamic_shared_.begin), kPoison, launch_->shared);
  const dim3 b = launch_->block;
  size_t n = 0;
  for (unsigned z = 0; z < b.z; ++z) {
    for (unsigned y = 0; y < b.y; ++y) {
      for (unsigned x = 0; x < b.x; ++x) threads_[n++] = {{x, y, z}, State::kNew, nullptr, {}, 0};
    }
  }
  for (Warp& w : warps_) w.gate = {};
  block_gate_ = {};
  done_ = 0;
  while (done_ < threads_.size() && failure_.empty()) {
    if (!sweep()) failure_ = stuck();
  }
  if (failure_.empty()) return true;
  for (Thread& t : threads_) {  // what they were at is forgotten
    if (t.stack != nullptr) free_.push_back(t.stack);
  }
  return false;
}

std::string Runner::run(const Launch& l) {
  launch_ = &l;
  failure_.clear();
  const size_t count = size_t{l.block.x} * l.block.y * l.block.z;
  threads_.resize(count);
  warps_.resize((count + kWarp - 1) / kWarp);
  const uintptr_t indices = reinterpret_cast<uintptr_t>(&cuda_indices);
  indices_ = {indices, indices + sizeof cuda_indices};
  const uintptr_t words = reinterpret_cast<uintptr_t>(warps_.data());
  words_ = {words, words + warps_.size() * sizeof(Warp)};
  const uintptr_t shared = reinterpret_cast<uintptr_t>(l.module->shared());
  static_shared_ = {shared, shared + l.module->static_shared()};
  dynamic_shared_ = {};
  dynamic_.reset();
  if (l.shared != 0) {
    dynamic_ = std::make_unique<char[]>(l.shared + 1024);
    const uintptr_t at = (reinterpret_cast<uintptr_t>(dynamic_.get()) + 1023) / 1024 * 1024;
    dynamic_shared_ = {at, at + l.shared};
  }
  for (Area& a : recent_) a = {};
  cuda_indices.threads = {l.block.x, l.block.y, l.block.z};
  cuda_indices.blocks = {l.grid.x, l.grid.y, l.grid.z};
  const size_t blocks = size_t{l.grid.x} * l.grid.y * l.grid.z;
  for (size_t n = 0; n < blocks; ++n) {
    const size_t k = l.blocks_backward ? blocks - 1 - n : n;
    const uint3 index{static_cast<unsigned>(k % l.grid.x), static_cast<unsigned>(k / l.grid.x % l.grid.y),
                      static_cast<unsigned>(k / l.grid.x / l.grid.y)};
    if (!block(index)) {
      return failure_ + " (block " + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
             std::to_string(index.z) + ")";
    }
  }
  return {};
}

// ---- what the threads call

void Runner::fail(std::string message) {
  if (failure_.empty()) failure_ = message + ", by " + name(*current_);
  leave();
  std::abort();  // nobody resumes it
}

std::string Runner::name(const Thread& t) const {
  return "thread " + std::to_string(t.index.x) + "," + std::to_string(t.index.y) + "," + std::to_string(t.index.z);
}

void Runner::block_barrier(const Site& s) {
  Thread& t = *current_;
  t.site = s;
  if (block_gate_.arrived > 0 && !(block_gate_.site == s)) {
    fail(s.text() + " where other threads of the block wait at " + block_gate_.site.text());
  }
  block_gate_.site = s;
  if (++block_gate_.arrived < threads_.size()) {
    t.state = State::kAtBlock;
    leave();
    return;
  }
  block_gate_.arrived = 0;
  for (Thread& other : threads_) {
    if (other.state == State::kAtBlock) other.state = State::kReady;
  }
  // All go on in the order of the launch, this one too.
  leave();
}

const unsigned long long* Runner::warp(unsigned mask, unsigned long long mine, const Site& s) {
  Thread& t = *current_;
  t.site = s;
  const size_t number = static_cast<size_t>(&t - threads_.data());
  if (threads_.size() % kWarp != 0) {
    fail(s.text() + " in a block of " + std::to_string(threads_.size()) + " threads, which are not whole warps");
  }
  if (mask != ~0u) fail(s.text() + " with a mask that is not full");
  Warp& w = warps_[number / kWarp];
  if (w.gate.arrived > 0 && !(w.gate.site == s)) {
    fail(s.text() + " where other threads of the warp wait at " + w.gate.site.text());
  }
  w.gate.site = s;
  // Two places in turn: nobody comes to the call after the next before all have left this one.
  unsigned long long* words = w.words[t.calls++ % 2];
  words[number % kWarp] = mine;
  if (++w.gate.arrived < kWarp) {
    t.state = State::kAtWarp;
    leave();
    return words;
  }
  w.gate.arrived = 0;
  for (size_t n = number / kWarp * kWarp; n < (number / kWarp + 1) * kWarp; ++n) {
    if (threads_[n].state == State::kAtWarp) threads_[n].state = State::kReady;
  }
  leave();
  return words;
}

std::string Runner::stuck() const {
  const Thread *waits = nullptr, *other = nullptr;
  for (const Thread& t : threads_) {
    if (t.state != State::kDone && waits == nullptr) waits = &t;
  }
  for (const Thread& t : threads_) {
    const bool elsewhere = t.state == State::kDone || t.state != waits->state || !(t.site == waits->site);
    if (elsewhere && other == nullptr) other = &t;
  }
  std::string text = waits->site.text() + " is not reached by all: " + name(*waits) + " waits there";
  if (other == nullptr) return text;
  return text + ", " + name(*other) +
         (other->state == State::kDone ? " has returned" : " waits at " + other->site.text());
}

void* Runner::dynamic_shared(size_t alignment) {
  if (!dynamic_) fail("a kernel asks for dynamic shared memory, which its launch has none of");
  if (alignment > 1024) fail("dynamic shared memory is aligned to 1024 bytes at most");
  return reinterpret_cast<void*>(dynamic_shared_.begin);
}

bool Runner::known(uintptr_t at, size_t bytes, bool write) {
  const uintptr_t stack = reinterpret_cast<uintptr_t>(current_->stack->bottom);
  if (at - stack < kStack || indices_.holds(at, bytes) || words_.holds(at, bytes) || static_shared_.holds(at, bytes) || dynamic_shared_.holds(at, bytes)) return true;
  for (const Area& a : recent_) {
    if (a.holds(at, bytes)) return true;
  }
  Area found;
  if (launch_->find(launch_->context, at, found.begin, found.end) && found.holds(at, bytes)) {
    recent_[turn_++ % 4] = found;
    return true;
  }
  return !write && launch_->module->constant(at, bytes);
}

void Runner::access(uintptr_t at, size_t bytes, bool write, uintptr_t code) {
  if (known(at, bytes, write)) return;
  char where[40];
  std::snprintf(where, sizeof where, "%#zx", static_cast<size_t>(at));
  std::string text = launch_->module->place(code) + (write ? ": writes " : ": reads ") + std::to_string(bytes) +
                     " bytes at " + where + ", which are in no block that is in use";
  Area found;
  if (launch_->find(launch_->context, at, found.begin, found.end)) {
    text += " (" + std::to_string(found.end - at) + " bytes before a block's end)";
  } else if (launch_->find(launch_->context, at - 1, found.begin, found.end)) {
    text += " (just after the end of a block of " + std::to_string(found.end - found.begin) + " bytes)";
  }
  fail(text);
}

}  // namespace

std::string run_blocks(const Launch& l) { return runner.run(l); }

namespace {

// Of what -fsanitize= puts before a check's message.
struct Source {
  const char* file;
  uint32_t line, column;
};

[[noreturn]] void refuse(const void* data, const char* what) {
  const auto* s = static_cast<const Source*>(data);
  runner.fail(std::string(s->file) + ":" + std::to_string(s->line) + ": " + what);
}

}  // namespace
}  // namespace minds::sim

using minds::sim::runner;

// ---- the functions of cuda_interface.h, and those that g++ calls for its checks
extern "C" {
#define EXPORT __attribute__((visibility("default")))

void cuda_block_barrier(const char* file, int line) { runner.block_barrier({"__syncthreads", file, line}); }
const unsigned long long* cuda_warp(unsigned mask, unsigned long long mine, const char* what, const char* file,
                                           int line) {
  return runner.warp(mask, mine, {what, file, line});
}
EXPORT void* cuda_dynamic_shared(unsigned long alignment) { return runner.dynamic_shared(alignment); }
void cuda_refuse(const char* what, const char* file, int line) {
  runner.fail(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

#define ACCESS(name, bytes, write)                                                   \
  EXPORT void __asan_##name##_noabort(uintptr_t at) {                                \
    runner.access(at, bytes, write, reinterpret_cast<uintptr_t>(__builtin_return_address(0))); \
  }
ACCESS(load1, 1, false)
ACCESS(load2, 2, false)
ACCESS(load4, 4, false)
ACCESS(load8, 8, false)
ACCESS(load16, 16, false)
ACCESS(store1, 1, true)
ACCESS(store2, 2, true)
ACCESS(store4, 4, true)
ACCESS(store8, 8, true)
ACCESS(store16, 16, true)
EXPORT void __asan_loadN_noabort(uintptr_t at, size_t bytes) {
  runner.access(at, bytes, false, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}
EXPORT void __asan_storeN_noabort(uintptr_t at, size_t bytes) {
  runner.access(at, bytes, true, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}
EXPORT void __asan_handle_no_return() {}
EXPORT void __ubsan_handle_type_mismatch_v1_abort(void* data, uintptr_t) {
  minds::sim::refuse(data, "an address is not aligned for its type");
}
EXPORT void __ubsan_handle_out_of_bounds_abort(void* data, uintptr_t) {
  minds::sim::refuse(data, "an index is outside of its array");
}
EXPORT void __ubsan_handle_divrem_overflow_abort(void* data, uintptr_t, uintptr_t) {
  minds::sim::refuse(data, "an integer is divided by zero, or overflows");
}
}
