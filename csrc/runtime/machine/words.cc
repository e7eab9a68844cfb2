#include "runtime/machine/words.h"

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

void Words::load(size_t k, Form form, uint32_t word) {
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
  a_->op(scalar(Op::kMovsStore, is_double), r, at(word));
  reals_[r - kFirstReal] = {word, is_double ? Form::kDouble : Form::kFloat, ++clock_};
}

int Words::held(uint32_t word) const {
  for (size_t k = 0; k < integers_.size(); ++k) {
    if (integers_[k].word == word && integers_[k].form == Form::kInteger) return static_cast<int>(k);
  }
  for (size_t k = 0; k < reals_.size(); ++k) {
    if (reals_[k].word == word && reals_[k].form == Form::kDouble) return static_cast<int>(kIntegers.size() + k);
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

}  // namespace minds::runtime::machine
