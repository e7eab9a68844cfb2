// The device process, through the seam: as the runtime uses it, but with every step in sight.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "check.h"
#include "cpu/device.h"
#include "device/array.h"
#include "kernel/plugin.h"

namespace minds {
namespace {

Device& sim(int index = 0) {
  setenv("MINDS_PLUGINS", SIM_FOLDER, 0);
  setenv("MINDS_SIM_MEMORY", "0x8000000", 0);
  Device* d = nullptr;
  const Status s = find_device("sim", index, d);
  if (s) {
    std::cerr << s.message() << "\n";
    std::exit(1);
  }
  return *d;
}

std::string message(const Status& s) { return s ? s.message() : "fine"; }
#define EXPECT_FINE(status) EXPECT_EQ(message(status), "fine")
#define EXPECT_SAYS(status, part)                                                           \
  do {                                                                                      \
    const std::string said = message(status);                                               \
    ::minds::test::report(said.find(part) != std::string::npos, __FILE__, __LINE__, said); \
  } while (false)

#if defined(__SANITIZE_THREAD__)
constexpr bool kRacesAreErrors = true;
#else
constexpr bool kRacesAreErrors = false;
#endif

using Floats = std::vector<float>;

Floats ramp(size_t n) {
  Floats v(n);
  std::iota(v.begin(), v.end(), 1.0f);
  return v;
}

Array put(const Floats& v, Device& to) {
  Array made;
  EXPECT_FINE(make_array(to.allocator(), {DType::kFloat32, {static_cast<int64_t>(v.size())}}, made));
  EXPECT_FINE(to.copy(made.data(), v.data(), made.bytes(), CopyKind::kToDevice, to.stream()));
  return made;
}

Floats get(const Array& a) {
  Floats v(static_cast<size_t>(a.size()));
  EXPECT_FINE(read_array(a, v.data()));
  return v;
}

struct Made {
  std::unique_ptr<Kernel> kernel;
  Prepared prepared;
};

Made add_kernel(Device& on, int64_t n, std::vector<Residence> at = {}) {
  Made m;
  const TensorSpec t{DType::kFloat32, {n}}, scalar{DType::kFloat32, {}};
  const Signature s{{t, at.empty() ? t : scalar}, {t}, std::move(at), &on};
  EXPECT_FINE(Registry::instance().make(on.name(), "add", {}, s, m.kernel, m.prepared));
  return m;
}

void run(const Made& m, const void* a, const void* b, void* out, Stream& q) {
  const void* in[] = {a, b};
  void* outs[] = {out};
  EXPECT_FINE(m.kernel->run({in, outs, nullptr}, q));
}

TEST(sim_runs_a_kernel) {
  const Array a = put(ramp(1000), sim());
  Array out;
  EXPECT_FINE(make_array(sim().allocator(), a.spec, out));
  run(add_kernel(sim(), 1000), a.data(), a.data(), out.data(), sim().stream());
  Floats wanted = ramp(1000);
  for (float& x : wanted) x += x;
  EXPECT(get(out) == wanted);
}

TEST(sim_takes_words_of_the_host_by_value) {
  const Array a = put(ramp(10), sim());
  Array out;
  EXPECT_FINE(make_array(sim().allocator(), a.spec, out));
  float word = 5;
  run(add_kernel(sim(), 10, {Residence::kDevice, Residence::kHost}), a.data(), &word, out.data(), sim().stream());
  word = 7;
  EXPECT_EQ(get(out)[9], 15.0f);
}

TEST(sim_checks_signatures_on_the_host) {
  Made m;
  const Signature s{{{DType::kFloat32, {3}}, {DType::kFloat32, {4}}}, {{DType::kFloat32, {4}}}, {}, &sim()};
  EXPECT(Registry::instance().make("sim", "add", {}, s, m.kernel, m.prepared).code() == Code::kValue);
  EXPECT(sim().synchronize().is_ok());
}

TEST(sim_memory_is_poisoned_before_and_after) {
  Array a;
  EXPECT_FINE(make_array(sim().allocator(), {DType::kInt32, {4}}, a));
  int32_t got[4];
  EXPECT_FINE(read_array(a, got));
  EXPECT_EQ(got[3], -1);
}

// A dereference on the host ends the process, so it is a child's.
TEST(sim_memory_is_a_fault_on_the_host) {
  const Array a = put({1, 2}, sim());
  EXPECT(a.host() == nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    close(2);
    _exit(*static_cast<volatile float*>(a.data()) == 1 ? 0 : 1);
  }
  int how = 0;
  waitpid(child, &how, 0);
  EXPECT(WIFSIGNALED(how) || WEXITSTATUS(how) > 1);  // a sanitizer exits by itself
}

TEST(sim_copies_to_the_host_arrive_when_waited_for) {
  const Array a = put({1, 2, 3}, sim());
  float got[3] = {};
  EXPECT_FINE(sim().copy(got, a.data(), sizeof got, CopyKind::kToHost, sim().stream()));
  EXPECT(got[0] < -1e38f);
  EXPECT_FINE(sim().stream().synchronize());
  EXPECT_EQ(got[2], 3.0f);
}

TEST(sim_copies_between_devices) {
  const Array a = put(ramp(100), sim(0));
  Array b, c, d;
  EXPECT_FINE(copy_array(a, sim(1), b));
  EXPECT_FINE(copy_array(b, sim(1), c));
  EXPECT_FINE(copy_array(c, cpu::device(), d));
  EXPECT_EQ(static_cast<float*>(d.host())[99], 100.0f);
}

TEST(sim_fills) {
  Array a;
  EXPECT_FINE(make_array(sim().allocator(), {DType::kFloat32, {5}}, a));
  const float one = 1;
  EXPECT_FINE(sim().fill(a.data(), &one, 4, 5, sim().stream()));
  EXPECT(get(a) == Floats(5, 1.0f));
}

TEST(sim_freed_memory_is_refused) {
  const Array a = put({1, 2}, sim());
  const void* gone;
  {
    const Array b = put({1, 2}, sim());
    gone = b.data();
  }
  run(add_kernel(sim(), 2), a.data(), gone, a.data(), sim().stream());
  EXPECT_SAYS(sim().stream().synchronize(), "is in no block that is in use");
  EXPECT_FINE(sim().stream().synchronize());  // said once
}

TEST(sim_refuses_what_reaches_beyond_a_block) {
  const Array a = put({1, 2}, sim());
  float got[100];
  EXPECT_FINE(sim().copy(got, a.data(), sizeof got, CopyKind::kToHost, sim().stream()));
  EXPECT_SAYS(sim().stream().synchronize(), "400 bytes at ");
}

TEST(sim_refuses_memory_of_the_host_and_of_others) {
  const Array a = put(ramp(8), sim()), other = put(ramp(8), sim(1));
  const Floats here = ramp(8);
  const Made add = add_kernel(sim(), 8);
  run(add, a.data(), here.data(), a.data(), sim().stream());
  EXPECT_SAYS(sim().synchronize(), "is in no block that is in use");
  run(add, a.data(), other.data(), a.data(), sim().stream());
  EXPECT_SAYS(sim().synchronize(), "is in no block that is in use");
}

// Without the event the copy lane reads before the compute lane has written, sooner or later.
TEST(sim_streams_are_ordered_by_events_only) {
  Device& d = sim();
  const size_t n = 20000;
  const Made add = add_kernel(d, static_cast<int64_t>(n));
  const Floats zeros(n);
  Floats wanted(n);
  bool early = false;
  for (int round = 0; round < 12; ++round) {
    Array a = put(zeros, d);
    const Array one = put(Floats(n, 1.0f), d);
    for (int k = 0; k < 20; ++k) run(add, a.data(), one.data(), a.data(), d.stream());
    Stream& copies = d.stream(Lane::kCopy);
    const auto happened = d.event(false);
    EXPECT_FINE(d.stream().record(*happened));
    const bool ordered = kRacesAreErrors || round % 2 == 0;
    if (ordered) EXPECT_FINE(copies.wait(*happened));
    EXPECT_FINE(d.copy(wanted.data(), a.data(), a.bytes(), CopyKind::kToHost, copies));
    const Status s = copies.synchronize();
    const bool right = !s && wanted == Floats(n, 20.0f);
    if (ordered) EXPECT(right);
    early = early || !right;
    d.allocator().used_by(*a.buffer.get(), copies);
    static_cast<void>(d.synchronize());
  }
  EXPECT(early != kRacesAreErrors);
}

TEST(sim_memory_used_by_another_stream_is_kept_for_it) {
  Device& d = sim();
  Stream* const side = &d.user_stream();
  for (int round = 0; round < 50; ++round) {
    Array a = put(Floats(5000, static_cast<float>(round)), d);
    const auto written = d.event(false);
    EXPECT_FINE(d.stream().record(*written));
    EXPECT_FINE(side->wait(*written));
    Floats got(5000);
    EXPECT_FINE(d.copy(got.data(), a.data(), a.bytes(), CopyKind::kToHost, *side));
    d.allocator().used_by(*a.buffer.get(), *side);
    a = Array();
    const Array next = put(Floats(5000, -1.0f), d);  // most likely the same memory
    EXPECT_FINE(side->synchronize());
    EXPECT(got == Floats(5000, static_cast<float>(round)));
  }
}

TEST(sim_events_tell_time) {
  Device& d = sim();
  const auto first = d.event(true), second = d.event(true), untimed = d.event(false);
  EXPECT(first->done());
  EXPECT_FINE(d.stream().record(*first));
  const Array a = put(ramp(100000), d);
  EXPECT_FINE(d.stream().record(*second));
  EXPECT_FINE(second->synchronize());
  EXPECT(second->done() && first->done());
  double ms = -1;
  EXPECT_FINE(second->milliseconds_since(*first, ms));
  EXPECT(ms > 0 && ms < 1e5);
  EXPECT_SAYS(second->milliseconds_since(*untimed, ms), "without timing");
  EXPECT_SAYS(sim(1).stream().record(*first), "an event of sim:0 cannot be recorded on sim:1");
  EXPECT_FINE(sim(1).stream().wait(*second));
}

TEST(sim_runs_out_of_memory_and_goes_on) {
  Device& d = sim();
  const size_t before = d.allocator().stats().in_use;
  std::vector<BufferRef> all;
  for (;;) {
    BufferRef b = d.allocator().allocate(size_t{4} << 20);
    if (!b) break;
    all.push_back(std::move(b));
    if (all.size() > 10000) break;
  }
  EXPECT(all.size() > 4 && all.size() < 10000);
  EXPECT(!d.allocator().allocate(SIZE_MAX - 100));
  EXPECT(d.allocator().stats().peak + (size_t{5} << 20) > d.memory().total);
  all.clear();
  EXPECT_EQ(d.allocator().stats().in_use, before);
  d.allocator().reset_peaks();
  EXPECT_EQ(d.allocator().stats().peak, before);
  EXPECT(get(put(ramp(10), d)) == ramp(10));
}

TEST(sim_takes_commands_from_many_threads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      Device& d = sim();
      Stream* const q = &d.user_stream();
      const Made add = add_kernel(d, 500);
      for (int k = 0; k < 100; ++k) {
        const Floats v(500, static_cast<float>(t * 1000 + k));
        const BufferRef a = d.allocator().allocate(2000, *q);
        Floats got(500);
        EXPECT_FINE(d.copy(a->data(), v.data(), 2000, CopyKind::kToDevice, *q));
        run(add, a->data(), a->data(), a->data(), *q);
        EXPECT_FINE(d.copy(got.data(), a->data(), 2000, CopyKind::kToHost, *q));
        EXPECT_FINE(q->synchronize());
        EXPECT_EQ(got[499], 2 * v[0]);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_FINE(sim().synchronize());
}

TEST(sim_is_refused_in_a_forked_child) {
  const Array a = put(ramp(4), sim());
  const pid_t child = fork();
  if (child == 0) {
    const Status s = sim().begin();
    const bool refused = s && s.message().find("fork") != std::string::npos;
    float got[4];
    const bool copied = !sim().copy(got, a.data(), 16, CopyKind::kToHost, sim().stream());
    const bool given = static_cast<bool>(sim().allocator().allocate(10));
    _exit(refused && !copied && !given ? 0 : 1);
  }
  int how = 0;
  waitpid(child, &how, 0);
  EXPECT(WIFEXITED(how) && WEXITSTATUS(how) == 0);
  EXPECT(get(a) == ramp(4));
}

}  // namespace
}  // namespace minds
