// Stands in for NCCL (libnccl.so.2): functions, constants and codes as its manual has them,
// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html
//
// The processes of a group meet in a folder, whose path is the unique id; their device processes exchange files there
// (collective.h). As with the library, a collective that the others never come to does not end, unless its communicator
// is aborted.
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "collective.h"
#include "simulator.h"

namespace {

enum ncclResult_t { kSuccess, kUnhandledCudaError, kSystemError, kInternalError, kInvalidArgument, kInvalidUsage, kRemoteError, kInProgress };
using minds::sim::Collective;

struct UniqueId {
  char internal[128];
};
struct Config {
  size_t size;
  unsigned magic, version;
  int blocking;
};
struct Comm {
  std::string folder;
  int member, members, device;
  bool ready = false;  // the user was told that it is
};

constexpr size_t kTypes = 10;
constexpr size_t kSizes[kTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

std::recursive_mutex lock;

std::set<Comm*>& living() {
  static auto& all = *new std::set<Comm*>;
  return all;
}

// Folders that this process made: they go with it.
struct Folders {
  std::vector<std::string> all;
  ~Folders() {
    std::error_code ignored;
    for (const std::string& f : all) std::filesystem::remove_all(f, ignored);
  }
} folders;

// Calls between ncclGroupStart and ncclGroupEnd, of this thread.
struct Piece {
  Collective what;
  CudaOperand in, out;
  CUstream_st* stream;
};
thread_local int depth = 0;
thread_local std::vector<Piece> pieces;

ncclResult_t wrong(ncclResult_t code, const char* caller, const std::string& what) {
  cuda_simulator_wrong(caller, what.c_str());
  return code;
}

ncclResult_t check(const char* caller, Comm* c) {
  if (living().count(c) == 0) return wrong(kInvalidArgument, caller, "the communicator does not exist");
  if (!c->ready) return wrong(kInvalidArgument, caller, "the communicator is used before it is known to be ready");
  if (!cuda_simulator_has_context()) return wrong(kInvalidUsage, caller, "no context is current");
  if (cuda_simulator_device() != c->device) return wrong(kInvalidUsage, caller, "another device is current");
  return kSuccess;
}

ncclResult_t queue(const char* caller) {
  std::vector<Piece> all;
  all.swap(pieces);
  while (!all.empty()) {
    CUstream_st* const stream = all[0].stream;
    std::vector<Piece> left;
    std::vector<CudaOperand> operands;
    std::string body;
    size_t count = 0;
    for (const Piece& p : all) {
      if (p.stream != stream) {
        left.push_back(p);
        continue;
      }
      ++count;
      body.append(reinterpret_cast<const char*>(&p.what), sizeof p.what);
      operands.push_back(p.in);
      operands.push_back(p.out);
    }
    body.insert(0, reinterpret_cast<const char*>(&count), sizeof count);
    const unsigned r = cuda_simulator_call(stream, caller, "collectives", body.data(), body.size(), operands.data(), operands.size());
    if (r != 0) return kUnhandledCudaError;
    all.swap(left);
  }
  return kSuccess;
}

struct Given {
  Collective::Kind kind;
  const void* in;
  void* out;
  size_t count;
  int type, operation, peer;
};

ncclResult_t call(const char* caller, const Given& g, Comm* c, CUstream_st* stream) {
  const std::lock_guard guard(lock);
  if (ncclResult_t r = check(caller, c)) return r;
  if (g.type < 0 || g.type >= static_cast<int>(kTypes)) return wrong(kInvalidArgument, caller, "there is no such data type");
  if (g.operation < 0 || g.operation > 3) return wrong(kInvalidArgument, caller, "there is no such operation");
  if (g.peer < 0 || g.peer >= c->members) return wrong(kInvalidArgument, caller, "the group has no such member");
  const bool message = g.kind == Collective::kSend || g.kind == Collective::kReceive;
  if (message && g.peer == c->member && depth == 0) return wrong(kInvalidUsage, caller, "a message to oneself outside of a group");
  const size_t part = g.count * kSizes[g.type], whole = part * static_cast<size_t>(c->members);
  const bool takes = g.kind != Collective::kReceive && (g.kind != Collective::kBroadcast || c->member == g.peer);
  const bool gives = g.kind != Collective::kSend && (g.kind != Collective::kReduce || c->member == g.peer);
  Piece p{};
  p.what = {g.kind, g.type, g.operation, c->member, c->members, g.peer, g.count, {}};
  std::strncpy(p.what.folder, c->folder.c_str(), sizeof p.what.folder - 1);
  const auto in = reinterpret_cast<uintptr_t>(g.in), out = reinterpret_cast<uintptr_t>(g.out);
  if (in % kSizes[g.type] != 0 || out % kSizes[g.type] != 0) return wrong(kInvalidArgument, caller, "a buffer is not aligned");
  if (takes) p.in = {in, g.kind == Collective::kReduceScatter ? whole : part, false};
  if (gives) p.out = {out, g.kind == Collective::kAllGather ? whole : part, true};
  p.stream = stream;
  pieces.push_back(p);
  return depth > 0 ? kSuccess : queue(caller);
}

std::string note(const Comm& c, const char* what, int member) { return c.folder + "/" + what + "-" + std::to_string(member); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return kInvalidArgument;
  *version = 22703;
  return kSuccess;
}

const char* ncclGetErrorString(ncclResult_t r) {
  switch (r) {
    case kSuccess: return "no error";
    case kUnhandledCudaError: return "unhandled cuda error";
    case kSystemError: return "unhandled system error";
    case kInternalError: return "internal error";
    case kInvalidArgument: return "invalid argument";
    case kInvalidUsage: return "invalid usage";
    case kRemoteError: return "remote process exited or there was a network error";
    case kInProgress: return "NCCL operation in progress";
  }
  return "unknown result code";
}
const char* ncclGetLastError(Comm*) { return ""; }

ncclResult_t ncclGetUniqueId(UniqueId* id) {
  if (id == nullptr) return kInvalidArgument;
  std::string path = (std::filesystem::temp_directory_path() / "minds-nccl-XXXXXX").string();
  if (path.size() >= sizeof(Collective::folder) || mkdtemp(path.data()) == nullptr) return kSystemError;
  const std::lock_guard guard(lock);
  folders.all.push_back(path);
  std::memset(id->internal, 0, sizeof id->internal);
  std::memcpy(id->internal, path.data(), path.size());
  return kSuccess;
}

ncclResult_t ncclCommInitRankConfig(Comm** out, int members, UniqueId id, int member, Config* config) {
  constexpr const char* kCaller = "ncclCommInitRankConfig";
  if (out == nullptr || config == nullptr) return wrong(kInvalidArgument, kCaller, "a pointer is none");
  const bool is_config = config->magic == 0xcafebeef && config->version == 21400 && config->size == sizeof(Config);
  if (!is_config) return wrong(kInvalidArgument, kCaller, "the configuration is not initialised");
  if (config->blocking != 0) return wrong(kInvalidArgument, kCaller, "the simulator does not block");
  if (member < 0 || member >= members) return wrong(kInvalidArgument, kCaller, "the rank is out of range");
  if (!cuda_simulator_has_context()) return wrong(kInvalidUsage, kCaller, "no context is current");
  auto made = std::make_unique<Comm>();
  made->folder = std::string(id.internal, strnlen(id.internal, sizeof id.internal));
  made->member = member;
  made->members = members;
  made->device = cuda_simulator_device();
  if (!std::filesystem::is_directory(made->folder)) return wrong(kInvalidArgument, kCaller, "this is no unique id");
  if (std::filesystem::exists(note(*made, "member", member))) return wrong(kInvalidUsage, kCaller, "the rank is there twice");
  std::ofstream(note(*made, "told", member)) << members << " " << made->device << "\n";
  rename(note(*made, "told", member).c_str(), note(*made, "member", member).c_str());
  const std::lock_guard guard(lock);
  *out = made.release();
  living().insert(*out);
  return kInProgress;
}

ncclResult_t ncclCommGetAsyncError(Comm* c, ncclResult_t* state) {
  const std::lock_guard guard(lock);
  if (living().count(c) == 0 || state == nullptr) {
    return wrong(kInvalidArgument, "ncclCommGetAsyncError", "the communicator does not exist");
  }
  *state = kSuccess;
  if (c->ready) return kSuccess;
  std::set<int> devices;
  for (int m = 0; m < c->members; ++m) {
    std::ifstream file(note(*c, "member", m));
    int members = 0, device = 0;
    if (!(file >> members >> device)) {
      *state = kInProgress;
      return kSuccess;
    }
    if (members != c->members) *state = kInvalidArgument;
    if (!devices.insert(device).second) *state = kInvalidUsage;  // one GPU cannot be two members
  }
  c->ready = *state == kSuccess;
  return kSuccess;
}

ncclResult_t ncclCommAbort(Comm* c) {
  const std::lock_guard guard(lock);
  if (living().erase(c) == 0) return wrong(kInvalidArgument, "ncclCommAbort", "the communicator does not exist");
  std::ofstream(note(*c, "aborted", c->member)) << "\n";
  delete c;
  return kSuccess;
}

ncclResult_t ncclGroupStart() {
  ++depth;
  return kSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (depth == 0) return wrong(kInvalidUsage, "ncclGroupEnd", "no group was started");
  const std::lock_guard guard(lock);
  return --depth > 0 ? kSuccess : queue("ncclGroupEnd");
}

ncclResult_t ncclAllReduce(const void* in, void* out, size_t n, int type, int op, Comm* c, CUstream_st* s) {
  return call("ncclAllReduce", {Collective::kAllReduce, in, out, n, type, op, 0}, c, s);
}
ncclResult_t ncclReduce(const void* in, void* out, size_t n, int type, int op, int root, Comm* c, CUstream_st* s) {
  return call("ncclReduce", {Collective::kReduce, in, out, n, type, op, root}, c, s);
}
ncclResult_t ncclReduceScatter(const void* in, void* out, size_t n, int type, int op, Comm* c, CUstream_st* s) {
  return call("ncclReduceScatter", {Collective::kReduceScatter, in, out, n, type, op, 0}, c, s);
}
ncclResult_t ncclAllGather(const void* in, void* out, size_t n, int type, Comm* c, CUstream_st* s) {
  return call("ncclAllGather", {Collective::kAllGather, in, out, n, type, 0, 0}, c, s);
}
ncclResult_t ncclBroadcast(const void* in, void* out, size_t n, int type, int root, Comm* c, CUstream_st* s) {
  return call("ncclBroadcast", {Collective::kBroadcast, in, out, n, type, 0, root}, c, s);
}
ncclResult_t ncclSend(const void* in, size_t n, int type, int peer, Comm* c, CUstream_st* s) {
  return call("ncclSend", {Collective::kSend, in, nullptr, n, type, 0, peer}, c, s);
}
ncclResult_t ncclRecv(void* out, size_t n, int type, int peer, Comm* c, CUstream_st* s) {
  return call("ncclRecv", {Collective::kReceive, nullptr, out, n, type, 0, peer}, c, s);
}

}  // extern "C"
#pragma GCC visibility pop
