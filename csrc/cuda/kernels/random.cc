// uniform, normal, bernoulli and randint, from keys; the CPU's numbers. (A key is drawn on the host, which has the state.)
#include <cmath>

#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/on_device.h"
#include "kernel/plan/generators.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

class Generator : public OnDevice {
 public:
  // `draw` is a function of random.cu, which takes so many words for an element.
  Generator(const Attrs& a, const char* draw) : shape_(a.ints("shape")), wanted_(a.dtype("dtype")), draw_(draw) {}

 protected:
  virtual Status check_dtype(DType t) const = 0;
  virtual int words_of_element(DType t) const = 0;
  uint64_t first_ = 0, second_ = 0;  // numbers of the distribution

 private:
  Status plan(const Signature& s, Prepared&) final {
    if (Status bad = check_random(s, shape_, wanted_)) return bad;
    if (Status bad = check_dtype(wanted_)) return bad;
    size_ = s.outputs[0].size();
    if (size_ == 0) return {};
    const int each = words_of_element(wanted_);
    grid_ = grid_for(size_, *s.device, 256, static_cast<unsigned>(4 / each));
    const Defines defines{{"T", type_name(wanted_)}, {"DRAW", draw_}, {"EACH", std::to_string(each)}};
    return find_function(*s.device, "random", "random", defines, function_);
  }
  Status queue(const Args& a, Stream& q) const final {
    if (function_ == nullptr) return {};
    return launch(*function_, q, grid_, a.in[0], a.out[0], size_, first_, second_);
  }

  const Shape shape_;
  const DType wanted_;
  const char* const draw_;
  int64_t size_ = 0;
  Grid grid_;
  const Function* function_ = nullptr;
};

class FloatGenerator : public Generator {
 public:
  using Generator::Generator;
  Status check_dtype(DType t) const override { return check_floats(t); }
  int words_of_element(DType t) const override { return t == DType::kFloat64 ? 2 : 1; }
};

struct Uniform final : FloatGenerator {
  explicit Uniform(const Attrs& a) : FloatGenerator(a, "uniform") {}
};
struct Normal final : FloatGenerator {
  explicit Normal(const Attrs& a) : FloatGenerator(a, "normal") {}
};

// One with probability p, to 2^-32.
class Bernoulli final : public Generator {
 public:
  explicit Bernoulli(const Attrs& a) : Generator(a, "bernoulli"), p_(a.f64("p")) {
    if (p_ >= 0 && p_ <= 1) first_ = static_cast<uint64_t>(std::nearbyint(p_ * 0x1p32));
  }
  Status check_dtype(DType t) const override { return check_probability(p_, t); }
  int words_of_element(DType) const override { return 1; }

 private:
  const double p_;
};

// Integers in [low, high).
class RandInt final : public Generator {
 public:
  explicit RandInt(const Attrs& a) : Generator(a, "integers"), low_(a.i64("low")), high_(a.i64("high")) {
    first_ = static_cast<uint64_t>(low_);
    second_ = static_cast<uint64_t>(high_) - first_;
  }
  Status check_dtype(DType t) const override { return check_range(low_, high_, t); }
  int words_of_element(DType) const override { return 2; }

 private:
  const int64_t low_, high_;
};

MINDS_KERNEL("cuda", "uniform", Uniform, DType::kInt64);
MINDS_KERNEL("cuda", "normal", Normal, DType::kInt64);
MINDS_KERNEL("cuda", "bernoulli", Bernoulli, DType::kInt64);
MINDS_KERNEL("cuda", "randint", RandInt, DType::kInt64);

}  // namespace
}  // namespace minds::cuda
