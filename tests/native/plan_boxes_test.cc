// Strides and boxes against what the ops mean: every element of a result by its own coordinates.
#include <functional>
#include <numeric>

#include "check.h"
#include "cpu/copy.h"
#include "kernel/plan/boxes.h"

namespace minds {
namespace {

using Coordinates = std::vector<int64_t>;

// All coordinates of a shape in row-major order.
void each(const Shape& shape, const std::function<void(const Coordinates&)>& f) {
  const int64_t n = numel(shape);
  Coordinates at(shape.size(), 0);
  for (int64_t i = 0; i < n; ++i) {
    f(at);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
}

int64_t offset_of(const Coordinates& at, const Shape& shape) {
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + at[d];
  return offset;
}

TensorSpec ints(Shape shape) { return {DType::kInt32, std::move(shape)}; }

// Copies 0, 1, 2, ... by the box into -1s and compares with `source(coordinates of the result)`, -1 for untouched.
void expect_copy(const Box& box, int64_t in_size, const Shape& result,
                 const std::function<int64_t(const Coordinates&)>& source) {
  std::vector<int32_t> in(static_cast<size_t>(in_size)), out(static_cast<size_t>(numel(result)), -1);
  std::iota(in.begin(), in.end(), 0);
  cpu::StridedCopy(box).run(in.data(), out.data());
  each(result, [&](const Coordinates& at) { EXPECT_EQ(int64_t{out[offset_of(at, result)]}, source(at)); });
}

TEST(an_odometer_walks_like_nested_loops) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{3, 4}, Shape{2, 1, 3, 2}, Shape{5, 1, 1}}) {
    const Shape strides = row_major(shape);
    std::vector<Dim> dims;
    for (size_t d = 0; d < shape.size(); ++d) dims.push_back({shape[d], strides[d], -strides[d]});
    const std::vector<Dim> merged = coalesce(dims);
    EXPECT(merged.size() <= 1);  // a dense tensor is one dim
    for (int64_t start = 0; start < numel(shape); ++start) {
      Odometer whole(dims, start), short_one(merged, start);
      for (int64_t i = start; i < numel(shape); ++i, whole.next(), short_one.next()) {
        EXPECT_EQ(whole.in, i);
        EXPECT_EQ(whole.out, -i);
        EXPECT_EQ(short_one.in, i);
      }
    }
  }
  EXPECT_EQ(coalesce({{2, 12, 1}, {3, 4, 2}, {4, 1, 6}}).size(), 3u);  // the other tensor is transposed
  EXPECT_EQ(coalesce({{2, 0, 12}, {3, 0, 4}, {4, 1, 1}}).size(), 2u);  // both repeat
}

TEST(boxes_of_transpose_flip_and_broadcast) {
  Box box;
  const Shape x{2, 3, 4};
  EXPECT(!plan_transpose({{ints(x)}, {ints({4, 2, 3})}}, {2, 0, 1}, box));
  expect_copy(box, 24, {4, 2, 3}, [&](const Coordinates& at) { return offset_of({at[1], at[2], at[0]}, x); });
  EXPECT(!plan_transpose({{ints({})}, {ints({})}}, {}, box));
  expect_copy(box, 1, {}, [](const Coordinates&) { return 0; });
  EXPECT(!plan_transpose({{ints({0, 3})}, {ints({3, 0})}}, {1, 0}, box));
  EXPECT(CopyPlan(box).mode == CopyPlan::Mode::kNone);
  EXPECT(plan_transpose({{ints(x)}, {ints(x)}}, {0, 1, 1}, box));
  EXPECT(plan_transpose({{ints(x)}, {ints({2, 3})}}, {0, 1}, box));
  EXPECT(plan_transpose({{ints(x)}, {ints(x)}}, {2, 1, 0}, box));  // the result has another shape

  EXPECT(!plan_flip({{ints(x)}, {ints(x)}}, {0, 2}, box));
  expect_copy(box, 24, x, [&](const Coordinates& at) { return offset_of({1 - at[0], at[1], 3 - at[2]}, x); });
  EXPECT(plan_flip({{ints(x)}, {ints(x)}}, {3}, box));
  EXPECT(plan_flip({{ints(x)}, {ints(x)}}, {-1}, box));
  EXPECT(plan_flip({{ints(x)}, {ints(x)}}, {1, 1}, box));
  const Shape empty{2, 0};
  EXPECT(plan_flip({{ints(empty)}, {ints(empty)}}, {0, 0}, box));  // its strides are 0: twice is still twice
  EXPECT(plan_flip({{ints({})}, {ints({})}}, {0}, box));

  EXPECT(!plan_broadcast_to({{ints({3, 1})}, {ints({2, 3, 4})}}, {2, 3, 4}, box));
  expect_copy(box, 3, {2, 3, 4}, [](const Coordinates& at) { return at[1]; });
  EXPECT(!plan_broadcast_to({{ints({})}, {ints({2, 2})}}, {2, 2}, box));
  expect_copy(box, 1, {2, 2}, [](const Coordinates&) { return 0; });
  EXPECT(!plan_broadcast_to({{ints({1, 3})}, {ints({0, 3})}}, {0, 3}, box));
  EXPECT(plan_broadcast_to({{ints({3})}, {ints({4})}}, {4}, box));
  EXPECT(plan_broadcast_to({{ints({2, 3})}, {ints({3})}}, {3}, box));
}

TEST(boxes_of_slices) {
  Box box;
  const Shape x{5, 7};
  const SliceRange some{{4, 1}, {-1, 7}, {-2, 3}};
  EXPECT(!plan_slice({{ints(x)}, {ints({3, 2})}}, some, box));
  expect_copy(box, 35, {3, 2}, [&](const Coordinates& at) { return offset_of({4 - 2 * at[0], 1 + 3 * at[1]}, x); });
  EXPECT(!plan_slice_dx({{ints({3, 2})}, {ints(x)}}, some, x, box));
  expect_copy(box, 6, x, [](const Coordinates& at) {
    return at[0] % 2 == 0 && (at[1] == 1 || at[1] == 4) ? (4 - at[0]) / 2 * 2 + (at[1] - 1) / 3 : -1;
  });
  const int64_t most = INT64_MAX, least = INT64_MIN;
  EXPECT(!plan_slice({{ints({5})}, {ints({1})}}, {{2}, {3}, {most}}, box));  // a step that is not taken
  expect_copy(box, 5, {1}, [](const Coordinates&) { return 2; });
  EXPECT(!plan_slice({{ints({5})}, {ints({1})}}, {{4}, {3}, {least}}, box));
  EXPECT(!plan_slice({{ints({5})}, {ints({0})}}, {{most}, {least}, {1}}, box));  // empty, wherever it is
  EXPECT(!plan_slice({{ints({})}, {ints({})}}, {{}, {}, {}}, box));
  for (const SliceRange& r : {SliceRange{{0}, {6}, {1}}, SliceRange{{-1}, {2}, {1}}, SliceRange{{5}, {1}, {-1}},
                              SliceRange{{4}, {-2}, {-1}}, SliceRange{{0}, {5}, {0}}, SliceRange{{0}, {5}, {}},
                              SliceRange{{least}, {most}, {1}}, SliceRange{{most}, {least}, {-1}}}) {
    EXPECT(plan_slice({{ints({5})}, {ints({5})}}, r, box));
  }
}

TEST(boxes_of_pad_concat_and_split) {
  Box box;
  EXPECT(!plan_pad({{ints({2, 3})}, {ints({3, 6})}}, {1, 0, 2, 1}, box));
  expect_copy(box, 6, {3, 6}, [](const Coordinates& at) {
    return at[0] >= 1 && at[1] >= 2 && at[1] < 5 ? (at[0] - 1) * 3 + at[1] - 2 : -1;
  });
  EXPECT(!plan_pad({{ints({})}, {ints({})}}, {}, box));
  EXPECT(!plan_pad({{ints({0})}, {ints({2})}}, {1, 1}, box));
  EXPECT(plan_pad({{ints({2})}, {ints({1})}}, {-1, 0}, box));
  EXPECT(plan_pad({{ints({2})}, {ints({3})}}, {1}, box));
  EXPECT(plan_pad({{ints({2})}, {ints({3})}}, {INT64_MAX, INT64_MAX}, box));

  std::vector<Box> boxes;
  const std::vector<TensorSpec> parts{ints({2, 1}), ints({2, 0}), ints({2, 3})};
  const TensorSpec whole = ints({2, 4});
  EXPECT(!plan_concat({parts, {whole}}, 1, boxes));
  EXPECT_EQ(boxes.size(), 3u);
  expect_copy(boxes[2], 6, {2, 4}, [](const Coordinates& at) { return at[1] > 0 ? at[0] * 3 + at[1] - 1 : -1; });
  EXPECT(!plan_split({{whole}, parts}, 1, {1, 0, 3}, boxes));
  expect_copy(boxes[2], 8, {2, 3}, [](const Coordinates& at) { return at[0] * 4 + at[1] + 1; });
  EXPECT(plan_split({{whole}, parts}, 1, {1, 1, 2}, boxes));
  EXPECT(plan_concat({{ints({2, 1})}, {whole}}, 1, boxes));               // too short
  EXPECT(plan_concat({{ints({2, 4}), ints({2, 1})}, {whole}}, 1, boxes));  // too long
  EXPECT(plan_concat({{ints({3, 4})}, {whole}}, 1, boxes));               // another shape
  EXPECT(plan_concat({parts, {whole}}, 2, boxes));
  EXPECT(plan_concat({{}, {ints({})}}, 0, boxes));  // a scalar has no axis
  const int64_t huge = int64_t{1} << 58;
  const std::vector<TensorSpec> many(64, ints({huge, 0}));
  EXPECT(plan_concat({many, {ints({huge, 0})}}, 0, boxes));  // the sum overflows
}

TEST(a_copy_plan_finds_what_is_adjacent) {
  using Mode = CopyPlan::Mode;
  const auto mode = [](const Shape& shape, const Shape& in, const Shape& out) {
    return CopyPlan(Box{shape, in, out, 0, 0, 4}).mode;
  };
  EXPECT(mode({4, 5}, {5, 1}, {5, 1}) == Mode::kRun);
  EXPECT(mode({4, 5}, {1, 4}, {5, 1}) == Mode::kTile);
  EXPECT(mode({4, 5}, {1, 0}, {5, 1}) == Mode::kTile);
  EXPECT(mode({4, 5}, {2, 0}, {5, 1}) == Mode::kFill);
  EXPECT(mode({4, 5}, {-5, -1}, {5, 1}) == Mode::kStrided);
  EXPECT(mode({4, 5}, {5, 1}, {-5, -1}) == Mode::kStrided);
  EXPECT(mode({}, {}, {}) == Mode::kRun);
  EXPECT(mode({0, 5}, {5, 1}, {5, 1}) == Mode::kNone);
}

}  // namespace
}  // namespace minds
