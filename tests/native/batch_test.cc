// Work that is held back and recorded (runtime/batch.h), on a device made for it: it counts how its work arrives.
#include "runtime/batch.h"

#include <cstring>

#include "check.h"
#include "cpu/device.h"

namespace minds::runtime {
namespace {

using Work = std::function<void()>;

class ToyStream final : public Stream {
 public:
  ToyStream(Device& d, std::vector<Work>* into) : Stream(d, Lane::kCompute), into_(into) {}
  Status record(Event&) override { return {}; }
  Status wait(Event&) override { return {}; }
  Status synchronize() override { return {}; }
  bool idle() override { return true; }
  void put(Work w) {
    if (into_ != nullptr) return into_->push_back(std::move(w));
    ++launches;
    w();
  }
  int launches = 0;

 private:
  std::vector<Work>* const into_;  // nullptr: it runs at once
};

class ToyRecording final : public Recording {
 public:
  ToyRecording(std::vector<Work> work, int& replays) : work_(std::move(work)), replays_(replays) {}
  Status replay(Stream&) override {
    ++replays_;
    for (const Work& w : work_) w();
    return {};
  }

 private:
  const std::vector<Work> work_;
  int& replays_;
};

DeviceTraits toy_traits() {
  DeviceTraits t;
  t.records = true;
  return t;
}

class Toy final : public Device {
 public:
  Toy() : Device("toy", 0, toy_traits(), cpu::device().allocator()), stream(*this, nullptr) { set_lane(Lane::kCompute, stream); }
  Status begin() override { return {}; }
  MemoryInfo memory() override { return {}; }
  std::unique_ptr<Event> event(bool) override { return nullptr; }
  Stream& user_stream() override { return stream; }
  Status copy(void* to, const void* from, size_t bytes, CopyKind, Stream& q) override {
    static_cast<ToyStream&>(q).put([=] { std::memcpy(to, from, bytes); });
    return {};
  }
  Status fill(void*, const void*, size_t, size_t, Stream&) override { return {Code::kInternal, "not asked for"}; }
  Status synchronize() override { return {}; }
  Status record(const std::function<Status(Stream&)>& work, std::unique_ptr<Recording>& out) override {
    if (refuses) return {Code::kBackend, "it does not record this"};
    std::vector<Work> list;
    ToyStream apart(*this, &list);
    if (Status s = work(apart)) return s;
    out = std::make_unique<ToyRecording>(std::move(list), replays);
    return {};
  }
  ToyStream stream;
  int replays = 0;
  bool refuses = false;
};

// y = x + a word of the host.
class Add final : public Kernel {
 public:
  Status prepare(const Signature&, Prepared&) override { return {}; }
  Status run(const Args& a, Stream& q) const override {
    const auto* x = static_cast<const int64_t*>(a.in[0]);
    const int64_t by = *static_cast<const int64_t*>(a.in[1]);
    auto* y = static_cast<int64_t*>(a.out[0]);
    static_cast<ToyStream&>(q).put([=] { *y = *x + by; });
    return {};
  }
};

// A program of one kernel, whose operand and result are the device's.
struct Fixture {
  Fixture() {
    Type word{.spec = {DType::kInt64, {}}, .bytes = 8, .word = true}, away = word;
    away.word = false;
    away.away = true;
    p.types = {away, word};
    p.kernels.push_back({"add", std::make_unique<Add>(), {0, 1}, {0}});
  }
  // x -> m -> m -> m -> y, each adding `by`.
  Status run(const int64_t* x, int64_t by, int64_t* y, bool whole = true) {
    b.argument(x, whole ? 8 : 64);
    b.result(y, 8);
    for (int k = 0; k < 4; ++k) {
      const void* in[] = {k == 0 ? x + !whole : &m, &by};
      void* out[] = {k == 3 ? y : &m};
      b.add(p, p.kernels[0], {in, out, nullptr, nullptr, static_cast<uint32_t>(k)});
    }
    by = 1000;  // by its value
    int64_t where = -1;
    Status s = b.flush(d.stream, where);
    b.finish();
    return s;
  }
  Program p;
  Toy d;
  Batch b;
  int64_t m = 0;
};

TEST(a_stretch_is_recorded_when_it_came_twice) {
  Fixture f;
  int64_t x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {};
  for (int n = 0; n < 6; ++n) {
    EXPECT(!f.run(&x[n], 10, &y[n]));
    EXPECT_EQ(y[n], x[n] + 40);
  }
  EXPECT_EQ(f.d.replays, 4);
  EXPECT_EQ(f.d.stream.launches, 2 * 4 + 4 * 2);  // with a replay the operand and the result are copied
}

TEST(a_number_that_changes_is_another_stretch) {
  Fixture f;
  int64_t x = 1, y = 0;
  for (int n = 0; n < 9; ++n) {
    EXPECT(!f.run(&x, n % 3, &y));
    EXPECT_EQ(y, 1 + 4 * (n % 3));
  }
  EXPECT_EQ(f.d.replays, 3);
}

TEST(a_part_of_what_moves_is_not_recorded) {
  Fixture f;
  int64_t x[8] = {1, 2}, y = 0;
  for (int n = 0; n < 5; ++n) EXPECT(!f.run(x, n == 4, &y, false));
  EXPECT_EQ(y, 6);
  EXPECT_EQ(f.d.replays, 0);
}

TEST(what_a_device_does_not_record_runs) {
  Fixture f;
  f.d.refuses = true;
  int64_t x = 1, y = 0;
  for (int n = 0; n < 5; ++n) EXPECT(!f.run(&x, 1, &y));
  EXPECT_EQ(y, 5);
  EXPECT_EQ(f.d.stream.launches, 20);
}

TEST(copies_are_part_of_a_stretch) {
  Fixture f;
  int64_t from = 7, to = 0;
  for (int n = 0; n < 4; ++n) {
    for (int k = 0; k < 4; ++k) f.b.copy(k % 2 == 0 ? &f.m : &to, k % 2 == 0 ? &from : &f.m, 8, 0);
    int64_t where = -1;
    to = 0;
    EXPECT(!f.b.flush(f.d.stream, where));
    EXPECT_EQ(to, 7);
  }
  EXPECT_EQ(f.d.replays, 2);
}

}  // namespace
}  // namespace minds::runtime
