#include "serve.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "server.h"

namespace minds::sim {
namespace {

pid_t host;

// Sent when the thread that started this process ends; only the end of the host itself matters.
void host_may_be_gone(int) {
  if (getppid() != host) _exit(0);
}

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 0);
}

// Ctrl-C reaches the whole group of processes; the device goes when its host does. That is seen by the end of the
// socket, or by the signal where a stopped program keeps the socket open.
void outlive_nobody() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  std::signal(SIGUSR1, host_may_be_gone);
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  prctl(PR_SET_NAME, "minds_sim");
  host_may_be_gone(0);  // it may have ended before the signal was asked for
}

}  // namespace

int serve(int argc, char** argv, MakeServer make) {
  if (argc != 7) {
    std::fprintf(stderr, "%s is started by a simulated device\n", argc > 0 ? argv[0] : "this program");
    return 2;
  }
  const int socket = std::atoi(argv[1]), memory = std::atoi(argv[2]), control = std::atoi(argv[3]);
  void* begin = reinterpret_cast<void*>(std::strtoull(argv[4], nullptr, 10));
  const size_t size = std::strtoull(argv[5], nullptr, 10);
  host = std::atoi(argv[6]);
  outlive_nobody();
  const int flags = MAP_SHARED | MAP_NORESERVE;
  void* got = mmap(begin, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, memory, 0);
  void* shared = mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, control, 0);
  if (got != begin || shared == MAP_FAILED) {
    std::perror("sim: the device's memory cannot be mapped");
    return 3;
  }
  const auto delay = static_cast<unsigned>(setting("MINDS_SIM_DELAY", 200));
  const auto server = make(socket, *static_cast<Control*>(shared), setting("MINDS_SIM_SEED", 1), delay);
  server->serve();
  // Without the end of the threads, which may wait for what never comes, and of the server, which they use.
  _exit(0);
}

}  // namespace minds::sim

int minds_sim_serve(int argc, char** argv) {
  return minds::sim::serve(argc, argv, [](int socket, minds::sim::Control& c, uint64_t seed, unsigned delay) {
    return std::make_unique<minds::sim::Server>(socket, c, seed, delay);
  });
}
