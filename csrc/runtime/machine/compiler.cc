#include "runtime/machine/compiler.h"

namespace minds::runtime::machine {
namespace {

// Whether some function can reach itself: only then does anything run often.
bool repeats(const Program& p) {
  const auto callees = [&](const Function& f) {
    std::vector<uint32_t> found;
    for (const Instr& i : f.code) {
      if (i.scalar >= kScalarBase) continue;
      if (i.op == Opcode::kCall || i.op == Opcode::kTail) found.push_back(p.sites[i.site].fn);
      if (i.op == Opcode::kSwitch || i.op == Opcode::kSwitchTail) {
        found.insert(found.end(), {p.sites[i.site].fn, p.sites[i.other].fn});
      }
      if (i.op == Opcode::kClosure) found.push_back(i.target);
    }
    return found;
  };
  struct Open {
    uint32_t fn;
    std::vector<uint32_t> left;
  };
  std::vector<uint8_t> state(p.functions.size());  // 1: on the path, 2: done
  for (uint32_t k = 0; k < p.functions.size(); ++k) {
    if (state[k] != 0) continue;
    std::vector<Open> path{{k, callees(p.functions[k])}};
    state[k] = 1;
    while (!path.empty()) {
      if (path.back().left.empty()) {
        state[path.back().fn] = 2;
        path.pop_back();
        continue;
      }
      const uint32_t next = path.back().left.back();
      path.back().left.pop_back();
      if (state[next] == 1) return true;
      if (state[next] == 2) continue;
      state[next] = 1;
      path.push_back({next, callees(p.functions[next])});
    }
  }
  return false;
}

}  // namespace

void assemble(Program& p, const std::vector<Attrs>& attrs) {
  if (!p.away && machine_code_wanted() && repeats(p)) p.compiled = Compiler(p, attrs).compile();
}

Compiler::Compiler(Program& p, const std::vector<Attrs>& attrs)
    : p_(p), attrs_(attrs), elements_(p.kernels.size()), words_(a_, rbp, 0) {
  for (const Function& f : p.functions) {
    entries_.push_back(entry_of(f));
    taken_.push_back(f.code.size() <= kMostInstructions && f.objects <= kMostSlots && f.words <= kMostSlots &&
                     f.arena <= size_t{1} << 30);
  }
}

std::unique_ptr<Code> Compiler::compile() {
  const Label enter = a_.label();
  done_ = a_.label();
  failed_ = a_.label();
  a_.bind(enter);
  frame_of_machine_code();
  for (uint32_t k = 0; k < p_.functions.size(); ++k) {
    if (taken_[k] && !function(k)) return nullptr;
  }
  a_.finish();
  Pages pages(a_.code());
  if (pages.empty()) return nullptr;
  for (uint32_t k = 0; k < p_.functions.size(); ++k) {
    if (taken_[k]) p_.functions[k].compiled = pages.at(a_.where(entries_[k].at));
  }
  return std::make_unique<Code>(std::move(pages), a_.where(enter), a_.where(done_), a_.where(failed_));
}

// Registers are for what a function reads before something makes them forget.
Compiler::Entry Compiler::entry_of(const Function& f) {
  Entry e{a_.label(), a_.label(), Words(a_, rbp, words_of(f))};
  std::vector<bool> written(f.words);
  bool held = true;
  const auto reads = [&](uint32_t word, Words::Form form) {
    if (held && word < f.param_words && !written[word]) e.words.expect(word, form);
  };
  const auto writes = [&](const Operand& o) {
    if (o.place == Place::kWord) written[o.index] = true;
  };
  for (const Instr& i : f.code) {
    const Operand *in = p_.operands.data() + i.in.begin, *out = p_.operands.data() + i.out.begin;
    if (i.scalar >= kScalarBase) {
      bool two = false;
      const Words::Form form = Formulas::reads(i, two);
      reads(i.a, form);
      if (two) reads(i.b, form);
      written[i.dst] = true;
      continue;
    }
    if (i.op == Opcode::kSwitch || i.op == Opcode::kSwitchTail) {
      if (in->place == Place::kWord) reads(in->index, Words::Form::kTruth);
      held = false;
    } else if (i.op == Opcode::kRun && p_.kernels[i.target].name == "python_number") {
      for (uint32_t k = 0; k < i.in.size; ++k) {
        const bool whole = p_.types[p_.kernels[i.target].in[k]].spec.dtype == DType::kInt64;
        if (whole && in[k].place == Place::kWord) reads(in[k].index, Words::Form::kInteger);
      }
    } else {
      held = held && (i.op == Opcode::kCopy || i.op == Opcode::kDrop);
    }
    if (i.op == Opcode::kLoad) writes(in[1]);
    for (uint32_t k = 0; k < i.out.size; ++k) writes(out[k]);
    for (uint32_t k = 0; k < i.result_words.size; ++k) written[p_.indices[i.result_words.begin + k]] = true;
  }
  for (size_t k = 0; k < f.constants.size(); ++k) e.keeps = e.keeps && !written[f.param_words + k];
  return e;
}

// What machine code is entered by, a C function of (Shared*, address), and left by.
void Compiler::frame_of_machine_code() {
  constexpr Gpr kSaved[] = {rbp, rbx, r12, r13, r14, r15};
  constexpr int32_t kBytes = 8 * kScratch + 8;  // with the return address and six registers a multiple of 16
  for (Gpr r : kSaved) a_.push(r);
  a_.add(rsp, -kBytes);
  a_.move(r12, rdi);
  a_.load(rbp, MINDS_AT(r12, Shared, frame));
  a_.load(r15, MINDS_AT(r12, Shared, frames));
  a_.load(r14, MINDS_AT(rbp, Frame, arena));
  a_.jump(rsi);
  const Label out = a_.label();
  a_.bind(failed_);
  a_.constant(rax, 1);
  a_.jump(out);
  a_.bind(done_);
  a_.constant(rax, 0);
  a_.bind(out);
  a_.add(rsp, kBytes);
  for (size_t k = std::size(kSaved); k-- > 0;) a_.pop(kSaved[k]);
  a_.ret();
}

// False: there is too much code.
bool Compiler::function(uint32_t number) {
  f_ = &p_.functions[number];
  const Entry& entry = entries_[number];
  words_ = entry.words;
  held_.assign(f_->objects, false);
  std::fill_n(held_.begin(), f_->param_objects, true);
  a_.bind(entry.at);
  words_.reload();
  a_.bind(entry.inside);
  a_.subtract(MINDS_AT(r12, Shared, fuel), 1);
  a_.jump(If::kNegative, aside([this] {
            call_out(reinterpret_cast<const void*>(&Calls::tick));
            a_.op(Op::kTest32, rax, static_cast<unsigned>(rax));
            a_.jump(If::kNotEqual, failed_);
          }, false));
  a_.bind(asides_.back().back);
  if (f_->arena != 0) a_.load(r14, MINDS_AT(rbp, Frame, arena));
  for (const Instr& i : f_->code) {
    instruction(i);
    if (a_.size() > kMostCode) return false;
  }
  return asides();
}

void Compiler::instruction(const Instr& i) {
  resume_ = a_.label();
  if (i.scalar >= kScalarBase) return formula(i);
  switch (i.op) {
    case Opcode::kCopy:
      if (!copy(i)) step(i);
      return;
    case Opcode::kRun:
      if (!kernel(i)) step(i);
      return;
    case Opcode::kDrop:
      return drop(i);
    case Opcode::kCall:
      call(i, p_.sites[i.site]);
      return results(i);
    case Opcode::kTail:
      return tail(i, p_.sites[i.site]);
    case Opcode::kSwitch:
    case Opcode::kSwitchTail:
      return branch(i);
    case Opcode::kCallValue:
      return call_value(i);
    case Opcode::kTailValue:
      return leave_to(reinterpret_cast<const void*>(&Calls::value), i);
    case Opcode::kReturn:
      return give(i);
    default:
      return step(i);
  }
}

// ---- what is rare

// A place to jump to for code that comes back to the label `back`, which the caller binds.
Label Compiler::aside(std::function<void()> emit, bool saves) {
  asides_.push_back({a_.label(), a_.label(), words_, std::move(emit), saves});
  return asides_.back().at;
}

bool Compiler::asides() {
  constexpr Gpr kUsed[] = {rax, rcx, rdx, r10, r11, r11};  // even, so that the stack stays aligned
  for (size_t k = 0; k < asides_.size(); ++k) {
    Aside& s = asides_[k];
    a_.bind(s.at);
    for (Gpr r : kUsed) {
      if (s.saves) a_.push(r);
    }
    s.emit();
    for (size_t n = std::size(kUsed); n-- > 0;) {
      if (s.saves) a_.pop(kUsed[n]);
    }
    s.words.reload();
    a_.jump(s.back);
    if (a_.size() > kMostCode) return false;
  }
  asides_.clear();
  return true;
}

// Calls a C function of (Shared*, Frame*, ...).
void Compiler::call_out(const void* work) {
  a_.move(rdi, r12);
  a_.move(rsi, rbp);
  a_.address(rax, work);
  a_.call(rax);
}

void Compiler::leave_to(const void* work, const Instr& i) {
  a_.address(rdx, &i);
  call_out(work);
  a_.load(rbp, MINDS_AT(r12, Shared, frame));
  a_.jump(rax);
}

void Compiler::leave_to(const void* (*work)(Shared*, Frame*, const Instr*), const Instr& i) {
  leave_to(reinterpret_cast<const void*>(work), i);
}

void Compiler::leave_to(const void* (*work)(Shared*, Frame*, const Instr*, const Site*), const Instr& i,
                        const Site& s) {
  a_.address(rcx, &s);
  leave_to(reinterpret_cast<const void*>(work), i);
}

// ---- instructions that stay in the frame

void Compiler::formula(const Instr& i) {
  bool jumps = false;
  Label slow{};
  Formulas formulas(a_, words_, [&] {
    if (!jumps) slow = a_.label();
    jumps = true;
    return slow;
  });
  if (!formulas.emit(i)) return step(i);
  if (jumps) back_from_step(slow, i);
}

// The interpreter's way from `slow` to here. What it finds is in memory: registers get it from there.
void Compiler::back_from_step(Label slow, const Instr& i) {
  asides_.push_back({slow, a_.label(), words_, [this, &i] {
                       a_.address(rdx, &i);
                       call_out(reinterpret_cast<const void*>(&Calls::step));
                       a_.op(Op::kTest32, rax, static_cast<unsigned>(rax));
                       a_.jump(If::kNotEqual, failed_);
                     }, false});
  a_.bind(asides_.back().back);
}

// Between words and the arena.
bool Compiler::copy(const Instr& i) {
  const Operand& in = p_.operands[i.in.begin];
  const Operand& out = p_.operands[i.out.begin];
  if (i.bytes != 8 && i.bytes != 4 && i.bytes != 1) return false;
  const auto known = [](const Operand& o) { return o.place == Place::kWord || o.place == Place::kArena; };
  if (!known(in) || !known(out)) return false;
  const auto at = [&](const Operand& o) {
    return o.place == Place::kWord ? words_.at(o.index) : Mem{r14, static_cast<int32_t>(o.index * kAlignment)};
  };
  a_.op(i.bytes == 8 ? Op::kLoad : i.bytes == 4 ? Op::kLoad32 : Op::kLoadByte, rax, at(in));
  a_.op(i.bytes == 8 ? Op::kStore : i.bytes == 4 ? Op::kStore32 : Op::kStore8, rax, at(out));
  if (out.place == Place::kWord) words_.changed(out.index);
  return true;
}

void Compiler::drop(const Instr& i) {
  for (uint32_t k = 0; k < i.in.size; ++k) {
    const uint32_t o = p_.indices[i.in.begin + k];
    release(o);
    held_[o] = false;
  }
}

// What a slot owns has one user more.
void Compiler::keep(uint32_t o) { if_it_owns(o, &Calls::keep); }

// Releases what a slot may own, and empties it.
void Compiler::release(uint32_t o) { if_it_owns(o, &Calls::drop); }

void Compiler::if_it_owns(uint32_t o, void (*work)(Slot*)) {
  a_.compare_constant(object(o, 8), 0);
  a_.jump(If::kNotEqual, aside([this, o, work] {
            a_.op(Op::kLea, rdi, object(o));
            a_.address(rax, reinterpret_cast<const void*>(work));
            a_.call(rax);
          }));
  a_.bind(asides_.back().back);
}

// By the interpreter.
void Compiler::step(const Instr& i) {
  a_.address(rdx, &i);
  call_out(reinterpret_cast<const void*>(&Calls::step));
  a_.op(Op::kTest32, rax, static_cast<unsigned>(rax));
  a_.jump(If::kNotEqual, failed_);
  words_.forget();
  note(i);
}

// What slots hold after an instruction.
void Compiler::note(const Instr& i) {
  if (i.scalar >= kScalarBase) return;
  const auto taken = [&](Range r) {
    for (uint32_t k = 0; k < r.size; ++k) {
      const Operand& o = p_.operands[r.begin + k];
      if (o.place == Place::kMove) held_[o.index] = false;
    }
  };
  taken(i.in);
  for (uint32_t k = 0; k < i.out.size; ++k) {
    const Operand& o = p_.operands[i.out.begin + k];
    if (o.place == Place::kPool) held_[o.index] = true;
  }
  if (i.op == Opcode::kClosure || i.op == Opcode::kPartial) taken(p_.sites[i.site].objects);
  if (i.op == Opcode::kClosure || i.op == Opcode::kPartial || i.op == Opcode::kSelect) held_[i.dst] = true;
  if (i.op == Opcode::kLoad && p_.operands[i.in.begin + 1].place == Place::kPool) {
    held_[p_.operands[i.in.begin + 1].index] = true;
  }
}

}  // namespace minds::runtime::machine
