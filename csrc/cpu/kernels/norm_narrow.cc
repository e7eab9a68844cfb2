// batch_norm_narrow, its ending and batch_norm_dx_narrow: batches of 16-bit floats that are normalised in float32, with
// parameters and statistics in float32, as mixed precision does.
//
// The bits are those of a cast to float32, batch_norm and a cast back, but what lies between are pieces that stay in the
// cache: memory is passed over in 16 bits.
#include <cmath>

#include "cpu/kernels/loops.h"
#include "cpu/kernels/norm_spans.h"
#include "kernel/plan/norm.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

constexpr int64_t kPiece = 4096;  // a block of the sums of norm_spans.h, so that these have the same order

// Spans of 16-bit floats, piece by piece.
class Halves {
 public:
  explicit Halves(DType t) : widen_(loops().widen[t == DType::kBFloat16]), narrow_(loops().narrow[t == DType::kBFloat16]) {}

  void widen(float* to, const uint16_t* from, int64_t n) const { widen_(to, from, n); }
  void narrow(uint16_t* to, const float* from, int64_t n) const { narrow_(to, from, n); }
  // Calls f(offset, n) for the pieces of a span.
  template <class F>
  static void pieces(int64_t n, F&& f) {
    for (int64_t k = 0; k < n; k += kPiece) f(k, std::min(kPiece, n - k));
  }

 private:
  UnaryLoop widen_ = nullptr, narrow_ = nullptr;
};

// The signature with float32 in the place of 16-bit floats, which are all of one dtype at those places.
Status widened(Signature& s, std::initializer_list<size_t> inputs, DType& found) {
  found = s.outputs.empty() ? DType::kBool : s.outputs[0].dtype;
  if (found != DType::kFloat16 && found != DType::kBFloat16) return bad_type("the result must be a 16-bit float");
  for (size_t k : inputs) {
    if (k >= s.inputs.size() || s.inputs[k].dtype != found) return bad_type("operands of two dtypes");
    s.inputs[k].dtype = DType::kFloat32;
  }
  s.outputs[0].dtype = DType::kFloat32;
  return {};
}

// (x, gamma, beta) -> (y, mean, var), with an ending also something that is added: see norm_batch.cc.
class BatchNormNarrow : public Kernel {
 public:
  explicit BatchNormNarrow(const Attrs& a) : eps_(a.f64("eps")), relu_(a.has("relu") && a.boolean("relu")) {}

  Status prepare(const Signature& s, Prepared&) override {
    Signature wide = s;
    adds_ = s.inputs.size() == 4;
    if (Status e = adds_ ? widened(wide, {0, 3}, dtype_) : widened(wide, {0}, dtype_)) return e;
    return c_.prepare(wide, adds_);
  }

  Status run(const Args& a, Stream&) const override {
    c_.over_channels([&](int64_t c) { channel(a, c); });
    return {};
  }

 private:
  void channel(const Args& a, int64_t c) const {
    const auto *x = static_cast<const uint16_t*>(a.in[0]), *other = static_cast<const uint16_t*>(adds_ ? a.in[3] : nullptr);
    const Spans<float>& f = spans<float>();
    const Halves h(dtype_);
    alignas(64) float v[kPiece];
    const double n = static_cast<double>(c_.each());
    double sum = 0, spread = 0;
    c_.planes(c, [&](int64_t at) {
      double part = 0;
      Halves::pieces(c_.plane, [&](int64_t k, int64_t m) {
        h.widen(v, x + at + k, m);
        part += f.sum(v, m);
      });
      sum += part;
    });
    const float mean = static_cast<float>(sum / n);
    c_.planes(c, [&](int64_t at) {
      double part = 0;
      Halves::pieces(c_.plane, [&](int64_t k, int64_t m) {
        h.widen(v, x + at + k, m);
        part += f.spread(v, mean, m);
      });
      spread += part;
    });
    static_cast<float*>(a.out[1])[c] = mean;
    static_cast<float*>(a.out[2])[c] = static_cast<float>(spread / n);
    const float scale = static_cast<const float*>(a.in[1])[c] * static_cast<float>(1 / std::sqrt(spread / n + eps_));
    const float shift = static_cast<const float*>(a.in[2])[c];
    auto* y = static_cast<uint16_t*>(a.out[0]);
    c_.planes(c, [&](int64_t at) {
      Halves::pieces(c_.plane, [&](int64_t k, int64_t m) {
        const int64_t p = at + k;
        h.widen(v, x + p, m);
        f.affine(v, v, nullptr, false, mean, scale, shift, m);
        end(h, v, other == nullptr ? nullptr : other + p, y + p, m);
      });
    });
  }

  // Rounded, then what is added and relu, as separate kernels do it.
  void end(const Halves& h, float* v, const uint16_t* other, uint16_t* y, int64_t m) const {
    constexpr auto at = static_cast<int>(DType::kFloat32);
    if (other != nullptr) {
      alignas(64) float w[kPiece];
      alignas(64) uint16_t rounded[kPiece];
      h.narrow(rounded, v, m);
      h.widen(v, rounded, m);
      h.widen(w, other, m);
      loops().binary[static_cast<int>(BinaryOp::kAdd)][at].both(v, v, w, m);
    }
    if (relu_) loops().unary[static_cast<int>(UnaryOp::kRelu)][at](v, v, m);
    h.narrow(y, v, m);
  }

  double eps_;
  bool relu_, adds_ = false;
  DType dtype_ = DType::kFloat16;
  ChannelsPlan c_;
};

// (dout, x, mean, var, gamma) -> (dx, dgamma, dbeta), dout, x and dx narrow: see norm_batch.cc.
class BatchNormDxNarrow : public Kernel {
 public:
  explicit BatchNormDxNarrow(const Attrs& a) : eps_(a.f64("eps")) {}

  Status prepare(const Signature& s, Prepared&) override {
    Signature wide = s;
    if (Status e = widened(wide, {0, 1}, dtype_)) return e;
    return c_.prepare_gradient(wide);
  }

  Status run(const Args& a, Stream&) const override {
    c_.over_channels([&](int64_t c) { channel(a, c); });
    return {};
  }

 private:
  void channel(const Args& a, int64_t c) const {
    const auto *dout = static_cast<const uint16_t*>(a.in[0]), *x = static_cast<const uint16_t*>(a.in[1]);
    const float mean = static_cast<const float*>(a.in[2])[c], var = static_cast<const float*>(a.in[3])[c];
    const Spans<float>& f = spans<float>();
    const Halves h(dtype_);
    alignas(64) float u[kPiece], v[kPiece];
    const double n = static_cast<double>(c_.each()), r = 1 / std::sqrt(static_cast<double>(var) + eps_);
    double sum = 0, dot = 0;
    c_.planes(c, [&](int64_t at) {
      double sums = 0, dots = 0;
      Halves::pieces(c_.plane, [&](int64_t k, int64_t m) {
        h.widen(u, dout + at + k, m);
        h.widen(v, x + at + k, m);
        sums += f.sum(u, m);
        dots += f.product(u, v, mean, m);
      });
      sum += sums;
      dot += dots;
    });
    static_cast<float*>(a.out[1])[c] = static_cast<float>(dot * r);
    static_cast<float*>(a.out[2])[c] = static_cast<float>(sum);
    const double scale = static_cast<double>(static_cast<const float*>(a.in[4])[c]) * r;
    const auto slope = static_cast<float>(-scale * r * r * dot / n), shift = static_cast<float>(-scale * sum / n);
    auto* dx = static_cast<uint16_t*>(a.out[0]);
    c_.planes(c, [&](int64_t at) {
      Halves::pieces(c_.plane, [&](int64_t k, int64_t m) {
        h.widen(u, dout + at + k, m);
        h.widen(v, x + at + k, m);
        f.blend(u, u, v, mean, static_cast<float>(scale), slope, shift, m);
        h.narrow(dx + at + k, u, m);
      });
    });
  }

  double eps_;
  DType dtype_ = DType::kFloat16;
  ChannelsPlan c_;
};

MINDS_KERNEL("cpu", "batch_norm_narrow", BatchNormNarrow, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "batch_norm_narrow_ending", BatchNormNarrow, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "batch_norm_dx_narrow", BatchNormDxNarrow, DType::kFloat16, DType::kBFloat16);

}  // namespace

}  // namespace minds::cpu
