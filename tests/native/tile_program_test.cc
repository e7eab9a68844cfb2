// The program of fused kernels: what is read from its attributes, and what is refused.
#include "check.h"
#include "kernel/tile_program.h"

namespace minds {
namespace {

using Kind = TileProgram::Step::Kind;

struct Text {
  std::string ops;
  std::vector<int64_t> args, outs;
  std::vector<int64_t> casts = {};
  Shape shape = {2, 3};
};

Status parse(const Text& t, const Signature& s, TileProgram& p) {
  Attrs a;
  a.set("ops", t.ops);
  a.set("args", t.args);
  a.set("casts", t.casts);
  a.set("outs", t.outs);
  a.set("shape", t.shape);
  p = {};
  return p.parse(a, s);
}

TensorSpec f32(Shape shape) { return {DType::kFloat32, std::move(shape)}; }

TEST(a_tile_program_knows_its_values) {
  TileProgram p;
  const TensorSpec x = f32({2, 3}), half{DType::kFloat16, {6}};
  const auto float16 = static_cast<int64_t>(DType::kFloat16);
  EXPECT(!parse({"add less select cast", {0, 1, 3, 2, 4, 3, 2, 5}, {3, 6}, {float16}},
                {{x, f32({3}), f32({2, 1})}, {x, half}}, p));
  EXPECT(p.size == 6 && p.inputs == 3 && p.values.size() == 7 && p.steps.size() == 4);
  EXPECT(p.values[0].space.operands[0].kind == BroadcastPlan::kWhole);
  EXPECT(p.values[1].space.operands[0].kind == BroadcastPlan::kPeriodic);
  EXPECT(p.values[2].space.operands[0].kind == BroadcastPlan::kStrided);
  EXPECT(p.steps[0].kind == Kind::kBinary && p.steps[0].binary == BinaryOp::kAdd && p.steps[0].args[1] == 1);
  EXPECT(p.steps[2].kind == Kind::kSelect && p.steps[2].args[0] == 4 && p.steps[2].args[2] == 2);
  EXPECT(p.steps[3].kind == Kind::kCast && p.steps[3].args[0] == 5);
  EXPECT(p.values[4].dtype == DType::kBool && p.values[5].dtype == DType::kFloat32);
  EXPECT(p.values[6].dtype == DType::kFloat16);
  EXPECT(p.values[3].output == 0 && p.values[6].output == 1 && p.values[5].output == -1 && p.values[2].input == 2);
  EXPECT(!parse({"neg", {0}, {1}, {}, {}}, {{f32({})}, {f32({})}}, p) && p.size == 1);
  EXPECT(!parse({"neg", {0}, {1}, {}, {0, 3}}, {{f32({0, 3})}, {f32({0, 3})}}, p) && p.size == 0);
  EXPECT(!parse({"neg", {0}, {1}}, {{f32({6})}, {f32({3, 2})}}, p));  // as many elements, in other shapes
}

TEST(a_malformed_tile_program_is_refused) {
  TileProgram p;
  const TensorSpec x = f32({2, 3}), i{DType::kInt32, {2, 3}}, z{DType::kComplex64, {2, 3}};
  const auto code = [&](const Text& t, const Signature& s) {
    const Status e = parse(t, s, p);
    return e ? e.code() : Code::kHost;  // which nothing here gives
  };
  EXPECT(code({"", {}, {1}}, {{x}, {x}}) == Code::kValue);
  EXPECT(code({"nonsense", {0}, {1}}, {{x}, {x}}) == Code::kValue);
  EXPECT(code({"neg", {}, {1}}, {{x}, {x}}) == Code::kValue);
  EXPECT(code({"neg", {0, 0}, {1}}, {{x}, {x}}) == Code::kValue);      // an operand too many
  EXPECT(code({"neg", {1}, {1}}, {{x}, {x}}) == Code::kValue);         // of itself
  EXPECT(code({"neg exp", {2, 1}, {2}}, {{x}, {x}}) == Code::kValue);  // of what comes after it
  EXPECT(code({"neg", {-1}, {1}}, {{x}, {x}}) == Code::kValue);
  for (int64_t out : {int64_t{0}, int64_t{2}, int64_t{-1}, INT64_MIN, INT64_MAX}) {  // an input, or no value
    EXPECT(code({"neg", {0}, {out}}, {{x}, {x}}) == Code::kValue);
  }
  EXPECT(code({"neg", {0}, {1, 1}}, {{x}, {x, x}}) == Code::kValue);
  EXPECT(code({"neg", {0}, {1}}, {{x}, {x, x}}) == Code::kValue);
  EXPECT(code({"neg", {0}, {1}}, {{x}, {i}}) == Code::kValue);
  EXPECT(code({"neg", {0}, {1}}, {{x}, {f32({2})}}) == Code::kValue);
  EXPECT(code({"neg", {0}, {1}}, {{f32({4})}, {x}}) == Code::kValue);  // does not broadcast
  EXPECT(code({"neg", {0}, {1}}, {{}, {x}}) == Code::kValue);
  EXPECT(code({"add", {0, 1}, {2}}, {{x, i}, {x}}) == Code::kValue);
  EXPECT(code({"select", {0, 0, 0}, {1}}, {{x}, {x}}) == Code::kValue);
  EXPECT(code({"cast", {0}, {1}}, {{x}, {x}}) == Code::kValue);
  for (int64_t to : {int64_t{-1}, int64_t{13}, INT64_MAX, static_cast<int64_t>(DType::kFloat32)}) {
    EXPECT(code({"cast", {0}, {1}, {to}}, {{x}, {x}}) == Code::kValue);
  }
  EXPECT(code({"exp", {0}, {1}}, {{i}, {i}}) == Code::kType);
  EXPECT(code({"neg", {0}, {1}}, {{z}, {z}}) == Code::kType);
  EXPECT(code({"mod", {0, 0}, {1}}, {{i}, {i}}) == Code::kType);  // may refuse its data
  EXPECT(code({"mod", {0, 0}, {1}}, {{x}, {x}}) == Code::kHost);
  EXPECT(code({"neg", {0}, {1}, {}, {int64_t{1} << 40, int64_t{1} << 40}}, {{x}, {x}}) == Code::kMemory);
  std::string long_program = "neg";
  std::vector<int64_t> args{0};
  for (int64_t k = 1; k + 1 < static_cast<int64_t>(kTileValues); ++k) {
    long_program += " neg";
    args.push_back(k);
  }
  EXPECT(code({long_program, args, {static_cast<int64_t>(kTileValues) - 1}}, {{x}, {x}}) == Code::kHost);
  args.push_back(static_cast<int64_t>(kTileValues) - 1);
  EXPECT(code({long_program + " neg", args, {static_cast<int64_t>(kTileValues)}}, {{x}, {x}}) == Code::kValue);
}

}  // namespace
}  // namespace minds
