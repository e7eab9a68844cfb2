// Work that a run holds back while its instructions are a straight line, and queues in one piece.
//
// Most stretches are the same in every run: the same kernels with operands at the same addresses, since arenas,
// parameters and constants stay where they are. After two runs of one a device that can records it, and from then on it
// costs one launch. What the host computes from words goes by value, and is compared, too.
#pragma once
#include <deque>
#include <vector>

#include "runtime/program.h"

namespace minds::runtime {

class Batch {
 public:
  static constexpr size_t kMost = 512;  // pieces that are held back: the device must not wait for its work too long

  bool empty() const { return pieces_.empty(); }
  bool full() const { return pieces_.size() >= kMost; }
  // A kernel with its operands, as `Kernel::run` gets them.
  void add(const Program& p, const PreparedKernel& k, const Args& a);
  void copy(void* to, const void* from, size_t bytes, uint32_t instruction);
  // What is held back may use it.
  void keep(Slot s) { kept_.push_back(s); }
  void keep(BufferRef b) {
    if (b) kept_.push_back(Slot::adopt(b.detach()));
  }
  // Queues all of it. If that fails, `instruction` is where.
  Status flush(Stream& q, int64_t& instruction);
  // Forgets what has not been queued.
  void clear();

 private:
  // A kernel, or a copy where there is none; its numbers are in `words_` from `begin` on: a kernel's inputs, outputs
  // and workspace, a copy's destination, source and size.
  struct Piece {
    const PreparedKernel* kernel;
    uint32_t begin, instruction;
    FaultWord* fault;
    uint64_t by_value;  // the inputs that are words: bits of them
  };
  struct Known {
    std::vector<Piece> pieces;
    std::vector<uint64_t> words;
    int seen = 0;
    bool refused = false;  // the device does not record it
    std::unique_ptr<Recording> recording;
  };
  static constexpr size_t kFewest = 4;   // pieces that are worth recording
  static constexpr size_t kMostKnown = 64;
  static constexpr int kTrials = 2;      // times that a stretch is queued piece by piece first

  Known* find();
  Status queue(Stream& q, int64_t& instruction) const;
  Status run(const Piece& p, Stream& q) const;
  Status record(Known& k, Stream& q) const;

  std::vector<Piece> pieces_;
  std::vector<uint64_t> words_;
  std::vector<Slot> kept_;
  std::deque<Known> known_;  // the latest first
};

}  // namespace minds::runtime
