// Machine code against the interpreter: random programs on words, which must give the same bits, errors and places.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "base/crc32.h"
#include "check.h"
#include "cpu/device.h"
#include "runtime/executor.h"
#include "runtime/machine/machine.h"

namespace minds::runtime {
namespace {

constexpr DType kTypes[] = {DType::kBool, DType::kInt64, DType::kFloat32, DType::kFloat64};
constexpr uint32_t kEach = 3, kWords = 4 * kEach;  // words of each type that functions hand on
constexpr uint32_t kWordPlace = 0, kTypesCount = 4, kIntType = 1, kBoolType = 0;

uint32_t code_of(Opcode o) { return static_cast<uint32_t>(o); }

uint32_t type_number(DType t) {
  return static_cast<uint32_t>(std::find(std::begin(kTypes), std::end(kTypes), t) - std::begin(kTypes));
}

// loop(n, words): a random body with calls, then itself with n - 1 and its words in another order, or the end.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  std::vector<uint8_t> program(bool may_fail) {
    may_fail_ = may_fail;
    text("cpu");
    put({kTypesCount});
    for (DType t : kTypes) put({0, static_cast<uint32_t>(t), 0});
    put({0, 0, 0, 5});  // no constants, callbacks, kernels; five functions
    std::vector<std::vector<uint32_t>> bodies;
    for (uint32_t fn = 0; fn < 5; ++fn) bodies.push_back(function(fn));
    for (const auto& b : bodies) out_.insert(out_.end(), b.begin(), b.end());
    std::vector<uint8_t> body(out_.size() * 4), code(12);
    std::memcpy(body.data(), out_.data(), body.size());
    const uint32_t head[] = {kMagic, kVersion, crc32(body)};
    std::memcpy(code.data(), head, sizeof head);
    code.insert(code.end(), body.begin(), body.end());
    return code;
  }

  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

 private:
  void put(std::initializer_list<uint32_t> w) { out_.insert(out_.end(), w); }
  void text(const char* s) {
    const size_t n = std::strlen(s), at = out_.size() + 1;
    out_.push_back(static_cast<uint32_t>(n));
    out_.resize(at + (n + 3) / 4);
    std::memcpy(out_.data() + at, s, n);
  }

  // The header of function `fn` goes to out_; its code is returned. 0 root, 1 loop, 2 end take n and the words, 3 and 4
  // the words alone.
  std::vector<uint32_t> function(uint32_t fn) {
    const bool counts = fn < 3;
    types_.clear();
    if (counts) types_.push_back(kIntType);
    for (uint32_t t = 0; t < kTypesCount; ++t) types_.insert(types_.end(), kEach, t);
    const auto params = static_cast<uint32_t>(types_.size());
    const uint32_t zero = params, one = params + 1;
    types_.insert(types_.end(), {kIntType, kIntType});  // the constants 0 and 1
    code_.clear();
    count_ = 0;
    const uint32_t first = counts ? 1 : 0;
    if (fn == 0 || fn == 2) {
      add(fn == 0 ? direct(Opcode::kTail, 1, 0, first) : returned(first));
    } else {
      for (uint32_t k = 10 + pick(30); k > 0; --k) fn == 1 && pick(8) == 0 ? call(first) : formula(first);
      if (fn == 1) {
        const uint32_t left = fresh(kIntType), more = fresh(kBoolType);
        add({kScalarBase + scalar_number<int64_t>(BinaryOp::kSub), 0, one, left});
        add({kScalarBase + scalar_number<int64_t>(BinaryOp::kLess), zero, left, more});
        std::vector<uint32_t> turn{code_of(Opcode::kSwitchTail), kWordPlace, more};
        for (uint32_t target : {1u, 2u}) append(turn, site(target, left, first));
        add(turn);
      } else {
        add(returned(first));
      }
    }
    text("f");
    put({params});
    for (uint32_t k = 0; k < params; ++k) put({types_[k], 1});
    put({kWords});
    for (uint32_t t = 0; t < kTypesCount; ++t) out_.insert(out_.end(), kEach, t);
    put({0, static_cast<uint32_t>(types_.size()), 2, 0, 0, 1, 0, 0});
    code_.insert(code_.begin(), count_);
    return code_;
  }

  static void append(std::vector<uint32_t>& to, const std::vector<uint32_t>& w) { to.insert(to.end(), w.begin(), w.end()); }
  void add(const std::vector<uint32_t>& w) {
    append(code_, w);
    ++count_;
  }

  uint32_t fresh(uint32_t type) {
    types_.push_back(type);
    return static_cast<uint32_t>(types_.size() - 1);
  }
  // A word of the type that is known already, but not the counter.
  uint32_t known(uint32_t type, uint32_t first) {
    std::vector<uint32_t> found;
    for (uint32_t k = first; k < types_.size(); ++k) {
      if (types_[k] == type) found.push_back(k);
    }
    return found[pick(static_cast<uint32_t>(found.size()))];
  }
  // One of the words that may change: not a constant.
  uint32_t target(uint32_t type, uint32_t first) {
    if (pick(2) == 0) return fresh(type);
    return first + type * kEach + pick(kEach);
  }

  void formula(uint32_t first) {
    const auto& forms = scalar_forms();
    const ScalarForm& f = forms[pick(static_cast<uint32_t>(forms.size()))];
    if (f.checked && !may_fail_) return;
    const uint32_t a = known(type_number(f.in), first), b = known(type_number(f.in), first);
    add({kScalarBase + f.number, a, b, target(type_number(f.out), first)});
  }

  std::vector<uint32_t> operands(uint32_t first) {
    std::vector<uint32_t> w;
    for (uint32_t t = 0; t < kTypesCount; ++t) {
      for (uint32_t k = 0; k < kEach; ++k) append(w, {kWordPlace, known(t, first)});
    }
    return w;
  }
  // A callee, its arguments, and nothing that dies.
  std::vector<uint32_t> site(uint32_t fn, uint32_t counter, uint32_t first) {
    std::vector<uint32_t> w{fn};
    if (fn < 3) append(w, {kWordPlace, counter});
    append(w, operands(first));
    w.push_back(0);
    return w;
  }
  std::vector<uint32_t> direct(Opcode op, uint32_t fn, uint32_t counter, uint32_t first) {
    std::vector<uint32_t> w{code_of(op)};
    append(w, site(fn, counter, first));
    return w;
  }
  std::vector<uint32_t> returned(uint32_t first) {
    std::vector<uint32_t> w{code_of(Opcode::kReturn)};
    append(w, operands(first));
    return w;
  }
  void call(uint32_t first) {
    std::vector<uint32_t> w;
    if (pick(2) == 0) {
      w = direct(Opcode::kCall, 3 + pick(2), 0, first);
    } else {
      w = {code_of(Opcode::kSwitch), kWordPlace, known(kBoolType, first)};
      append(w, site(3, 0, first));
      append(w, site(4, 0, first));
    }
    for (uint32_t t = 0; t < kTypesCount; ++t) {
      for (uint32_t k = 0; k < kEach; ++k) w.push_back(first + t * kEach + k);
    }
    w.push_back(0);  // nothing of the arena is kept
    add(w);
  }

  std::mt19937 random_;
  bool may_fail_ = false;
  std::vector<uint32_t> out_, code_, types_;
  uint32_t count_ = 0;
};

template <class T>
Array number(DType type, T v) {
  Array a;
  EXPECT(make_array(cpu::device().allocator(), {type, {}}, a).is_ok());
  std::memcpy(a.data(), &v, sizeof v);
  return a;
}

template <class T>
T special(Generator& g) {
  using L = std::numeric_limits<T>;
  const T all[] = {T(0), T(1), T(-1), T(2.5), T(-7.5), L::max(), L::lowest(), L::min(), L::infinity(), -L::infinity(),
                   L::quiet_NaN(), L::denorm_min(), -T(0.), T(3), T(1e-3), T(1e9)};
  if (g.pick(3) == 0) return all[g.pick(std::size(all))];
  return T(static_cast<int>(g.pick(2001)) - 1000) / T(64);
}

int64_t special_int(Generator& g) {
  const int64_t all[] = {0, 1, -1, 2, 63, 64, 65, -64, INT64_MAX, INT64_MIN, int64_t{1} << 53, 1000003};
  return g.pick(2) == 0 ? all[g.pick(std::size(all))] : static_cast<int64_t>(g.pick(200)) - 100;
}

std::vector<Array> inputs(Generator& g, int64_t n) {
  std::vector<Array> in{number(DType::kInt64, n)};
  for (uint32_t k = 0; k < kEach; ++k) in.push_back(number(DType::kBool, static_cast<uint8_t>(g.pick(2))));
  for (uint32_t k = 0; k < kEach; ++k) in.push_back(number(DType::kInt64, special_int(g)));
  for (uint32_t k = 0; k < kEach; ++k) in.push_back(number(DType::kFloat32, special<float>(g)));
  for (uint32_t k = 0; k < kEach; ++k) in.push_back(number(DType::kFloat64, special<double>(g)));
  return in;
}

// Bits of a number, with one NaN for all: which of two operands' NaN a sum takes is the compiler's choice.
uint64_t bits(const Array& a) {
  uint64_t b = 0;
  std::memcpy(&b, a.data(), a.bytes());
  if (a.spec.dtype == DType::kFloat64 && std::isnan(std::bit_cast<double>(b))) return 1;
  if (a.spec.dtype == DType::kFloat32 && std::isnan(std::bit_cast<float>(static_cast<uint32_t>(b)))) return 1;
  return b;
}

std::unique_ptr<Program> loaded(const std::vector<uint8_t>& code, bool compiled) {
  std::unique_ptr<Program> p;
  int64_t instruction = -1;
  setenv("MINDS_MACHINE_CODE", compiled ? "1" : "0", 1);
  const Status s = load(code, cpu::device(), {}, {}, p, instruction);
  unsetenv("MINDS_MACHINE_CODE");
  EXPECT_EQ(s ? s.message() : "", "");
  return p;
}

struct Outcome {
  std::vector<uint64_t> results;
  std::string error;
  int64_t instruction = -1;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(Program& p, const std::vector<Array>& in, Hooks hooks = {}) {
  std::vector<const Array*> given;
  for (const Array& a : in) given.push_back(&a);
  Run run(p, std::move(hooks));
  Outcome o;
  std::vector<Array> results;
  Status s = run.start(given, {});
  if (!s) s = run.execute();
  if (s) return {{}, s.message(), run.instruction()};
  EXPECT(run.finish(results).is_ok());
  for (const Array& a : results) o.results.push_back(bits(a));
  return o;
}

TEST(machine_code_gives_the_interpreters_bits_and_errors) {
  int failed = 0;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    Generator g(seed);
    const auto code = g.program(seed % 3 == 0);
    const auto compiled = loaded(code, true), interpreted = loaded(code, false);
    if (!compiled || !interpreted) return;
#if defined(__x86_64__)
    EXPECT(compiled->compiled != nullptr);
#endif
    EXPECT(interpreted->compiled == nullptr);
    for (int64_t n : {1, 2, 7}) {
      const auto in = inputs(g, n);
      const Outcome got = outcome(*compiled, in), wanted = outcome(*interpreted, in);
      failed += !wanted.error.empty();
      EXPECT_EQ(got.error, wanted.error);
      EXPECT_EQ(got.instruction, wanted.instruction);
      EXPECT(got == wanted);
      if (!(got == wanted)) return EXPECT_EQ(seed, 0xffffffffu);
    }
  }
  EXPECT(failed > 50);
}

TEST(machine_code_asks_whether_to_go_on) {
  Generator g(1);
  const auto p = loaded(g.program(false), true);
  if (!p) return;
  int asked = 0;
  Hooks hooks;
  hooks.poll = [&]() -> Status { return ++asked < 3 ? Status{} : Status{Code::kHost, "stop"}; };
  EXPECT_EQ(outcome(*p, inputs(g, int64_t{1} << 40), hooks).error, "stop");
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace minds::runtime
