#include "runtime/batch.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace minds::runtime {
namespace {

uint64_t bits(const void* p) { return reinterpret_cast<uintptr_t>(p); }
void* pointer(uint64_t bits) { return reinterpret_cast<void*>(static_cast<uintptr_t>(bits)); }

}  // namespace

// Notes operand `n` of a piece, the next of `words_`.
void Batch::operand(Piece& piece, size_t n, const void* at, bool written) {
  words_.push_back(bits(at));
  auto area = areas_.upper_bound(at);
  if (area == areas_.begin()) return;
  --area;
  const auto* begin = static_cast<const char*>(area->first);
  if (at != begin) {
    if (static_cast<const char*>(at) < begin + area->second.bytes) steady_ = false;  // a part of it
    return;
  }
  auto known = std::find_if(moving_.begin(), moving_.end(), [&](const Moving& m) { return m.at == at; });
  if (known == moving_.end()) {
    if (n >= kBits || moving_.size() == kMostMoving) {
      steady_ = false;
      return;
    }
    known = moving_.insert(moving_.end(), Moving{at, area->second.bytes});
  } else if (n >= kBits) {
    steady_ = false;
    return;
  }
  piece.moving |= uint64_t{1} << n;
  words_.back() = static_cast<uint64_t>(known - moving_.begin());
  known->read |= !written && !known->written;
  known->written |= written;
}

void Batch::add(const Program& p, const PreparedKernel& k, const Args& a) {
  Piece piece{&k, static_cast<uint32_t>(words_.size()), a.instruction, a.fault};
  for (size_t n = 0; n < k.in.size(); ++n) {
    const Type& t = p.types[k.in[n]];
    if (t.away || !t.word) {
      operand(piece, n, a.in[n], false);
      continue;
    }
    uint64_t word = 0;
    std::memcpy(&word, a.in[n], t.bytes);
    words_.push_back(word);
    if (n < kBits) {
      piece.by_value |= uint64_t{1} << n;
    } else {  // by its address, which holds the value only now
      words_.back() = bits(a.in[n]);
      steady_ = false;
    }
  }
  for (size_t n = 0; n < k.out.size(); ++n) operand(piece, k.in.size() + n, a.out[n], true);
  words_.push_back(bits(a.workspace));
  pieces_.push_back(piece);
}

void Batch::copy(void* to, const void* from, size_t bytes, uint32_t instruction) {
  Piece piece{nullptr, static_cast<uint32_t>(words_.size()), instruction, nullptr};
  operand(piece, 0, from, false);
  operand(piece, 1, to, true);
  words_.push_back(bytes);
  pieces_.push_back(piece);
}

void Batch::clear() {
  pieces_.clear();
  words_.clear();
  moving_.clear();
  std::erase_if(areas_, [](const auto& area) { return !area.second.stays; });
  steady_ = true;
  for (Slot& s : kept_) release(s);
  kept_.clear();
}

void Batch::finish() {
  clear();
  areas_.clear();
}

Status Batch::flush(Stream& q, int64_t& instruction) {
  Known* known = pieces_.size() < kFewest || !steady_ ? nullptr : find();
  Status s;
  if (known != nullptr && known->recording == nullptr && !known->refused && known->seen++ >= kTrials) {
    known->refused = static_cast<bool>(record(*known, q));
  }
  if (known != nullptr && known->recording != nullptr) {
    s = replay(*known, q);
    if (s) instruction = pieces_[0].instruction;
  } else {
    s = queue(q, places(), instruction);
  }
  clear();
  return s;
}

// The same stretch as one of those before; a new one is noted.
Batch::Known* Batch::find() {
  const auto at = std::find_if(known_.begin(), known_.end(), [&](const Known& k) {
    return k.words == words_ && k.pieces == pieces_ && k.moving == moving_;
  });
  if (at != known_.end()) {
    known_.splice(known_.begin(), known_, at);
  } else {
    if (known_.size() == kMostKnown) known_.pop_back();
    known_.push_front({pieces_, words_, moving_, 0, false, nullptr, {}});
  }
  return &known_.front();
}

std::vector<void*> Batch::places() const {
  std::vector<void*> at;
  for (const Moving& m : moving_) at.push_back(const_cast<void*>(m.at));
  return at;
}

Status Batch::queue(Stream& q, const std::vector<void*>& moving, int64_t& instruction) const {
  for (const Piece& p : pieces_) {
    if (Status s = run(p, q, moving)) {
      instruction = p.instruction;
      return s;
    }
  }
  return {};
}

Status Batch::run(const Piece& p, Stream& q, const std::vector<void*>& moving) const {
  const uint64_t* words = words_.data() + p.begin;
  const auto place = [&](size_t n) -> void* {
    const uint64_t bit = n < kBits ? uint64_t{1} << n : 0;
    if ((p.by_value & bit) != 0) return const_cast<uint64_t*>(&words[n]);
    return (p.moving & bit) != 0 ? moving[words[n]] : pointer(words[n]);
  };
  if (p.kernel == nullptr) return q.device().copy(place(1), place(0), words[2], CopyKind::kOnDevice, q);
  const size_t inputs = p.kernel->in.size(), all = inputs + p.kernel->out.size();
  constexpr size_t kFew = 64;
  std::array<void*, kFew> few;
  std::vector<void*> many(all > kFew ? all : 0);
  void** at = many.empty() ? few.data() : many.data();
  for (size_t n = 0; n < all; ++n) at[n] = place(n);
  return p.kernel->kernel->run({at, at + inputs, pointer(words[all]), p.fault, p.instruction}, q);
}

Status Batch::record(Known& k, Stream& q) const {
  std::vector<void*> places;
  for (const Moving& m : moving_) {
    k.places.push_back(q.device().allocator().allocate(m.bytes));
    if (!k.places.back()) return {Code::kMemory, "no place for what moves"};
    places.push_back(k.places.back()->data());
  }
  int64_t nowhere = 0;
  return q.device().record([&](Stream& apart) { return queue(apart, places, nowhere); }, k.recording);
}

Status Batch::replay(const Known& k, Stream& q) const {
  Device& d = q.device();
  for (size_t n = 0; n < moving_.size(); ++n) {
    const Moving& m = moving_[n];
    if (!m.read) continue;
    if (Status s = d.copy(k.places[n]->data(), m.at, m.bytes, CopyKind::kOnDevice, q)) return s;
  }
  if (Status s = k.recording->replay(q)) return s;
  for (size_t n = 0; n < moving_.size(); ++n) {
    const Moving& m = moving_[n];
    if (!m.written) continue;
    if (Status s = d.copy(const_cast<void*>(m.at), k.places[n]->data(), m.bytes, CopyKind::kOnDevice, q)) return s;
  }
  return {};
}

}  // namespace minds::runtime
