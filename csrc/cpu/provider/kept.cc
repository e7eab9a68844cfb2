#include "cpu/provider/kept.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "base/parallel.h"

namespace minds::cpu {

namespace {

constexpr size_t kMost = size_t{1} << 29;  // bytes that all plans keep
constexpr size_t kOperands = 64;           // of one plan, which may serve many layers
constexpr int kChanges = 2, kRests = 64;   // after so many changes, an operand is left alone for so many runs
constexpr std::align_val_t kLine{64};

std::atomic<size_t> kept_bytes{0};

uint64_t mixed(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t word(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

constexpr uint64_t kKeys[] = {0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu, 0x8ebc6af09c88c6e3u, 0x589965cc75374cc3u};

// Of one piece. Four chains, so that no product waits for another.
uint64_t hash_piece(const char* p, size_t bytes, uint64_t seed) {
  std::array<uint64_t, 4> h;
  for (size_t k = 0; k < 4; ++k) h[k] = seed ^ kKeys[k];
  for (; bytes >= 64; p += 64, bytes -= 64) {
    for (size_t k = 0; k < 4; ++k) h[k] = mixed(word(p + 16 * k) ^ kKeys[k], word(p + 16 * k + 8) ^ h[k]);
  }
  char rest[64] = {};
  std::memcpy(rest, p, bytes);
  for (size_t k = 0; k < 4; ++k) h[k] = mixed(word(rest + 16 * k) ^ kKeys[k], word(rest + 16 * k + 8) ^ h[k]);
  return mixed(mixed(h[0] ^ kKeys[1], h[1] ^ kKeys[0]), mixed(h[2] ^ kKeys[3], h[3] ^ kKeys[2]) ^ bytes);
}

}  // namespace

uint64_t hash_of(const void* data, size_t bytes) {
  constexpr size_t kPieces = 256, kLeast = size_t{1} << 16;
  const size_t piece = std::max(kLeast, (bytes / kPieces + 64) / 64 * 64), pieces = (bytes + piece - 1) / piece;
  std::array<uint64_t, kPieces> found;
  const char* p = static_cast<const char*>(data);
  parallel_for(static_cast<int64_t>(pieces), 4, [&](int64_t begin, int64_t end) {
    for (auto k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k) {
      found[k] = hash_piece(p + k * piece, std::min(piece, bytes - k * piece), k);
    }
  });
  uint64_t all = bytes;
  for (size_t k = 0; k < pieces; ++k) all = mixed(all ^ kKeys[0], found[k] ^ kKeys[1]);
  return all;
}

Kept::Copy::Copy(size_t bytes) : bytes_(bytes) {
  if (kept_bytes.fetch_add(bytes) + bytes <= kMost) data_ = ::operator new(bytes, kLine, std::nothrow);
}

Kept::Copy::~Copy() {
  kept_bytes -= bytes_;
  if (data_ != nullptr) ::operator delete(data_, kLine);
}

// That of the operand; the one that was not used for longest gives way to a new one.
Kept::Entry& Kept::entry(const void* operand) {
  const auto same = [&](const Entry& e) { return e.operand == operand; };
  auto at = std::find_if(entries_.begin(), entries_.end(), same);
  if (at == entries_.end() && entries_.size() == kOperands) {
    at = std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    *at = Entry{operand};
  } else if (at == entries_.end()) {
    at = entries_.insert(at, Entry{operand});
  }
  at->used = ++clock_;
  return *at;
}

Kept::Found Kept::find(const void* operand, size_t bytes, size_t size) {
  {
    const std::lock_guard guard(lock_);
    Entry& e = entry(operand);
    if (e.rests > 0 && --e.rests > 0) return {};
  }
  Found found;
  found.hash = hash_of(operand, bytes);
  {
    const std::lock_guard guard(lock_);
    Entry& e = entry(operand);
    if (e.copy && e.hash == found.hash) {
      e.changes = 0;
      return {e.copy, true, found.hash};
    }
    if (e.copy) ++e.changes;
    e.copy = nullptr;
    if (e.changes >= kChanges) {
      e.changes = kChanges - 1;  // once more and it rests again
      e.rests = kRests;
      return {};
    }
  }
  const auto copy = std::make_shared<const Copy>(size);
  if (copy->data() != nullptr) found.copy = copy;
  return found;
}

void Kept::add(const void* operand, const Found& made) {
  const std::lock_guard guard(lock_);
  Entry& e = entry(operand);
  e.copy = made.copy;
  e.hash = made.hash;
}

}  // namespace minds::cpu
