#include "comm/world.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/crc32.h"
#include "comm/queue.h"

namespace minds::comm {
namespace {

using Clock = std::chrono::steady_clock;

// How long a waiting process spins, and yields its processor, before it sleeps between looks.
constexpr auto kSpin = std::chrono::microseconds(20);
constexpr auto kYield = std::chrono::milliseconds(2);
constexpr long kNap = 50'000;  // ns
constexpr auto kAsk = std::chrono::milliseconds(50);
constexpr int kAsks = 20;  // so often who has failed, where the library says only that something has

void rest(Clock::duration waited) {
  if (waited < kSpin) return;
  if (waited < kYield && !is_beside()) {  // who runs beside the program leaves it the processor
    sched_yield();
    return;
  }
  const timespec nap{0, kNap};
  nanosleep(&nap, nullptr);
}

int64_t nanoseconds(Clock::time_point t) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count();
}

// Messages of another size are not taken for one another: who waits for such a one is told so by the watch.
int message_tag(const Call& call, size_t bytes) {
  return static_cast<int>((static_cast<size_t>(call.tag) + bytes % 32'749) % kMpiTags);
}

// The dtype of a description of a tensor, which ends in it.
std::string_view dtype_of(std::string_view what) { return what.substr(what.rfind(' ') + 1); }

// Small messages of collectives come together with their announcement, which larger ones have come before them.
constexpr size_t kPacked = 16 << 10;
bool is_packed(const Call& call, size_t bytes) { return call.history != nullptr && bytes <= kPacked; }

uint32_t digest_of(std::string_view text) { return crc32({reinterpret_cast<const uint8_t*>(text.data()), text.size()}); }

Announcement announcement(const Call& call) {
  Announcement made{};
  made.number = call.number;
  made.place = call.place;
  if (call.history != nullptr && !call.has_parts && !call.site.empty()) made.line = digest_of(call.site);
  put(call.site, made.site, sizeof made.site);
  return made;
}

// What the messages of these that another rank sends or gets are.
template <class Message>
Announcement announcement(std::span<const Message> all, int rank, const Call& call) {
  Announcement made = announcement(call);
  std::string what, agreed;
  for (const Message& m : all) {
    if (m.rank != rank) continue;
    made.bytes += m.bytes;
    what.append(made.count++ == 0 ? "" : ", ").append(m.what);
    agreed.append(std::to_string(m.bytes)).append(dtype_of(m.what)).append(";");
  }
  made.digest = digest_of(agreed);
  put(what, made.what, sizeof made.what);
  return made;
}

// What is wrong with messages that were announced.
Status check_announced(const Announcement& got, const Announcement& expected, int rank, const Call& call) {
  if (got.bytes == expected.bytes && got.count == expected.count && got.digest == expected.digest) return {};
  return {Code::kValue, call.what + ": rank " + std::to_string(rank) + " sends " + taken(got.what, sizeof got.what)};
}

// The other ranks of some messages, each once.
template <class Message>
std::vector<int> others_of(std::span<const Message> all, int here) {
  std::vector<int> found;
  for (const Message& m : all) {
    if (m.rank != here && std::find(found.begin(), found.end(), m.rank) == found.end()) found.push_back(m.rank);
  }
  return found;
}

}  // namespace

int tag_of(std::string_view agreed) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(agreed.data()), agreed.size());
  return static_cast<int>(crc32(bytes) % kMpiTags);
}

World& World::instance() {
  static auto& world = *new World;
  return world;
}

Status World::open(const std::string& library) {
  if (open_) return {};
  if (Status s = mpi_.open(library)) return s;
  int got = 0;
  if (Status s = mpi_.check(mpi_.init_thread(nullptr, nullptr, kMpiThreadMultiple, &got), "MPI_Init_thread")) return s;
  if (got < kMpiThreadMultiple) return {Code::kBackend, "this MPI library cannot be called by several threads"};
  if (Status s = mpi_.check(mpi_.comm_set_errhandler(kMpiWorld, kMpiErrorsReturn), "MPI_Comm_set_errhandler")) return s;
  if (Status s = mpi_.check(mpi_.comm_rank(kMpiWorld, &rank_), "MPI_Comm_rank")) return s;
  if (Status s = mpi_.check(mpi_.comm_size(kMpiWorld, &size_), "MPI_Comm_size")) return s;
  open_ = true;
  return {};
}

Status World::close() {
  if (!open_) return {};
  open_ = false;
  return mpi_.check(mpi_.finalize(), "MPI_Finalize");
}

void World::abort(int code) {
  if (open_) mpi_.abort(kMpiWorld, code);
}

Status World::exchange(std::span<const Outgoing> out, std::span<const Incoming> in, const Call& call) {
  if (broken_) {
    // Who asks again is told again why.
    {
      const std::lock_guard guard(lock_);
      if (!differ_.empty()) return {Code::kBackend, differ_};
    }
    if (watch_.waiting) {
      if (Status s = watch_.waiting(call, {}, 0)) return s;
    }
    return {Code::kBackend, call.what + ": communication has failed before in this process"};
  }
  Posted posted;
  posted.pending.reserve(out.size() + in.size());
  const auto begin = Clock::now();
  Status s = post(out, in, call, posted);
  if (!s) s = wait(posted.pending, call);
  if (watch_.exchanged) watch_.exchanged({call, nanoseconds(begin), nanoseconds(Clock::now()), bytes_to_others(out)});
  // The library may still refer to buffers that are released now: it is not called again.
  if (s && !posted.pending.empty()) broken_ = true;
  return s;
}

Status World::begin_send(std::span<const Outgoing> out, const Call& call) {
  if (broken_) return exchange({}, {}, call);
  Begun b;
  const auto begin = Clock::now();
  std::vector<Outgoing> copies;
  for (const Outgoing& m : out) {
    const auto* from = static_cast<const char*>(m.data);
    b.data.emplace_back(from, from + m.bytes);
    copies.push_back({m.rank, b.data.back().data(), m.bytes, m.what});
  }
  Status s = post(copies, {}, call, b.posted);
  if (watch_.exchanged) watch_.exchanged({call, nanoseconds(begin), nanoseconds(Clock::now()), bytes_to_others(out)});
  const std::lock_guard guard(begun_lock_);
  begun_.push_back(std::move(b));
  return s;
}

Status World::settle(const Call& call) {
  std::deque<Begun> begun;
  {
    const std::lock_guard guard(begun_lock_);
    begun.swap(begun_);
  }
  Status s;
  for (Begun& b : begun) {
    if (!s) s = wait(b.posted.pending, call);
    if (b.posted.pending.empty()) continue;
    broken_ = true;  // the library may still refer to the data, which stays
    const std::lock_guard guard(begun_lock_);
    begun_.push_back(std::move(b));
  }
  return s;
}

size_t World::bytes_to_others(std::span<const Outgoing> out) const {
  size_t total = 0;
  for (const Outgoing& m : out) total += m.rank == rank_ ? 0 : m.bytes;
  return total;
}

Status World::outside(int rank, const Call& call) const {
  if (open_ && rank >= 0 && rank < size_) return {};
  return {Code::kValue, call.what + ": there is no rank " + std::to_string(rank)};
}

std::vector<std::pair<uint64_t, uint64_t>> World::messages() {
  const std::lock_guard guard(lock_);
  messages_.resize(static_cast<size_t>(size_));
  return messages_;
}

void World::count_message(int rank, uint64_t sent, uint64_t awaited) {
  const std::lock_guard guard(lock_);
  messages_.resize(static_cast<size_t>(size_));
  auto& [to, from] = messages_[static_cast<size_t>(rank)];
  to += sent;
  from += awaited;
}

// Two that exchange messages differ in what these are only by a mistake, which nobody else could notice.
Status World::tell(std::span<const Outgoing> out, std::span<const Incoming> in, const Call& call, Posted& posted) {
  const int tag = message_tag(call, sizeof(Announcement) + 1);
  for (const int rank : others_of(in, rank_)) {
    if (Status s = outside(rank, call)) return s;
    Announcement& got = posted.announced.emplace_back();
    Pending p{kMpiNoRequest, rank, &got, &posted.announced.emplace_back(announcement(in, rank, call))};
    for (const Incoming& m : in) {
      if (m.rank == rank && m.shown) p.place = m.data;
    }
    const int code = mpi_.irecv(&got, sizeof got, kMpiByte, rank, tag, kMpiWorld, &p.request);
    if (Status s = mpi_.check(code, "MPI_Irecv")) return s;
    posted.pending.push_back(p);
    if (call.told) count_message(rank, 0, 1);
  }
  for (const int rank : others_of(out, rank_)) {
    if (Status s = outside(rank, call)) return s;
    const Announcement& told = posted.announced.emplace_back(announcement(out, rank, call));
    Pending p{kMpiNoRequest, rank};
    const int code = mpi_.isend(&told, sizeof told, kMpiByte, rank, tag, kMpiWorld, &p.request);
    if (Status s = mpi_.check(code, "MPI_Isend")) return s;
    posted.pending.push_back(p);
    if (call.told) count_message(rank, 1, 0);
  }
  return {};
}

Status World::post(std::span<const Outgoing> out, std::span<const Incoming> in, const Call& call, Posted& posted) {
  if (call.told) {
    if (Status s = tell(out, in, call, posted)) return s;
  } else if (call.history != nullptr) {
    std::vector<Outgoing> large_out;
    std::vector<Incoming> large_in;
    for (const Outgoing& m : out) {
      if (m.shown || !is_packed(call, m.bytes)) large_out.push_back(m);
    }
    for (const Incoming& m : in) {
      if (m.shown || !is_packed(call, m.bytes)) large_in.push_back(m);
    }
    if (Status s = tell(large_out, large_in, call, posted)) return s;
    posted.announced.push_back(announcement(call));
  }
  std::vector<Outgoing> own;
  for (const Outgoing& m : out) {
    if (m.rank == rank_) own.push_back(m);
  }
  size_t taken = 0;
  for (const Incoming& m : in) {
    if (m.rank != rank_) {
      if (Status s = receive(m, call, posted)) return s;
      continue;
    }
    if (taken == own.size() || own[taken].bytes != m.bytes) {
      return {Code::kValue, call.what + ": what a rank sends to itself is not what it receives"};
    }
    if (m.data != own[taken].data) std::memmove(m.data, own[taken].data, m.bytes);
    ++taken;
  }
  if (taken != own.size()) return {Code::kValue, call.what + ": what a rank sends to itself is not what it receives"};
  for (const Outgoing& m : out) {
    if (m.rank == rank_) continue;
    if (Status s = send(m, call, posted)) return s;
  }
  return {};
}

Status World::receive(const Incoming& m, const Call& call, Posted& posted) {
  if (m.shown) return {};
  if (Status s = outside(m.rank, call)) return s;
  Pending p{kMpiNoRequest, m.rank};
  char* at = static_cast<char*>(m.data);
  size_t bytes = m.bytes;
  if (is_packed(call, m.bytes)) {
    bytes += sizeof(Announcement);
    at = posted.packed.emplace_back(std::make_unique_for_overwrite<char[]>(bytes)).get();
    p.got = reinterpret_cast<const Announcement*>(at);
    p.expects = &posted.announced.back();
    p.packed = at + sizeof(Announcement);
    p.to = m.data;
  }
  p.bytes = m.bytes;
  const int tag = message_tag(call, m.bytes);
  const int code = mpi_.irecv(at, static_cast<MpiCount>(bytes), kMpiByte, m.rank, tag, kMpiWorld, &p.request);
  if (Status s = mpi_.check(code, "MPI_Irecv")) return s;
  posted.pending.push_back(p);
  return {};
}

Status World::send(const Outgoing& m, const Call& call, Posted& posted) {
  if (m.shown) {
    bytes_sent_ += m.bytes;
    return {};
  }
  if (Status s = outside(m.rank, call)) return s;
  Pending p{kMpiNoRequest, m.rank};
  const void* from = m.data;
  size_t bytes = m.bytes;
  if (is_packed(call, m.bytes)) {
    bytes += sizeof(Announcement);
    char* const at = posted.packed.emplace_back(std::make_unique_for_overwrite<char[]>(bytes)).get();
    std::memcpy(at, &posted.announced.back(), sizeof(Announcement));
    if (m.bytes != 0) std::memcpy(at + sizeof(Announcement), m.data, m.bytes);
    from = at;
  }
  const int tag = message_tag(call, m.bytes);
  const int code = mpi_.isend(from, static_cast<MpiCount>(bytes), kMpiByte, m.rank, tag, kMpiWorld, &p.request);
  if (Status s = mpi_.check(code, "MPI_Isend")) return s;
  bytes_sent_ += m.bytes;
  posted.pending.push_back(p);
  return {};
}

// What came: whether it is what was to come.
Status World::arrived(const Pending& p, const Call& call) {
  if (p.got == nullptr) return {};
  if (call.told) {
    if (Status s = check_announced(*p.got, *p.expects, p.rank, call)) return s;
  }
  if (call.history != nullptr) {
    if (Status s = call.history->meet(rank_, *p.expects, p.rank, *p.got, call.what)) {
      const std::lock_guard guard(lock_);
      differ_ = s.message();
      broken_ = true;
      return s;
    }
  }
  if (p.place != nullptr) std::memcpy(p.place, &p.got->place, sizeof p.got->place);
  if (p.packed != nullptr && p.bytes != 0) std::memcpy(p.to, p.packed, p.bytes);
  return {};
}

Status World::wait(std::vector<Pending>& pending, const Call& call) {
  const auto start = Clock::now();
  auto next = start + kAsk;
  bool asked = false, is_own = false;  // whether the fault was found here
  Status failed;
  while (!failed) {
    for (size_t i = 0; i < pending.size() && !failed;) {
      int done = 0;
      failed = mpi_.check(mpi_.test(&pending[i].request, &done, nullptr), call.what.c_str());
      if (done != 0) {
        if (!failed) {
          failed = arrived(pending[i], call);
          is_own = static_cast<bool>(failed);
        }
        pending[i] = pending.back();
        pending.pop_back();
      } else {
        ++i;
      }
    }
    if (failed || pending.empty()) break;
    const auto now = Clock::now();
    if (now >= next) {
      asked = true;
      failed = ask(pending, call, std::chrono::duration<double>(now - start).count());
      next = Clock::now() + kAsk;
    }
    rest(now - start);
  }
  if (failed && !is_own && !pending.empty()) failed = blamed(std::move(failed), pending, call);
  if (!asked) return failed;
  Status interrupted = left();
  return failed ? std::move(failed) : std::move(interrupted);
}

// Who has died is known a moment after the library fails.
Status World::blamed(Status failed, const std::vector<Pending>& pending, const Call& call) {
  if (failed.code() != Code::kBackend) return failed;
  for (int i = 0; i < kAsks; ++i) {
    if (Status s = ask(pending, call, i * std::chrono::duration<double>(kAsk).count())) return s;
    std::this_thread::sleep_for(kAsk);
  }
  return failed;
}

Status World::ask(const std::vector<Pending>& pending, const Call& call, double seconds) {
  if (!watch_.waiting) return {};
  std::vector<int> ranks;
  for (const Pending& p : pending) {
    if (std::find(ranks.begin(), ranks.end(), p.rank) == ranks.end()) ranks.push_back(p.rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ask(ranks, call, seconds);
}

Status World::ask(const std::vector<int>& ranks, const Call& call, double seconds) {
  return watch_.waiting ? watch_.waiting(call, ranks, seconds) : Status{};
}

}  // namespace minds::comm
