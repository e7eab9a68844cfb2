#include "runtime/machine/words.h"

#include <algorithm>

namespace minds::runtime::machine {

// The register that was used longest ago; it holds nothing from now on. An instruction uses fewer than there are.
template <size_t n>
size_t Words::oldest(std::array<Held, n>& bank) {
  size_t best = 0;
  for (size_t k = 0; k < n; ++k) {
    if (bank[k].word < 0) {
      best = k;
      break;
    }
    if (bank[k].used < bank[best].used) best = k;
  }
  bank[best] = {-1, Form::kInteger, ++clock_};
  return best;
}

template <size_t n>
Words::Held* Words::find(std::array<Held, n>& bank, uint32_t word, Form form) {
  for (Held& h : bank) {
    if (h.word == word && h.form == form) {
      h.used = ++clock_;
      return &h;
    }
  }
  return nullptr;
}

Gpr Words::new_integer() { return kIntegers[oldest(integers_)]; }
unsigned Words::new_real() { return kFirstReal + static_cast<unsigned>(oldest(reals_)); }

void Words::load(size_t k, Form form, uint32_t word) const {
  const Mem m = at(word);
  switch (form) {
    case Form::kInteger:
      return a_->load(kIntegers[k], m);
    case Form::kTruth:
      a_->compare_byte(m, 0);
      return a_->set(If::kNotEqual, kIntegers[k]);
    default:
      return a_->op(scalar(Op::kMovs, form == Form::kDouble), kFirstReal + static_cast<unsigned>(k), m);
  }
}

Gpr Words::integer(uint32_t word) { return general(word, Form::kInteger); }
Gpr Words::truth(uint32_t word) { return general(word, Form::kTruth); }

Gpr Words::general(uint32_t word, Form form) {
  if (Held* h = find(integers_, word, form)) return kIntegers[static_cast<size_t>(h - integers_.data())];
  const size_t k = oldest(integers_);
  load(k, form, word);
  integers_[k] = {word, form, ++clock_};
  return kIntegers[k];
}

unsigned Words::real(uint32_t word, bool is_double) {
  const Form form = is_double ? Form::kDouble : Form::kFloat;
  if (Held* h = find(reals_, word, form)) return kFirstReal + static_cast<unsigned>(h - reals_.data());
  const size_t k = oldest(reals_);
  load(k, form, word);
  reals_[k] = {word, form, ++clock_};
  return kFirstReal + static_cast<unsigned>(k);
}

void Words::define(uint32_t word, Gpr r, bool truth) {
  changed(word);
  a_->store(at(word), r);
  for (size_t k = 0; k < kIntegers.size(); ++k) {
    if (kIntegers[k] == r) integers_[k] = {word, truth ? Form::kTruth : Form::kInteger, ++clock_};
  }
}

void Words::define_real(uint32_t word, unsigned r, bool is_double) {
  changed(word);
  a_->op(scalar(Op::kMovsStore, true), r, at(word));  // all of the word: who copies it need not wait for the parts
  reals_[r - kFirstReal] = {word, is_double ? Form::kDouble : Form::kFloat, ++clock_};
}

int Words::held(uint32_t word) const {
  for (size_t k = 0; k < integers_.size(); ++k) {
    if (integers_[k].word == word && integers_[k].form == Form::kInteger) return static_cast<int>(k);
  }
  for (size_t k = 0; k < reals_.size(); ++k) {
    if (reals_[k].word == word) return static_cast<int>(kIntegers.size() + k);
  }
  return -1;
}

void Words::put(Mem to, int held) {
  const auto k = static_cast<size_t>(held);
  if (k < kIntegers.size()) return a_->store(to, kIntegers[k]);
  a_->op(scalar(Op::kMovsStore, true), kFirstReal + static_cast<unsigned>(k - kIntegers.size()), to);
}

void Words::keep(Mem to, uint32_t word) {
  if (const int k = held(word); k >= 0) return put(to, k);
  a_->load(rcx, at(word));
  a_->store(to, rcx);
}

void Words::changed(uint32_t word) {
  for (Held& h : integers_) {
    if (h.word == word) h.word = -1;
  }
  for (Held& h : reals_) {
    if (h.word == word) h.word = -1;
  }
}

void Words::forget() {
  for (Held& h : integers_) h.word = -1;
  for (Held& h : reals_) h.word = -1;
}

void Words::reload() {
  for (size_t k = 0; k < integers_.size(); ++k) {
    if (integers_[k].word >= 0) load(k, integers_[k].form, static_cast<uint32_t>(integers_[k].word));
  }
  for (size_t k = 0; k < reals_.size(); ++k) {
    if (reals_[k].word >= 0) load(k, reals_[k].form, static_cast<uint32_t>(reals_[k].word));
  }
}

void Words::expect(uint32_t word, Form form) {
  const auto take = [&](auto& bank) {
    for (Held& h : bank) {
      if (h.word == word && h.form == form) return;
    }
    for (Held& h : bank) {
      if (h.word >= 0) continue;
      h = {word, form, ++clock_};
      return;
    }
  };
  form == Form::kInteger || form == Form::kTruth ? take(integers_) : take(reals_);
}

void Words::copy(bool real, size_t to, size_t from) const {
  if (!real) {
    const auto gpr = [](size_t k) { return k == kIntegers.size() ? rax : kIntegers[k]; };
    return a_->move(gpr(to), gpr(from));
  }
  const auto xmm = [](size_t k) { return k == kReals ? 0 : kFirstReal + static_cast<unsigned>(k); };
  a_->op(Op::kMovaps, xmm(to), xmm(from));
}

// All copies at once: each after what it overwrites was read. Where they go round, one waits beside the bank.
template <size_t n>
void Words::hand_on(const Words& next, std::array<Held, n> Words::* bank, std::span<const uint32_t> from,
                    bool real) const {
  const std::array<Held, n>&have = this->*bank, &want = next.*bank;
  constexpr size_t kNone = n + 1;
  std::array<size_t, n> source;
  source.fill(kNone);
  for (size_t k = 0; k < n; ++k) {
    for (size_t m = 0; m < n && want[k].word >= 0; ++m) {
      if (have[m].word == from[static_cast<size_t>(want[k].word)] && have[m].form == want[k].form) source[k] = m;
    }
  }
  const auto waits = [&](size_t k) { return source[k] != kNone && source[k] != k; };
  while (true) {
    const auto read = [&](size_t k) { return std::find(source.begin(), source.end(), k) != source.end(); };
    size_t at = n;
    for (size_t k = 0; k < n; ++k) {
      if (waits(k) && (at == n || !read(k))) at = k;
    }
    if (at == n) break;
    if (read(at)) {
      copy(real, n, at);
      std::replace(source.begin(), source.end(), at, n);
    }
    copy(real, at, source[at]);
    source[at] = at;
  }
  for (size_t k = 0; k < n; ++k) {
    if (want[k].word >= 0 && source[k] == kNone) next.load(k, want[k].form, static_cast<uint32_t>(want[k].word));
  }
}

void Words::hand_on(const Words& next, std::span<const uint32_t> from) const {
  hand_on(next, &Words::integers_, from, false);
  hand_on(next, &Words::reals_, from, true);
}

}  // namespace minds::runtime::machine
