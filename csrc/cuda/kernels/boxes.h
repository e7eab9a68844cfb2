// Boxes of elements copied on the device: the arguments of move.cu, and the copy that most of its users are.
#pragma once
#include <array>
#include <initializer_list>
#include <vector>

#include "cuda/module.h"
#include "kernel/plan/boxes.h"

namespace minds::cuda {

// A struct of lists of `rank` numbers each, as an argument of a kernel. Kernels are compiled for a few ranks: shorter
// lists are filled up in front.
class Lists {
 public:
  static constexpr int kRanks[] = {1, 2, 4, 8, kMaxRank};
  // Of lists that are as long as one another, with what fills each of them up.
  struct List {
    std::vector<int64_t> values;
    int64_t fill;
  };
  Lists() = default;
  explicit Lists(std::initializer_list<List> lists);
  // One list that is as long as it is, but not empty.
  static Lists exactly(std::vector<int64_t> values);

  int rank() const { return rank_; }
  const void* data() const { return values_.data(); }
  size_t bytes() const { return values_.size() * sizeof(int64_t); }

 private:
  int rank_ = 1;
  std::vector<int64_t> values_;
};

// The sizes and the two strides of dims.
Lists walk_of(const std::vector<Dim>& dims);

namespace detail {
inline void* address_of(const Lists& l) { return const_cast<void*>(l.data()); }
inline size_t size_of(const Lists& l) { return l.bytes(); }
template <class A>
void* address_of(const A& a) {
  return const_cast<void*>(static_cast<const void*>(&a));
}
template <class A>
constexpr size_t size_of(const A&) {
  static_assert(std::is_trivially_copyable_v<A>);
  return sizeof(A);
}
}  // namespace detail

// `launch` with lists among the arguments.
template <class... A>
Status launch_lists(const Function& f, Stream& q, const Grid& g, const A&... arguments) {
  std::array<void*, sizeof...(A)> at{detail::address_of(arguments)...};
  const std::array<size_t, sizeof...(A)> sizes{detail::size_of(arguments)...};
  return launch_counted(f, q, g, at.data(), sizes.data(), sizeof...(A));
}

// The most elements, at most 16 bytes, that can be moved as one where every one of these numbers counts elements.
int64_t common_unit(size_t item, std::initializer_list<int64_t> numbers, const std::vector<Dim>& dims = {});

// Whether kernels must count `elements`, or reach as far as the dims do, in 64 bits.
bool is_wide(int64_t elements);
bool is_wide(const std::vector<Dim>& dims);
inline const char* flag(bool on) { return on ? "1" : "0"; }

class BoxCopy {
 public:
  Status prepare(Device& d, const Box& box);
  Status run(const void* in, void* out, Stream& q) const;

 private:
  struct Exchange {  // as in move.cu
    int64_t rows, columns, row_step, column_step, tiles;
  };
  const Function* function_ = nullptr;
  int64_t in_at_ = 0, out_at_ = 0, bytes_ = 0;  // offsets, and what one piece holds: of a plain copy
  int64_t count_ = 0;
  bool tiled_ = false;
  Exchange exchange_{};
  Lists box_;
  Grid grid_;
};

}  // namespace minds::cuda
