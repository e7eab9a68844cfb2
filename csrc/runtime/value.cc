#include "runtime/value.h"

#include <cstdlib>
#include <new>

namespace minds::runtime {

Closure* Closure::make(const Function* fn, uint32_t given, uint32_t objects, uint32_t words) {
  void* p = std::malloc(sizeof(Closure) + objects * sizeof(Slot) + words * sizeof(Word));
  return p == nullptr ? nullptr : new (p) Closure{fn, 1, given, objects, words, nullptr};
}

void bury(Closure* dead) noexcept {
  // A chain of a million closures dies here in a loop: what reaches zero joins the list.
  while (dead != nullptr) {
    Closure* c = dead;
    dead = c->next;
    Slot* s = c->slots();
    for (uint32_t i = 0; i < c->objects; ++i) {
      if (s[i].owns_closure()) {
        Closure* inner = reinterpret_cast<Closure*>(s[i].owner & ~uintptr_t{1});
        if (--inner->users == 0) {
          inner->next = dead;
          dead = inner;
        }
      } else {
        release(s[i]);
      }
    }
    std::free(c);
  }
}

}  // namespace minds::runtime
