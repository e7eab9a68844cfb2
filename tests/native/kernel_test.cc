#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "check.h"
#include "cpu/device.h"
#include "cpu/kernels/broadcast.h"
#include "cpu/kernels/loops.h"
#include "kernel/registry.h"

namespace minds {
namespace {

template <class F>
bool throws_internal(F f) {
  try {
    f();
  } catch (const std::exception&) {
    return true;
  }
  return false;
}

TEST(attributes) {
  Attrs a;
  a.set("axis", int64_t{-1});
  a.set("eps", 0.5);
  a.set("keepdims", true);
  a.set("bias", std::monostate{});
  a.set("perm", std::vector<int64_t>{1, 0});
  a.set("empty", std::vector<int64_t>{});
  a.set("mode", std::string("add"));
  EXPECT_EQ(a.i64("axis"), -1);
  EXPECT_EQ(a.f64("axis"), -1.0);
  EXPECT_EQ(a.f64("eps"), 0.5);
  EXPECT(a.boolean("keepdims"));
  EXPECT(!a.has("bias") && !a.has("nothing") && a.has("perm"));
  EXPECT_EQ(a.i64("bias", 3), 3);
  EXPECT_EQ(a.ints("perm").size(), 2u);
  EXPECT_EQ(a.floats("empty").size(), 0u);
  EXPECT_EQ(a.str("mode"), "add");
  EXPECT(throws_internal([&] { (void)a.i64("nothing"); }));
  EXPECT(throws_internal([&] { (void)a.ints("mode"); }));
}

TEST(registry_names_what_is_missing) {
  std::unique_ptr<Kernel> k;
  Prepared p;
  const TensorSpec t{DType::kComplex64, {2}};
  Status s = Registry::instance().make("cpu", "floor", {}, {{t}, {t}}, k, p);
  EXPECT(s && s.code() == Code::kBackend);
  EXPECT_EQ(s.message(), "no kernel for complex64 on cpu");
  const TensorSpec f{DType::kFloat32, {2}};
  s = Registry::instance().make("cpu", "full", {}, {{}, {f}}, k, p);  // the attribute "value" is absent
  EXPECT(s && s.code() == Code::kInternal);
  EXPECT(Registry::instance().contains("cpu", "add", DType::kFloat32));
  EXPECT(!Registry::instance().contains("gpu", "add", DType::kFloat32));
}

TEST(registry_refuses_a_second_kernel) {
  const auto first = [](std::string_view, const Attrs&) -> std::unique_ptr<Kernel> { return nullptr; };
  const auto second = [](std::string_view, const Attrs&) -> std::unique_ptr<Kernel> { throw std::logic_error("the second"); };
  Registry r;
  r.add("cpu", "exp", {DType::kFloat32, DType::kFloat64}, first);
  EXPECT(r.conflicts().empty());
  r.add("cpu", "exp", {DType::kFloat64}, second);
  EXPECT_EQ(r.conflicts().size(), 1u);
  EXPECT_EQ(r.conflicts()[0], "cpu/exp/float64");
  EXPECT_EQ(r.entries().size(), 2u);
  EXPECT(Registry::instance().conflicts().empty());
}

TEST(elementwise_ops_are_found_by_name) {
  for (int i = 0; i < kUnaryCount; ++i) {
    EXPECT(unary_named(kUnaryOps[i].name) == static_cast<UnaryOp>(i));
    for (DType t : dtypes_of(kUnaryOps[i].takes)) {
      EXPECT(Registry::instance().contains("cpu", kUnaryOps[i].name, t));
      const bool half = t == DType::kFloat16 || t == DType::kBFloat16;
      EXPECT(cpu::loops().unary[i][static_cast<int>(half ? DType::kFloat32 : t)] != nullptr);
    }
  }
  for (int i = 0; i < kBinaryCount; ++i) {
    EXPECT(binary_named(kBinaryOps[i].name) == static_cast<BinaryOp>(i));
    for (DType t : dtypes_of(kBinaryOps[i].takes)) {
      EXPECT(Registry::instance().contains("cpu", kBinaryOps[i].name, t));
      const bool half = t == DType::kFloat16 || t == DType::kBFloat16;
      EXPECT(cpu::loops().binary[i][static_cast<int>(half ? DType::kFloat32 : t)].both != nullptr);
    }
  }
}

// Every operand's element at every position, by the definition of broadcasting.
void check_broadcast(const Shape& out, const std::vector<Shape>& shapes, bool numbers) {
  std::vector<TensorSpec> specs;
  std::vector<std::vector<int32_t>> data;
  for (const Shape& s : shapes) {
    specs.push_back({DType::kInt32, s});
    data.emplace_back(static_cast<size_t>(numel(s)));
    std::iota(data.back().begin(), data.back().end(), 0);
  }
  const TensorSpec result{DType::kInt32, out};
  cpu::Broadcast space;
  EXPECT(space.prepare(specs.data(), static_cast<int>(specs.size()), result, numbers).is_ok());
  const void* in[3] = {};
  for (size_t i = 0; i < data.size(); ++i) in[i] = data[i].data();
  const int64_t n = numel(out);
  for (const auto& [begin, end] : {std::pair{int64_t{0}, n}, std::pair{n / 3, n - n / 5}}) {
    int64_t expected_at = begin;
    space.walk(in, begin, end, n + 1, [&](int64_t p, int64_t m, const char* const* at, const bool* number) {
      EXPECT_EQ(p, expected_at);
      expected_at += m;
      for (int64_t j = 0; j < m; ++j) {
        for (size_t i = 0; i < specs.size(); ++i) {
          int64_t rest = p + j, offset = 0, step = 1;
          for (size_t k = 1; k <= out.size(); ++k) {
            const int64_t index = rest % out[out.size() - k];
            rest /= out[out.size() - k];
            if (k > shapes[i].size()) continue;
            const int64_t d = shapes[i][shapes[i].size() - k];
            if (d != 1) offset += index * step;
            step *= d;
          }
          int32_t got;
          std::memcpy(&got, at[i] + (number[i] ? 0 : j * 4), 4);
          if (got != offset) EXPECT_EQ(got, offset);
        }
      }
    });
    EXPECT_EQ(expected_at, std::max(begin, end));
  }
}

TEST(broadcast_walks_like_its_definition) {
  for (bool numbers : {false, true}) {
    check_broadcast({5, 7}, {{5, 7}, {7}}, numbers);
    check_broadcast({5, 7}, {{5, 1}, {1, 7}}, numbers);
    check_broadcast({3, 1000}, {{1000}, {3, 1}}, numbers);
    check_broadcast({400, 3}, {{400, 1}, {3}, {}}, numbers);
    check_broadcast({2, 3, 4, 5}, {{3, 1, 5}, {2, 1, 4, 1}, {1}}, numbers);
    check_broadcast({2, 300, 200}, {{2, 300, 1}, {2, 1, 200}}, numbers);
    check_broadcast({6, 255, 2}, {{255, 1}, {255, 2}, {6, 1, 1}}, numbers);
    check_broadcast({}, {{}, {}}, numbers);
    check_broadcast({1, 1}, {{1}, {1, 1}}, numbers);
  }
}

TEST(broadcast_refuses_what_does_not_fit) {
  cpu::Broadcast space;
  const TensorSpec a{DType::kInt32, {2, 3}}, b{DType::kInt32, {4}}, wide{DType::kInt32, {2, 2, 3}};
  TensorSpec pair[2] = {a, b};
  EXPECT_EQ(space.prepare(pair, 2, a, true).message(), "shape (4,) does not broadcast to (2, 3)");
  EXPECT(space.prepare(pair, 1, wide, true).code() == Code::kValue);
}

TEST(all_tails_of_a_loop_agree_with_its_body) {
  constexpr int64_t n = 70;
  float x[n], whole[n], part[n];
  for (int i = 0; i < n; ++i) x[i] = 0.37f * static_cast<float>(i) - 11.0f;
  for (auto op : {UnaryOp::kExp, UnaryOp::kTanh, UnaryOp::kSin, UnaryOp::kErf}) {
    const cpu::UnaryLoop loop = cpu::loops().unary[static_cast<int>(op)][static_cast<int>(DType::kFloat32)];
    loop(whole, x, n);
    for (int64_t m = 0; m <= n; ++m) {
      for (float& v : part) v = -99.0f;
      loop(part, x, m);
      EXPECT_EQ(std::memcmp(part, whole, static_cast<size_t>(m) * sizeof(float)), 0);
      for (int64_t i = m; i < n; ++i) EXPECT_EQ(part[i], -99.0f);
    }
  }
}

TEST(names_of_loops_follow_their_enumerations) {
  EXPECT(unary_named("exp") == UnaryOp::kExp);
  EXPECT(unary_named("bitwise_not") == UnaryOp::kBitwiseNot);
  EXPECT(binary_named("pow") == BinaryOp::kPow);
  EXPECT(binary_named("right_shift") == BinaryOp::kRightShift);
  EXPECT(!unary_named("add") && !binary_named("exp"));
}

// (x + row) * 2 and its square root, where the first result lies in x's memory.
TEST(a_fused_kernel_writes_over_an_operand) {
  constexpr int64_t rows = 3, columns = 700;
  Attrs a;
  a.set("ops", std::string("add mul sqrt"));
  a.set("args", std::vector<int64_t>{0, 1, 3, 2, 4});
  a.set("casts", std::vector<int64_t>{});
  a.set("outs", std::vector<int64_t>{4, 5});
  a.set("shape", std::vector<int64_t>{rows, columns});
  const TensorSpec whole{DType::kFloat32, {rows, columns}}, row{DType::kFloat32, {columns}}, number{DType::kFloat32, {}};
  std::unique_ptr<Kernel> k;
  Prepared p;
  EXPECT(!Registry::instance().make("cpu", "tile", a, {{whole, row, number}, {whole, whole}}, k, p));
  std::vector<float> x(rows * columns), y(columns), root(rows * columns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i) * 0.5f;
  const float two = 2.0f;
  const void* in[] = {x.data(), y.data(), &two};
  void* out[] = {x.data(), root.data()};
  EXPECT(!k->run({in, out, nullptr}, cpu::device().stream()));
  for (size_t i = 0; i < x.size(); ++i) {
    const float want = (static_cast<float>(i) + y[i % columns]) * 2.0f;
    if (x[i] != want || root[i] != std::sqrt(want)) EXPECT_EQ(x[i], want);
  }
  a.set("args", std::vector<int64_t>{0, 1, 5, 2, 4});  // a step that reads what comes after it
  Status s = Registry::instance().make("cpu", "tile", a, {{whole, row, number}, {whole, whole}}, k, p);
  EXPECT(s && s.code() == Code::kValue);
}

}  // namespace
}  // namespace minds
