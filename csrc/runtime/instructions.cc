// The instructions that are more than moving slots: kernels, callbacks, copies, parameters, function values.
#include "runtime/executor.h"

namespace minds::runtime {

Status Run::abandon(const Instr& i, Status s) {
  for (uint32_t n = 0; n < i.out.size; ++n) c_->fresh[n] = BufferRef();
  return s;
}

// Addresses for a kernel's operands and results, with memory where these need some.
Status Run::make_room(const Instr& i) {
  const PreparedKernel& k = p_.kernels[i.target];
  const Operand* in = p_.operands.data() + i.in.begin;
  const Operand* out = p_.operands.data() + i.out.begin;
  for (uint32_t n = 0; n < i.in.size; ++n) c_->in[n] = address(in[n]);
  for (uint32_t n = 0; n < i.out.size; ++n) {
    const size_t bytes = p_.types[k.out[n]].bytes;
    if (out[n].place == Place::kWord || out[n].place == Place::kArena) {
      c_->out[n] = const_cast<void*>(address(out[n]));
      continue;
    }
    const uint32_t donor = p_.indices[i.donors.begin + n];
    Slot* given =
        donor != 0 && in[donor - 1].place == Place::kMove ? &objects_[in[donor - 1].index] : nullptr;
    Buffer* buffer = given == nullptr ? nullptr : given->buffer();
    if (out[n].place == Place::kParam) {
      Cell& cell = *static_cast<Cell*>(objects_[out[n].index].data);
      if (Status s = write_param(cell, bytes, buffer != nullptr && buffer == cell.pin.get())) {
        return abandon(i, std::move(s));
      }
      c_->out[n] = cell.pin->data();
      continue;
    }
    if (buffer != nullptr && buffer->unique() && buffer->data() == given->data && buffer->bytes() >= bytes) {
      *given = Slot::borrow(given->data);  // the result takes the operand's buffer
      c_->fresh[n] = BufferRef(buffer);
    } else if (Status s = k.on_host ? reserve(bytes, *p_.host, c_->fresh[n]) : allocate(bytes, c_->fresh[n])) {
      return abandon(i, std::move(s));
    }
    c_->out[n] = c_->fresh[n]->data();
    if (batch_ != nullptr && !k.on_host) batch_->result(c_->out[n], bytes);
  }
  return {};
}

// The operands that end here go, and the results that came from the pool are in their slots.
void Run::put_away(const Instr& i) {
  const Operand* in = p_.operands.data() + i.in.begin;
  const Operand* out = p_.operands.data() + i.out.begin;
  for (uint32_t n = 0; n < i.in.size; ++n) {
    if (in[n].place == Place::kMove) drop(objects_[in[n].index]);
  }
  for (uint32_t n = 0; n < i.out.size; ++n) {
    if (out[n].place == Place::kPool) put(out[n].index, Slot::adopt(c_->fresh[n].detach()));
  }
}

Status Run::run_kernel(const Instr& i) {
  const PreparedKernel& k = p_.kernels[i.target];
  if (Status s = make_room(i)) return s;
  Status s;
  if (watched() != kNothing) [[unlikely]] {
    s = launch_watched(k);
  } else if (p_.away) {
    s = launch(k);
  } else {
    s = k.kernel->run({c_->in.data(), c_->out.data(), c_->workspace ? c_->workspace->data() : nullptr}, stream_);
  }
  if (s) return abandon(i, std::move(s));
  put_away(i);
  fuel_ -= 8;
  return {};
}

std::vector<Watched> Run::watched_of(const PreparedKernel& k, bool results) const {
  std::vector<Watched> all;
  const std::vector<uint32_t>& types = results ? k.out : k.in;
  for (size_t n = 0; n < types.size(); ++n) {
    const Type& t = p_.types[types[n]];
    const void* data = results ? c_->out[n] : c_->in[n];
    all.push_back({&t.spec, t.kind == Kind::kTensor && (!p_.away || t.away) ? data : nullptr});
  }
  return all;
}

// As `run_kernel` runs it, with what a watcher wants to know. A device is waited for: its kernels run one by one.
Status Run::launch_watched(const PreparedKernel& k) {
  const int wanted = watched();
  int before = -1, after = -1;
  if (wanted & kNan) {
    if (Status s = flush()) return s;
    if (Status s = find_nan(*p_.device, stream_, watched_of(k, false), before)) return s;
  }
  const int64_t begin = now();
  if (p_.away) {
    if (Status s = launch(k)) return s;
    if (Status s = flush()) return s;
    if (Status s = stream_.synchronize()) return s;
  } else {
    const Args a{c_->in.data(), c_->out.data(), c_->workspace ? c_->workspace->data() : nullptr};
    if (Status s = k.kernel->run(a, stream_)) return s;
  }
  if (wanted & kTimes) note({k.name, p_.number, number(), begin, now(), 0, memory_.stats().in_use});
  if (!(wanted & kNan)) return {};
  if (Status s = find_nan(*p_.device, stream_, watched_of(k, true), after)) return s;
  return after < 0 ? Status{} : nan_given(before);
}

// The operands as arrays, where their types say.
Status Run::host_arguments(const Instr& i, std::vector<Array>& args) {
  const HostType& h = p_.hosts[i.target];
  const Operand* in = p_.operands.data() + i.in.begin;
  for (uint32_t n = 0; n < i.in.size; ++n) {
    const Type& t = p_.types[h.in[n]];
    if (t.kind == Kind::kSized) {
      args.push_back(objects_[in[n].index].sized()->array);
      continue;
    }
    Array& a = args.emplace_back();
    const Slot* slot = in[n].place == Place::kObject || in[n].place == Place::kMove ? &objects_[in[n].index] : nullptr;
    Buffer* buffer = slot == nullptr || !h.shares ? nullptr : slot->buffer();
    if (buffer != nullptr && buffer->data() == slot->data && buffer->bytes() >= t.bytes) {
      buffer->retain();
      a = Array{t.spec, BufferRef(buffer)};
      continue;
    }
    // A copy: the callback may keep what it gets.
    Device& home = t.away ? *p_.device : *p_.host;
    if (Status s = make_array(home.allocator(), t.spec, a)) return s;
    if (t.bytes == 0) continue;
    if (Status s = home.copy(a.data(), address(in[n]), t.bytes, CopyKind::kOnDevice, home.stream())) return s;
  }
  return {};
}

// What a callback has put into a box is the parameter from now on.
void Run::refresh(Cell& c) {
  if (!c.box->buffer || c.box->bytes() != c.bytes) return;
  Device& home = c.pin->device();
  if (&c.box->device() != &home) {
    Array there;
    if (Status s = place(*c.box, home, there)) return;
    *c.box = std::move(there);
  }
  c.pin = c.box->buffer;
}

Status Run::run_host(const Instr& i) {
  std::vector<Array> args, results;
  if (Status s = host_arguments(i, args)) return s;
  HostCall call{args, results,
                [this] {
                  for (Cell& c : cells_) c.publish();
                },
                [this] {
                  for (Cell& c : cells_) refresh(c);
                }};
  if (Status s = p_.callbacks[p_.host_callbacks[i.target]](call)) return s;
  return host_results(i, results);
}

// Checks what the callback gave, and puts it where it belongs.
Status Run::host_results(const Instr& i, std::vector<Array>& results) {
  const HostType& h = p_.hosts[i.target];
  const Operand* in = p_.operands.data() + i.in.begin;
  const Operand* out = p_.operands.data() + i.out.begin;
  if (results.size() != i.out.size) {
    return {Code::kType, "returned " + std::to_string(results.size()) + " results, expected " +
                             std::to_string(i.out.size)};
  }
  for (uint32_t n = 0; n < i.out.size; ++n) {
    const Type& t = p_.types[h.out[n]];
    const TensorSpec& got = results[n].spec;
    const bool fits =
        t.kind == Kind::kSized ? got.shape.size() == t.rank : got.shape == t.spec.shape;
    if (got.dtype != t.spec.dtype || !fits) {
      return {Code::kType,
              "returned " + to_string(results[n].spec) + ", its inference says " + to_string(t.spec)};
    }
    Device& home = t.away ? *p_.device : *p_.host;
    if (&results[n].device() == &home) continue;
    Array there;
    if (Status s = copy_array(results[n], home, there)) return s;
    results[n] = std::move(there);
  }
  for (uint32_t n = 0; n < i.in.size; ++n) {
    if (in[n].place == Place::kMove) release(objects_[in[n].index]);
  }
  for (uint32_t n = 0; n < i.out.size; ++n) {
    const Type& t = p_.types[h.out[n]];
    if (t.kind == Kind::kSized) {
      put(out[n].index, Slot::adopt(new Sized{std::move(results[n])}));
      continue;
    }
    Device& home = t.away ? *p_.device : *p_.host;
    void* to;
    if (out[n].place == Place::kPool) {
      BufferRef b;
      if (Status s = reserve(t.bytes, home, b)) return s;
      to = b->data();
      put(out[n].index, Slot::adopt(b.detach()));
    } else {
      to = const_cast<void*>(address(out[n]));
    }
    if (t.bytes == 0) continue;
    if (Status s = home.copy(to, results[n].data(), t.bytes, CopyKind::kOnDevice, home.stream())) return s;
  }
  return {};
}

// Between words and memory of the host.
Status Run::copy(const Instr& i) {
  const Operand& in = p_.operands[i.in.begin];
  const Operand& out = p_.operands[i.out.begin];
  const void* from = address(in);
  void* to;
  Slot made;
  if (out.place == Place::kPool) {
    BufferRef b;
    if (Status s = reserve(i.bytes, *p_.host, b)) return s;
    made = Slot::adopt(b.detach());
    to = made.data;
  } else {
    to = const_cast<void*>(address(out));
  }
  if (i.bytes != 0) std::memmove(to, from, i.bytes);
  if (in.place == Place::kMove) release(objects_[in.index]);
  if (out.place == Place::kPool) put(out.index, made);
  return {};
}

Status Run::load(const Instr& i) {
  const Operand* o = p_.operands.data() + i.in.begin;
  Cell& cell = *static_cast<Cell*>(objects_[o[0].index].data);
  if (o[1].place == Place::kWord) {
    words_[o[1].index].bits = 0;
    std::memcpy(&words_[o[1].index], cell.pin->data(), i.bytes);
  } else {
    cell.pin->retain();
    put(o[1].index, Slot::adopt(cell.pin.get()));
  }
  if (o[0].place == Place::kMove) drop(objects_[o[0].index]);
  return {};
}

void Run::repin(Cell& cell, BufferRef b) {
  if (batch_ != nullptr && !batch_->empty()) batch_->keep(std::move(cell.pin));
  cell.pin = std::move(b);
  cell.dirty = true;
}

// Makes `cell` hold a buffer that only it and its box can see, apart from `aliases` slots of ours that will
// not be read again.
Status Run::write_param(Cell& cell, size_t bytes, int aliases) {
  if (cell.writable(aliases)) return {};
  BufferRef b;
  if (Status s = allocate(bytes, b)) return s;
  repin(cell, std::move(b));
  return {};
}

Status Run::assign(const Instr& i) {
  const Operand* o = p_.operands.data() + i.in.begin;
  Cell& cell = *static_cast<Cell*>(objects_[o[0].index].data);
  const bool moved = o[1].place == Place::kMove;
  Slot* value = moved ? &objects_[o[1].index] : nullptr;
  Buffer* buffer = value == nullptr ? nullptr : value->buffer();
  if (buffer != nullptr && buffer->unique() && buffer->data() == value->data && buffer->bytes() >= i.bytes) {
    repin(cell, BufferRef(buffer));
    *value = Slot{};
  } else {
    const void* from = address(o[1]);
    if (from != cell.pin->data()) {
      if (Status s = write_param(cell, i.bytes, 0)) return s;
      if (i.bytes != 0) {
        if (batch_ != nullptr) {
          batch_->copy(cell.pin->data(), from, i.bytes, static_cast<uint32_t>(number()));
        } else if (Status s = p_.device->copy(cell.pin->data(), from, i.bytes, CopyKind::kOnDevice, stream_)) {
          return s;
        }
      }
    }
    if (moved) drop(*value);
  }
  if (o[0].place == Place::kMove) drop(objects_[o[0].index]);
  return {};
}

Status Run::closure(const Instr& i) {
  const Site& s = p_.sites[i.site];
  const Function& f = p_.functions[i.target];
  Closure* c = Closure::make(&f, i.a);
  if (c == nullptr) return out_of_memory(sizeof(Closure));
  capture(*c, Layout{}, s);
  put(i.dst, Slot::adopt(c));
  return {};
}

// Arguments into a closure that holds what `before` says already.
void Run::capture(Closure& c, const Layout& before, const Site& s) {
  const uint32_t* w = p_.indices.data() + s.words.begin;
  const Operand* o = p_.operands.data() + s.objects.begin;
  Slot* slot = c.slots() + before.slots;
  char* bytes = c.packed() + before.bytes;
  for (uint32_t k = 0; k < s.objects.size; ++k) {
    const uint32_t size = c.fn->packed[before.objects + k];
    if (size == 0) {
      *slot++ = take(o[k]);
      continue;
    }
    std::memcpy(bytes, address(o[k]), size);
    bytes += (size + 7) / 8 * 8;
    if (o[k].place == Place::kMove) release(objects_[o[k].index]);
  }
  for (uint32_t k = 0; k < s.words.size; ++k) c.values()[before.words + k] = words_[w[k]];
}

Status Run::partial(const Instr& i) {
  const Site& s = p_.sites[i.site];
  Slot callee = take(p_.operands[i.in.begin]);
  Closure* from = callee.closure();
  const Function& f = *from->fn;
  bool fits = from->given + s.types.size <= f.params.size();
  for (uint32_t k = 0; fits && k < s.types.size; ++k) {
    fits = f.params[from->given + k].type == p_.indices[s.types.begin + k];
  }
  Closure* c = !fits ? nullptr : Closure::make(&f, from->given + s.types.size);
  if (c == nullptr) {
    release(callee);
    if (!fits) return {Code::kInternal, "a function value does not take these arguments"};
    return out_of_memory(sizeof(Closure));
  }
  const Layout& held = from->layout();
  for (uint32_t k = 0; k < held.slots; ++k) {
    retain(from->slots()[k]);
    c->slots()[k] = from->slots()[k];
  }
  for (uint32_t k = 0; k < held.words; ++k) c->values()[k] = from->values()[k];
  std::memcpy(c->packed(), from->packed(), held.bytes);
  capture(*c, held, s);
  release(callee);
  put(i.dst, Slot::adopt(c));
  return {};
}

}  // namespace minds::runtime
