// The processes of a program, and the one thing that they do: exchange messages. Collectives are made of it
// (comm/collectives.h).
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/history.h"
#include "comm/mpi.h"

namespace minds::comm {

// What a process takes part in, for messages about it. Processes that take part in the same have the same `what`.
struct Call {
  std::string what;  // "all_reduce(sum) of float32[10] over 4 ranks"
  std::string site;  // the user's line; empty: the one that is running
  int tag = 0;       // of its messages: see tag_of
  bool told = false;  // whether a message says before it comes what it is: where only the two that exchange it know
  // Of a collective: what is known of the group's, which of them it is, and whether ranks have different parts in it.
  History* history = nullptr;
  uint64_t number = 0;
  bool has_parts = false;
  int64_t place = -1;  // in this process's segment (comm/segment.h), of messages that are shown
};

// A number for the tag of messages, of what sender and receiver must agree on.
int tag_of(std::string_view agreed);

// `what`: a tensor as `to_string` describes it, of calls that are `told`. One that is `shown` is not sent: the other is told
// where it is, an int64.
struct Outgoing {
  int rank;  // of the world
  const void* data;
  size_t bytes;
  std::string_view what{};
  bool shown = false;
};
struct Incoming {
  int rank;
  void* data;
  size_t bytes;
  std::string_view what{};
  bool shown = false;
};

// What one exchange of messages was: from when to when, in nanoseconds of the steady clock, and how much was sent.
struct Exchanged {
  const Call& call;
  int64_t begin, end;
  size_t sent;
};

// Asked every 50 ms while a process waits for others: whether to go on. `left` says that it waits no more. `idle` is asked
// instead while a thread waits for what runs beside it. `exchanged` is told of each exchange.
struct Watch {
  std::function<Status(const Call&, const std::vector<int>& waits_for, double seconds)> waiting;
  std::function<Status()> left;
  std::function<Status()> idle;
  std::function<void(const Exchanged&)> exchanged;
  std::function<Status(std::string&)> line;  // of the user's that this thread is at
};

class World {
 public:
  static World& instance();

  // Begins: opens the library and finds rank and size. Once per process.
  Status open(const std::string& library);
  bool is_open() const { return open_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  void watch(Watch w) { watch_ = std::move(w); }
  // Whether a thread that waits for what runs beside it may go on waiting.
  Status idle() const { return watch_.idle ? watch_.idle() : Status{}; }

  // Sends and receives all of these and waits for them. Messages of one sender with one tag arrive in order; a message
  // to the process itself is copied. After a failure nothing more can be exchanged.
  Status exchange(std::span<const Outgoing> out, std::span<const Incoming> in, const Call& call);

  // Begins to send copies of these; `settle` waits until all that were begun are on their way.
  Status begin_send(std::span<const Outgoing> out, const Call& call);
  Status settle(const Call& call);

  // For who waits for these ranks by other means than messages: whether to go on, asked every 50 ms or so; and that it
  // waits no more.
  Status ask(const std::vector<int>& ranks, const Call& call, double seconds);
  Status left() { return watch_.left ? watch_.left() : Status{}; }
  // The user's line that this thread is at, for a call that does not know its own.
  Status find_line(Call& call) const { return call.site.empty() && watch_.line ? watch_.line(call.site) : Status{}; }
  // Nothing more can be exchanged, and whether that is so.
  void give_up() { broken_ = true; }
  bool has_failed() const { return broken_; }

  // Ends; only where all processes do.
  Status close();
  // Ends all processes.
  void abort(int code);

  uint64_t bytes_sent() const { return bytes_sent_; }
  // How many messages that are told were begun to be sent to each rank, and to be received from it.
  std::vector<std::pair<uint64_t, uint64_t>> messages();

 private:
  struct Pending {
    MpiRequest request;
    int rank;
    const Announcement* got = nullptr;  // what comes before or with a message, and what that is to be
    const Announcement* expects = nullptr;
    const char* packed = nullptr;  // where a message came with it, to be copied
    void* to = nullptr;
    size_t bytes = 0;
    void* place = nullptr;  // to which it is written where the message is
  };
  // Messages that are under way, and what the library reads and writes for them.
  struct Posted {
    std::vector<Pending> pending;
    std::deque<Announcement> announced;
    std::vector<std::unique_ptr<char[]>> packed;
  };
  Status post(std::span<const Outgoing> out, std::span<const Incoming> in, const Call& call, Posted& posted);
  Status tell(std::span<const Outgoing> out, std::span<const Incoming> in, const Call& call, Posted& posted);
  Status send(const Outgoing& m, const Call& call, Posted& posted);
  Status receive(const Incoming& m, const Call& call, Posted& posted);
  Status arrived(const Pending& p, const Call& call);
  void count_message(int rank, uint64_t sent, uint64_t awaited);
  Status outside(int rank, const Call& call) const;
  size_t bytes_to_others(std::span<const Outgoing> out) const;
  Status wait(std::vector<Pending>& pending, const Call& call);
  Status blamed(Status failed, const std::vector<Pending>& pending, const Call& call);
  Status ask(const std::vector<Pending>& pending, const Call& call, double seconds);

  Mpi mpi_{};
  bool open_ = false;
  int rank_ = 0, size_ = 1;
  std::atomic<bool> broken_{false};
  std::atomic<uint64_t> bytes_sent_{0};
  Watch watch_;
  std::mutex lock_;
  std::string differ_;  // in what a rank's program differs from this one's, once that was found
  std::vector<std::pair<uint64_t, uint64_t>> messages_;

  struct Begun {
    std::vector<std::vector<char>> data;
    Posted posted;
  };
  std::mutex begun_lock_;
  std::deque<Begun> begun_;
};

}  // namespace minds::comm
