// The plans of broadcasts, reductions, products, windows and indices: what they find, and what they refuse.
#include "check.h"
#include "kernel/plan/axis.h"
#include "kernel/plan/broadcast.h"
#include "kernel/plan/conv.h"
#include "kernel/plan/elementwise.h"
#include "kernel/plan/generators.h"
#include "kernel/plan/index.h"
#include "kernel/plan/labels.h"
#include "kernel/plan/matmul.h"
#include "kernel/plan/norm.h"
#include "kernel/plan/pool.h"
#include "kernel/plan/reduce.h"

namespace minds {
namespace {

constexpr int64_t kHuge = int64_t{1} << 40;

TensorSpec f32(Shape shape) { return {DType::kFloat32, std::move(shape)}; }
TensorSpec i64(Shape shape) { return {DType::kInt64, std::move(shape)}; }

Attrs ints(std::vector<std::pair<std::string, Shape>> values) {
  Attrs a;
  for (auto& [name, v] : values) a.set(name, std::move(v));
  return a;
}

TEST(signatures_are_checked) {
  EXPECT(!expect_counts({{f32({})}, {f32({0, 3})}}, 1, 1));
  EXPECT(expect_counts({{f32({})}, {}}, 1, 1).code() == Code::kValue);
  EXPECT(expect_counts({{f32({-1})}, {f32({})}}, 1, 1).code() == Code::kValue);
  EXPECT(expect_counts({{f32(Shape(33, 1))}, {f32({})}}, 1, 1).code() == Code::kValue);
  EXPECT(expect_counts({{f32({kHuge, kHuge})}, {f32({})}}, 1, 1).code() == Code::kMemory);
  EXPECT(expect_counts({{f32({kHuge, 0, kHuge})}, {f32({})}}, 1, 1).code() == Code::kMemory);
  EXPECT(expect_axis(0, {}) && expect_axis(-1, {2}) && expect_axis(1, {2}) && !expect_axis(0, {2}));
  EXPECT_EQ(to_string(Shape{}) + to_string(Shape{3}) + to_string(Shape{2, 0}), "()(3,)(2, 0)");
}

TEST(elementwise_signatures_are_checked) {
  const TensorSpec x = f32({2}), truth{DType::kBool, {2}}, z{DType::kComplex64, {2}};
  EXPECT(!check_unary({{x}, {x}}, UnaryOp::kExp) && !check_unary({{x}, {truth}}, UnaryOp::kIsNan));
  EXPECT(check_unary({{x}, {x}}, UnaryOp::kIsNan).code() == Code::kType);
  EXPECT(check_unary({{x}, {f32({3})}}, UnaryOp::kExp).code() == Code::kValue);
  EXPECT(check_unary({{z}, {z}}, UnaryOp::kExp).code() == Code::kType);
  EXPECT(check_unary({{i64({2})}, {i64({2})}}, UnaryOp::kExp).code() == Code::kType);
  EXPECT(!check_binary({{x, x}, {x}}, BinaryOp::kAdd) && !check_binary({{x, x}, {truth}}, BinaryOp::kLess));
  EXPECT(check_binary({{x, i64({2})}, {x}}, BinaryOp::kAdd).code() == Code::kType);
  EXPECT(check_binary({{x, x}, {x}}, BinaryOp::kLess).code() == Code::kType);
  EXPECT(check_binary({{x, x}, {x}}, BinaryOp::kBitwiseAnd).code() == Code::kType);
  EXPECT(!check_select({{truth, x, x}, {x}}) && check_select({{x, x, x}, {x}}) && check_select({{truth, x, z}, {x}}));
}

TEST(a_broadcast_names_how_each_operand_repeats) {
  using Plan = BroadcastPlan;
  const auto kind = [](const Shape& in, const Shape& out) {
    Plan p;
    EXPECT(!p.prepare_one(f32(in), f32(out)));
    return p.operands[0].kind;
  };
  EXPECT(kind({2, 3}, {2, 3}) == Plan::kWhole);
  EXPECT(kind({}, {2, 3}) == Plan::kNumber && kind({1, 1}, {2, 3}) == Plan::kNumber);
  EXPECT(kind({}, {}) == Plan::kWhole && kind({1}, {1, 1}) == Plan::kWhole);
  EXPECT(kind({3}, {2, 3}) == Plan::kPeriodic && kind({3, 4}, {5, 3, 4}) == Plan::kPeriodic);
  EXPECT(kind({100000}, {2, 100000}) == Plan::kPeriodic);  // how long is a matter of the device
  EXPECT(kind({2, 1}, {2, 3}) == Plan::kStrided && kind({2, 1, 4}, {2, 3, 4}) == Plan::kStrided);
  EXPECT(kind({3}, {0, 3}) == Plan::kPeriodic && kind({1, 3}, {0, 3}) == Plan::kPeriodic);
  EXPECT(kind({0, 3}, {0, 3}) == Plan::kWhole && kind({0, 1}, {0, 3}) == Plan::kWhole);

  Plan p;
  const TensorSpec two[] = {f32({2, 3, 4, 5}), f32({4, 5})};
  EXPECT(!p.prepare(two, 2, f32({2, 3, 4, 5})));
  EXPECT(p.dims == (Shape{6, 20}) && p.operands[1].strides == (Shape{0, 1}) && p.operands[1].period == 20);
  const TensorSpec column_and_row[] = {f32({4, 1}), f32({5})};
  EXPECT(!p.prepare(column_and_row, 2, f32({4, 5})));
  EXPECT(p.dims == (Shape{4, 5}) && p.operands[0].strides == (Shape{1, 0}));
  const TensorSpec small[] = {f32({1, 5}), f32({5})};
  EXPECT_EQ(p.prepare(small, 2, f32({4, 5})).message(), "the operands broadcast to (1, 5), not to (4, 5)");
  EXPECT(!p.prepare_one(small[0], f32({4, 5})));
  EXPECT_EQ(p.prepare_one(f32({4}), f32({2, 3})).message(), "shape (4,) does not broadcast to (2, 3)");
  EXPECT(p.prepare_one(f32({1, 1}), f32({1})).code() == Code::kValue);
  EXPECT(p.prepare_one(f32({0}), f32({3})).code() == Code::kValue);
  EXPECT(p.prepare_one(f32({1}), f32({kHuge, kHuge})).code() == Code::kMemory);
  EXPECT(p.prepare(two, 0, f32({})).code() == Code::kInternal && p.prepare(two, 4, f32({})).code() == Code::kInternal);
}

TEST(a_reduction_merges_its_axes) {
  ReducePlan p;
  EXPECT(!p.prepare({{f32({2, 3, 4, 5})}, {f32({2, 5})}}, {1, 2}, false, false));
  EXPECT_EQ(p.groups.size(), 3u);
  EXPECT(p.groups[0].size == 2 && p.groups[0].stride == 60 && !p.groups[0].reduced);
  EXPECT(p.groups[1].size == 12 && p.groups[1].stride == 5 && p.groups[1].reduced);
  EXPECT(p.groups[2].size == 5 && p.groups[2].stride == 1 && !p.groups[2].reduced);
  EXPECT(!p.prepare({{f32({2, 1, 4})}, {f32({1, 1, 1})}}, {0, 2}, true, false));
  EXPECT(p.groups.size() == 1 && p.groups[0].size == 8 && p.groups[0].reduced);
  EXPECT(!p.prepare({{f32({})}, {f32({})}}, {}, false, false) && p.groups.empty());
  EXPECT(!p.prepare({{f32({0, 3})}, {{DType::kBool, {3}}}}, {0}, false, true));
  EXPECT(p.prepare({{f32({2, 3})}, {f32({3})}}, {0, 0}, false, false));
  EXPECT(p.prepare({{f32({2, 3})}, {f32({3})}}, {2}, false, false));
  EXPECT(p.prepare({{f32({2, 3})}, {f32({2})}}, {0}, false, false));
  EXPECT(p.prepare({{f32({2, 3})}, {f32({3})}}, {0}, false, true).code() == Code::kType);
  AxisPlan a;
  EXPECT(!a.prepare({2, 3, 4, 5}, 1) && a.outer == 2 && a.size == 3 && a.inner == 20);
  EXPECT(!a.prepare({0}, 0) && a.outer == 1 && a.size == 0 && a.inner == 1);
  EXPECT(a.prepare({}, 0) && a.prepare({2}, 1) && a.prepare({2}, -1));
}

TEST(what_works_along_an_axis_is_checked) {
  AxisPlan a;
  const TensorSpec x = f32({2, 3, 4});
  EXPECT(!a.prepare_map({{x}, {x}}, 1) && a.size == 3 && a.inner == 4);
  EXPECT(a.prepare_map({{x}, {f32({2, 3})}}, 1) && a.prepare_map({{f32({})}, {f32({})}}, 0));
  EXPECT(!a.prepare_extreme({{x}, {i64({2, 4})}}, 1, false) && !a.prepare_extreme({{x}, {i64({2, 1, 4})}}, 1, true));
  EXPECT(!a.prepare_extreme({{f32({0, 3})}, {i64({0})}}, 1, false));
  EXPECT(a.prepare_extreme({{f32({0, 3})}, {i64({3})}}, 0, false).code() == Code::kValue);  // nothing has no extreme
  EXPECT(a.prepare_extreme({{x}, {f32({2, 4})}}, 1, false).code() == Code::kType);
  EXPECT(!a.prepare_order({{x}, {f32({2, 3, 2}), i64({2, 3, 2})}}, -1, 2) && a.size == 4);
  EXPECT(!a.prepare_order({{x}, {x, i64({2, 3, 4})}}, 2, AxisPlan::kAll));
  EXPECT(!a.prepare_order({{f32({0})}, {f32({0}), i64({0})}}, 0, 0));
  EXPECT(a.prepare_order({{x}, {x, i64({2, 3, 4})}}, 2, 5) && a.prepare_order({{x}, {x, i64({2, 3, 4})}}, 2, -1));
  TrianglePlan t;
  EXPECT(!t.prepare({{x}, {x}}, -1) && t.height == 3 && t.width == 4 && t.rows == 6 && t.k == -1);
  EXPECT(!t.prepare({{x}, {x}}, INT64_MAX) && t.k == 5);
  EXPECT(!t.prepare({{x}, {x}}, INT64_MIN) && t.k == -4);
  EXPECT(!t.prepare({{f32({5, 0})}, {f32({5, 0})}}, 0) && t.rows == 0);
  EXPECT(t.prepare({{f32({3})}, {f32({3})}}, 0).code() == Code::kValue);
}

TEST(what_makes_data_is_checked) {
  const TensorSpec key = i64({2});
  EXPECT(!check_random({{key}, {f32({3})}}, {3}, DType::kFloat32));
  EXPECT(check_random({{key}, {f32({3})}}, {4}, DType::kFloat32));
  EXPECT(check_random({{f32({2})}, {f32({3})}}, {3}, DType::kFloat32).code() == Code::kType);
  EXPECT(!check_floats(DType::kBFloat16) && check_floats(DType::kInt32) && check_floats(DType::kComplex64));
  EXPECT(!check_probability(1, DType::kBool) && check_probability(1.5, DType::kBool));
  EXPECT(check_probability(0.0 / 0.0, DType::kBool));
  EXPECT(!check_range(INT64_MIN, INT64_MAX, DType::kInt64) && check_range(3, 3, DType::kInt64));
  EXPECT(check_range(0, 3, DType::kFloat32));
  EXPECT(!check_permutation({{key}, {{DType::kInt8, {128}}}}, 128));
  EXPECT(check_permutation({{key}, {{DType::kInt8, {129}}}}, 129));
  EXPECT(check_permutation({{key}, {i64({3})}}, -3) && !check_permutation({{key}, {i64({0})}}, 0));
  EXPECT(!check_key({{}, {key}}) && check_key({{}, {i64({3})}}));
  EXPECT(!check_arange({{}, {f32({3})}}, 0, 2.5, 1) && !check_arange({{}, {f32({0})}}, 5, 2, 1));
  EXPECT(check_arange({{}, {f32({3})}}, 0, 2, 1) && check_arange({{}, {f32({3})}}, 0, 2, 0));
  EXPECT(check_arange({{}, {f32({})}}, 0, 1, 1));
  EXPECT(!check_eye({{}, {f32({3, 0})}}, 3, 0) && check_eye({{}, {f32({3, 4})}}, 3, 3));
}

// The matrices of each batch, by the definition of broadcasting.
void check_batches(const Shape& x, const Shape& y, const Shape& out) {
  MatmulPlan p;
  EXPECT(!p.prepare({}, {{f32(x), f32(y)}, {f32(out)}}));
  const int64_t k = x.back(), n = y.back(), rows = out[out.size() - 2];
  for (int64_t b = 0; b < p.batches; ++b) {
    // A taller matrix is the batches below one another.
    for (int64_t part = 0; part < p.m / rows; ++part) {
      int64_t rest = b * (p.m / rows) + part, at[2] = {}, step[2] = {1, 1};
      for (size_t back = 3; back <= out.size(); ++back) {
        const int64_t index = rest % out[out.size() - back];
        rest /= out[out.size() - back];
        for (int i = 0; i < 2; ++i) {
          const Shape& s = i == 0 ? x : y;
          if (back > s.size()) continue;
          if (s[s.size() - back] != 1) at[i] += index * step[i];
          step[i] *= s[s.size() - back];
        }
      }
      EXPECT_EQ(p.at(b).x + part * rows * k, at[0] * rows * k);
      EXPECT_EQ(p.at(b).y, at[1] * k * n);
    }
  }
}

TEST(a_product_merges_its_batches) {
  check_batches({2, 3}, {3, 4}, {2, 4});
  check_batches({5, 6, 2, 3}, {5, 6, 3, 4}, {5, 6, 2, 4});
  check_batches({5, 6, 2, 3}, {3, 4}, {5, 6, 2, 4});
  check_batches({5, 1, 2, 3}, {6, 3, 4}, {5, 6, 2, 4});
  check_batches({2, 3}, {7, 1, 3, 4}, {7, 1, 2, 4});
  check_batches({2, 1, 3, 2, 3}, {2, 5, 1, 3, 4}, {2, 5, 3, 2, 4});
  check_batches({0, 2, 3}, {3, 4}, {0, 2, 4});
  MatmulPlan tall;
  EXPECT(!tall.prepare({}, {{f32({5, 6, 2, 3}), f32({3, 4})}, {f32({5, 6, 2, 4})}}) && tall.m == 60);
  EXPECT(tall.batches == 1);
  Attrs transposed;
  transposed.set("transpose_a", true);
  transposed.set("transpose_b", true);
  MatmulPlan p;
  EXPECT(!p.prepare(transposed, {{f32({3, 2}), f32({4, 3})}, {f32({2, 4})}}) && p.m == 2 && p.n == 4 && p.k == 3);
  const auto refused = [](const Shape& x, const Shape& y, const Shape& out) {
    MatmulPlan q;
    return !q.prepare({}, {{f32(x), f32(y)}, {f32(out)}}).is_ok();
  };
  EXPECT(refused({3}, {3, 4}, {4}) && refused({}, {}, {}));
  EXPECT(refused({2, 3}, {4, 3}, {2, 3}) && refused({2, 2, 3}, {3, 3, 4}, {2, 2, 4}));
  EXPECT(refused({2, 3}, {3, 4}, {4, 2}));
  EXPECT(refused({kHuge, 1, 0}, {1, 0, kHuge}, {kHuge, 1, kHuge}));  // the result overflows
}

Attrs window(Shape kernel, Shape stride, Shape pad, Shape dilation) {
  return ints({{"kernel", kernel}, {"stride", stride}, {"pad", pad}, {"dilation", dilation}});
}

TEST(windows_begin_and_end_inside_the_plane) {
  PoolPlan p;
  Shape out;
  EXPECT(!p.prepare(window({3, 2}, {2, 1}, {1, 1, 0, 1}, {1, 2}), {2, 3, 5, 6}, out));
  EXPECT(out == (Shape{2, 3, 3, 5}) && p.planes.count == 6 && p.planes.in() == 30 && p.planes.out() == 15);
  for (int64_t o = 0; o < 3; ++o) {  // every position of a window, one by one
    int64_t first = -1, last = -1;
    for (int64_t i = o * 2 - 1; i < o * 2 + 2; ++i) {
      if (i < 0 || i >= 5) continue;
      if (first < 0) first = i;
      last = i;
    }
    EXPECT(p.rows[o].begin == first && p.rows[o].end == last + 1);
  }
  EXPECT(p.cols[4].begin == 4 && p.cols[4].end == 6);  // the second column of it is padding
  EXPECT(!p.prepare(window({1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}), {0, 3, 5, 6}, out) && p.planes.count == 0);
  const auto refused = [](const Attrs& a, const Shape& input) {
    PoolPlan q;
    Shape o;
    return !q.prepare(a, input, o).is_ok();
  };
  const Shape x{1, 1, 5, 6};
  EXPECT(refused(window({2, 2}, {1, 1}, {0, 0, 0, 0}, {1, 1}), {5, 6}));
  EXPECT(refused(window({6, 2}, {1, 1}, {0, 0, 0, 0}, {1, 1}), x));
  EXPECT(refused(window({0, 2}, {1, 1}, {0, 0, 0, 0}, {1, 1}), x));
  EXPECT(refused(window({2, 2}, {0, 1}, {0, 0, 0, 0}, {1, 1}), x));
  EXPECT(refused(window({2, 2}, {1, 1}, {-1, 0, 0, 0}, {1, 1}), x));
  EXPECT(refused(window({2, 2}, {1}, {0, 0, 0, 0}, {1, 1}), x) && refused(window({2, 2}, {1, 1}, {0, 0}, {1, 1}), x));
  EXPECT(refused(window({2, 2}, {1, 1}, {2, 0, 0, 0}, {1, 1}), x));  // the first window lies in the padding
  const int64_t most = int64_t{1} << 30;
  EXPECT(refused(window({INT64_MAX, 2}, {1, 1}, {0, 0, 0, 0}, {most, 1}), x));
  EXPECT(refused(window({1, 1}, {1, 1}, {most, most, most, most}, {1, 1}), x));  // at once, without a list of them all
  EXPECT(refused(window({1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}), {kHuge, kHuge, 0, 1}));
  Planes planes;
  EXPECT(!plan_exchange({2, 3, 5, 6}, {2, 3, 2, 2}, i64({2, 3, 2, 2}), planes) && planes.count == 6);
  EXPECT(planes.out() == 4);
  EXPECT(plan_exchange({2, 3, 5, 6}, {2, 4, 2, 2}, i64({2, 4, 2, 2}), planes));
  EXPECT(plan_exchange({2, 3, 5, 6}, {2, 3, 2, 2}, i64({2, 3, 2, 1}), planes));
}

TEST(a_convolution_is_measured_in_all_passes) {
  Attrs a = ints({{"stride", {2, 1}}, {"pad", {1, 1, 0, 2}}, {"dilation", {1, 2}}, {"in_shape", {2, 4, 9, 8}},
                  {"w_shape", {6, 2, 3, 2}}});
  a.set("group", int64_t{2});
  const TensorSpec x = f32({2, 4, 9, 8}), w = f32({6, 2, 3, 2}), out = f32({2, 6, 5, 8});
  for (const auto& [pass, s] : {std::pair{ConvPass::kForward, Signature{{x, w}, {out}}},
                                std::pair{ConvPass::kData, Signature{{out, w}, {x}}},
                                std::pair{ConvPass::kWeight, Signature{{x, out}, {w}}}}) {
    ConvSpec c;
    EXPECT(!c.prepare(a, pass, s));
    EXPECT(c.batch == 2 && c.in_channels == 4 && c.in_h == 9 && c.in_w == 8 && c.out_channels == 6 && c.out_h == 5);
    EXPECT(c.out_w == 8 && c.kernel_h == 3 && c.kernel_w == 2 && c.group == 2 && c.right == 2 && c.dilation_w == 2);
  }
  const auto refused = [](const Attrs& attrs, ConvPass pass, const Signature& s) {
    ConvSpec c;
    return !c.prepare(attrs, pass, s).is_ok();
  };
  EXPECT(refused(a, ConvPass::kForward, {{x, w}, {x}}));
  EXPECT(refused(a, ConvPass::kForward, {{x, f32({6, 4, 3, 2})}, {out}}));
  EXPECT(refused(a, ConvPass::kForward, {{f32({}), w}, {out}}) && refused(a, ConvPass::kData, {{x, w}, {x}}));
  a.set("group", int64_t{3});
  EXPECT(refused(a, ConvPass::kForward, {{x, w}, {out}}));
  a.set("group", int64_t{2});
  a.set("in_shape", Shape{2, 4, INT64_MAX, INT64_MAX});
  EXPECT(refused(a, ConvPass::kData, {{out, w}, {x}}));
  a.set("w_shape", Shape{6, 2, -3, 2});
  EXPECT(refused(a, ConvPass::kWeight, {{x, out}, {w}}));
}

TEST(indices_name_rows_points_and_places) {
  RowsPlan r;
  EXPECT(!r.prepare_gather({{f32({2, 3, 4}), i64({5, 6})}, {f32({2, 5, 6, 4})}}, 1));
  EXPECT(r.outer == 2 && r.bound == 3 && r.width == 4 && r.count == 30);
  EXPECT(!r.prepare_gather({{f32({3}), i64({})}, {f32({})}}, 0) && r.count == 1 && r.width == 1);
  EXPECT(!r.prepare_gather({{f32({0, 3}), i64({0})}, {f32({0, 3})}}, 0) && r.bound == 0 && r.count == 0);
  EXPECT(!r.prepare_scatter({{f32({2, 5, 4}), i64({5})}, {f32({2, 3, 4})}}, {2, 3, 4}, 1) && r.outer == 2);
  EXPECT(r.count == 5);
  EXPECT(r.prepare_gather({{f32({3}), f32({2})}, {f32({2})}}, 0).code() == Code::kType);
  EXPECT(r.prepare_gather({{f32({}), i64({2})}, {f32({2})}}, 0));
  EXPECT(r.prepare_gather({{f32({3}), i64({2})}, {f32({3})}}, 0));
  EXPECT(r.prepare_scatter({{f32({5}), i64({5})}, {f32({3})}}, {4}, 0));
  EXPECT(r.prepare_scatter({{f32({5}), i64({5})}, {f32({3})}}, {3}, 1));

  PointsPlan p;
  EXPECT(!p.prepare_gather({{f32({2, 3, 4}), i64({5, 2})}, {f32({5, 4})}}));
  EXPECT(p.depth() == 2 && p.rows() == 6 && p.width == 4 && p.count == 5);
  EXPECT(!p.prepare_gather({{f32({2, 3}), i64({7, 0})}, {f32({7, 2, 3})}}) && p.depth() == 0 && p.rows() == 1);
  EXPECT(!p.prepare_scatter({{i64({5, 1}), f32({5, 4})}, {f32({3, 4})}}, {3, 4}) && p.rows() == 3);
  EXPECT(!p.prepare_update({{f32({3, 4}), i64({2}), f32({})}, {f32({3, 4})}}) && p.count == 1 && p.width == 1);
  EXPECT(p.prepare_gather({{f32({2}), i64({5, 2})}, {f32({5})}}) && p.prepare_gather({{f32({2}), i64({})}, {f32({})}}));
  EXPECT(p.prepare_scatter({{i64({5, 1}), f32({4, 4})}, {f32({3, 4})}}, {3, 4}));
  EXPECT(p.prepare_update({{f32({3, 4}), i64({2}), f32({1})}, {f32({3, 4})}}));

  AlongPlan a;
  EXPECT(!a.prepare_gather({{f32({2, 3}), i64({2, 7})}, {f32({2, 7})}}, 1));
  EXPECT(a.stride == 1 && a.bound == 3 && a.count == 14 && a.leading == 2 && a.dims[0].in == 3 && a.dims[1].in == 0);
  AlongPlan b;
  EXPECT(!b.prepare_scatter({{f32({4, 3}), i64({9, 2}), f32({9, 5})}, {f32({4, 3})}}, 0));
  EXPECT(b.stride == 3 && b.bound == 4 && b.dims[0].in == 5 && b.dims[0].out == 0 && b.dims[1].out == 1);
  EXPECT(a.prepare_gather({{f32({2, 3}), i64({3, 7})}, {f32({3, 7})}}, 1));  // more rows than x has
  EXPECT(a.prepare_gather({{f32({}), i64({})}, {f32({})}}, 0));
  EXPECT(a.prepare_gather({{f32({2}), i64({2, 2})}, {f32({2, 2})}}, 0));
  EXPECT(b.prepare_scatter({{f32({4}), i64({5}), f32({4})}, {f32({4})}}, 0));  // more places than sources
}

TEST(labels_and_norms_are_checked) {
  NllPlan n;
  EXPECT(!n.prepare({{f32({5, 7}), i64({5})}, {f32({5})}}) && n.rows == 5 && n.classes == 7);
  EXPECT(!n.prepare_gradient({{f32({5}), i64({5})}, {f32({5, 7})}}, 7) && n.classes == 7);
  EXPECT(!n.prepare({{f32({0, 7}), i64({0})}, {f32({0})}}));
  EXPECT(n.prepare({{f32({5}), i64({5})}, {f32({5})}}) && n.prepare({{f32({5, 7}), i64({4})}, {f32({5})}}));
  EXPECT(n.prepare({{f32({5, 7}), f32({5})}, {f32({5})}}).code() == Code::kType);
  EXPECT(n.prepare_gradient({{f32({5}), i64({5})}, {f32({5, 7})}}, -7));
  OneHotPlan h;
  const TensorSpec one = f32({});
  EXPECT(!h.prepare({{i64({2, 3}), one, one}, {f32({2, 4, 3})}}, 4, 1));
  EXPECT(h.around.outer == 2 && h.around.size == 4 && h.around.inner == 3);
  EXPECT(!h.prepare({{i64({}), one, one}, {f32({4})}}, 4, -1) && h.around.outer == 1 && h.around.inner == 1);
  EXPECT(!h.prepare({{i64({2}), one, one}, {f32({2, 0})}}, 0, -1));
  EXPECT(h.prepare({{i64({2}), one, one}, {f32({2, 4})}}, -4, 1));
  EXPECT(h.prepare({{i64({2}), one, one}, {f32({2, 4})}}, 4, 2));
  EXPECT(h.prepare({{i64({2}), one, i64({})}, {f32({2, 4})}}, 4, 1).code() == Code::kType);

  ChannelsPlan c;
  const TensorSpec x = f32({2, 3, 4, 5}), per = f32({3});
  EXPECT(!c.prepare({{x, per, per}, {x, per, per}}) && c.batch == 2 && c.channels == 3 && c.plane == 20);
  EXPECT(c.each() == 40);
  std::vector<int64_t> planes;
  c.planes(1, [&](int64_t at) { planes.push_back(at); });
  EXPECT(planes == (std::vector<int64_t>{20, 80}));
  EXPECT(!c.prepare({{f32({2, 3}), per, per}, {f32({2, 3}), per, per}}) && c.plane == 1);
  EXPECT(!c.prepare_gradient({{x, x, per, per, per}, {x, per, per}}));
  EXPECT(!c.prepare_inference({{x, per, per, per, per}, {x}}));
  EXPECT(c.prepare({{per, per, per}, {per, per, per}}) && c.prepare({{x, f32({4}), per}, {x, per, per}}));
  LayerPlan l;
  EXPECT(!l.prepare({{x, f32({4, 5}), f32({20})}, {x, f32({2, 3, 1, 1}), f32({6})}}, 2) && l.rows == 6);
  EXPECT(l.width == 20);
  EXPECT(!l.prepare_gradient({{x, x, f32({6}), f32({6}), f32({20})}, {x, f32({20}), f32({20})}}, 2));
  EXPECT(l.prepare({{x, f32({5}), f32({20})}, {x, f32({6}), f32({6})}}, 2));
  EXPECT(l.prepare({{x, f32({20}), f32({20})}, {x, f32({6}), f32({6})}}, 4));
  EXPECT(l.prepare({{x, f32({20}), f32({20})}, {x, f32({6}), f32({6})}}, -1));
}

}  // namespace
}  // namespace minds
