// Checks the lanes of one function: what an instruction reads has been written, and what it writes is read no more,
// on every other lane that it may run beside.
//
// Time is an instruction's number. A lane knows of another up to the last signal of that one's that it has waited for.
// A download is over when the host goes on; what is saved is on its way until the host has waited for a signal behind
// it, and nobody touches it before. Calls and the end of a function are on the compute lane, which must know
// of all that the others do; so every function begins with lanes that wait for the compute lane.
#include <algorithm>
#include <array>
#include <map>

#include "runtime/program.h"

namespace minds::runtime {
namespace {

constexpr int64_t kNever = -1;
using Times = std::array<int64_t, kLanes>;
constexpr Times kNone = {kNever, kNever, kNever};

struct Signalled {
  size_t lane;
  int64_t at;
};

class LaneVerifier {
 public:
  LaneVerifier(const Program& p, const Function& f) : p_(p), f_(f) {
    slots_.resize(f.objects, kNever);
    known_.fill(kNone);
    last_ = kNone;
  }

  bool run() {
    for (const Instr& i : f_.code) {
      if (!step(i)) return false;
      ++now_;
    }
    return true;
  }

 private:
  struct Piece {
    size_t end;
    Times wrote, used;
  };

  bool step(const Instr& i) {
    if (!saved_.empty() && reads_saved(i)) return false;
    switch (i.op) {
      case Opcode::kSignal:
        signals_[i.a] = {static_cast<size_t>(i.lane), now_};
        return true;
      case Opcode::kWait: {
        const auto s = signals_.find(i.a);
        if (s == signals_.end()) return false;
        Times& known = known_[static_cast<size_t>(i.lane)];
        known[s->second.lane] = std::max(known[s->second.lane], s->second.at);
        return true;
      }
      case Opcode::kArrive: {
        const auto s = signals_.find(i.a);
        if (s == signals_.end()) return false;
        std::erase_if(saved_, [&](const auto& o) { return o.second.lane == s->second.lane && o.second.at < s->second.at; });
        return true;
      }
      case Opcode::kUpload:
      case Opcode::kDownload:
      case Opcode::kSave:
        return copy(i);
      case Opcode::kRun:
        return operands(i, p_.kernels[i.target].in, p_.kernels[i.target].out);
      case Opcode::kHost:
        return operands(i, p_.hosts[i.target].in, p_.hosts[i.target].out);
      case Opcode::kAssign:
        return touch(p_.operands[i.in.begin + 1], i.bytes, kCompute, false);
      case Opcode::kLoad:
        made(p_.operands[i.in.begin + 1]);
        return true;
      case Opcode::kReturn:
      case Opcode::kTail:
      case Opcode::kTailValue:
      case Opcode::kSwitchTail:
      case Opcode::kCall:
      case Opcode::kCallValue:
      case Opcode::kSwitch:
        for (size_t lane = kCompute + 1; lane < kLanes; ++lane) {
          if (last_[lane] > known_[kCompute][lane]) return false;
        }
        called_ = now_;
        for (uint32_t k = 0; k < i.result_objects.size; ++k) {
          made({Place::kPool, p_.indices[i.result_objects.begin + k]});
        }
        return true;
      default:
        return true;
    }
  }

  bool operands(const Instr& i, const std::vector<uint32_t>& in, const std::vector<uint32_t>& out) {
    for (size_t k = 0; k < in.size(); ++k) {
      if (!touch(p_.operands[i.in.begin + k], p_.types[in[k]].bytes, kCompute, false)) return false;
    }
    for (size_t k = 0; k < out.size(); ++k) {
      const Operand& o = p_.operands[i.out.begin + k];
      if (!touch(o, p_.types[out[k]].bytes, kCompute, true)) return false;
      made(o);
    }
    return true;
  }

  bool copy(const Instr& i) {
    const auto lane = static_cast<size_t>(i.lane);
    const Operand &in = p_.operands[i.in.begin], &out = p_.operands[i.out.begin];
    const bool download = i.op == Opcode::kDownload, upload = i.op == Opcode::kUpload;
    if (lane != kCompute) {
      // Behind this function's first kernels, and with them behind all before it. What it writes, only the arena keeps
      // in sight, where functions that were called since have been too.
      if (known_[lane][kCompute] == kNever) return false;
      if (upload && (out.place != Place::kArena || known_[lane][kCompute] < called_)) return false;
      if (in.place == Place::kObject || in.place == Place::kMove) {
        if (slots_[in.index] > known_[lane][kCompute]) return false;
      }
      if (!download) last_[lane] = now_;
    }
    if (!touch(in, i.bytes, lane, false, !download) || !touch(out, i.bytes, lane, true)) return false;
    made(out);
    if (i.op == Opcode::kSave) saved_[out.index] = {lane, now_};
    return true;
  }

  void made(const Operand& o) {
    if (o.place == Place::kPool) slots_[o.index] = now_;
  }

  // Whether an instruction reads, passes on or drops what is on its way.
  bool reads_saved(const Instr& i) const {
    const auto any = [&](const Range& r) {
      return std::any_of(p_.operands.begin() + r.begin, p_.operands.begin() + r.begin + r.size, [&](const Operand& o) {
        return (o.place == Place::kObject || o.place == Place::kMove) && saved_.contains(o.index);
      });
    };
    const auto drops = [&](const Range& r) {
      return std::any_of(p_.indices.begin() + r.begin, p_.indices.begin() + r.begin + r.size,
                         [&](uint32_t slot) { return saved_.contains(slot); });
    };
    const auto site = [&](uint32_t k) { return any(p_.sites[k].objects) || drops(p_.sites[k].drops); };
    switch (i.op) {
      case Opcode::kDrop:
        return drops(i.in);
      case Opcode::kReturn:
      case Opcode::kTail:
      case Opcode::kTailValue:
      case Opcode::kSwitchTail:
        return true;  // all has arrived by then
      case Opcode::kSwitch:
        return any(i.in) || site(i.site) || site(i.other);
      case Opcode::kCall:
      case Opcode::kCallValue:
      case Opcode::kClosure:
      case Opcode::kPartial:
        return any(i.in) || site(i.site);
      default:
        return i.scalar < kScalarBase && any(i.in);
    }
  }

  // A piece of the arena is read or written; `lasting`: the lane may still do so when the host goes on.
  bool touch(const Operand& o, size_t bytes, size_t lane, bool writes, bool lasting = true) {
    if (o.place != Place::kArena || bytes == 0) return true;
    const size_t begin = size_t{o.index} * kAlignment, end = begin + bytes;
    split(begin);
    split(end);
    Piece all{end, kNone, kNone};
    for (auto at = arena_.lower_bound(begin); at != arena_.end() && at->first < end; at = arena_.erase(at)) {
      for (size_t k = 0; k < kLanes; ++k) {
        all.wrote[k] = std::max(all.wrote[k], at->second.wrote[k]);
        all.used[k] = std::max(all.used[k], at->second.used[k]);
      }
    }
    for (size_t other = 0; other < kLanes; ++other) {
      const int64_t since = writes ? all.used[other] : all.wrote[other];
      if (other != lane && since > known_[lane][other]) return false;
    }
    if (lasting) all.used[lane] = now_;
    if (writes) all.wrote[lane] = now_;
    arena_.emplace(begin, all);
    return true;
  }

  void split(size_t at) {
    auto after = arena_.upper_bound(at);
    if (after == arena_.begin()) return;
    auto& [begin, piece] = *std::prev(after);
    if (begin >= at || piece.end <= at) return;
    Piece rest = piece;
    piece.end = at;
    arena_.emplace(at, rest);
  }

  static constexpr size_t kCompute = static_cast<size_t>(Lane::kCompute);
  const Program& p_;
  const Function& f_;
  int64_t now_ = 0, called_ = kNever;
  std::array<Times, kLanes> known_;  // known_[a][b]: how far lane a knows of lane b
  Times last_;                       // what each lane but the compute lane was given last
  std::map<uint32_t, Signalled> signals_;
  std::map<uint32_t, Signalled> saved_;  // object slots whose bytes are on their way, and since when
  std::map<size_t, Piece> arena_;  // disjoint, by where they begin
  std::vector<int64_t> slots_;     // when each object slot was filled
};

}  // namespace

bool verify_lanes(const Program& p, const Function& f) {
  const bool any = std::any_of(f.code.begin(), f.code.end(), [](const Instr& i) {
    return i.op == Opcode::kUpload || i.op == Opcode::kDownload || i.op == Opcode::kWait || i.op == Opcode::kSignal ||
           i.op == Opcode::kSave || i.op == Opcode::kArrive;
  });
  return !any || LaneVerifier(p, f).run();
}

}  // namespace minds::runtime
