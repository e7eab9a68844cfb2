// Calls of function values.
#include "runtime/executor.h"

namespace minds::runtime {

Status Run::call_value(const Instr& i) {
  const Site& s = p_.sites[i.site];
  Slot callee = take(p_.operands[i.in.begin]);
  Closure* c = callee.closure();
  const Function& f = *c->fn;
  if (f.suffix[c->given] != s.sig || f.result_sig != i.b) [[unlikely]] {
    if (f.results.empty() && f.params.empty() && s.sig == 0 && i.op == Opcode::kCallValue) {
      return give_zeros(i, callee);
    }
    release(callee);
    return {Code::kInternal, "a function value has another signature than its call"};
  }
  if (f.record && i.op == Opcode::kCallValue && c->given == f.params.size()) return unpack(i, callee);
  const Layout& held = c->layout();
  uint32_t words = held.words, objects = held.objects;
  // The captured come first; the scratch arrays fit any call by `max_args`, which counts all parameters of
  // all functions.
  const uint32_t* w = p_.indices.data() + s.words.begin;
  const Operand* o = p_.operands.data() + s.objects.begin;
  for (uint32_t k = 0; k < s.words.size; ++k) c_->words[words + k] = words_[w[k]];
  for (uint32_t k = 0; k < s.objects.size; ++k) c_->slots[objects + k] = take(o[k]);
  for (uint32_t k = 0; k < words; ++k) c_->words[k] = c->values()[k];
  Status failed = captured(callee);
  words += s.words.size;
  objects += s.objects.size;
  const uint32_t* d = p_.indices.data() + s.drops.begin;
  for (uint32_t k = 0; k < s.drops.size; ++k) release(objects_[d[k]]);
  release(callee);
  if (failed) [[unlikely]] {
    for (uint32_t k = 0; k < objects; ++k) release(c_->slots[k]);
    return failed;
  }
  return i.op == Opcode::kTailValue ? replace(f, objects, words) : nest(f, i.keep, objects, words);
}

// The objects that a closure holds, into the scratch array. What only it holds moves there, so that the callee may
// reuse it.
Status Run::captured(const Slot& callee) {
  Closure* c = callee.closure();
  const bool last_user = callee.owner != 0 && c->users == 1;
  const char* bytes = c->packed();
  Status failed;
  for (uint32_t k = 0, slot = 0; k < c->layout().objects; ++k) {
    if (const uint32_t size = c->fn->packed[k]; size != 0) {
      BufferRef b;
      if (!failed) failed = allocate(size, b);
      if (b) std::memcpy(b->data(), bytes, size);
      bytes += (size + 7) / 8 * 8;
      c_->slots[k] = b ? Slot::adopt(b.detach()) : Slot{};
      continue;
    }
    Slot& held = c->slots()[slot++];
    c_->slots[k] = held;
    if (last_user) {
      held = Slot{};
    } else {
      retain(held);
    }
  }
  return failed;
}

// A call of a function that does nothing but give its parameters back: the record of an iteration.
Status Run::unpack(const Instr& i, Slot& callee) {
  Closure* c = callee.closure();
  const Site& s = p_.sites[i.site];
  Status failed = captured(callee);
  const uint32_t* d = p_.indices.data() + s.drops.begin;
  for (uint32_t k = 0; k < s.drops.size; ++k) release(objects_[d[k]]);
  const uint32_t* to_words = p_.indices.data() + i.result_words.begin;
  const uint32_t* to_objects = p_.indices.data() + i.result_objects.begin;
  for (uint32_t k = 0; k < i.result_words.size; ++k) words_[to_words[k]] = c->values()[k];
  for (uint32_t k = 0; k < i.result_objects.size; ++k) put(to_objects[k], c_->slots[k]);
  release(callee);
  return failed;
}

// A function value without parameters and results gives zeros for whatever a call expects: tensors of zeros,
// and itself for a function value. It is the cotangent of a stack of records that nothing flows back to.
Status Run::give_zeros(const Instr& i, Slot& callee) {
  const uint32_t* t = p_.indices.data() + i.types.begin;
  const uint32_t* to_words = p_.indices.data() + i.result_words.begin;
  const uint32_t* to_objects = p_.indices.data() + i.result_objects.begin;
  const Site& s = p_.sites[i.site];
  const uint32_t* d = p_.indices.data() + s.drops.begin;
  for (uint32_t k = 0; k < s.drops.size; ++k) release(objects_[d[k]]);
  Status failed;
  for (uint32_t k = 0; k < i.types.size && !failed; ++k) {
    const Type& type = p_.types[t[k]];
    if (type.word) {
      words_[*to_words++].bits = 0;
    } else if (type.kind == Kind::kFunction) {
      retain(callee);
      put(*to_objects++, callee);
    } else if (type.kind == Kind::kTensor) {
      BufferRef b;
      failed = allocate(type.bytes, b);
      if (failed) break;
      failed = set_zero(b->data(), type.bytes);
      put(*to_objects++, Slot::adopt(b.detach()));
    } else {
      failed = {Code::kInternal, "a function value has another signature than its call"};
    }
  }
  release(callee);
  return failed;
}

}  // namespace minds::runtime
