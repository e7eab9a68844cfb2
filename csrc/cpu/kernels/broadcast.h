// Operands of different shapes walked as one: pieces of a broadcast that are contiguous, or made so in small
// buffers.
#pragma once
#include <algorithm>
#include <cstring>

#include "kernel/plan/broadcast.h"

namespace minds::cpu {

struct Bits128 {  // an element of 16 bytes, moved as it is
  uint64_t low, high;
};

// Walks an output in row-major order together with up to three operands broadcast to it. In each piece an operand is
// either contiguous or one number. Where rows are long, pieces are rows; where they are short, an operand that repeats
// itself is laid out several times in a buffer, and others are gathered.
class Broadcast {
 public:
  static constexpr int64_t kTile = 512;
  static constexpr int64_t kPeriod = 256;  // the longest operand that is laid out repeatedly
  using Kind = BroadcastPlan::Kind;

  Broadcast() = default;
  // Unless `numbers`, numbers are spread out, too.
  explicit Broadcast(BroadcastPlan plan, bool numbers = true);
  Status prepare(const TensorSpec* inputs, int count, const TensorSpec& output, bool numbers);

  int64_t size() const { return plan_.size; }
  // Of what is not laid out repeatedly, a periodic operand is strided.
  Kind kind(int i) const { return plan_.operands[i].kind; }
  int64_t period(int i) const { return plan_.operands[i].period; }
  // Elements [p, p + n) of operand i, as it is spread over the output.
  void gather(int i, const void* in, int64_t p, int64_t n, char* to) const {
    gather(plan_.operands[i], static_cast<const char*>(in), p, n, to);
  }

  // Calls f(position, n, pointers, are_numbers) for the pieces of [begin, end), none longer than `most`.
  template <class F>
  void walk(const void* const* in, int64_t begin, int64_t end, int64_t most, F&& f) const {
    const char* at[kMost];
    bool number[kMost];
    if (simple_) {
      for (int64_t p = begin; p < end; p += most) {
        const int64_t n = std::min(most, end - p);
        for (int i = 0; i < plan_.count; ++i) {
          const Operand& o = plan_.operands[i];
          number[i] = o.kind == Kind::kNumber;
          at[i] = static_cast<const char*>(in[i]) + (number[i] ? 0 : p * static_cast<int64_t>(o.item));
        }
        f(p, n, at, number);
      }
      return;
    }
    alignas(64) char scratch[kMost][kScratch];
    if (!rows_) repeat(in, scratch);
    const int64_t row = plan_.dims.back();
    most = std::min(most, rows_ && numbers_ ? row : kTile);
    for (int64_t p = begin; p < end;) {
      int64_t n = std::min(most, end - p);
      if (rows_) n = std::min(n, row - p % row);
      for (int i = 0; i < plan_.count; ++i) at[i] = piece(i, in[i], p, n, scratch[i], number[i]);
      f(p, n, at, number);
      p += n;
    }
  }

 private:
  using Operand = BroadcastPlan::Operand;
  static constexpr int kMost = BroadcastPlan::kMost;
  static constexpr int64_t kLongRow = 128;
  static constexpr size_t kScratch = static_cast<size_t>(kTile + kPeriod) * 16;

  void repeat(const void* const* in, char (*scratch)[kScratch]) const;
  const char* piece(int i, const void* in, int64_t p, int64_t n, char* scratch, bool& number) const;
  void gather(const Operand& o, const char* in, int64_t p, int64_t n, char* to) const;
  template <class T>
  void gather_as(const Operand& o, const T* in, int64_t p, int64_t n, T* to) const;

  BroadcastPlan plan_;
  // Every operand is whole or one number: any range is a single piece, and no buffer is needed.
  bool simple_ = true;
  bool rows_ = false, numbers_ = true;
};

// Fills `total` bytes with repetitions of the `block` bytes at `from`; the last one may be cut.
void spread(const char* from, size_t block, size_t total, char* to);

}  // namespace minds::cpu
