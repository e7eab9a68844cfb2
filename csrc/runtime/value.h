// Values at run time.
//
// A value is either a word (a rank-0 tensor of at most 8 bytes, held inline) or an object: a tensor in
// memory, a tensor whose shape is found by the run, a function value, or a reference to a parameter. An object slot points at the value and may own a
// share of what keeps it alive; a slot without owner borrows from something that outlives it (a constant, an
// input, the arena of a frame further down).
#pragma once
#include <cstdint>
#include <cstring>

#include "device/array.h"

namespace minds::runtime {

struct Function;

union Word {
  uint64_t bits;
  int64_t i;
  double d;
  float f;
  uint8_t b;  // a bool; never read as C++ bool, whose other 254 values are undefined
};

struct Closure;

// A tensor whose shape is found by the run. Belongs to one run, so its count needs no atomics.
struct Sized {
  Array array;
  uint32_t users = 1;
};

struct Slot {
  void* data = nullptr;  // tensor: its bytes; its Sized, Closure, or Cell (of a reference)
  uintptr_t owner = 0;   // 0, or a Buffer, or a Closure with bit 0 set, or a Sized with bit 1 set

  static Slot borrow(void* p) { return {p, 0}; }
  static Slot adopt(Buffer* b) { return {b->data(), reinterpret_cast<uintptr_t>(b)}; }
  static Slot adopt(Closure* c) { return {c, reinterpret_cast<uintptr_t>(c) | 1}; }
  static Slot adopt(Sized* s) { return {s, reinterpret_cast<uintptr_t>(s) | 2}; }
  bool owns_closure() const { return owner & 1; }
  bool owns_sized() const { return owner & 2; }
  Buffer* buffer() const { return owner & 3 ? nullptr : reinterpret_cast<Buffer*>(owner); }
  Sized* sized() const { return static_cast<Sized*>(data); }
  Closure* closure() const { return static_cast<Closure*>(data); }
};

// What a closure holds of the first parameters of a function: object slots, words, and the bytes of tensors
// that are so small that a buffer of their own would take more than they do.
struct Layout {
  uint32_t objects = 0;  // parameters that are objects
  uint32_t slots = 0, words = 0, bytes = 0;

  static constexpr size_t kPacked = 64;  // the bytes of the largest tensor that is packed
  size_t size() const { return slots * sizeof(Slot) + words * sizeof(Word) + bytes; }
};

// A function with its first arguments. Belongs to one run, so its count needs no atomics. What its layout says
// follows the header.
struct Closure {
  const Function* fn;
  uint32_t users;
  uint32_t given;  // how many of fn's parameters are here

  const Layout& layout() const;  // in program.h, as what follows from it
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  Word* values();
  char* packed();

  // nullptr: out of memory.
  static Closure* make(const Function* fn, uint32_t given);
  void free() noexcept;
  static size_t in_use() noexcept;  // bytes of all closures
};

// A parameter while a program runs. `pin` keeps the buffer alive whatever others do to the box.
struct Cell {
  Array* box = nullptr;
  BufferRef pin;
  size_t bytes = 0;
  bool dirty = false;  // pin is newer than the box

  // The buffer may be written if nobody but the box and this cell (and `aliases` slots of ours) can see it.
  bool writable(int aliases) const {
    const bool shown = box->buffer.get() == pin.get();
    return !pin->foreign() && pin->use_count() == 1 + shown + aliases;
  }
  void publish() {
    if (dirty) box->buffer = pin;
    dirty = false;
  }
};

inline void retain(const Slot& s) {
  if (s.owner == 0) return;
  if (s.owns_closure()) {
    ++s.closure()->users;
  } else if (s.owns_sized()) {
    ++s.sized()->users;
  } else {
    s.buffer()->retain();
  }
}

void bury(Closure* c) noexcept;  // frees a closure without users, and what only it holds, without recursion

inline void release(Slot& s) noexcept {
  const uintptr_t owner = s.owner;
  s = Slot{};
  if (owner == 0) return;
  if (owner & 1) {
    Closure* c = reinterpret_cast<Closure*>(owner & ~uintptr_t{1});
    if (--c->users == 0) bury(c);
  } else if (owner & 2) {
    Sized* t = reinterpret_cast<Sized*>(owner & ~uintptr_t{2});
    if (--t->users == 0) delete t;
  } else {
    reinterpret_cast<Buffer*>(owner)->release();
  }
}

}  // namespace minds::runtime
