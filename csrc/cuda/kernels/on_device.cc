#include "cuda/kernels/on_device.h"

#include <cstring>

namespace minds::cuda {
namespace {

struct Words {  // as in words.cu
  uint64_t of[3];
};

}  // namespace

Status OnDevice::prepare(const Signature& s, Prepared& p) {
  if (s.device == nullptr) return {Code::kInternal, "cuda: a kernel is prepared for no device"};
  if (Status bad = plan(s, p)) return bad;
  inputs_ = s.inputs.size();
  for (size_t n = 0; n < inputs_; ++n) {
    if (s.on_host(n)) words_.push_back({n, s.inputs[n].bytes()});
  }
  if (words_.empty()) return {};
  if (inputs_ > kMost) return {Code::kInternal, "cuda: a word of the host among so many operands"};
  words_at_ = reserve(p, sizeof(Words));
  return find_function(*s.device, "words", "put_words", {}, put_);
}

Status OnDevice::run(const Args& a, Stream& q) const {
  if (words_.empty()) return queue(a, q);
  const void* in[kMost];
  Words words{};
  std::memcpy(in, a.in, inputs_ * sizeof *in);
  char* at = within(a, words_at_);
  for (size_t n = 0; n < words_.size(); ++n) {
    std::memcpy(&words.of[n], a.in[words_[n].input], words_[n].bytes);
    in[words_[n].input] = at + n * sizeof(uint64_t);
  }
  Grid g;
  g.block = 32;
  if (Status bad = launch(*put_, q, g, at, words)) return bad;
  Args moved = a;
  moved.in = in;
  return queue(moved, q);
}

}  // namespace minds::cuda
