#include "process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>

extern char** environ;

namespace minds::sim {
namespace {

constexpr uint64_t kMostQueued = 4096;  // commands of a stream, beyond which the host waits

Status failed(const std::string& what) {
  return {Code::kBackend, "sim: " + what + ": " + std::strerror(errno)};
}

// All that were started, for a child that is forked off: it must not keep the sockets open, by whose end a device
// process sees that its host is gone.
std::vector<Process*>& started() {
  static std::vector<Process*>& all = *new std::vector<Process*>;
  return all;
}

void in_child() {
  for (Process* p : started()) p->in_child();
}

// The program of the device process lies beside this shared object.
std::string beside(const std::string& program) {
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&in_child), &self) == 0) return program;
  const std::string path = self.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + program;
}

}  // namespace

File::~File() {
  if (number_ >= 0) close(number_);
}

Status Process::start(const Machine& m, std::unique_ptr<Process>& out) {
  [[maybe_unused]] static const int watched = pthread_atfork(nullptr, nullptr, sim::in_child);
  std::unique_ptr<Process> p(new Process(m));
  p->memory_ = File(memfd_create("minds_sim_memory", MFD_CLOEXEC));
  const File control(memfd_create("minds_sim_control", MFD_CLOEXEC));
  int ends[2];
  if (p->memory_.number() < 0 || control.number() < 0) return failed("no shared memory");
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failed("no socket");
  p->socket_ = File(ends[0]);
  File theirs(ends[1]);
  if (ftruncate(p->memory_.number(), static_cast<off_t>(m.size + m.shared)) != 0) return failed("no memory for the device");
  if (ftruncate(control.number(), sizeof(Control)) != 0) return failed("no memory for the device");
  if (Status s = p->map(control.number())) return s;
  if (Status s = p->spawn(control.number(), std::move(theirs))) return s;
  while (p->control_->ready.load() == 0) {
    if (Status s = p->alive()) return s;
    usleep(1000);
  }
  started().push_back(p.get());
  out = std::move(p);
  return {};
}

Status Process::map(int control) {
  void* want = reinterpret_cast<void*>(begin_);
  void* got = mmap(want, size_ + shared_, PROT_NONE, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, memory_.number(), 0);
  if (got != want) return failed("the device's addresses are taken in the host");
  if (shared_ != 0 && mprotect(static_cast<char*>(want) + size_, shared_, PROT_READ | PROT_WRITE) != 0) {
    return failed("no memory that the device shares");
  }
  void* shared = mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, control, 0);
  if (shared == MAP_FAILED) return failed("no memory for the device");
  control_ = static_cast<Control*>(shared);
  return {};
}

Status Process::spawn(int control, File theirs) {
  const std::string path = beside(program_);
  std::vector<std::string> words = {path,
                                    std::to_string(theirs.number()),
                                    std::to_string(memory_.number()),
                                    std::to_string(control),
                                    std::to_string(begin_),
                                    std::to_string(size_ + shared_),
                                    std::to_string(getpid())};
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  // Its workers stand for the device's units: each is one thread.
  std::string threads = "OMP_NUM_THREADS=1";
  std::vector<char*> env;
  for (char** e = environ; *e != nullptr; ++e) {
    if (std::strncmp(*e, "OMP_", 4) != 0) env.push_back(*e);
  }
  env.push_back(threads.data());
  env.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // A descriptor that is "moved" to itself stays open in the new program.
  for (const int f : {theirs.number(), memory_.number(), control}) posix_spawn_file_actions_adddup2(&actions, f, f);
  const int failure = posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure == 0) return {};
  errno = failure;
  return failed("cannot start " + path);
}

Process::~Process() {
  std::erase(started(), this);
  socket_ = File();
  if (pid_ > 0 && !forked_) waitpid(pid_, nullptr, 0);
  if (control_ != nullptr) munmap(control_, sizeof(Control));
  munmap(reinterpret_cast<void*>(begin_), size_ + shared_);
}

void Process::in_child() {
  forked_ = true;
  socket_ = File();
}

// ---- commands

Status Process::post(uint32_t stream, Kind kind, const Writer& body, uint64_t* number) {
  if (forked_) return alive();
  if (stream == kRecordingStream) {
    if (kind != Kind::kRun && kind != Kind::kCopy) return {Code::kInternal, label_ + ": this is not recorded"};
    recorded_->push_back({kind, body});
    return {};
  }
  std::unique_lock guard(lock_);
  const uint64_t own = of_no_stream(kind) ? 0 : ++posted_[stream];
  Header header{static_cast<uint32_t>(body.bytes().size()), kind, static_cast<uint8_t>(stream), own};
  iovec parts[2] = {{&header, sizeof header}, {const_cast<char*>(body.bytes().data()), body.bytes().size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  size_t left = parts[0].iov_len + parts[1].iov_len;
  while (left > 0) {
    const ssize_t sent = sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return lost();
    left -= static_cast<size_t>(sent);
    size_t skip = static_cast<size_t>(sent);
    for (iovec& part : parts) {
      const size_t here = std::min(skip, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + here;
      part.iov_len -= here;
      skip -= here;
    }
  }
  guard.unlock();
  if (number != nullptr) *number = own;
  return own > kMostQueued ? reach(stream, own - kMostQueued) : Status();
}

uint64_t Process::posted(uint32_t stream) const {
  if (forked_) return 0;
  const std::lock_guard guard(lock_);
  return posted_[stream];
}

Status Process::await(uint32_t stream, uint64_t number) {
  if (Status s = reach(stream, number)) return s;
  return error();
}

Status Process::reach(uint32_t stream, uint64_t number) {
  if (finished(stream, number)) return {};
  std::atomic<uint64_t>& word = control_->finished[stream];
  control_->waiters.fetch_add(1);
  Status s;
  for (uint64_t seen = word.load(); seen < number && !s; seen = word.load()) {
    sleep_while(word, seen, 20);
    if (word.load() == seen) s = alive();
  }
  control_->waiters.fetch_sub(1);
  return s;
}

Status Process::error() {
  const std::lock_guard guard(end_lock_);
  FirstError& e = control_->error;
  if (e.state.load() != ErrorState::kThere) return {};
  Status s{e.code, std::string(e.text, e.size)};
  e.state.store(ErrorState::kNone);
  return s;
}

Status Process::read(void* to, uintptr_t from, size_t bytes) const {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(memory_.number(), static_cast<char*>(to) + done, bytes - done,
                              static_cast<off_t>(from - begin_ + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return failed("cannot read the device's memory");
    done += static_cast<size_t>(got);
  }
  return {};
}

Status Process::alive() {
  if (forked_) {
    return {Code::kBackend, "the device " + label_ +
                                " was opened before this process was forked off, and does not survive that; start the "
                                "process by 'spawn', or open the device in the child only"};
  }
  pollfd end{socket_.number(), POLLRDHUP, 0};
  if (poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return lost();
  return {};
}

Status Process::lost() {
  const std::lock_guard guard(end_lock_);
  if (end_.empty()) {
    int how = 0;
    // What closed the socket is at its end, so this wait is short.
    const bool known = waitpid(pid_, &how, 0) == pid_;
    end_ = !known            ? "for a reason that is not known"
           : WIFSIGNALED(how) ? "by signal " + std::to_string(WTERMSIG(how)) + " (" + strsignal(WTERMSIG(how)) + ")"
                              : "with code " + std::to_string(WEXITSTATUS(how));
    pid_ = -1;
  }
  return {Code::kBackend, "the process of the device " + label_ + " has ended " + end_ +
                              "; what was on it is lost, start this program anew"};
}

}  // namespace minds::sim
