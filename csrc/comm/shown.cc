#include "comm/shown.h"

#include <algorithm>
#include <cstring>

#include "comm/segment.h"

namespace minds::comm {
namespace {

constexpr size_t kLeast = 64 << 10;  // bytes: what is smaller comes with one message

}  // namespace

bool Shown::can(const Group& g, size_t bytes) {
  return g.size() > 1 && bytes >= kLeast && Segments::instance().used();
}

Shown::Shown(const Group& g, Elements e)
    : g_(g), e_(e), place_(Segments::instance().take(e.bytes(), g.size() - 1)), places_(g.ranks.size(), -1) {}

Shown::~Shown() {
  for (int i = 0; i < g_.size(); ++i) {
    const int64_t place = places_[static_cast<size_t>(i)];
    if (i != g_.here && place >= 0) Segments::instance().leave(g_.ranks[static_cast<size_t>(i)], place);
  }
  if (has_room()) Segments::instance().give(place_);
}

char* Shown::data() const { return Segments::instance().own(place_); }

const char* Shown::of(int i) const {
  if (i == g_.here) return data();
  return Segments::instance().of(g_.ranks[static_cast<size_t>(i)], places_[static_cast<size_t>(i)]);
}

// Tells all where the operand is, and waits until all have told so; the bytes are what each will read.
template <class Sent, class Received>
Status Shown::meet(const Call& call, Sent sent, Received received) {
  Call told = call;
  told.place = place_;
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int i = 0; i < g_.size(); ++i) {
    if (i == g_.here) continue;
    const int rank = g_.ranks[static_cast<size_t>(i)];
    out.push_back({rank, nullptr, sent(i), {}, true});
    in.push_back({rank, &places_[static_cast<size_t>(i)], received(i), {}, true});
  }
  return World::instance().exchange(out, in, told);
}

// This process's part of the sum, to where its operand's was, which no other reads.
void Shown::reduce(Reduction op) {
  const size_t offset = bytes(begin(g_.here));
  std::vector<const void*> parts;
  for (int i = 0; i < g_.size(); ++i) parts.push_back(of(i) + offset);
  const int64_t count = begin(g_.here + 1) - begin(g_.here);
  reduce_in_order(op, e_.dtype, parts.data(), g_.size(), data() + offset, count);
}

Status Shown::all_reduce(Reduction op, const Call& called) {
  Call call;
  if (Status s = begin_next(g_, called, call)) return s;
  const auto own = [&](int) { return part(g_.here); };
  const auto theirs = [&](int i) { return part(i); };
  if (Status s = meet(call, theirs, own)) return s;
  reduce(op);
  has_parts_ = true;
  return meet(call, own, theirs);
}

Status Shown::reduce_scatter(Reduction op, const Call& called) {
  Call call;
  if (Status s = begin_next(g_, called, call)) return s;
  if (Status s = meet(call, [&](int i) { return part(i); }, [&](int) { return part(g_.here); })) return s;
  reduce(op);
  return {};
}

Status Shown::all_gather(const Call& called) {
  Call call;
  if (Status s = begin_next(g_, called, call)) return s;
  const auto whole = [&](int) { return e_.bytes(); };
  return meet(call, whole, whole);
}

void Shown::read(size_t offset, size_t count, void* to) const {
  if (!has_parts_) {
    std::memcpy(to, data() + bytes(begin(g_.here)) + offset, count);
    return;
  }
  for (int i = 0; i < g_.size(); ++i) {
    const size_t first = std::max(offset, bytes(begin(i))), last = std::min(offset + count, bytes(begin(i + 1)));
    if (first < last) std::memcpy(static_cast<char*>(to) + (first - offset), of(i) + first, last - first);
  }
}

}  // namespace minds::comm
