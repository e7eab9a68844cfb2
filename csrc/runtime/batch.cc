#include "runtime/batch.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace minds::runtime {
namespace {

uint64_t bits(const void* p) { return reinterpret_cast<uintptr_t>(p); }
void* pointer(uint64_t bits) { return reinterpret_cast<void*>(static_cast<uintptr_t>(bits)); }

}  // namespace

void Batch::add(const Program& p, const PreparedKernel& k, const Args& a) {
  Piece piece{&k, static_cast<uint32_t>(words_.size()), a.instruction, a.fault, 0};
  for (size_t n = 0; n < k.in.size(); ++n) {
    const Type& t = p.types[k.in[n]];
    uint64_t word = bits(a.in[n]);
    if (t.word && !t.away && n < 64) {
      word = 0;
      std::memcpy(&word, a.in[n], t.bytes);
      piece.by_value |= uint64_t{1} << n;
    }
    words_.push_back(word);
  }
  for (size_t n = 0; n < k.out.size(); ++n) words_.push_back(bits(a.out[n]));
  words_.push_back(bits(a.workspace));
  pieces_.push_back(piece);
}

void Batch::copy(void* to, const void* from, size_t bytes, uint32_t instruction) {
  pieces_.push_back({nullptr, static_cast<uint32_t>(words_.size()), instruction, nullptr, 0});
  words_.insert(words_.end(), {bits(to), bits(from), bytes});
}

void Batch::clear() {
  pieces_.clear();
  words_.clear();
  for (Slot& s : kept_) release(s);
  kept_.clear();
}

Status Batch::flush(Stream& q, int64_t& instruction) {
  Known* known = pieces_.size() < kFewest ? nullptr : find();
  Status s;
  if (known != nullptr && known->recording == nullptr && !known->refused && known->seen++ >= kTrials) {
    known->refused = static_cast<bool>(record(*known, q));
  }
  if (known != nullptr && known->recording != nullptr) {
    s = known->recording->replay(q);
    if (s) instruction = pieces_[0].instruction;
  } else {
    s = queue(q, instruction);
  }
  clear();
  return s;
}

// The same stretch as one of those before; a new one is noted.
Batch::Known* Batch::find() {
  const auto same = [](const Piece& a, const Piece& b) {
    return a.kernel == b.kernel && a.instruction == b.instruction && a.fault == b.fault && a.by_value == b.by_value;
  };
  const auto at = std::find_if(known_.begin(), known_.end(), [&](const Known& k) {
    return k.words == words_ && std::equal(k.pieces.begin(), k.pieces.end(), pieces_.begin(), pieces_.end(), same);
  });
  if (at != known_.end()) {
    return &*at;
  }
  if (known_.size() == kMostKnown) known_.pop_back();
  known_.push_front({pieces_, words_, 0, false, nullptr});
  return &known_.front();
}

Status Batch::queue(Stream& q, int64_t& instruction) const {
  for (const Piece& p : pieces_) {
    if (Status s = run(p, q)) {
      instruction = p.instruction;
      return s;
    }
  }
  return {};
}

Status Batch::run(const Piece& p, Stream& q) const {
  const uint64_t* words = words_.data() + p.begin;
  if (p.kernel == nullptr) {
    return q.device().copy(pointer(words[0]), pointer(words[1]), words[2], CopyKind::kOnDevice, q);
  }
  const size_t inputs = p.kernel->in.size(), outputs = p.kernel->out.size();
  constexpr size_t kFew = 64;
  std::array<void*, kFew> few;
  std::vector<void*> many(inputs + outputs > kFew ? inputs + outputs : 0);
  void** at = many.empty() ? few.data() : many.data();
  for (size_t n = 0; n < inputs + outputs; ++n) {
    const bool value = n < inputs && n < 64 && (p.by_value >> n & 1) != 0;
    at[n] = value ? const_cast<uint64_t*>(&words[n]) : pointer(words[n]);
  }
  return p.kernel->kernel->run({at, at + inputs, pointer(words[inputs + outputs]), p.fault, p.instruction}, q);
}

Status Batch::record(Known& k, Stream& q) const {
  int64_t nowhere = 0;
  return q.device().record([&](Stream& apart) { return queue(apart, nowhere); }, k.recording);
}

}  // namespace minds::runtime
