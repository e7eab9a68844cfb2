// Elementwise functions of one operand.
#include "base/parallel.h"
#include "cpu/check.h"
#include "cpu/kernels/loops.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

constexpr int64_t kTile = 512;

class Unary : public Kernel {
 public:
  explicit Unary(UnaryOp op) : op_(op) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 1, 1)) return e;
    const TensorSpec &x = s.inputs[0], &y = s.outputs[0];
    if (Status e = expect_spec(y, "the result", gives_bool(op_) ? DType::kBool : x.dtype, x.shape)) return e;
    size_ = x.size();
    grain_ = grain_of(op_, x.dtype);
    in_item_ = static_cast<int64_t>(item_size(x.dtype));
    out_item_ = static_cast<int64_t>(item_size(y.dtype));
    half_ = x.dtype == DType::kFloat16 ? 0 : x.dtype == DType::kBFloat16 ? 1 : -1;
    loop_ = loops().unary[static_cast<int>(op_)][static_cast<int>(half_ < 0 ? x.dtype : DType::kFloat32)];
    if (loop_ == nullptr) return bad_type(std::string("is not defined for ") + name(x.dtype));
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    const char* x = static_cast<const char*>(a.in[0]);
    char* y = static_cast<char*>(a.out[0]);
    parallel_for(size_, grain_, [&](int64_t begin, int64_t end) {
      if (half_ < 0) {
        loop_(y + begin * out_item_, x + begin * in_item_, end - begin);
      } else {
        run_half(y, x, begin, end);
      }
    });
    return {};
  }

 private:
  void run_half(char* y, const char* x, int64_t begin, int64_t end) const {
    alignas(64) float wide[kTile], result[kTile];
    for (int64_t p = begin; p < end; p += kTile) {
      const int64_t n = std::min(kTile, end - p);
      loops().widen[half_](wide, x + p * in_item_, n);
      if (gives_bool(op_)) {
        loop_(y + p, wide, n);
      } else {
        loop_(result, wide, n);
        loops().narrow[half_](y + p * out_item_, result, n);
      }
    }
  }

  UnaryOp op_;
  UnaryLoop loop_ = nullptr;
  int64_t size_ = 0, grain_ = 1, in_item_ = 0, out_item_ = 0;
  int half_ = -1;
};

template <UnaryOp op>
struct Of final : Unary {
  explicit Of(const Attrs&) : Unary(op) {}
};

#define MINDS_UNARY(name, op, ...) MINDS_KERNEL("cpu", name, Of<UnaryOp::op>, __VA_ARGS__)

MINDS_UNARY("exp", kExp, MINDS_FLOATS);
MINDS_UNARY("log", kLog, MINDS_FLOATS);
MINDS_UNARY("sqrt", kSqrt, MINDS_FLOATS);
MINDS_UNARY("rsqrt", kRsqrt, MINDS_FLOATS);
MINDS_UNARY("tanh", kTanh, MINDS_FLOATS);
MINDS_UNARY("sigmoid", kSigmoid, MINDS_FLOATS);
MINDS_UNARY("floor", kFloor, MINDS_FLOATS);
MINDS_UNARY("ceil", kCeil, MINDS_FLOATS);
MINDS_UNARY("round", kRound, MINDS_FLOATS);
MINDS_UNARY("trunc", kTrunc, MINDS_FLOATS);
MINDS_UNARY("sin", kSin, MINDS_FLOATS);
MINDS_UNARY("cos", kCos, MINDS_FLOATS);
MINDS_UNARY("tan", kTan, MINDS_FLOATS);
MINDS_UNARY("asin", kAsin, MINDS_FLOATS);
MINDS_UNARY("acos", kAcos, MINDS_FLOATS);
MINDS_UNARY("atan", kAtan, MINDS_FLOATS);
MINDS_UNARY("sinh", kSinh, MINDS_FLOATS);
MINDS_UNARY("cosh", kCosh, MINDS_FLOATS);
MINDS_UNARY("asinh", kAsinh, MINDS_FLOATS);
MINDS_UNARY("acosh", kAcosh, MINDS_FLOATS);
MINDS_UNARY("atanh", kAtanh, MINDS_FLOATS);
MINDS_UNARY("erf", kErf, MINDS_FLOATS);
MINDS_UNARY("erfc", kErfc, MINDS_FLOATS);
MINDS_UNARY("log1p", kLog1p, MINDS_FLOATS);
MINDS_UNARY("expm1", kExpm1, MINDS_FLOATS);
MINDS_UNARY("reciprocal", kReciprocal, MINDS_FLOATS);
MINDS_UNARY("lgamma", kLgamma, MINDS_FLOATS);
MINDS_UNARY("digamma", kDigamma, MINDS_FLOATS);
MINDS_UNARY("abs", kAbs, MINDS_REALS);
MINDS_UNARY("neg", kNeg, MINDS_REALS);
MINDS_UNARY("sign", kSign, MINDS_REALS);
MINDS_UNARY("relu", kRelu, MINDS_REALS);
MINDS_UNARY("square", kSquare, MINDS_REALS);
MINDS_UNARY("logical_not", kLogicalNot, DType::kBool, MINDS_REALS);
MINDS_UNARY("isnan", kIsNan, DType::kBool, MINDS_REALS);
MINDS_UNARY("isinf", kIsInf, DType::kBool, MINDS_REALS);
MINDS_UNARY("isfinite", kIsFinite, DType::kBool, MINDS_REALS);
MINDS_UNARY("bitwise_not", kBitwiseNot, DType::kBool, MINDS_INTS);

}  // namespace
}  // namespace minds::cpu
