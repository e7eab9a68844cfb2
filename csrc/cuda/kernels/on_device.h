// Kernels whose operands all lie in the device's memory: words of the host are put into the workspace first.
#pragma once
#include <vector>

#include "cuda/module.h"
#include "kernel/kernel.h"

namespace minds::cuda {

class OnDevice : public Kernel {
 public:
  Status prepare(const Signature& s, Prepared& p) final;
  Status run(const Args& a, Stream& q) const final;

 protected:
  // What a kernel does in `prepare` and `run`; the signature has a device.
  virtual Status plan(const Signature& s, Prepared& p) = 0;
  virtual Status queue(const Args& a, Stream& q) const = 0;

 private:
  static constexpr size_t kMost = 3;  // operands of an op with words among them
  struct Word {
    size_t input, bytes;
  };
  std::vector<Word> words_;
  size_t inputs_ = 0, words_at_ = 0;  // in the workspace
  const Function* put_ = nullptr;
};

// Makes room for `bytes` at the end of a workspace; gives where.
inline size_t reserve(Prepared& p, size_t bytes) {
  const size_t at = (p.workspace + 63) / 64 * 64;
  p.workspace = at + bytes;
  return at;
}

inline char* within(const Args& a, size_t at) { return static_cast<char*>(a.workspace) + at; }

}  // namespace minds::cuda
