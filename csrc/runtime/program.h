// A program: what `minds/lower` writes, decoded once and checked completely, so that running it needs no
// checks.
//
// Functions are straight lines of instructions; control flow is calls. Every operand has a place: a word or
// an object slot of the frame, an offset in the frame's arena, a constant. `minds/lower/program.py` describes
// the bytes.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/array.h"
#include "kernel/fault.h"
#include "kernel/kernel.h"
#include "runtime/scalar.h"
#include "runtime/value.h"

namespace minds::runtime {

inline constexpr uint32_t kMagic = 0x474f5250, kVersion = 2;  // "PROG"

// F(Name, name), in the order of the program format.
#define MINDS_OPCODES(F)     \
  F(Run, RUN)                \
  F(Copy, COPY)              \
  F(Call, CALL)              \
  F(Tail, TAIL)              \
  F(Switch, SWITCH)          \
  F(SwitchTail, SWITCH_TAIL) \
  F(CallValue, CALL_VALUE)   \
  F(TailValue, TAIL_VALUE)   \
  F(Select, SELECT)          \
  F(Closure, CLOSURE)        \
  F(Partial, PARTIAL)        \
  F(Load, LOAD)              \
  F(Assign, ASSIGN)          \
  F(Drop, DROP)              \
  F(Host, HOST)              \
  F(Return, RETURN)          \
  F(Upload, UPLOAD)          \
  F(Download, DOWNLOAD)      \
  F(Wait, WAIT)              \
  F(Signal, SIGNAL)          \
  F(Save, SAVE)              \
  F(Arrive, ARRIVE)

#define MINDS_OPCODE(Name, name) k##Name,
enum class Opcode : uint8_t { MINDS_OPCODES(MINDS_OPCODE) kCount };
#undef MINDS_OPCODE
inline constexpr uint32_t kAway = 0x100;     // added to the kind of a type whose values are `away`
inline constexpr uint32_t kScalarBase = 64;  // opcodes from here on are scalar formulas on words

enum class Place : uint8_t {
  kWord,      // index: word of the frame
  kObject,    // index: object slot, which keeps its value
  kMove,      // index: object slot, empty afterwards
  kArena,     // index: offset in the frame's arena, in units of 64 bytes
  kConstant,  // index: tensor constant of the program
  kFunction,  // index: function, as a value without given arguments
  kPool,      // a result: object slot that gets a buffer from the pool
  kParam,     // a result: written straight into the parameter that object slot `index` refers to
  kCount,
};

struct Operand {
  Place place;
  uint32_t index;
};

enum class Kind : uint8_t { kTensor, kFunction, kRef, kSized, kCount };

struct Type {
  Kind kind = Kind::kTensor;
  TensorSpec spec;  // of the tensor, or of the parameter's value; of what the run sizes only the dtype
  size_t bytes = 0;
  bool word = false;  // lives in a word
  bool away = false;  // in memory of the program's device that the host cannot follow
  size_t rank = 0;    // of what the run sizes
};

struct Range {
  uint32_t begin = 0, size = 0;
};

// Where a call's arguments come from: words and objects apart, in the order of the callee's words and
// objects.
struct Site {
  uint32_t fn = 0;   // unless the callee is a value
  uint32_t sig = 0;  // of the arguments, where the callee is a value
  Range types;       // in Program::indices: of the arguments, likewise
  Range words;       // in Program::indices: words of the caller
  Range objects;     // in Program::operands
  Range drops;       // in Program::indices: objects that die before the call
};

struct Instr {
  Opcode op;
  uint32_t scalar = 0;             // opcode of a scalar formula
  uint32_t a = 0, b = 0, dst = 0;  // kCallValue, kTailValue: b is the signature of the results
  uint32_t target = 0;             // kernel, function, callback
  Range in, out;                   // in Program::operands
  Range donors;  // in Program::indices, one per `out`: 1 + input whose buffer it may take, or 0
  Range types;   // in Program::indices: of a dynamic call's results
  uint32_t site = 0, other = 0;        // in Program::sites
  Range result_words, result_objects;  // in Program::indices
  size_t keep = 0;                     // bytes of the arena that are needed during the call
  size_t bytes = 0;                    // kCopy, kLoad, kAssign
  Lane lane = Lane::kCompute;          // of a transfer, kWait, kSignal; `a` is the type, or the event
};

struct Param {
  uint32_t type;
  bool keeps;  // a tensor that may outlive the call: the caller must pass something that owns or never dies
};

struct Function {
  std::string name;
  std::vector<Param> params;
  std::vector<uint32_t> results;  // types
  std::vector<uint32_t> suffix;   // suffix[k]: signature of the parameters from k on
  std::vector<Layout> layouts;    // layouts[k]: of a closure that holds the first k parameters
  std::vector<uint32_t> packed;   // for each parameter that is an object its bytes if closures pack it, or 0
  uint32_t result_sig = 0;
  uint32_t objects = 0, words = 0, param_objects = 0, param_words = 0;
  std::vector<uint64_t> constants;  // words right after those of the parameters
  size_t arena = 0, frame_bytes = 0;
  uint32_t first_instr = 0;  // number of the first instruction in the program
  std::vector<Instr> code;
  bool record = false;  // it does nothing but return its parameters, in their order
  const void* compiled = nullptr;  // where its machine code starts, if it has any
  Closure value{};  // the function as a value without given arguments; never freed
};

inline const Layout& Closure::layout() const { return fn->layouts[given]; }
inline Word* Closure::values() { return reinterpret_cast<Word*>(slots() + layout().slots); }
inline char* Closure::packed() { return reinterpret_cast<char*>(values() + layout().words); }

struct PreparedKernel {
  std::string name;
  std::unique_ptr<Kernel> kernel;
  std::vector<uint32_t> in, out;  // types
  size_t workspace = 0;
  bool on_host = false;  // of a program whose device has memory of its own: all operands are the host's
};

struct HostType {
  std::vector<uint32_t> in, out;
  bool shares = false;  // it keeps and changes nothing, so it may see the run's own buffers
};

// A call of a user's kernel, or of a part of the program that is compiled for the sizes it meets: gets arrays,
// fills `out`. The callee takes the lock that guards the boxes of the parameters, then lets the run `publish`
// what it has assigned, and `refresh` afterwards.
struct HostCall {
  std::span<const Array> in;
  std::vector<Array>& out;
  std::function<void()> publish, refresh;
};
using HostFn = std::function<Status(HostCall&)>;

struct Context;
namespace machine {
class Code;
struct Calls;
}

// The word for faults of a run that has been queued, on its way to the host.
struct PendingFault {
  std::unique_ptr<FaultWord> word;
  BufferRef there;
  std::unique_ptr<Event> read;  // when `word` has been copied
};

struct Program {
  const uint64_t number;  // of this process, from 1 on
  Device* device = nullptr;
  Device* host = nullptr;  // the CPU; what is not `away` is in its memory
  bool away = false;       // the device has memory that the host cannot follow
  std::vector<Type> types;
  std::vector<Array> constants;
  std::vector<PreparedKernel> kernels;
  std::vector<HostFn> callbacks;
  std::vector<HostType> hosts;           // per kHost instruction: Instr::target
  std::vector<uint32_t> host_callbacks;  // its callback
  std::vector<Function> functions;       // the first is the root
  std::vector<Operand> operands;
  std::vector<uint32_t> indices;
  std::vector<Site> sites;
  std::vector<uint32_t> inputs, refs;  // the root's parameters by kind: numbers of parameters
  uint32_t instructions = 0;
  size_t workspace = 0, host_workspace = 0;
  uint32_t events = 0;
  uint32_t max_args = 0;  // of any call or kernel, for scratch
  bool assigns = false;
  std::unique_ptr<machine::Code> compiled;

  // Contexts between runs, and the lock for programs that write parameters.
  std::mutex idle_lock;
  std::vector<std::unique_ptr<Context>> idle;
  std::recursive_mutex running;
  std::deque<PendingFault> pending;  // under idle_lock

  Program();
  ~Program();
  const Function& root() const { return functions[0]; }
};

// Decodes `bytes`, prepares the kernels and puts the constants on the device. Code::kValue if the bytes are not a program that is safe to run.
// `instruction` is set if a kernel refuses; it is the number of its first use.
Status load(std::span<const uint8_t> bytes, Device& device, std::vector<HostFn> callbacks,
            std::vector<Array> constants, std::unique_ptr<Program>& out, int64_t& instruction);

// Checks that no instruction can leave its frame, read what is not there, or keep what will die; part of
// `load`.
Status verify(const Program& p);
bool verify_lanes(const Program& p, const Function& f);

}  // namespace minds::runtime
