// Faults of data: the text, the word that a device stores, and every kernel that has one, told both ways.
#include <cstring>

#include "check.h"
#include "cpu/device.h"
#include "kernel/fault.h"
#include "kernel/registry.h"

namespace minds {
namespace {

TEST(every_kind_of_fault_has_a_text) {
  EXPECT(!describe(Fault{}));
  EXPECT(!describe(FaultWord{}));
  for (int k = 1; k < static_cast<int>(FaultKind::kCount); ++k) {
    EXPECT(describe(Fault{.kind = static_cast<FaultKind>(k)}).code() != Code::kInternal);
  }
  EXPECT(describe(Fault{.kind = FaultKind::kCount}).code() == Code::kInternal);
  const Fault point{FaultKind::kPoint, -7, 5, 9 * kMaxCoordinates + 2};
  EXPECT_EQ(describe(point).message(), "index -7 for axis 2 in point 9 is out of range for size 5");
  const Fault huge{FaultKind::kIndex, -1, 5, 3, true};
  EXPECT_EQ(describe(huge).message(),
            "index 18446744073709551615 at position 3 is out of range for an axis of size 5");
}

TEST(a_word_keeps_the_first_fault) {
  FaultWord w{};
  const Args a{nullptr, nullptr, nullptr, &w, 0xfedcba98};
  const Fault first{FaultKind::kClass, -1, 10, 4, true}, second{FaultKind::kIntegerPower, 0, 0, 8};
  EXPECT(!fail(a, first));
  EXPECT(!fail(a, second));
  EXPECT_EQ(describe(w).message(), describe(first).message());
  EXPECT_EQ(instruction_of(w), 0xfedcba98u);
  const Args host{nullptr, nullptr, nullptr};
  EXPECT_EQ(fail(host, second).message(), describe(second).message());
}

template <class T>
std::vector<char> bytes_of(std::vector<T> values) {
  std::vector<char> b(values.size() * sizeof(T));
  std::memcpy(b.data(), values.data(), b.size());
  return b;
}

// The kernel's error at once, and the same from the word.
void expect_fault(const char* op, const Attrs& attrs, const Signature& s, const std::vector<std::vector<char>>& in,
                  const std::string& text) {
  std::unique_ptr<Kernel> k;
  Prepared p;
  const Status made = Registry::instance().make("cpu", op, attrs, s, k, p);
  EXPECT(!made);
  if (made) return;
  std::vector<const void*> ins;
  for (const auto& b : in) ins.push_back(b.data());
  std::vector<std::vector<char>> results;
  std::vector<void*> outs;
  for (const TensorSpec& t : s.outputs) outs.push_back(results.emplace_back(t.bytes() + 64).data());
  std::vector<char> workspace(p.workspace + 64);
  Args a{ins.data(), outs.data(), workspace.data()};
  const Status now = k->run(a, cpu::device().stream());
  EXPECT(now);
  if (now) EXPECT_EQ(now.message(), text);
  FaultWord w{};
  a.fault = &w;
  a.instruction = 17;
  EXPECT(!k->run(a, cpu::device().stream()));
  EXPECT_EQ(instruction_of(w), 17u);
  const Status later = describe(w);
  EXPECT(later && now && later.code() == now.code());
  if (later) EXPECT_EQ(later.message(), text);
}

TensorSpec of(DType t, Shape shape) { return {t, std::move(shape)}; }

TEST(kernels_tell_their_faults_at_once_or_by_a_word) {
  const DType f = DType::kFloat32, i = DType::kInt64, i32 = DType::kInt32, u = DType::kUInt64;
  const auto x = bytes_of<float>({1, 2, 3, 4, 5, 6});
  Attrs axis0, dim0, in_plane, number;
  axis0.set("axis", int64_t{0});
  axis0.set("shape", Shape{3, 2});
  axis0.set("classes", int64_t{3});
  axis0.set("mode", std::string("add"));
  dim0.set("dim", int64_t{0});
  in_plane.set("in_shape", Shape{1, 1, 3, 2});
  const std::string outside = "index 3 at position 1 is out of range for an axis of size 3";
  const auto bad = bytes_of<int64_t>({-3, 3});
  expect_fault("gather", axis0, {{of(f, {3, 2}), of(i, {2})}, {of(f, {2, 2})}}, {x, bad}, outside);
  expect_fault("gather_dx", axis0, {{of(f, {2, 2}), of(i, {2})}, {of(f, {3, 2})}}, {x, bad}, outside);
  expect_fault("gather_d", dim0, {{of(f, {3, 2}), of(i, {1, 2})}, {of(f, {1, 2})}}, {x, bad}, outside);
  expect_fault("scatter_add_d", dim0, {{of(f, {3, 2}), of(i, {1, 2}), of(f, {1, 2})}, {of(f, {3, 2})}}, {x, bad, x},
               outside);
  expect_fault("gather", axis0, {{of(f, {3, 2}), of(u, {1})}, {of(f, {1, 2})}}, {x, bytes_of<uint64_t>({UINT64_MAX})},
               "index 18446744073709551615 at position 0 is out of range for an axis of size 3");
  const auto points = bytes_of<int32_t>({0, 1, -4, 0});
  const std::string off = "index -4 for axis 0 in point 1 is out of range for size 3";
  expect_fault("gather_nd", {}, {{of(f, {3, 2}), of(i32, {2, 2})}, {of(f, {2})}}, {x, points}, off);
  expect_fault("tensor_scatter", axis0, {{of(f, {3, 2}), of(i32, {2, 2}), of(f, {2})}, {of(f, {3, 2})}}, {x, points, x},
               off);
  expect_fault("scatter_nd", axis0, {{of(i32, {2, 2}), of(f, {2})}, {of(f, {3, 2})}}, {points, x}, off);
  const std::string label = "class id -3 at position 0 is out of range [0, 3)";
  expect_fault("nll", {}, {{of(f, {2, 3}), of(i, {2})}, {of(f, {2})}}, {x, bad}, label);
  expect_fault("nll_dx", axis0, {{of(f, {2}), of(i, {2})}, {of(f, {2, 3})}}, {x, bad}, label);
  const std::string plane = "index 6 is out of range for a plane of 6 elements";
  const auto place = bytes_of<int64_t>({5, 6, -1});
  const TensorSpec at = of(i, {1, 1, 1, 3}), narrow = of(f, {1, 1, 1, 3}), wide = of(f, {1, 1, 3, 2});
  expect_fault("max_pool2d_dx", in_plane, {{narrow, at}, {wide}}, {x, place}, plane);
  expect_fault("pool_gather", {}, {{wide, at}, {narrow}}, {x, place}, plane);
  const TensorSpec half = of(DType::kFloat16, {1, 1, 3, 2});
  expect_fault("pool_gather", {}, {{half, at}, {of(DType::kFloat16, {1, 1, 1, 3})}}, {x, place}, plane);
  const auto zeros = bytes_of<int32_t>({4, -2, 0});
  const TensorSpec three = of(i32, {3});
  for (const char* op : {"floor_divide", "mod", "fmod"}) {
    expect_fault(op, {}, {{three, three}, {three}}, {zeros, zeros},
                 "integer division by zero, at element 2 of the second operand");
  }
  expect_fault("pow", {}, {{three, three}, {three}}, {zeros, zeros},
               "integers to a negative integer power, at element 1 of the second operand");
  number.set("operation", std::string("mod"));
  expect_fault("python_number", number, {{of(i, {}), of(i, {})}, {of(i, {})}},
               {bytes_of<int64_t>({5}), bytes_of<int64_t>({0})}, "integer division or modulo by zero");
  number.set("operation", std::string("log"));
  expect_fault("python_number", number, {{of(DType::kFloat64, {})}, {of(DType::kFloat64, {})}}, {bytes_of<double>({-1})},
               "math domain error");
}

}  // namespace
}  // namespace minds
