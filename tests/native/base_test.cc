#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "base/crc32.h"
#include "base/half.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/shape.h"
#include "check.h"

namespace minds {
namespace {

// The nearest of all 16-bit floats, ties to the even one: slow and obviously right.
template <class Half>
uint16_t nearest(double x) {
  uint16_t best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (uint32_t b = 0; b < 0x8000; ++b) {
    const double v = Half::decode(static_cast<uint16_t>(b));
    if (!std::isfinite(v)) continue;
    const double d = std::fabs(v - std::fabs(x));
    if (d < distance || (d == distance && (b & 1) == 0)) {
      distance = d;
      best = static_cast<uint16_t>(b);
    }
  }
  return static_cast<uint16_t>(best | (std::signbit(x) ? 0x8000 : 0));
}

TEST(every_half_survives_the_way_to_float_and_back) {
  for (uint32_t b = 0; b < 0x10000; ++b) {
    const auto h = static_cast<uint16_t>(b);
    const float f = float16::decode(h), g = bfloat16::decode(h);
    if (std::isnan(f)) {
      EXPECT(std::isnan(float16::decode(float16::encode(f))));
    } else {
      EXPECT_EQ(float16::encode(f), h);
    }
    if (std::isnan(g)) {
      EXPECT(std::isnan(bfloat16::decode(bfloat16::encode(g))));
    } else {
      EXPECT_EQ(bfloat16::encode(g), h);
    }
  }
}

TEST(floats_round_to_the_nearest_half) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-26, 15.9), mantissa(1, 2);
  for (int i = 0; i < 300; ++i) {
    const auto x = static_cast<float>(std::ldexp(mantissa(random), static_cast<int>(exponent(random))) *
                                      (i % 2 ? 1 : -1));
    EXPECT_EQ(float16(x).bits, nearest<float16>(x));
    EXPECT_EQ(bfloat16(x).bits, nearest<bfloat16>(x));
  }
  EXPECT_EQ(float16(65519.0f).bits, 0x7bff);
  EXPECT_EQ(float16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(float16(0x1p-25f).bits, 0);  // half of the least subnormal: to even
  EXPECT_EQ(float16(0x1.000002p-25f).bits, 1);
  EXPECT_EQ(float16(-0.0f).bits, 0x8000);
}

TEST(doubles_are_rounded_once) {
  // A little above a tie: rounding to float first would land on the tie and then go to even.
  const double x = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(float16(x).bits, 0x3c01);
  EXPECT_EQ(float16(static_cast<float>(x)).bits, 0x3c00);
  EXPECT_EQ(bfloat16(1.0 + 0x1p-8 + 0x1p-40).bits, 0x3f81);
  EXPECT_EQ(float16(1e300).bits, 0x7c00);
  EXPECT_EQ(float16(int64_t{2049}).bits, float16(2048.0f).bits);
}

TEST(parallel_for_covers_every_index_once) {
  const int before = num_threads();
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    for (int64_t n : {0, 1, 15, 16, 17, 1000, 1023, 1025, 100001}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
      parallel_for(n, 10, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) seen[static_cast<size_t>(i)]++;
      });
      for (const auto& s : seen) EXPECT_EQ(s.load(), 1);
    }
  }
  set_num_threads(before);
}

TEST(nested_parallel_for_runs_inline) {
  std::atomic<int64_t> sum{0};
  parallel_for(4, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) parallel_for(100, 1, [&](int64_t c, int64_t d) { sum += d - c; });
  });
  EXPECT_EQ(sum.load(), 400);
}

TEST(a_forked_child_works_with_one_thread) {
  set_num_threads(2);
  parallel_for(1 << 12, 1, [](int64_t, int64_t) {});  // the pool exists
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hang would be the failure
    std::atomic<int64_t> sum{0};
    parallel_for(1 << 12, 1, [&](int64_t b, int64_t e) { sum += e - b; });
    set_num_threads(4);
    _exit(sum.load() == 1 << 12 && num_threads() == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(random_keys_count_up) {
  set_random_state({7, 3});
  EXPECT_EQ(next_key().counter, 3);
  EXPECT_EQ(next_key().counter, 4);
  EXPECT_EQ(random_state().seed, 7);
  set_random_state({7, INT64_MAX});
  next_key();
  EXPECT_EQ(random_state().counter, INT64_MIN);
  set_random_state({0, 0});
}

TEST(descriptions) {
  EXPECT_EQ(to_string(TensorSpec{DType::kFloat32, {2, 3}}), "Tensor[(2, 3), float32]");
  EXPECT_EQ(to_string(TensorSpec{DType::kBool, {2}}), "Tensor[(2,), bool]");
  EXPECT_EQ(to_string(TensorSpec{DType::kInt8, {}}), "Tensor[(), int8]");
}

TEST(a_checksum_is_the_same_however_it_is_computed) {
  std::vector<uint8_t> bytes((size_t{9} << 20) + 77);
  std::mt19937 rng(1);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng());
  const auto plain = [](std::span<const uint8_t> of) {
    uint32_t c = ~0u;
    for (uint8_t b : of) {
      c ^= b;
      for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    }
    return ~c;
  };
  const std::span<const uint8_t> all(bytes);
  for (size_t n = 0; n < 400; ++n) EXPECT_EQ(crc32(all.subspan(n % 17, n)), plain(all.subspan(n % 17, n)));
  for (size_t n : {size_t{1} << 22, (size_t{1} << 22) + 1, bytes.size()})
    EXPECT_EQ(crc32(all.first(n)), plain(all.first(n)));
}

}  // namespace
}  // namespace minds
