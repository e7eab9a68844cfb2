// The device process of the simulated CUDA: what the simulated device's does, and kernels of texts.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "calls.h"
#include "fibers.h"
#include "serve.h"
#include "server.h"

namespace minds::sim {
namespace {

// 0 to 3: the order of all launches (fibers.h); by default each launch has its own.
int fixed_order() {
  const char* given = std::getenv("MINDS_CUDA_ORDER");
  return given == nullptr ? -1 : std::atoi(given) & 3;
}

class CudaServer final : public Server {
 public:
  using Server::Server;

 protected:
  Status other(const Command& c) override {
    Reader r(c.body.data(), c.body.size());
    switch (c.header.kind) {
      case Kind::kLoad:
        return load(r);
      case Kind::kUnload: {
        const std::lock_guard guard(lock_);
        modules_.erase(r.get<uint64_t>());
        return {};
      }
      case Kind::kShare: {
        const uintptr_t at = r.get<uintptr_t>();
        return blocks_.add(at, r.get<size_t>());
      }
      case Kind::kUnshare: {
        size_t bytes = 0;
        return blocks_.remove(r.get<uintptr_t>(), bytes);
      }
      case Kind::kLaunch:
        return launch(r, c.header);
      case Kind::kCall:
        return call(r);
      default:
        return Server::other(c);
    }
  }

 private:
  Status load(Reader& r) {
    const uint64_t number = r.get<uint64_t>();
    const size_t bytes = r.get<size_t>();
    const int file = memfd_create("cuda_text", MFD_CLOEXEC);  // kept: lines are looked up in it
    if (::write(file, r.raw(bytes), bytes) != static_cast<ssize_t>(bytes)) return {Code::kMemory, "no memory for a text"};
    const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
    std::unique_ptr<TextModule> m;
    const std::string wrong = TextModule::open(path.c_str(), m);
    if (!wrong.empty()) return {Code::kBackend, wrong};
    const std::lock_guard guard(lock_);
    modules_[number] = std::move(m);
    return {};
  }

  Status launch(Reader& r, const Header& header) {
    std::shared_ptr<TextModule> m;
    {
      const std::lock_guard guard(lock_);
      const auto found = modules_.find(r.get<uint64_t>());
      if (found == modules_.end()) return {Code::kBackend, "a kernel runs whose module was unloaded"};
      m = found->second;
    }
    const std::string name = r.text();
    const int fixed = fixed_order();
    const uint64_t order = fixed >= 0 ? static_cast<uint64_t>(fixed) : seed_ + header.number + header.stream;
    Launch l{};
    l.module = m.get();
    l.entry = m->find(name);
    std::memcpy(&l.grid, r.raw(sizeof l.grid), sizeof l.grid);
    std::memcpy(&l.block, r.raw(sizeof l.block), sizeof l.block);
    l.shared = r.get<unsigned>();
    // Each argument at the strictest alignment that there is.
    struct alignas(16) Word {
      char bytes[16];
    };
    std::vector<std::vector<Word>> values(r.get<unsigned>());
    std::vector<void*> arguments;
    for (std::vector<Word>& v : values) {
      const unsigned bytes = r.get<unsigned>();
      v.resize((bytes + sizeof(Word) - 1) / sizeof(Word));
      std::memcpy(v.data(), r.raw(bytes), bytes);
      arguments.push_back(v.data());
    }
    l.arguments = arguments.data();
    l.threads_backward = (order & 1) != 0;
    l.blocks_backward = (order & 2) != 0;
    l.context = &blocks_;
    l.find = [](void* blocks, uintptr_t at, uintptr_t& begin, uintptr_t& end) {
      return static_cast<const Blocks*>(blocks)->find(at, begin, end);
    };
    std::string wrong = run_blocks(l);
    if (wrong.empty()) return {};
    return {Code::kBackend, "the kernel " + name + ": " + wrong};
  }

  Status call(Reader& r) {
    const std::string name = r.text();
    std::vector<uintptr_t> at;
    for (size_t n = r.get<size_t>(); n > 0; --n) {
      at.push_back(r.get<uintptr_t>());
      if (Status s = blocks_.check(at.back(), r.get<size_t>())) return {s.code(), name + ": " + s.message()};
    }
    return run_call(name, at, r);
  }

  std::mutex lock_;  // of what follows
  std::map<uint64_t, std::shared_ptr<TextModule>> modules_;
};

}  // namespace
}  // namespace minds::sim

int main(int argc, char** argv) {
  using namespace minds::sim;
  return serve(argc, argv, [](int socket, Control& c, uint64_t seed, unsigned delay) -> std::unique_ptr<Server> {
    return std::make_unique<CudaServer>(socket, c, seed, delay);
  });
}
