// Runs a program. Frames live on a heap stack of their own: native recursion is never used, so depth is
// limited by memory only.
#pragma once
#include <chrono>
#include <functional>
#include <span>
#include <vector>

#include "runtime/batch.h"
#include "runtime/program.h"
#include "runtime/stack.h"
#include "runtime/trace.h"

namespace minds::runtime {

constexpr int64_t kFuel = 256;  // instructions between two looks at the clock; kernels and memory weigh more

// What follows a frame's header: object slots, then words. Its arena is on a stack of its own, in device
// memory; during a call that stack is cut back to what the caller still needs.
struct Frame {
  const Function* fn;
  const Instr* pc;  // the next instruction
  Frame* parent;
  char* arena;
  Stack::Mark frame_below, arena_below, arena_top;
  const void* resume = nullptr;  // where machine code goes on after a call; null: the interpreter does

  Slot* objects() { return reinterpret_cast<Slot*>(this + 1); }
  Word* words() { return reinterpret_cast<Word*>(objects() + fn->objects); }
};

// Memory that one run uses, of the host and of the device and the next one of the same program inherits.
struct Context {
  Context(Allocator& host, Allocator& device) : frames(host), arena(device) {}
  Stack frames, arena;
  BufferRef workspace, host_workspace, fault;
  std::unique_ptr<Batch> batch;  // where the device records
  std::vector<std::unique_ptr<Event>> events;
  std::vector<Word> words;
  std::vector<Slot> slots;
  std::vector<const void*> in;
  std::vector<void*> out;
  std::vector<BufferRef> fresh;

  // While it is idle: gives back what it keeps of the device's memory for what was recorded.
  void forget() {
    if (batch) batch->forget();
    arena.keep_first(false);
    arena.trim();
  }
};

// How a run meets the world around it. All may be empty.
struct Hooks {
  std::function<Status()> poll;     // asked now and then whether to go on
  size_t memory_limit = 0;          // bytes of the device's pool, and of closures; 0: no limit
  size_t stack_limit = ~size_t{0};  // bytes of frames and arenas above those of the root
};

// The limits that suit this machine and the device.
Hooks default_limits(Device& device);

// Faults of runs that the host did not wait for: the first that is known by now, with its instruction.
Status settle(Program& p, int64_t& instruction);
// Those of all programs of a device: fills `failed` and returns the program at fault, nullptr if that is gone or none
// is. To be called when the host has waited for the device.
Program* settle_all(Device& device, Status& failed, int64_t& instruction);
// Before a program goes: what is still on its way to it has arrived.
void forget(Program& p) noexcept;

// One call of a program: `lock`, `start`, `execute`, `finish`, all from one thread. Only `lock` and `execute`
// may take long; they touch nothing of Python's.
class Run {
 public:
  Run(Program& p, Hooks hooks);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Programs that write parameters run one at a time. The lock is held until the run is over.
  bool try_lock();
  void lock();
  // Arguments and bound parameters; they are checked, and kept alive until the run is over.
  Status start(std::span<const Array* const> inputs, std::span<Array* const> params);
  Status execute();
  // Gives new contents to assigned parameters (also after a failure: what was assigned stays) and takes the
  // results.
  Status finish(std::vector<Array>& results);
  // Where `execute` failed: the number of the instruction, or -1.
  int64_t instruction() const { return instruction_; }

 private:
  friend struct machine::Calls;
  Status loop();
  Status run_compiled(const void* at);
  Status step(const Instr& i);
  Status inside(const Instr& i);
  Status enter(const Function& f, Frame* parent, Stack::Mark frames, Stack::Mark arena, uint32_t objects,
               uint32_t words);
  Status nest(const Function& f, size_t keep, uint32_t objects, uint32_t words);
  Status replace(const Function& f, uint32_t objects, uint32_t words);
  void gather(const Site& s);
  void leave();
  Status make_room(const Instr& i);
  void put_away(const Instr& i);
  Status run_kernel(const Instr& i);
  Status abandon(const Instr& i, Status s);
  Status run_host(const Instr& i);
  void refresh(Cell& c);
  Status host_arguments(const Instr& i, std::vector<Array>& args);
  Status host_results(const Instr& i, std::vector<Array>& results);
  Status allocate(size_t bytes, BufferRef& out);
  Status out_of_memory(const std::string& why) const;
  Status out_of_memory(size_t bytes) const;
  Status tick();
  Slot take(const Operand& o);
  void put(uint32_t object, Slot s);
  bool truth(const Operand& o);
  const void* address(const Operand& o);
  Status copy(const Instr& i);
  Status transfer(const Instr& i);
  Status transfer_sized(const Instr& i);
  Status event(const Instr& i);
  Status arrive(const Instr& i);
  Status launch(const PreparedKernel& k);
  Status launch_watched(const PreparedKernel& k);
  std::vector<Watched> watched_of(const PreparedKernel& k, bool results) const;
  Status flush();
  Status flush_batch();
  void drop(Slot& s);
  void drop_later(Slot& s);
  void repin(Cell& cell, BufferRef b);
  Status set_zero(void* to, size_t bytes);
  Status await(Stream& q);
  Status expect_no_fault();
  Status leave_fault();
  Status place(const Array& a, Device& home, Array& out);
  Status reserve(size_t bytes, Device& where, BufferRef& out);
  int64_t number() const { return frame_->fn->first_instr + (frame_->pc - frame_->fn->code.data()) - 1; }
  Status load(const Instr& i);
  Status assign(const Instr& i);
  Status closure(const Instr& i);
  void capture(Closure& c, const Layout& before, const Site& s);
  Status partial(const Instr& i);
  Status call(const Instr& i, const Site& s);
  Status tail(const Site& s);
  Status call_value(const Instr& i);
  Status captured(const Slot& callee);
  Status unpack(const Instr& i, Slot& callee);
  Status give_zeros(const Instr& i, Slot& callee);
  Status return_values(const Instr& i);
  Status write_param(Cell& cell, size_t bytes, int aliases);
  void unwind();

  Program& p_;
  Hooks hooks_;
  Allocator& memory_;
  Stream& stream_;
  std::unique_lock<std::recursive_mutex> lock_;  // released last: what follows may refer to parameters
  std::unique_ptr<Context> c_;
  std::vector<Cell> cells_;
  std::vector<BufferRef> inputs_;
  Batch* batch_ = nullptr;  // of c_
  BufferRef fault_;   // on a device with memory of its own: where kernels say that the data is at fault
  std::vector<Slot> result_slots_;
  std::vector<Word> result_words_;
  Frame* frame_ = nullptr;
  Slot* objects_ = nullptr;  // of frame_
  Word* words_ = nullptr;
  char* arena_ = nullptr;
  int64_t instruction_ = -1;
  bool exhausted_ = false;  // it ended for want of memory
  bool assembled_ = false;  // it runs machine code where there is some: nobody watches each kernel
  int64_t fuel_ = 0;        // until the next look at the clock
  std::chrono::steady_clock::time_point next_poll_;
};

// ---- operands, in every instruction's path

[[gnu::always_inline]] inline const void* Run::address(const Operand& o) {
  switch (o.place) {
    case Place::kWord:
      return &words_[o.index];
    case Place::kArena:
      return arena_ + size_t{o.index} * kAlignment;
    case Place::kConstant:
      return p_.constants[o.index].data();
    default:
      return objects_[o.index].data;
  }
}

// The value of an operand as a slot with a share of its own.
[[gnu::always_inline]] inline Slot Run::take(const Operand& o) {
  switch (o.place) {
    case Place::kMove: {
      const Slot s = objects_[o.index];
      objects_[o.index] = Slot{};
      return s;
    }
    case Place::kObject:
      retain(objects_[o.index]);
      return objects_[o.index];
    case Place::kFunction:
      return Slot::borrow(const_cast<Closure*>(&p_.functions[o.index].value));
    default:
      return Slot::borrow(const_cast<void*>(address(o)));
  }
}

// Gives a slot up: what only it holds lives on while work that may use it is held back.
[[gnu::always_inline]] inline void Run::drop(Slot& s) {
  if (batch_ != nullptr) [[unlikely]]
    return drop_later(s);
  release(s);
}

// Queues what is held back: before anything but a straight line goes on.
[[gnu::always_inline]] inline Status Run::flush() {
  if (batch_ == nullptr) [[likely]]
    return {};
  return flush_batch();
}

[[gnu::always_inline]] inline void Run::put(uint32_t object, Slot s) {
  if (objects_[object].owner != 0) drop(objects_[object]);
  objects_[object] = s;
}

[[gnu::always_inline]] inline bool Run::truth(const Operand& o) { return *static_cast<const uint8_t*>(address(o)) != 0; }

}  // namespace minds::runtime
