#include <cstring>
#include <thread>

#include "check.h"
#include "cpu/device.h"
#include "device/array.h"
#include "kernel/plugin.h"

namespace minds {
namespace {

Allocator& memory() { return cpu::device().allocator(); }

TEST(buffers_are_aligned_and_large_enough) {
  for (size_t bytes : {0u, 1u, 63u, 64u, 65u, 100u, 128u, 1000u, 4096u, 100000u, 1u << 20, (1u << 20) + 1}) {
    const BufferRef b = memory().allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b->data()) % kAlignment, 0u);
    EXPECT_EQ(b->bytes(), bytes);
    std::memset(b->data(), 1, bytes);  // the sanitizer watches the end
  }
}

TEST(counts_of_users) {
  BufferRef a = memory().allocate(10);
  EXPECT(a->unique());
  {
    const BufferRef b = a;
    EXPECT_EQ(a->use_count(), 2);
    EXPECT(!a->unique());
  }
  EXPECT(a->unique());
  const BufferRef c = std::move(a);
  EXPECT_EQ(c->use_count(), 1);
}

TEST(what_is_released_is_accounted) {
  const size_t before = memory().stats().in_use;
  {
    const BufferRef b = memory().allocate(1 << 20);
    EXPECT(memory().stats().in_use >= before + (1 << 20));
  }
  EXPECT_EQ(memory().stats().in_use, before);
  memory().trim();
  EXPECT_EQ(memory().stats().cached, 0u);
}

TEST(more_than_the_machine_has_is_refused) {
  EXPECT(!memory().allocate(size_t{1} << 50));
  Array a;
  const Status s = make_array(memory(), {DType::kFloat32, {1 << 20, 1 << 20, 1 << 10}}, a);
  EXPECT(s && s.code() == Code::kMemory);
}

TEST(bad_shapes_are_refused) {
  EXPECT(check_shape({-1}, DType::kInt8).code() == Code::kValue);
  EXPECT(check_shape({INT64_MAX, 2}, DType::kInt8).code() == Code::kMemory);
  EXPECT(check_shape({0, INT64_MAX, INT64_MAX}, DType::kInt8).code() == Code::kMemory);
  EXPECT(check_shape(Shape(33, 1), DType::kInt8).code() == Code::kValue);
  EXPECT(check_shape({2, 0, 3}, DType::kFloat64).is_ok());
  EXPECT(check_shape({}, DType::kFloat64).is_ok());
}

TEST(threads_share_the_pool) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) {
        const BufferRef b = memory().allocate(static_cast<size_t>(i % 700) * 8);
        const BufferRef c = b;
        if (i % 700 > 0) static_cast<char*>(c->data())[0] = 1;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT(true);
}

TEST(a_buffer_knows_its_device) {
  const BufferRef b = memory().allocate(8);
  EXPECT(&b->device() == &cpu::device());
  EXPECT(b->host() == b->data());
  EXPECT_EQ(b->device().label(), std::string("CPU"));
}

TEST(the_cpu_is_found_by_name) {
  Device* d = nullptr;
  EXPECT(!find_device("cpu", 0, d));
  EXPECT(d == &cpu::device());
  int n = 0;
  EXPECT(!device_count("cpu", n));
  EXPECT_EQ(n, 1);
  EXPECT(find_device("cpu", 1, d).code() == Code::kValue);
  EXPECT(find_device("cpu", -1, d).code() == Code::kValue);
}

TEST(unknown_devices_are_refused) {
  Device* d = nullptr;
  for (const char* name : {"nothing", "", "../lib", "CPU", "a/b"}) {
    EXPECT(find_device(name, 0, d).code() == Code::kBackend);
  }
  EXPECT(d == nullptr);
}

TEST(arrays_are_copied) {
  Array a, b;
  EXPECT(!make_array(memory(), {DType::kInt32, {3}}, a));
  const int32_t nine = 9;
  EXPECT(!cpu::device().fill(a.data(), &nine, sizeof nine, 3, cpu::device().stream()));
  EXPECT(!copy_array(a, cpu::device(), b));
  EXPECT(a.data() != b.data());
  EXPECT_EQ(static_cast<int32_t*>(b.host())[2], 9);
  int32_t read[3] = {};
  EXPECT(!read_array(b, read));
  EXPECT_EQ(read[1], 9);
}

TEST(every_lane_of_the_cpu_is_its_stream) {
  Device& d = cpu::device();
  EXPECT(&d.stream(Lane::kCopy) == &d.stream(Lane::kCompute));
  EXPECT(&d.stream(Lane::kComm) == &d.stream(Lane::kCompute));
  const std::unique_ptr<Event> first = d.event(true), then = d.event(true);
  EXPECT(!d.stream().record(*first));
  EXPECT(!d.stream().record(*then));
  double ms = -1;
  EXPECT(!then->milliseconds_since(*first, ms));
  EXPECT(ms >= 0);
  EXPECT(!d.stream().wait(*first));
  EXPECT(d.stream().idle());
}

TEST(peaks_are_reset) {
  { const BufferRef b = memory().allocate(1 << 22); }
  EXPECT(memory().stats().peak >= memory().stats().in_use + (1 << 22));
  memory().reset_peaks();
  EXPECT_EQ(memory().stats().peak, memory().stats().in_use);
}

}  // namespace
}  // namespace minds
