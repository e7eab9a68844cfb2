// What machine code leaves to the interpreter.
#include <algorithm>

#include "runtime/machine/machine.h"

namespace minds::runtime::machine {

// The interpreter's state is the frame's, which is about to run `next`.
void Calls::attach(Shared* s, Frame* f, const Instr* next) {
  Run& r = *s->run;
  f->pc = next;
  r.frame_ = f;
  r.objects_ = f->objects();
  r.words_ = f->words();
  r.arena_ = f->arena;
}

template <class Work>
uint64_t Calls::guarded(Shared* s, Work work) {
  try {
    *s->status = work();
    return *s->status ? 1 : 0;
  } catch (...) {
    *s->thrown = std::current_exception();
    return 1;
  }
}

uint64_t Calls::step(Shared* s, Frame* f, const Instr* i) {
  attach(s, f, i + 1);
  return guarded(s, [&]() -> Status {
    Run& r = *s->run;
    if (Status failed = r.step(*i)) return failed;
    return r.fuel_ < 0 ? r.tick() : Status{};
  });
}

uint64_t Calls::make_room(Shared* s, Frame* f, const Instr* i) {
  attach(s, f, i + 1);
  return guarded(s, [&]() -> Status {
    Run& r = *s->run;
    if (Status failed = r.make_room(*i)) return failed;
    r.fuel_ -= 8;
    if (r.fuel_ >= 0) return {};
    Status failed = r.tick();
    return failed ? r.abandon(*i, std::move(failed)) : Status{};
  });
}

void Calls::put_away(Shared* s, Frame* f, const Instr* i) {
  attach(s, f, i + 1);
  s->run->put_away(*i);
}

uint64_t Calls::may_take(const Slot* given, size_t bytes) {
  const Buffer* b = given->buffer();
  return b != nullptr && b->unique() && b->data() == given->data && b->bytes() >= bytes;
}

uint64_t Calls::tick(Shared* s, Frame* f) {
  attach(s, f, f->fn->code.data());
  s->fuel = kFuel;
  return guarded(s, [&] { return s->run->tick(); });
}

// Where the frame that was made starts, or the interpreter.
const void* Calls::go(Shared* s) {
  s->frame = s->run->frame_;
  const void* start = s->frame->fn->compiled;
  return start != nullptr ? start : s->done;
}

const void* Calls::call(Shared* s, Frame* f, const Instr* i, const Site* site) {
  attach(s, f, i + 1);
  const uint64_t failed = guarded(s, [&] { return s->run->call(*i, *site); });
  return failed ? s->failed : go(s);
}

const void* Calls::tail(Shared* s, Frame* f, const Instr* i, const Site* site) {
  attach(s, f, i + 1);
  const uint64_t failed = guarded(s, [&] { return s->run->tail(*site); });
  return failed ? s->failed : go(s);
}

const void* Calls::value(Shared* s, Frame* f, const Instr* i, const void* in_place) {
  attach(s, f, i + 1);
  Run& r = *s->run;
  if (guarded(s, [&] { return r.call_value(*i); })) return s->failed;
  if (r.frame_ != f || i->op != Opcode::kCallValue) return go(s);
  s->frame = f;
  return in_place;
}

const void* Calls::give(Shared* s, Frame* f, const Instr* i) {
  attach(s, f, i + 1);
  if (guarded(s, [&] { return s->run->return_values(*i); })) return s->failed;
  s->frame = s->run->frame_;
  const void* on = s->frame == nullptr ? nullptr : s->frame->resume;
  return on != nullptr ? on : s->done;
}

void Calls::keep(Slot* slot) { runtime::retain(*slot); }
void Calls::drop(Slot* slot) { runtime::release(*slot); }

}  // namespace minds::runtime::machine

namespace minds::runtime {

// Runs machine code from `at` on, in the current frame, until the interpreter is to go on or the program has ended.
Status Run::run_compiled(const void* at) {
  const machine::Code& code = *p_.compiled;
  Status status;
  std::exception_ptr thrown;
  machine::Shared s{fuel_,          frame_,         c_->frames.ends(), c_->arena.ends(), c_->words.data(),
                    c_->slots.data(), c_->out.data(), code.done(),  code.failed(),     this,             &status,
                    &thrown};
  const bool failed = code.run(s, at) != 0;
  fuel_ = std::min(fuel_, s.fuel);  // a loop may leave machine code and come back each time around
  if (thrown) std::rethrow_exception(thrown);
  return failed ? std::move(status) : Status{};
}

}  // namespace minds::runtime
