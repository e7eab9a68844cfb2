#include "runtime/value.h"

#include "runtime/program.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace minds::runtime {

namespace {

std::atomic<size_t> closure_bytes{0};

}  // namespace

Closure* Closure::make(const Function* fn, uint32_t given) {
  const size_t size = sizeof(Closure) + fn->layouts[given].size();
  void* p = std::malloc(size);
  if (p == nullptr) return nullptr;
  closure_bytes.fetch_add(size, std::memory_order_relaxed);
  return new (p) Closure{fn, 1, given};
}

void Closure::free() noexcept {
  closure_bytes.fetch_sub(sizeof(Closure) + layout().size(), std::memory_order_relaxed);
  std::free(this);
}

size_t Closure::in_use() noexcept { return closure_bytes.load(std::memory_order_relaxed); }

namespace {

// The first slot that holds a closure; nullptr if there is none.
Slot* first_closure(Closure& c) {
  Slot* s = c.slots();
  for (uint32_t i = 0; i < c.layout().slots; ++i) {
    if (s[i].owns_closure()) return &s[i];
  }
  return nullptr;
}

// Puts a closure without users on the list of those whose contents wait to be released, or frees it if it
// holds no closures. The list goes through the first closure slots: their owners still say what they hold.
void add(Closure* c, Closure*& dead) noexcept {
  if (Slot* link = first_closure(*c); link != nullptr) {
    link->data = dead;
    dead = c;
    return;
  }
  for (uint32_t i = 0; i < c->layout().slots; ++i) release(c->slots()[i]);
  c->free();
}

}  // namespace

void bury(Closure* first) noexcept {
  // A chain of a million closures dies here in a loop: what reaches zero joins the list.
  Closure* dead = nullptr;
  add(first, dead);
  while (dead != nullptr) {
    Closure* c = dead;
    dead = static_cast<Closure*>(first_closure(*c)->data);
    Slot* s = c->slots();
    for (uint32_t i = 0; i < c->layout().slots; ++i) {
      if (s[i].owns_closure()) {
        Closure* inner = reinterpret_cast<Closure*>(s[i].owner & ~uintptr_t{1});
        if (--inner->users == 0) add(inner, dead);
      } else {
        release(s[i]);
      }
    }
    c->free();
  }
}

}  // namespace minds::runtime
