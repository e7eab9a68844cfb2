#include "server.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <thread>

#include "cpu/device.h"
#include "kernel/fault.h"
#include "kernel/registry.h"

namespace minds::sim {
namespace {

// False at the end of the stream.
bool receive(int socket, void* to, size_t bytes) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = recv(socket, at, bytes, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

std::vector<size_t> sizes(const std::vector<TensorSpec>& specs) {
  std::vector<size_t> found;
  for (const TensorSpec& t : specs) found.push_back(t.bytes());
  return found;
}

}  // namespace

// ---- a stream's thread

Worker::Worker(Server& server, uint64_t seed) : server_(server), random_(seed) {
  std::thread([this] { work(); }).detach();
}

void Worker::push(Command c) {
  {
    const std::lock_guard guard(lock_);
    queue_.push_back(std::move(c));
  }
  filled_.notify_one();
}

// Every eighth command or so is late, so that what does not wait for it reads something else.
void Worker::delay() {
  if (server_.delay_ == 0 || random_() % 8 != 0) return;
  std::this_thread::sleep_for(std::chrono::microseconds(random_() % server_.delay_));
}

void Worker::work() {
  for (;;) {
    std::unique_lock guard(lock_);
    filled_.wait(guard, [this] { return !queue_.empty(); });
    const Command c = std::move(queue_.front());
    queue_.pop_front();
    guard.unlock();
    delay();
    Status s;
    try {
      s = server_.execute(c);
    } catch (const std::exception& e) {
      s = {Code::kInternal, e.what()};
    }
    if (s) server_.report(s);
    server_.finish(c.header);
  }
}

// ---- the process

Server::Server(int socket, Control& control, uint64_t seed, unsigned delay)
    : seed_(seed), socket_(socket), control_(control), delay_(delay) {}

void Server::serve() {
  control_.ready.store(1);
  Command c;
  while (receive(socket_, &c.header, sizeof c.header)) {
    c.body.resize(c.header.bytes);
    if (!receive(socket_, c.body.data(), c.body.size())) return;
    // What the host saw finished before it sent this comes before what it sent.
    for (const auto& finished : control_.finished) static_cast<void>(finished.load());
    Reader r(c.body.data(), c.body.size());
    switch (c.header.kind) {
      case Kind::kPrepare:
        prepare(c);
        continue;
      case Kind::kForget:
        kernels_.erase(r.get<uint64_t>());
        continue;
      case Kind::kRun:
        c.kernel = kernels_.at(r.get<uint64_t>());
        break;
      default:
        break;
    }
    if (of_no_stream(c.header.kind)) {
      if (Status s = other(c)) report(s);
      continue;
    }
    std::unique_ptr<Worker>& worker = workers_[c.header.stream];
    if (!worker) worker = std::make_unique<Worker>(*this, seed_ + c.header.stream);
    worker->push(std::move(c));
    c = Command();
  }
}

void Server::prepare(const Command& c) {
  Reader r(c.body.data(), c.body.size());
  const uint64_t number = r.get<uint64_t>();
  const std::string op = r.text();
  const Attrs attrs = r.attrs();
  Signature s;
  s.inputs = r.specs();
  s.outputs = r.specs();
  const uint64_t workspace = r.get<uint64_t>();
  auto k = std::make_shared<DeviceKernel>();
  k->in = sizes(s.inputs);
  k->out = sizes(s.outputs);
  Prepared p;
  k->failure = Registry::instance().make("cpu", op, attrs, s, k->kernel, p);
  k->workspace = p.workspace;
  if (!k->failure && p.workspace > workspace) {
    k->failure = {Code::kInternal, "sim: the kernel of '" + op + "' wants a larger workspace than on the host"};
  }
  kernels_[number] = std::move(k);
}

Status Server::execute(const Command& c) {
  Reader r(c.body.data(), c.body.size());
  switch (c.header.kind) {
    case Kind::kAllocate: {
      const uintptr_t at = r.get<uintptr_t>();
      return blocks_.allocate(at, r.get<size_t>());
    }
    case Kind::kFree:
      return blocks_.free(r.get<uintptr_t>());
    case Kind::kRun:
      return run(c);
    case Kind::kCopy:
      return copy(r);
    case Kind::kWrite:
      return write(r);
    case Kind::kFill:
      return fill(r);
    case Kind::kTime:
      control_.times[r.get<uint32_t>()].store(std::chrono::steady_clock::now().time_since_epoch().count());
      return {};
    case Kind::kWait: {
      const uint32_t stream = r.get<uint32_t>();
      await(stream, r.get<uint64_t>());
      return {};
    }
    default:
      return other(c);
  }
}

Status Server::other(const Command&) { return {Code::kInternal, "sim: an unknown command"}; }

// An operand is an address, or the bytes of a word of the host.
Status Server::run(const Command& c) {
  const DeviceKernel& k = *c.kernel;
  if (k.failure) return {k.failure.code(), k.failure.message()};
  Reader r(c.body.data(), c.body.size());
  r.get<uint64_t>();  // the kernel's number
  const uint32_t instruction = r.get<uint32_t>();
  const uintptr_t fault = r.get<uintptr_t>();
  if (Status s = blocks_.check(fault, fault == 0 ? 0 : sizeof(FaultWord))) return s;
  std::vector<const void*> in;
  std::vector<uint64_t> words(k.in.size() * 2);  // 16 bytes each, aligned
  for (size_t n = 0; n < k.in.size(); ++n) {
    if (r.get<bool>()) {
      std::memcpy(&words[2 * n], r.raw(k.in[n]), k.in[n]);
      in.push_back(&words[2 * n]);
      continue;
    }
    const uintptr_t at = r.get<uintptr_t>();
    if (Status s = blocks_.check(at, k.in[n])) return s;
    in.push_back(reinterpret_cast<const void*>(at));
  }
  std::vector<void*> out;
  for (const size_t bytes : k.out) {
    const uintptr_t at = r.get<uintptr_t>();
    if (Status s = blocks_.check(at, bytes)) return s;
    out.push_back(reinterpret_cast<void*>(at));
  }
  const uintptr_t workspace = r.get<uintptr_t>();
  if (Status s = blocks_.check(workspace, k.workspace)) return s;
  return k.kernel->run({in.data(), out.data(), reinterpret_cast<void*>(workspace),
                        reinterpret_cast<FaultWord*>(fault), instruction},
                       cpu::device().stream());
}

Status Server::write(Reader r) {
  const uintptr_t to = r.get<uintptr_t>();
  const size_t bytes = r.get<size_t>();
  if (Status s = blocks_.check(to, bytes)) return s;
  std::memcpy(reinterpret_cast<void*>(to), r.raw(bytes), bytes);
  return {};
}

Status Server::fill(Reader r) {
  const uintptr_t to = r.get<uintptr_t>();
  const size_t item = r.get<size_t>(), count = r.get<size_t>();
  if (Status s = blocks_.check(to, item * count)) return s;
  const char* from = r.raw(item);
  for (size_t n = 0; n < count; ++n) std::memcpy(reinterpret_cast<char*>(to) + n * item, from, item);
  return {};
}

Status Server::copy(Reader r) {
  const uintptr_t to = r.get<uintptr_t>(), from = r.get<uintptr_t>();
  const size_t bytes = r.get<size_t>();
  if (Status s = blocks_.check(from, bytes)) return s;
  if (Status s = blocks_.check(to, bytes)) return s;
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return {};
}

void Server::await(uint32_t stream, uint64_t number) {
  std::unique_lock guard(progress_);
  progressed_.wait(guard, [&] { return control_.finished[stream].load() >= number; });
}

void Server::finish(const Header& h) {
  {
    const std::lock_guard guard(progress_);
    control_.finished[h.stream].store(h.number);
  }
  progressed_.notify_all();
  if (control_.waiters.load() != 0) wake(control_.finished[h.stream]);
}

void Server::report(const Status& s) {
  FirstError& e = control_.error;
  ErrorState none = ErrorState::kNone;
  if (!e.state.compare_exchange_strong(none, ErrorState::kBeingWritten)) return;
  e.code = s.code();
  e.size = static_cast<uint32_t>(std::min(s.message().size(), sizeof e.text));
  std::memcpy(e.text, s.message().data(), e.size);
  e.state.store(ErrorState::kThere);
}

}  // namespace minds::sim
