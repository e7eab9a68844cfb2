// The device process: reads the host's messages and runs each stream's commands, in order, in a thread of its own.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <unordered_map>
#include <vector>

#include "blocks.h"
#include "protocol.h"

namespace minds::sim {

// A kernel of the CPU, prepared for the operands of a signature.
struct DeviceKernel {
  std::unique_ptr<Kernel> kernel;  // none where `failure` says why
  Status failure;
  std::vector<size_t> in, out;  // bytes of the operands
  size_t workspace = 0;
};

struct Command {
  Header header;
  std::vector<char> body;
  std::shared_ptr<const DeviceKernel> kernel;  // of kRun
};

class Server;

// Lives as long as the process: who has nobody left to tell of its work need not end it in order.
class Worker {
 public:
  Worker(Server& server, uint64_t seed);
  void push(Command c);

 private:
  void work();
  void delay();

  Server& server_;
  std::mt19937_64 random_;
  std::mutex lock_;
  std::condition_variable filled_;
  std::deque<Command> queue_;
};

class Server {
 public:
  // `delay` is the longest that a worker sleeps before a command, in microseconds.
  Server(int socket, Control& control, uint64_t seed, unsigned delay);
  virtual ~Server() = default;
  // Until the host closes its end.
  void serve();

 protected:
  // Commands that only one kind of device has.
  virtual Status other(const Command& c);

  uint64_t seed_;
  Blocks blocks_;

 private:
  friend class Worker;
  void prepare(const Command& c);
  Status execute(const Command& c);
  Status run(const Command& c);
  Status write(Reader r);
  Status fill(Reader r);
  Status copy(Reader r);
  void await(uint32_t stream, uint64_t number);
  void finish(const Header& h);
  void report(const Status& s);

  int socket_;
  Control& control_;
  unsigned delay_;
  std::unordered_map<uint64_t, std::shared_ptr<const DeviceKernel>> kernels_;
  std::mutex progress_;
  std::condition_variable progressed_;
  std::unique_ptr<Worker> workers_[kStreams];
};

}  // namespace minds::sim
