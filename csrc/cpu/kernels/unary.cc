// Elementwise functions of one operand.
#include <utility>

#include "base/parallel.h"
#include "cpu/kernels/loops.h"
#include "kernel/plan/elementwise.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

constexpr int64_t kTile = 512;

class Unary final : public Kernel {
 public:
  explicit Unary(UnaryOp op) : op_(op) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = check_unary(s, op_)) return e;
    const TensorSpec &x = s.inputs[0], &y = s.outputs[0];
    size_ = x.size();
    grain_ = grain_of(op_, x.dtype);
    in_item_ = static_cast<int64_t>(item_size(x.dtype));
    out_item_ = static_cast<int64_t>(item_size(y.dtype));
    half_ = x.dtype == DType::kFloat16 ? 0 : x.dtype == DType::kBFloat16 ? 1 : -1;
    loop_ = loops().unary[static_cast<int>(op_)][static_cast<int>(half_ < 0 ? x.dtype : DType::kFloat32)];
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

template <size_t op>
std::unique_ptr<Kernel> make(std::string_view, const Attrs&) {
  return std::make_unique<Unary>(static_cast<UnaryOp>(op));
}

template <size_t... op>
bool add_all(std::index_sequence<op...>) {
  (Registry::instance().add("cpu", kUnaryOps[op].name, dtypes_of(kUnaryOps[op].takes), make<op>), ...);
  return true;
}

const bool added = add_all(std::make_index_sequence<kUnaryCount>());

}  // namespace
}  // namespace minds::cpu
