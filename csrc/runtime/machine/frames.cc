// Calls, returns and loops in machine code: what `Run` does in executor.cc, where the stacks need not grow.
#include <algorithm>
#include <limits>
#include <span>

#include "runtime/machine/compiler.h"

namespace minds::runtime::machine {
namespace {

Mem part(Mem m, int32_t offset) { return {m.base, m.offset + offset}; }

}  // namespace

void Compiler::jump_unless(const Operand& o, Label l) {
  switch (o.place) {
    case Place::kWord: {
      const Gpr r = words_.truth(o.index);
      a_.op(Op::kTest32, r, static_cast<unsigned>(r));
      break;
    }
    case Place::kArena:
      a_.compare_byte({r14, static_cast<int32_t>(o.index * kAlignment)}, 0);
      break;
    case Place::kConstant:
      a_.address(rax, p_.constants[o.index].data());
      a_.compare_byte({rax, 0}, 0);
      break;
    default:
      a_.load(rax, object(o.index));
      a_.compare_byte({rax, 0}, 0);
  }
  a_.jump(If::kEqual, l);
}

void Compiler::branch(const Instr& i) {
  const auto go = [&](uint32_t site) {
    i.op == Opcode::kSwitch ? call(i, p_.sites[site]) : tail(i, p_.sites[site]);
  };
  const Label other = a_.label(), joined = a_.label();
  const uint32_t sites[] = {i.site, i.other};
  Label slow[] = {a_.label(), a_.label()};
  bool called[] = {true, true};
  jump_unless(p_.operands[i.in.begin], other);
  const Words words = words_;
  const std::vector<bool> held = held_;
  for (size_t k = 0; k < 2; ++k) {
    words_ = words;
    held_ = held;
    if (k == 1) a_.bind(other);
    called[k] = !in_place(i, p_.sites[sites[k]], slow[k], joined);
    if (called[k]) go(sites[k]);
  }
  if (i.op != Opcode::kSwitch) return;
  for (size_t k = 0; k < 2; ++k) {
    if (called[k]) continue;
    a_.bind(slow[k]);
    words_.forget();
    call(i, p_.sites[sites[k]]);
  }
  results(i);
  a_.bind(joined);
}

// ---- short functions in the place of their calls

// Whether it is a few instructions on words that have machine code, and returns words.
bool Compiler::is_short(const Function& g) const {
  constexpr size_t kMost = 16;
  if (g.objects != 0 || g.arena != 0 || g.code.size() > kMost || g.constants.size() > kMost) return false;
  for (const Instr& i : g.code) {
    if (i.scalar >= kScalarBase) {
      Assembler draft;
      Words words(draft, rsp, 0);
      if (!Formulas(draft, words, [&] { return draft.label(); }).emit(i)) return false;
    } else if (i.op == Opcode::kReturn) {
      return p_.sites[i.site].objects.size == 0;
    } else if (known_divisor(g, i) == 0) {
      return false;
    }
  }
  return false;
}

// The steps of a short function whose word k is word words[k] of the caller; what it makes lies outside of the frame, where
// nothing is overwritten. Gives where its words are in the end.
std::vector<uint32_t> Compiler::steps_in_place(const Function& g, std::vector<uint32_t> words, Label slow) {
  uint32_t next = Words::kOutside;
  const auto make = [&] {
    words_.changed(next);
    return next++;
  };
  for (const uint64_t value : g.constants) {
    words.push_back(make());
    a_.constant(rcx, value);
    a_.store(words_.at(words.back()), rcx);
  }
  words.resize(g.words, Words::kOutside);
  for (const Instr& i : g.code) {
    if (i.scalar >= kScalarBase) {
      Instr here = i;
      bool two = false;
      Formulas::reads(i, two);
      here.a = words[i.a];
      here.b = two ? words[i.b] : here.a;
      here.dst = words[i.dst] = make();
      Formulas(a_, words_, [&] { return slow; }).emit(here);
    } else if (i.op == Opcode::kRun) {
      const uint32_t x = words[p_.operands[i.in.begin].index], made = make();
      divide_by(known_divisor(g, i), attrs_[i.target].str("operation") == "floor_divide", x, made);
      words[p_.operands[i.out.begin].index] = made;
    }
  }
  return words;
}

// A call of a short function: its steps here, then a jump to `joined` with its results in the frame. Where the interpreter
// is needed nothing has changed: a jump to `slow`. False, and no code: it is to be called.
bool Compiler::in_place(const Instr& i, const Site& s, Label slow, Label joined) {
  const Function& g = p_.functions[s.fn];
  const bool plain = i.op == Opcode::kSwitch && i.result_objects.size == 0 && s.objects.size == 0 && s.drops.size == 0;
  if (!plain || !is_short(g)) return false;
  const auto given = std::span(p_.indices).subspan(s.words.begin, s.words.size);
  const auto into = std::span(p_.indices).subspan(i.result_words.begin, i.result_words.size);
  for (uint32_t word : into) {  // which may be written before another result is read from there
    if (into.size() > 1 && std::find(given.begin(), given.end(), word) != given.end()) return false;
  }
  const std::vector<uint32_t> words = steps_in_place(g, {given.begin(), given.end()}, slow);
  const Site& returned = p_.sites[g.code.back().site];
  for (size_t k = 0; k < into.size(); ++k) {
    words_.keep(words_.at(into[k]), words[p_.indices[returned.words.begin + k]]);
    words_.changed(into[k]);
  }
  a_.jump(joined);
  return true;
}

void Compiler::keep_shared(const Site& s) {
  for (uint32_t k = 0; k < s.objects.size; ++k) {
    const Operand& o = p_.operands[s.objects.begin + k];
    if (o.place == Place::kObject) keep(o.index);
  }
}

// Releases the caller's dead.
void Compiler::left_behind(const Site& s) {
  for (uint32_t k = 0; k < s.drops.size; ++k) {
    const uint32_t o = p_.indices[s.drops.begin + k];
    release(o);
    held_[o] = false;
  }
}

void Compiler::put_slot(Mem to, const Operand& o) {
  switch (o.place) {
    case Place::kObject:
    case Place::kMove:
      a_.op(Op::kMovups, 0, object(o.index));
      a_.op(Op::kMovupsStore, 0, to);
      if (o.place == Place::kObject) return;
      a_.op(Op::kXorps, 1, 1u);
      a_.op(Op::kMovupsStore, 1, object(o.index));
      held_[o.index] = false;
      return;
    case Place::kFunction:
      a_.address(rcx, &p_.functions[o.index].value);
      break;
    case Place::kConstant:
      a_.address(rcx, p_.constants[o.index].data());
      break;
    default:
      a_.op(Op::kLea, rcx, Mem{r14, static_cast<int32_t>(o.index * kAlignment)});
  }
  a_.store(to, rcx);
  a_.store_constant(part(to, 8), 0);
}

void Compiler::put_constants(Gpr frame, const Function& g) {
  for (size_t k = 0; k < g.constants.size(); ++k) {
    const Mem to{frame, words_of(g) + 8 * static_cast<int32_t>(g.param_words + k)};
    const auto value = static_cast<int64_t>(g.constants[k]);
    if (value == static_cast<int32_t>(value)) {
      a_.store_constant(to, static_cast<int32_t>(value));
    } else {
      a_.constant(rcx, g.constants[k]);
      a_.store(to, rcx);
    }
  }
}

void Compiler::put_empty(Gpr frame, const Function& g) {
  if (g.objects > g.param_objects) a_.op(Op::kXorps, 0, 0u);
  for (uint32_t k = g.param_objects; k < g.objects; ++k) {
    a_.op(Op::kMovupsStore, 0, Mem{frame, object(k).offset});
  }
}

// ---- calls

void Compiler::call(const Instr& i, const Site& s) {
  const Function& g = p_.functions[s.fn];
  if (!taken_[s.fn]) {
    resume(i);
    return leave_to(&Calls::call, i, s);
  }
  const Label slow = aside([this, &i, &s, after = resume_] {
    resume_ = after;
    resume(i);
    leave_to(&Calls::call, i, s);
  }, false);
  a_.bind(asides_.back().back);
  push_frame(g, i, slow);
  keep_shared(s);
  for (uint32_t k = 0; k < s.words.size; ++k) {
    words_.keep({rax, words_of(g) + 8 * static_cast<int32_t>(k)}, p_.indices[s.words.begin + k]);
  }
  for (uint32_t k = 0; k < s.objects.size; ++k) {
    put_slot({rax, object(k).offset}, p_.operands[s.objects.begin + k]);
  }
  put_constants(rax, g);
  put_empty(rax, g);
  left_behind(s);
  resume(i);
  a_.move(rbp, rax);
  a_.jump(entries_[s.fn].at);
}

// rax is the new frame from now on. Nothing has changed where it jumps to `slow`.
void Compiler::push_frame(const Function& g, const Instr& i, Label slow) {
  a_.load(rax, MINDS_AT(r15, Stack::Ends, top));
  a_.op(Op::kLea, rcx, Mem{rax, rounded(g.frame_bytes)});
  a_.op(Op::kCmp, rcx, MINDS_AT(r15, Stack::Ends, end));
  a_.jump(If::kAbove, slow);
  a_.load(r10, MINDS_AT(r12, Shared, arena));
  if (f_->arena != 0) {
    a_.op(Op::kLea, rdx, Mem{r14, static_cast<int32_t>(i.keep)});
  } else {
    a_.load(rdx, MINDS_AT(rbp, Frame, arena_top.top));
  }
  a_.op(Op::kLea, r11, Mem{rdx, rounded(g.arena)});
  if (g.arena != 0) {
    a_.op(Op::kCmp, r11, MINDS_AT(r10, Stack::Ends, end));
    a_.jump(If::kAbove, slow);
  }
  a_.store(MINDS_AT(r15, Stack::Ends, top), rcx);
  a_.store(MINDS_AT(r10, Stack::Ends, top), r11);
  a_.address(rcx, &g);
  a_.store(MINDS_AT(rax, Frame, fn), rcx);
  a_.store(MINDS_AT(rax, Frame, parent), rbp);
  a_.store(MINDS_AT(rax, Frame, arena), rdx);
  a_.store(MINDS_AT(rax, Frame, frame_below.top), rax);
  a_.store(MINDS_AT(rax, Frame, arena_below.top), rdx);
  a_.store(MINDS_AT(rax, Frame, arena_top.top), r11);
  a_.load(rcx, MINDS_AT(r15, Stack::Ends, chunk));
  a_.store(MINDS_AT(rax, Frame, frame_below.chunk), rcx);
  a_.load(rcx, MINDS_AT(r10, Stack::Ends, chunk));
  a_.store(MINDS_AT(rax, Frame, arena_below.chunk), rcx);
  a_.store(MINDS_AT(rax, Frame, arena_top.chunk), rcx);
}

// Notes where the caller goes on.
void Compiler::resume(const Instr& i) {
  a_.address(rcx, resume_);
  a_.store(MINDS_AT(rbp, Frame, resume), rcx);
  a_.address(rcx, &i + 1);
  a_.store(MINDS_AT(rbp, Frame, pc), rcx);
}

// The caller goes on, with the results in the scratch arrays.
void Compiler::results(const Instr& i) {
  a_.bind(resume_);
  words_.forget();
  if (f_->arena != 0) a_.load(r14, MINDS_AT(rbp, Frame, arena));
  if (i.result_words.size != 0) a_.load(r11, MINDS_AT(r12, Shared, words));
  for (uint32_t k = 0; k < i.result_words.size; ++k) {
    a_.load(rcx, {r11, 8 * static_cast<int32_t>(k)});
    a_.store(words_.at(p_.indices[i.result_words.begin + k]), rcx);
  }
  if (i.result_objects.size != 0) a_.load(r11, MINDS_AT(r12, Shared, slots));
  for (uint32_t k = 0; k < i.result_objects.size; ++k) {
    const uint32_t o = p_.indices[i.result_objects.begin + k];
    a_.op(Op::kMovups, 0, Mem{r11, 16 * static_cast<int32_t>(k)});
    a_.op(Op::kMovupsStore, 0, object(o));
    held_[o] = true;
  }
}

void Compiler::call_value(const Instr& i) {
  const Label in_place = a_.label();
  resume(i);
  a_.address(rcx, in_place);
  leave_to(reinterpret_cast<const void*>(&Calls::value), i);
  results(i);
  a_.bind(in_place);
}

void Compiler::give(const Instr& i) {
  const Site& s = p_.sites[i.site];
  const Label slow = aside([this, &i] { leave_to(&Calls::give, i); }, false);
  a_.bind(asides_.back().back);
  a_.load(rax, MINDS_AT(rbp, Frame, parent));
  a_.op(Op::kTest, rax, static_cast<unsigned>(rax));
  a_.jump(If::kEqual, slow);
  a_.load(rdx, MINDS_AT(rax, Frame, resume));
  a_.op(Op::kTest, rdx, static_cast<unsigned>(rdx));
  a_.jump(If::kEqual, slow);
  a_.load(rcx, MINDS_AT(rbp, Frame, frame_below.chunk));
  a_.op(Op::kCmp, rcx, MINDS_AT(r15, Stack::Ends, chunk));
  a_.jump(If::kNotEqual, slow);
  a_.load(r10, MINDS_AT(r12, Shared, arena));
  a_.load(rcx, MINDS_AT(rax, Frame, arena_top.chunk));
  a_.op(Op::kCmp, rcx, MINDS_AT(r10, Stack::Ends, chunk));
  a_.jump(If::kNotEqual, slow);
  keep_shared(s);
  if (s.words.size != 0) a_.load(r11, MINDS_AT(r12, Shared, words));
  for (uint32_t k = 0; k < s.words.size; ++k) {
    words_.keep({r11, 8 * static_cast<int32_t>(k)}, p_.indices[s.words.begin + k]);
  }
  if (s.objects.size != 0) a_.load(r11, MINDS_AT(r12, Shared, slots));
  for (uint32_t k = 0; k < s.objects.size; ++k) {
    put_slot({r11, 16 * static_cast<int32_t>(k)}, p_.operands[s.objects.begin + k]);
  }
  for (uint32_t o = 0; o < f_->objects; ++o) {
    if (held_[o]) release(o);
  }
  a_.load(rcx, MINDS_AT(rbp, Frame, frame_below.top));
  a_.store(MINDS_AT(r15, Stack::Ends, top), rcx);
  a_.load(rcx, MINDS_AT(rax, Frame, arena_top.top));
  a_.store(MINDS_AT(r10, Stack::Ends, top), rcx);
  a_.move(rbp, rax);
  a_.jump(rdx);
}

// ---- a frame in the place of the current one

void Compiler::tail(const Instr& i, const Site& s) {
  const Function& g = p_.functions[s.fn];
  std::vector<Move> moves;
  if (!taken_[s.fn] || !moves_of(g, s, moves)) return leave_to(&Calls::tail, i, s);
  const Label slow = aside([this, &i, &s] { leave_to(&Calls::tail, i, s); }, false);
  a_.bind(asides_.back().back);
  a_.op(Op::kCmp, rbp, MINDS_AT(rbp, Frame, frame_below.top));
  a_.jump(If::kNotEqual, slow);
  check_room(g, slow);
  hand_over(s);
  resize_frame(g);
  shuffle(std::move(moves));
  const Entry& entry = entries_[s.fn];
  if (&g != f_ || !entry.keeps) put_constants(rbp, g);
  put_empty(rbp, g);
  words_.hand_on(entry.words, {p_.indices.data() + s.words.begin, s.words.size});
  a_.jump(entry.inside);
}

// The frame's share in what it passes on goes with it, where it is not passed on once more; the rest is released.
void Compiler::hand_over(const Site& s) {
  for (uint32_t k = 0; k < s.objects.size; ++k) {
    const Operand& o = p_.operands[s.objects.begin + k];
    if (o.place != Place::kObject && o.place != Place::kMove) continue;
    bool again = false;
    for (uint32_t later = k + 1; later < s.objects.size; ++later) {
      const Operand& l = p_.operands[s.objects.begin + later];
      again |= (l.place == Place::kObject || l.place == Place::kMove) && l.index == o.index;
    }
    if (again) {
      keep(o.index);
    } else {
      held_[o.index] = false;
    }
  }
  for (uint32_t o = 0; o < f_->objects; ++o) {
    if (held_[o]) release(o);
  }
}

void Compiler::check_room(const Function& g, Label slow) {
  if (rounded(g.frame_bytes) > rounded(f_->frame_bytes)) {
    a_.op(Op::kLea, rcx, Mem{rbp, rounded(g.frame_bytes)});
    a_.op(Op::kCmp, rcx, MINDS_AT(r15, Stack::Ends, end));
    a_.jump(If::kAbove, slow);
  }
  if (f_->arena == g.arena) return;
  a_.load(rcx, MINDS_AT(rbp, Frame, arena_below.chunk));
  a_.op(Op::kCmp, rcx, MINDS_AT(rbp, Frame, arena_top.chunk));
  a_.jump(If::kNotEqual, slow);
  a_.load(rdx, MINDS_AT(rbp, Frame, arena_below.top));
  a_.op(Op::kLea, rdx, Mem{rdx, rounded(g.arena)});
  a_.load(r10, MINDS_AT(r12, Shared, arena));
  a_.op(Op::kCmp, rdx, MINDS_AT(r10, Stack::Ends, end));
  a_.jump(If::kAbove, slow);
}

void Compiler::resize_frame(const Function& g) {
  if (&g != f_) {
    a_.address(rcx, &g);
    a_.store(MINDS_AT(rbp, Frame, fn), rcx);
  }
  if (rounded(g.frame_bytes) != rounded(f_->frame_bytes)) {
    a_.op(Op::kLea, rcx, Mem{rbp, rounded(g.frame_bytes)});
    a_.store(MINDS_AT(r15, Stack::Ends, top), rcx);
  }
  if (f_->arena == g.arena) return;
  a_.load(rcx, MINDS_AT(rbp, Frame, arena_below.top));
  a_.store(MINDS_AT(rbp, Frame, arena), rcx);
  a_.op(Op::kLea, rcx, Mem{rcx, rounded(g.arena)});
  a_.store(MINDS_AT(rbp, Frame, arena_top.top), rcx);
  a_.load(r10, MINDS_AT(r12, Shared, arena));
  a_.store(MINDS_AT(r10, Stack::Ends, top), rcx);
}

// The arguments' ways; false: too many, or one that has no memory of its own.
bool Compiler::moves_of(const Function& g, const Site& s, std::vector<Move>& moves) {
  using From = Move::From;
  for (uint32_t k = 0; k < s.words.size; ++k) {
    const int32_t to = words_of(g) + 8 * static_cast<int32_t>(k);
    const uint32_t word = p_.indices[s.words.begin + k];
    const int held = words_.held(word);
    moves.push_back({held < 0 ? From::kFrame : From::kRegister, to, held < 0 ? words_.at(word).offset : held});
  }
  for (uint32_t k = 0; k < s.objects.size; ++k) {
    const Operand& o = p_.operands[s.objects.begin + k];
    const int32_t to = object(k).offset;
    const void* at = nullptr;
    if (o.place == Place::kObject || o.place == Place::kMove) {
      moves.push_back({From::kFrame, to, object(o.index).offset});
      moves.push_back({From::kFrame, to + 8, object(o.index, 8).offset});
      continue;
    }
    if (o.place == Place::kFunction) at = &p_.functions[o.index].value;
    if (o.place == Place::kConstant) at = p_.constants[o.index].data();
    if (o.place == Place::kArena) return false;
    moves.push_back({From::kValue, to, 0, reinterpret_cast<uint64_t>(at)});
    moves.push_back({From::kValue, to + 8});
  }
  return moves.size() <= kScratch;
}

// All moves at once: each before what it reads is overwritten. Where they go round, one waits on the machine's stack.
void Compiler::shuffle(std::vector<Move> moves) {
  using From = Move::From;
  std::erase_if(moves, [](const Move& m) { return m.from == From::kFrame && m.at == m.to; });
  int32_t waiting = 0;
  while (!moves.empty()) {
    const auto free = std::find_if(moves.begin(), moves.end(), [&](const Move& m) {
      return std::none_of(moves.begin(), moves.end(), [&](const Move& other) {
        return &other != &m && other.from == From::kFrame && other.at == m.to;
      });
    });
    if (free == moves.end()) {
      Move& m = *std::find_if(moves.begin(), moves.end(), [](const Move& m) { return m.from == From::kFrame; });
      a_.load(rax, {rbp, m.at});
      a_.store({rsp, 8 * waiting}, rax);
      m = {From::kStack, m.to, 8 * waiting++};
      continue;
    }
    switch (free->from) {
      case From::kRegister:
        words_.put({rbp, free->to}, free->at);
        break;
      case From::kValue:
        a_.constant(rax, free->value);
        a_.store({rbp, free->to}, rax);
        break;
      default:
        a_.load(rax, {free->from == From::kFrame ? rbp : rsp, free->at});
        a_.store({rbp, free->to}, rax);
    }
    moves.erase(free);
  }
}

}  // namespace minds::runtime::machine
