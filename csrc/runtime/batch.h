// Work that a run holds back while its instructions are a straight line, and queues in one piece.
//
// Most stretches are the same in every run: the same kernels with operands at the same addresses, since arenas,
// parameters and constants stay where they are. After two runs of one a device that can records it, and from then on it
// costs one launch. The run's arguments and results lie elsewhere each time: what is recorded has places of its own for
// them, and they are copied there and back, unless they are large; then their addresses must be the same, too. What the
// host computes goes by value, and is compared.
#pragma once
#include <list>
#include <map>
#include <vector>

#include "runtime/program.h"

namespace minds::runtime {

class Batch {
 public:
  static constexpr size_t kMost = 512;  // pieces that are held back: the device must not wait for its work too long

  bool empty() const { return pieces_.empty(); }
  bool full() const { return pieces_.size() >= kMost; }
  // Memory that lies elsewhere in each run: an argument of the run, or a result of a kernel that is about to be added.
  void argument(const void* at, size_t bytes) { note(at, {bytes, true}); }
  void result(const void* at, size_t bytes) { note(at, {bytes, false}); }
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
  // The run is over.
  void finish();
  // Whether runs have stretches that may be recorded.
  bool repeats() const { return !known_.empty(); }
  void forget() { known_.clear(); }

 private:
  // A kernel, or a copy where there is none; its operands are in `words_` from `begin` on: a kernel's inputs, outputs
  // and workspace, a copy's destination and source, and then its size. Sets of operands are bits.
  struct Piece {
    const PreparedKernel* kernel;
    uint32_t begin, instruction;
    FaultWord* fault;
    uint64_t by_value = 0;  // words of the host
    uint64_t moving = 0;    // numbers of `moving_`
    bool operator==(const Piece&) const = default;
  };
  struct Area {
    size_t bytes;
    bool stays;  // until the run is over; otherwise it may be other memory after the next flush
  };
  struct Moving {
    const void* at;
    size_t bytes;
    bool read = false, written = false;  // by what is held back; it is read if a kernel reads it first
    bool operator==(const Moving& o) const { return bytes == o.bytes && read == o.read && written == o.written; }
  };
  struct Known {
    std::vector<Piece> pieces;
    std::vector<uint64_t> words;
    std::vector<Moving> moving;
    int seen = 0;
    bool refused = false;  // the device does not record it
    std::unique_ptr<Recording> recording;
    std::vector<BufferRef> places;  // of what moves, in the recording
  };
  static constexpr size_t kFewest = 4;  // pieces that are worth recording
  static constexpr size_t kMostKnown = 32, kMostMoving = 16;
  static constexpr size_t kLarge = size_t{4} << 20;  // bytes that are not worth copying
  static constexpr size_t kBits = 64;
  static constexpr int kTrials = 2;  // times that a stretch is queued piece by piece first

  void note(const void* at, Area area) {
    if (area.bytes != 0 && area.bytes <= kLarge) areas_[at] = area;
  }
  void operand(Piece& piece, size_t n, const void* at, bool written);
  Known* find();
  std::vector<void*> places() const;
  Status queue(Stream& q, const std::vector<void*>& moving, int64_t& instruction) const;
  Status run(const Piece& p, Stream& q, const std::vector<void*>& moving) const;
  Status record(Known& k, Stream& q) const;
  Status replay(const Known& k, Stream& q) const;
  void clear();

  std::vector<Piece> pieces_;
  std::vector<uint64_t> words_;
  std::vector<Moving> moving_;            // those that are used by what is held back
  std::map<const void*, Area> areas_;  // all that move
  bool steady_ = true;                 // it can be recorded
  std::vector<Slot> kept_;
  std::list<Known> known_;  // the latest first
};

}  // namespace minds::runtime
