// Elementwise functions of two operands, with broadcasting.
#include <utility>

#include "base/parallel.h"
#include "cpu/kernels/broadcast.h"
#include "cpu/kernels/loops.h"
#include "kernel/types.h"
#include "kernel/fault.h"
#include "kernel/plan/elementwise.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

// The first element that satisfies the test, or -1.
template <class T, class Test>
int64_t find(const void* data, int64_t n, Test test) {
  const T* x = static_cast<const T*>(data);
  for (int64_t i = 0; i < n; ++i) {
    if (test(x[i])) return i;
  }
  return -1;
}

class Binary final : public Kernel {
 public:
  explicit Binary(BinaryOp op) : op_(op) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = check_binary(s, op_)) return e;
    const DType t = s.inputs[0].dtype;
    half_ = t == DType::kFloat16 ? 0 : t == DType::kBFloat16 ? 1 : -1;
    loops_ = loops().binary[static_cast<int>(op_)][static_cast<int>(half_ < 0 ? t : DType::kFloat32)];
    dtype_ = t;
    divisor_size_ = s.inputs[1].size();
    out_item_ = static_cast<int64_t>(item_size(s.outputs[0].dtype));
    return space_.prepare(s.inputs.data(), 2, s.outputs[0], half_ < 0 && loops_.left_number != nullptr);
  }

  Status run(const Args& a, Stream&) const override {
    if (const Fault f = check_right(a.in[1])) return fail(a, f);
    char* out = static_cast<char*>(a.out[0]);
    parallel_for(space_.size(), grain_of(op_), [&](int64_t begin, int64_t end) {
      const int64_t most = half_ < 0 ? end - begin : Broadcast::kTile;
      space_.walk(a.in, begin, end, most,
                  [&](int64_t p, int64_t n, const char* const* at, const bool* number) {
                    if (half_ < 0) {
                      // Two numbers only meet where the result is one element too: then any of the loops
                      // does.
                      const BinaryLoop loop = number[0] && n > 1   ? loops_.left_number
                                              : number[1] && n > 1 ? loops_.right_number
                                                                   : loops_.both;
                      loop(out + p * out_item_, at[0], at[1], n);
                    } else {
                      run_half(out + p * out_item_, at[0], at[1], n);
                    }
                  });
    });
    return {};
  }

 private:
  void run_half(char* out, const char* x, const char* y, int64_t n) const {
    alignas(64) float wide_x[Broadcast::kTile], wide_y[Broadcast::kTile], result[Broadcast::kTile];
    loops().widen[half_](wide_x, x, n);
    loops().widen[half_](wide_y, y, n);
    if (gives_bool(op_)) {
      loops_.both(out, wide_x, wide_y, n);
    } else {
      loops_.both(result, wide_x, wide_y, n);
      loops().narrow[half_](out, result, n);
    }
  }

  // Integers have no value for these; the loops give 0, but a wrong number must not go on silently.
  Fault check_right(const void* y) const {
    const Refused refused = about(op_).refused;
    if (!is_integer(dtype_) || refused == Refused::kNothing || space_.size() == 0) return {};
    const bool zero_only = refused == Refused::kZero;
    const int64_t at = visit_integer(dtype_, [&](auto zero) {
      using T = decltype(zero);
      return zero_only ? find<T>(y, divisor_size_, [](T v) { return v == 0; })
                       : find<T>(y, divisor_size_, [](T v) { return std::is_signed_v<T> && v < 0; });
    });
    if (at < 0) return {};
    return {.kind = zero_only ? FaultKind::kIntegerDivision : FaultKind::kIntegerPower, .place = at};
  }

  BinaryOp op_;
  BinaryLoops loops_;
  Broadcast space_;
  DType dtype_ = DType::kFloat32;
  int64_t divisor_size_ = 0, out_item_ = 0;
  int half_ = -1;
};

template <size_t op>
std::unique_ptr<Kernel> make(std::string_view, const Attrs&) {
  return std::make_unique<Binary>(static_cast<BinaryOp>(op));
}

template <size_t... op>
bool add_all(std::index_sequence<op...>) {
  (Registry::instance().add("cpu", kBinaryOps[op].name, dtypes_of(kBinaryOps[op].takes), make<op>), ...);
  return true;
}

const bool added = add_all(std::make_index_sequence<kBinaryCount>());

}  // namespace
}  // namespace minds::cpu
