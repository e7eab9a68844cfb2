// random_key, uniform, normal, bernoulli, randint, permutation.
//
// Element i of a key takes 32-bit word i of the key's Philox stream, or words 2 i and 2 i + 1 where it needs
// 64 bits; a pair of normal numbers shares its words.
#include "cpu/kernels/random.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/random.h"
#include "cpu/isa.h"
#include "kernel/types.h"
#include "kernel/plan/generators.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

constexpr int64_t kChunkGroups = 16;  // groups that are converted at a time

const RandomLoops& loops() {
  switch (isa()) {
    case Isa::kAvx512:
      return random_loops_avx512();
    case Isa::kAvx2:
      return random_loops_avx2();
    default:
      return random_loops_generic();
  }
}

RandomKey key_from(const void* in) {
  const int64_t* k = static_cast<const int64_t*>(in);
  return {static_cast<uint64_t>(k[0]), static_cast<uint64_t>(k[1])};
}

// The upper 64 bits of a product: maps a 64-bit word to [0, range) with a bias below range / 2^64.
uint64_t scale(uint64_t word, uint64_t range) {
  __extension__ typedef unsigned __int128 Product;
  return static_cast<uint64_t>(static_cast<Product>(word) * range >> 64);
}

// Generates V values by `fill`, kWords 32-bit words each, and hands runs of them to take(first, values, n).
template <class V, int kWords, class F>
void generate(RandomLoops::Fill fill, RandomKey key, int64_t size, F&& take) {
  constexpr int64_t kGroup = kGroupWords / kWords, kChunk = kChunkGroups * kGroup;
  parallel_for((size + kChunk - 1) / kChunk, std::max<int64_t>(1, kGrain / 4 / kChunk),
               [&](int64_t begin, int64_t end) {
                 alignas(64) V buffer[kChunk];
                 for (int64_t c = begin; c < end; ++c) {
                   const int64_t n = std::min(kChunk, size - c * kChunk), groups = (n + kGroup - 1) / kGroup;
                   fill(key, static_cast<uint64_t>(c) * kChunkGroups * 16, groups, buffer);
                   take(c * kChunk, buffer, n);
                 }
               });
}

template <class T>
void fill_floats(RandomLoops::Fill fill, RandomKey key, T* out, int64_t size) {
  generate<T, sizeof(T) / 4>(fill, key, size, [&](int64_t first, const T* values, int64_t n) {
    std::copy_n(values, n, out + first);
  });
}

// The checks that all generators of a given shape share.
class Generator : public Kernel {
 public:
  explicit Generator(const Attrs& a) : shape_(a.ints("shape")), wanted_(a.dtype("dtype")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = check_random(s, shape_, wanted_)) return bad;
    size_ = s.outputs[0].size();
    return check_dtype(wanted_);
  }

 protected:
  virtual Status check_dtype(DType t) const = 0;
  Shape shape_;
  DType wanted_;
  int64_t size_ = 0;
};

class FloatGenerator : public Generator {
 public:
  using Generator::Generator;
  Status check_dtype(DType t) const override { return check_floats(t); }
};

class Uniform final : public FloatGenerator {
 public:
  using FloatGenerator::FloatGenerator;

  Status run(const Args& a, Stream&) const override {
    const RandomKey key = key_from(a.in[0]);
    if (wanted_ == DType::kFloat32) {
      fill_floats(loops().uniform32, key, static_cast<float*>(a.out[0]), size_);
    } else if (wanted_ == DType::kFloat64) {
      fill_floats(loops().uniform64, key, static_cast<double*>(a.out[0]), size_);
    } else if (wanted_ == DType::kFloat16) {
      truncated<float16, 11>(key, static_cast<float16*>(a.out[0]));
    } else {
      truncated<bfloat16, 8>(key, static_cast<bfloat16*>(a.out[0]));
    }
    return {};
  }

 private:
  // As many bits as the type holds: rounding a longer fraction could give 1.
  template <class T, int kBits>
  void truncated(RandomKey key, T* out) const {
    generate<uint32_t, 1>(loops().words, key, size_, [&](int64_t first, const uint32_t* w, int64_t n) {
      for (int64_t i = 0; i < n; ++i)
        out[first + i] = static_cast<float>(w[i] >> (32 - kBits)) / (1 << kBits);
    });
  }
};

class Normal final : public FloatGenerator {
 public:
  using FloatGenerator::FloatGenerator;

  Status run(const Args& a, Stream&) const override {
    const RandomKey key = key_from(a.in[0]);
    if (wanted_ == DType::kFloat32) {
      fill_floats(loops().normal32, key, static_cast<float*>(a.out[0]), size_);
    } else if (wanted_ == DType::kFloat64) {
      fill_floats(loops().normal64, key, static_cast<double*>(a.out[0]), size_);
    } else if (wanted_ == DType::kFloat16) {
      rounded(key, static_cast<float16*>(a.out[0]));
    } else {
      rounded(key, static_cast<bfloat16*>(a.out[0]));
    }
    return {};
  }

 private:
  template <class T>
  void rounded(RandomKey key, T* out) const {
    generate<float, 1>(loops().normal32, key, size_, [&](int64_t first, const float* z, int64_t n) {
      for (int64_t i = 0; i < n; ++i) out[first + i] = z[i];
    });
  }
};

// One with probability p, to 2^-32.
class Bernoulli final : public Generator {
 public:
  explicit Bernoulli(const Attrs& a) : Generator(a), p_(a.f64("p")) {}

  Status check_dtype(DType t) const override { return check_probability(p_, t); }

  Status run(const Args& a, Stream&) const override {
    const uint64_t below = static_cast<uint64_t>(std::nearbyint(p_ * 0x1p32));
    visit(wanted_, [&]<class T>(T) {
      T* out = static_cast<T*>(a.out[0]);
      const T one(1.0f), zero(0.0f);
      generate<uint32_t, 1>(loops().words, key_from(a.in[0]), size_,
                            [&](int64_t first, const uint32_t* w, int64_t n) {
                              for (int64_t i = 0; i < n; ++i) out[first + i] = w[i] < below ? one : zero;
                            });
    });
    return {};
  }

 private:
  double p_;
};

// Integers in [low, high).
class RandInt final : public Generator {
 public:
  explicit RandInt(const Attrs& a) : Generator(a), low_(a.i64("low")), high_(a.i64("high")) {}

  Status check_dtype(DType t) const override { return check_range(low_, high_, t); }

  Status run(const Args& a, Stream&) const override {
    const uint64_t range = static_cast<uint64_t>(high_) - static_cast<uint64_t>(low_);
    visit_integer(wanted_, [&]<class T>(T) {
      T* out = static_cast<T*>(a.out[0]);
      generate<Pair, 2>(
          loops().words, key_from(a.in[0]), size_, [&](int64_t first, const Pair* w, int64_t n) {
            for (int64_t i = 0; i < n; ++i) {
              out[first + i] = static_cast<T>(static_cast<uint64_t>(low_) + scale(w[i].joined(), range));
            }
          });
    });
    return {};
  }

 private:
  struct Pair {
    uint32_t low, high;
    uint64_t joined() const { return uint64_t{high} << 32 | low; }
  };
  int64_t low_, high_;
};

// A uniformly chosen order of 0 .. n - 1, by Fisher and Yates: the step for position i takes 64-bit word i.
class Permutation final : public Kernel {
 public:
  explicit Permutation(const Attrs& a) : n_(a.i64("n")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = check_permutation(s, n_)) return bad;
    dtype_ = s.outputs[0].dtype;
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    constexpr int64_t kGroup = kGroupWords / 2;
    const RandomKey key = key_from(a.in[0]);
    visit_integer(dtype_, [&]<class T>(T) {
      T* out = static_cast<T*>(a.out[0]);
      alignas(64) uint32_t w[kGroupWords];
      for (int64_t i = 0; i < n_; ++i) {
        const int64_t k = i % kGroup;
        if (k == 0) loops().words(key, static_cast<uint64_t>(i / kGroup) * 16, 1, w);
        const int64_t j = static_cast<int64_t>(
            scale(uint64_t{w[2 * k + 1]} << 32 | w[2 * k], static_cast<uint64_t>(i) + 1));
        if (j != i)
          out[i] = out[j];  // "inside out": the new element goes to a random place among those so far
        out[j] = static_cast<T>(i);
      }
    });
    return {};
  }

 private:
  int64_t n_;
  DType dtype_{};
};

// Draws the next key of the process-wide generator.
class DrawKey final : public Kernel {
 public:
  explicit DrawKey(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override { return check_key(s); }

  Status run(const Args& a, Stream&) const override {
    const RandomState key = next_key();
    int64_t* out = static_cast<int64_t*>(a.out[0]);
    out[0] = key.seed;
    out[1] = key.counter;
    return {};
  }
};

MINDS_KERNEL("cpu", "random_key", DrawKey, DType::kInt64);
MINDS_KERNEL("cpu", "uniform", Uniform, DType::kInt64);
MINDS_KERNEL("cpu", "normal", Normal, DType::kInt64);
MINDS_KERNEL("cpu", "bernoulli", Bernoulli, DType::kInt64);
MINDS_KERNEL("cpu", "randint", RandInt, DType::kInt64);
MINDS_KERNEL("cpu", "permutation", Permutation, DType::kInt64);

}  // namespace
}  // namespace minds::cpu
