// Follows every function once, instruction by instruction, with the state of its slots. Functions are
// straight lines, so one pass is exact: after it an executor needs no check but the signature of a dynamic
// call.
#include <algorithm>

#include "runtime/program.h"

namespace minds::runtime {
namespace {

enum class Held : uint8_t { kNothing, kTensor, kFunction, kRef, kSized };

struct State {
  Held held = Held::kNothing;
  bool borrowed = false;  // a tensor that dies with a frame further down: may not be kept
  bool away = false;
  size_t bytes = 0;
};

class Verifier {
 public:
  Verifier(const Program& p, const Function& f) : p_(p), f_(f) {}

  bool run() {
    objects_.resize(f_.objects);
    words_.resize(f_.words);
    uint32_t object = 0, word = 0;
    for (const Param& param : f_.params) {
      const Type& t = p_.types[param.type];
      if (t.word) {
        words_[word++] = true;
      } else {
        objects_[object++] = made(t, t.kind == Kind::kTensor && !param.keeps);
      }
    }
    for (size_t i = 0; i < f_.constants.size(); ++i) words_[word++] = true;
    if (f_.code.empty() || !aligned(f_.arena)) return false;
    for (const Instr& i : f_.code) {
      const bool last = &i == &f_.code.back();
      const bool leaves = i.op == Opcode::kReturn || i.op == Opcode::kTail || i.op == Opcode::kSwitchTail ||
                          i.op == Opcode::kTailValue;
      if (leaves != last || !step(i)) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kNoArena = 0;

  static State made(const Type& t, bool borrowed) {
    switch (t.kind) {
      case Kind::kTensor:
        return {Held::kTensor, borrowed, t.away, t.bytes};
      case Kind::kFunction:
        return {Held::kFunction, false, false, 0};
      case Kind::kSized:
        return {Held::kSized, false, t.away, 0};
      default:
        return {Held::kRef, false, t.away, t.bytes};
    }
  }

  bool word(uint32_t i) const { return i < words_.size() && words_[i]; }
  bool define_word(uint32_t i) {
    if (i >= words_.size()) return false;
    words_[i] = true;
    return true;
  }
  bool define(uint32_t i, State s) {
    if (i >= objects_.size() || objects_[i].held != Held::kNothing) return false;
    objects_[i] = s;
    return true;
  }
  bool empty(uint32_t i) {
    if (i >= objects_.size() || objects_[i].held == Held::kNothing) return false;
    emptied_.push_back({i, objects_[i]});
    objects_[i] = State{};
    return true;
  }
  bool aligned(size_t at) const { return at % p_.device->traits().alignment == 0; }
  bool keeps(const Instr& i) const { return i.keep <= f_.arena && aligned(i.keep); }
  bool in_arena(uint32_t unit, size_t bytes, size_t limit) const {
    const size_t at = size_t{unit} * kAlignment;
    return aligned(at) && at <= limit && bytes <= limit - at;
  }

  // A value of type t is read; `kept`: it may outlive this frame; `arena`: how much of the arena may be read.
  bool read(const Operand& o, const Type& t, bool kept, size_t arena) {
    if (t.word) return o.place == Place::kWord && word(o.index);
    switch (o.place) {
      case Place::kObject:
      case Place::kMove: {
        if (o.index >= objects_.size()) return false;
        const State& s = objects_[o.index];
        if (s.held != made(t, false).held || s.away != t.away || (kept && s.borrowed)) return false;
        if (t.kind == Kind::kRef ? s.bytes != t.bytes : s.bytes < t.bytes) return false;
        return o.place == Place::kObject || empty(o.index);
      }
      case Place::kArena:
        return t.kind == Kind::kTensor && t.away == p_.away && !kept && in_arena(o.index, t.bytes, arena);
      case Place::kConstant:
        return t.kind == Kind::kTensor && t.away == p_.away && o.index < p_.constants.size() &&
               p_.constants[o.index].bytes() >= t.bytes;
      case Place::kFunction:
        return t.kind == Kind::kFunction && o.index < p_.functions.size();
      default:
        return false;
    }
  }

  bool write(const Operand& o, const Type& t) {
    if (t.kind == Kind::kSized) return o.place == Place::kPool && define(o.index, made(t, false));
    if (t.kind != Kind::kTensor) return false;
    switch (o.place) {
      case Place::kWord:
        return t.word && define_word(o.index);
      case Place::kArena:
        return !t.word && t.away == p_.away && in_arena(o.index, t.bytes, f_.arena);
      case Place::kPool:
        return !t.word && define(o.index, {Held::kTensor, false, t.away, t.bytes});
      case Place::kParam:
        return !t.word && o.index < objects_.size() && objects_[o.index].held == Held::kRef &&
               objects_[o.index].away == t.away && objects_[o.index].bytes == t.bytes;
      default:
        return false;
    }
  }

  // Read by the host.
  bool condition(const Operand& o) {
    return o.place == Place::kWord ? word(o.index)
                                   : read(o, Type{Kind::kTensor, {}, 1, false}, false, f_.arena);
  }

  // Arguments for the types that `type_at(k)` names; word operands were separated when the program was
  // decoded.
  template <class TypeAt, class KeepsAt>
  bool arguments(const Site& s, size_t n, TypeAt type_at, KeepsAt keeps_at, size_t arena) {
    uint32_t object = 0, w = 0;
    for (size_t k = 0; k < n; ++k) {
      const Type& t = p_.types[type_at(k)];
      if (t.word) {
        if (!word(p_.indices[s.words.begin + w++])) return false;
      } else if (!read(p_.operands[s.objects.begin + object++], t, keeps_at(k), arena)) {
        return false;
      }
    }
    return drop(s.drops);
  }

  bool direct(const Site& s, size_t arena) {
    const Function& g = p_.functions[s.fn];
    return arguments(
        s, g.params.size(), [&](size_t k) { return g.params[k].type; },
        [&](size_t k) { return g.params[k].keeps; }, arena);
  }

  bool drop(Range r) {
    for (uint32_t k = 0; k < r.size; ++k) {
      if (!empty(p_.indices[r.begin + k])) return false;
    }
    return true;
  }

  // Both sides of a switch must leave the same slots empty.
  bool sides(const Instr& i, size_t arena) {
    emptied_.clear();
    if (!direct(p_.sites[i.site], arena)) return false;
    const auto first = emptied_;
    for (const auto& [slot, state] : first) objects_[slot] = state;
    emptied_.clear();
    if (!direct(p_.sites[i.other], arena)) return false;
    if (i.op == Opcode::kSwitchTail) return true;
    return first.size() == emptied_.size() && std::all_of(first.begin(), first.end(), [&](const auto& e) {
             return objects_[e.first].held == Held::kNothing;
           });
  }

  bool results(const Instr& i, const std::vector<uint32_t>& types) {
    uint32_t object = 0, w = 0;
    for (uint32_t type : types) {
      const Type& t = p_.types[type];
      if (t.word ? !define_word(p_.indices[i.result_words.begin + w++])
                 : !define(p_.indices[i.result_objects.begin + object++], made(t, false))) {
        return false;
      }
    }
    return true;
  }

  bool kernel(const Instr& i, const std::vector<uint32_t>& in, const std::vector<uint32_t>& out) {
    for (size_t k = 0; k < in.size(); ++k) {
      const Type& t = p_.types[in[k]];
      const bool fits = t.kind == Kind::kTensor || (t.kind == Kind::kSized && i.op == Opcode::kHost);
      if (!fits || !read(p_.operands[i.in.begin + k], t, false, f_.arena)) return false;
    }
    for (size_t k = 0; k < out.size(); ++k) {
      const Operand& o = p_.operands[i.out.begin + k];
      if (p_.indices[i.donors.begin + k] > in.size()) return false;
      const Type& t = p_.types[out[k]];
      if (t.kind == Kind::kSized && i.op != Opcode::kHost) return false;
      if (!write(o, t) || (i.op == Opcode::kHost && o.place == Place::kParam)) return false;
    }
    return i.op == Opcode::kHost || !p_.away || sides_agree(i, in, out);
  }

  // A kernel has all its results on one side; one of the host reads nothing of the device, one of the device of the
  // host only words, if it takes such.
  bool sides_agree(const Instr& i, const std::vector<uint32_t>& in, const std::vector<uint32_t>& out) const {
    const bool on_host = p_.kernels[i.target].on_host;
    const bool words = !on_host && p_.device->traits().immediates;
    return std::all_of(out.begin(), out.end(), [&](uint32_t t) { return p_.types[t].away != on_host; }) &&
           std::all_of(in.begin(), in.end(), [&](uint32_t t) {
             return p_.types[t].away != on_host || (words && p_.types[t].word);
           });
  }

  // Between the device's memory and the host's.
  bool transfer(const Instr& i) {
    Type to = p_.types[i.a], from = to;
    const bool upload = i.op == Opcode::kUpload;
    if (!p_.away || to.away != upload || (to.kind != Kind::kTensor && to.kind != Kind::kSized)) return false;
    from.away = !to.away;
    from.word = is_word(from);
    const Operand &in = p_.operands[i.in.begin], &out = p_.operands[i.out.begin];
    if (!read(in, from, false, f_.arena)) return false;
    if (to.kind == Kind::kSized) return i.op != Opcode::kSave && out.place == Place::kPool && define(out.index, made(to, false));
    // What is saved is on its way when the next instruction runs: its place here is its own.
    if (i.op == Opcode::kSave && (in.place != Place::kArena || out.place != Place::kPool)) return false;
    return out.place != Place::kParam && write(out, to);
  }

  bool step(const Instr& i) {
    static const Type function{Kind::kFunction, {}, 0, false};
    if (i.scalar >= kScalarBase) return word(i.a) && word(i.b) && define_word(i.dst);
    const Operand* in = p_.operands.data() + i.in.begin;
    switch (i.op) {
      case Opcode::kRun:
        return kernel(i, p_.kernels[i.target].in, p_.kernels[i.target].out);
      case Opcode::kHost:
        return kernel(i, p_.hosts[i.target].in, p_.hosts[i.target].out);
      case Opcode::kCopy: {
        const Operand& out = p_.operands[i.out.begin];
        const Type t{Kind::kTensor, {}, i.bytes, false};  // of the host
        if (p_.away && (in->place == Place::kArena || out.place == Place::kArena)) return false;
        if (in->place == Place::kWord ? i.bytes > sizeof(Word) || !word(in->index)
                                      : !read(*in, t, false, f_.arena)) {
          return false;
        }
        if (out.place == Place::kWord) return i.bytes <= sizeof(Word) && define_word(out.index);
        return out.place != Place::kParam && write(out, t);
      }
      case Opcode::kCall:
        return keeps(i) && direct(p_.sites[i.site], i.keep) &&
               results(i, p_.functions[p_.sites[i.site].fn].results);
      case Opcode::kTail:
        return direct(p_.sites[i.site], kNoArena) &&
               p_.functions[p_.sites[i.site].fn].result_sig == f_.result_sig;
      case Opcode::kSwitch:
      case Opcode::kSwitchTail: {
        const uint32_t sig = p_.functions[p_.sites[i.site].fn].result_sig;
        if (sig != p_.functions[p_.sites[i.other].fn].result_sig || !condition(*in)) return false;
        if (i.op == Opcode::kSwitchTail) return sig == f_.result_sig && sides(i, kNoArena);
        return keeps(i) && sides(i, i.keep) &&
               results(i, p_.functions[p_.sites[i.site].fn].results);
      }
      case Opcode::kCallValue:
      case Opcode::kTailValue: {
        const Site& s = p_.sites[i.site];
        const bool tail = i.op == Opcode::kTailValue;
        return keeps(i) && read(*in, function, true, kNoArena) &&
               arguments(
                   s, s.types.size, [&](size_t k) { return p_.indices[s.types.begin + k]; },
                   [](size_t) { return true; }, kNoArena) &&
               (tail || results(i, type_list(i.types)));
      }
      case Opcode::kSelect:
        return condition(in[0]) && read(in[1], function, true, kNoArena) &&
               read(in[2], function, true, kNoArena) && define(i.dst, made(function, false));
      case Opcode::kClosure: {
        const Function& g = p_.functions[i.target];
        return arguments(
                   p_.sites[i.site], i.a, [&](size_t k) { return g.params[k].type; },
                   [](size_t) { return true; }, kNoArena) &&
               define(i.dst, made(function, false));
      }
      case Opcode::kPartial: {
        const Site& s = p_.sites[i.site];
        return read(*in, function, true, kNoArena) &&
               arguments(
                   s, s.types.size, [&](size_t k) { return p_.indices[s.types.begin + k]; },
                   [](size_t) { return true; }, kNoArena) &&
               define(i.dst, made(function, false));
      }
      case Opcode::kLoad: {
        const Type& ref = p_.types[i.a];
        if (ref.kind != Kind::kRef || !read(in[0], ref, false, kNoArena)) return false;
        const Operand& out = in[1];
        if (is_word(ref)) return out.place == Place::kWord && define_word(out.index);
        return out.place == Place::kPool && define(out.index, {Held::kTensor, false, ref.away, ref.bytes});
      }
      case Opcode::kAssign: {
        const Type& ref = p_.types[i.a];
        if (ref.kind != Kind::kRef || !read(in[0], ref, false, kNoArena)) return false;
        return read(in[1], Type{Kind::kTensor, ref.spec, ref.bytes, is_word(ref), ref.away}, false, f_.arena);
      }
      case Opcode::kDrop:
        return drop(i.in);
      case Opcode::kUpload:
      case Opcode::kDownload:
      case Opcode::kSave:
        return transfer(i);
      case Opcode::kWait:
      case Opcode::kSignal:
      case Opcode::kArrive:
        return p_.away;  // the rest in verify_lanes.cc
      case Opcode::kReturn:
        return arguments(
            p_.sites[i.site], f_.results.size(), [&](size_t k) { return f_.results[k]; },
            [](size_t) { return true; }, kNoArena);
      case Opcode::kCount:
        return false;
    }
    return false;
  }

  static bool is_word(const Type& t) {
    return t.kind != Kind::kSized && !t.away && t.spec.shape.empty() && t.bytes <= sizeof(Word);
  }

  std::vector<uint32_t> type_list(Range r) const {
    return {p_.indices.begin() + r.begin, p_.indices.begin() + r.begin + r.size};
  }

  const Program& p_;
  const Function& f_;
  std::vector<State> objects_;
  std::vector<uint8_t> words_;
  std::vector<std::pair<uint32_t, State>> emptied_;
};

}  // namespace

Status verify(const Program& p) {
  if (p.functions.empty()) return {Code::kValue, "corrupted program: no functions"};
  for (const Param& param : p.root().params) {
    const Kind kind = p.types[param.type].kind;
    if (kind != Kind::kTensor && kind != Kind::kRef)
      return {Code::kValue, "corrupted program: the root takes no tensor"};
  }
  for (uint32_t t : p.root().results) {
    if (p.types[t].kind != Kind::kTensor && p.types[t].kind != Kind::kSized)
      return {Code::kValue, "corrupted program: the root returns no tensor"};
  }
  if (p.events > p.instructions) return {Code::kValue, "corrupted program: too many events"};
  for (const Function& f : p.functions) {
    if (!Verifier(p, f).run() || !verify_lanes(p, f)) return {Code::kValue, "corrupted program: function '" + f.name + "'"};
  }
  return {};
}

}  // namespace minds::runtime
