// Decodes the bytes of a program. Structure is checked here, meaning in verify.cc.
#include <algorithm>
#include <map>

#include "base/crc32.h"
#include "kernel/plugin.h"
#include "kernel/registry.h"
#include "runtime/machine/machine.h"
#include "runtime/program.h"
#include "runtime/reader.h"

namespace minds::runtime {
namespace {

constexpr uint32_t kMaxSlots = 1u << 22;

class Loader {
 public:
  Loader(std::span<const uint8_t> bytes, Program& p) : r_(bytes), p_(p) {}

  bool decode() {
    device_ = r_.str();
    types();
    const uint32_t constants = r_.count();
    for (uint32_t i = 0; i < constants; ++i) constant_types_.push_back(type());
    if (r_.u32() != p_.callbacks.size()) r_.fail();
    kernels();
    headers();
    for (Function& f : p_.functions) {
      f.first_instr = p_.instructions;
      const uint32_t n = r_.count();
      f.code.reserve(n);
      for (uint32_t i = 0; i < n && !r_.failed(); ++i) f.code.push_back(instruction(f));
      p_.instructions += n;
      f.record = !r_.failed() && is_record(f);
    }
    return r_.done();
  }

  Status finish(int64_t& instruction) {
    if (device_ != p_.device->name()) return {Code::kValue, "the program is for device '" + device_ + "'"};
    if (constant_types_.size() != p_.constants.size()) return {Code::kValue, "wrong number of constants"};
    for (size_t i = 0; i < constant_types_.size(); ++i) {
      const Type& t = p_.types[constant_types_[i]];
      const TensorSpec& have = p_.constants[i].spec;
      if (t.kind != Kind::kTensor || t.word || t.away != p_.away || t.spec.dtype != have.dtype || t.spec.shape != have.shape) {
        return {Code::kValue, "constant " + std::to_string(i) + " has another type"};
      }
    }
    if (Status s = verify(p_)) return s;
    if (Status s = place_constants()) return s;
    if (Status s = prepare(instruction)) return s;
    machine::assemble(p_, attrs_);
    return {};
  }

 private:
  uint32_t type() { return r_.below(p_.types.size()); }
  uint32_t function() { return r_.below(p_.functions.size()); }

  void types() {
    const uint32_t n = r_.count();
    p_.types.reserve(n);
    for (uint32_t i = 0; i < n && !r_.failed(); ++i) {
      Type t;
      const uint32_t kind = r_.u32();
      t.away = (kind & kAway) != 0;
      if ((kind & ~kAway) >= static_cast<uint32_t>(Kind::kCount)) return r_.fail();
      t.kind = static_cast<Kind>(kind & ~kAway);
      if (t.away && (!p_.away || t.kind == Kind::kFunction)) return r_.fail();
      if (t.kind == Kind::kSized) {
        t.spec.dtype = static_cast<DType>(r_.below(kDTypeCount));
        t.rank = r_.u32();
      } else if (t.kind != Kind::kFunction) {
        t.spec.dtype = static_cast<DType>(r_.below(kDTypeCount));
        const uint32_t rank = r_.count(2);
        for (uint32_t d = 0; d < rank; ++d) t.spec.shape.push_back(static_cast<int64_t>(r_.u64()));
        if (r_.failed()) return;
        if (Status s = check_shape(t.spec.shape, t.spec.dtype)) return r_.fail();
        t.bytes = t.spec.bytes();
        t.word = t.kind == Kind::kTensor && rank == 0 && t.bytes <= sizeof(Word) && !t.away;
      }
      p_.types.push_back(std::move(t));
    }
  }

  Attrs::Value attribute() {
    switch (r_.u32()) {
      case 0:
        return std::monostate{};
      case 1:
        return r_.u32() != 0;
      case 2:
        return static_cast<int64_t>(r_.u64());
      case 3:
        return r_.f64();
      case 4:
        return r_.str();
      case 5:
        return static_cast<DType>(r_.below(kDTypeCount));
      case 6: {
        std::vector<int64_t> v(r_.count(2));
        for (int64_t& x : v) x = static_cast<int64_t>(r_.u64());
        return v;
      }
      case 7: {
        std::vector<double> v(r_.count(2));
        for (double& x : v) x = r_.f64();
        return v;
      }
      default:
        r_.fail();
        return std::monostate{};
    }
  }

  void kernels() {
    const uint32_t n = r_.count();
    for (uint32_t i = 0; i < n && !r_.failed(); ++i) {
      PreparedKernel k;
      k.name = r_.str();
      Attrs& attrs = attrs_.emplace_back();
      for (uint32_t a = r_.count(); a > 0 && !r_.failed(); --a) {
        std::string name = r_.str();
        attrs.set(std::move(name), attribute());
      }
      for (uint32_t m = r_.count(); m > 0; --m) k.in.push_back(type());
      for (uint32_t m = r_.count(); m > 0; --m) k.out.push_back(type());
      if (r_.failed()) return;
      const auto away = [&](uint32_t t) { return p_.types[t].away; };
      k.on_host = p_.away && std::none_of(k.out.begin(), k.out.end(), away);
      p_.kernels.push_back(std::move(k));
    }
  }

  void headers() {
    const uint32_t n = r_.count(8);
    p_.functions.resize(n);
    for (Function& f : p_.functions) {
      if (r_.failed()) return;
      f.name = r_.str();
      for (uint32_t m = r_.count(2); m > 0; --m) {
        const uint32_t t = type();
        f.params.push_back({t, r_.u32() != 0});
        if (r_.failed()) return;
        ++(p_.types[t].word ? f.param_words : f.param_objects);
      }
      for (uint32_t m = r_.count(); m > 0; --m) f.results.push_back(type());
      f.objects = r_.below(kMaxSlots);
      f.words = r_.below(kMaxSlots);
      for (uint32_t m = r_.count(2); m > 0; --m) f.constants.push_back(r_.u64());
      f.arena = size_t{r_.u32()} * kAlignment;
      if (f.param_objects > f.objects || f.param_words + f.constants.size() > f.words) r_.fail();
      f.frame_bytes = sizeof(Frame) + f.objects * sizeof(Slot) + f.words * sizeof(Word);
      f.suffix.resize(f.params.size() + 1);
      for (size_t k = f.params.size(); k-- > 0;) f.suffix[k] = signature(f.params[k].type, f.suffix[k + 1]);
      for (size_t k = f.results.size(); k-- > 0;) f.result_sig = signature(f.results[k], f.result_sig);
      p_.max_args = std::max(p_.max_args, static_cast<uint32_t>(f.params.size()));
      f.layouts.resize(1);
      for (const Param& q : f.params) {
        const Type& t = p_.types[q.type];
        Layout l = f.layouts.back();
        if (t.word) {
          ++l.words;
        } else {
          const bool small =
              t.kind == Kind::kTensor && !t.away && t.bytes > 0 && t.bytes <= Layout::kPacked;
          ++l.objects;
          l.slots += !small;
          f.packed.push_back(small ? static_cast<uint32_t>(t.bytes) : 0);
          l.bytes += (f.packed.back() + 7) / 8 * 8;
        }
        f.layouts.push_back(l);
      }
      f.value = Closure{&f, 1, 0};
    }
  }

  // The number of a list of types, built like a Lisp list so that all suffixes of n parameters cost O(n). 0
  // is the empty list.
  uint32_t signature(uint32_t head, uint32_t tail) {
    return signatures_.try_emplace({head, tail}, static_cast<uint32_t>(signatures_.size() + 1)).first->second;
  }

  Operand operand() {
    const auto place = static_cast<Place>(r_.below(static_cast<size_t>(Place::kCount)));
    return {place, r_.u32()};
  }

  Range operands(uint32_t n) {
    const Range range{static_cast<uint32_t>(p_.operands.size()), n};
    for (uint32_t i = 0; i < n && !r_.failed(); ++i) p_.operands.push_back(operand());
    return range;
  }

  Range indices(uint32_t n) {
    const Range range{static_cast<uint32_t>(p_.indices.size()), n};
    for (uint32_t i = 0; i < n && !r_.failed(); ++i) p_.indices.push_back(r_.u32());
    return range;
  }

  Range list(const std::vector<uint32_t>& v) {
    const Range range{static_cast<uint32_t>(p_.indices.size()), static_cast<uint32_t>(v.size())};
    p_.indices.insert(p_.indices.end(), v.begin(), v.end());
    return range;
  }

  // Arguments of the given types, words and objects apart.
  template <class TypeAt>
  Site arguments(uint32_t n, TypeAt type_at) {
    Site s;
    std::vector<uint32_t> words;
    s.objects.begin = static_cast<uint32_t>(p_.operands.size());
    for (uint32_t i = 0; i < n && !r_.failed(); ++i) {
      const Operand o = operand();
      if (!p_.types[type_at(i)].word) {
        p_.operands.push_back(o);
      } else if (o.place == Place::kWord) {
        words.push_back(o.index);
      } else {
        r_.fail();
      }
    }
    s.objects.size = static_cast<uint32_t>(p_.operands.size()) - s.objects.begin;
    s.words = {static_cast<uint32_t>(p_.indices.size()), static_cast<uint32_t>(words.size())};
    p_.indices.insert(p_.indices.end(), words.begin(), words.end());
    p_.max_args = std::max(p_.max_args, n);
    return s;
  }

  uint32_t add(Site s) {
    s.drops = indices(r_.count());
    p_.sites.push_back(s);
    return static_cast<uint32_t>(p_.sites.size() - 1);
  }

  uint32_t direct() {
    const uint32_t fn = function();
    if (r_.failed()) return 0;
    const Function& f = p_.functions[fn];
    Site s = arguments(static_cast<uint32_t>(f.params.size()), [&](uint32_t i) { return f.params[i].type; });
    s.fn = fn;
    return add(s);
  }

  uint32_t typed(bool with_drops) {
    std::vector<uint32_t> types(r_.count());
    for (uint32_t& t : types) t = type();
    if (r_.failed()) return 0;
    Site s = arguments(static_cast<uint32_t>(types.size()), [&](uint32_t i) { return types[i]; });
    for (size_t k = types.size(); k-- > 0;) s.sig = signature(types[k], s.sig);
    s.types = list(types);
    if (with_drops) return add(s);
    p_.sites.push_back(s);
    return static_cast<uint32_t>(p_.sites.size() - 1);
  }

  // Where results go: one index per result, words and objects apart.
  void results(Instr& i, const std::vector<uint32_t>& types) {
    std::vector<uint32_t> objects;
    i.result_words.begin = static_cast<uint32_t>(p_.indices.size());
    for (uint32_t t : types) (p_.types[t].word ? p_.indices : objects).push_back(r_.u32());
    i.result_words.size = static_cast<uint32_t>(p_.indices.size()) - i.result_words.begin;
    i.result_objects = {static_cast<uint32_t>(p_.indices.size()), static_cast<uint32_t>(objects.size())};
    p_.indices.insert(p_.indices.end(), objects.begin(), objects.end());
    p_.max_args = std::max(p_.max_args, static_cast<uint32_t>(types.size()));
    i.keep = size_t{r_.u32()} * kAlignment;
  }

  void outs(Instr& i, uint32_t n) {
    i.out = {static_cast<uint32_t>(p_.operands.size()), n};
    i.donors = {static_cast<uint32_t>(p_.indices.size()), n};
    for (uint32_t k = 0; k < n && !r_.failed(); ++k) {
      p_.operands.push_back(operand());
      p_.indices.push_back(r_.u32());
    }
    p_.max_args = std::max({p_.max_args, i.in.size, n});
  }

  Instr instruction(const Function& self) {
    Instr i{};
    const uint32_t code = r_.u32();
    if (code >= kScalarBase) {
      if (!is_scalar(code - kScalarBase)) r_.fail();
      i.op = Opcode::kCount;
      i.scalar = code;
      i.a = r_.u32();
      i.b = r_.u32();
      i.dst = r_.u32();
      return i;
    }
    if (code >= static_cast<uint32_t>(Opcode::kCount)) r_.fail();
    i.op = static_cast<Opcode>(code);
    i.scalar = code;
    if (r_.failed()) return i;
    switch (i.op) {
      case Opcode::kRun: {
        i.target = r_.below(p_.kernels.size());
        if (r_.failed()) break;
        i.in = operands(static_cast<uint32_t>(p_.kernels[i.target].in.size()));
        outs(i, static_cast<uint32_t>(p_.kernels[i.target].out.size()));
        break;
      }
      case Opcode::kCopy: {
        const uint32_t t = type();
        if (r_.failed()) break;
        i.bytes = p_.types[t].bytes;
        i.in = operands(1);
        i.out = operands(1);
        break;
      }
      case Opcode::kCall:
        i.site = direct();
        if (!r_.failed()) results(i, p_.functions[p_.sites[i.site].fn].results);
        break;
      case Opcode::kTail:
        i.site = direct();
        break;
      case Opcode::kSwitch:
      case Opcode::kSwitchTail:
        i.in = operands(1);
        i.site = direct();
        i.other = direct();
        if (!r_.failed() && i.op == Opcode::kSwitch) results(i, p_.functions[p_.sites[i.site].fn].results);
        break;
      case Opcode::kCallValue:
      case Opcode::kTailValue: {
        i.in = operands(1);
        i.site = typed(true);
        if (i.op == Opcode::kTailValue) {
          i.b = self.result_sig;
          break;
        }
        std::vector<uint32_t> types(r_.count());
        for (uint32_t& t : types) t = type();
        if (r_.failed()) break;
        for (size_t k = types.size(); k-- > 0;)
          i.b = signature(types[k], i.b);  // b: signature of the results
        results(i, types);
        i.types = list(types);
        break;
      }
      case Opcode::kSelect:
        i.in = operands(3);
        i.dst = r_.u32();
        break;
      case Opcode::kClosure: {
        i.dst = r_.u32();
        i.target = function();
        const uint32_t n = r_.count();
        if (r_.failed() || n > p_.functions[i.target].params.size()) {
          r_.fail();
          break;
        }
        i.a = n;
        i.site = static_cast<uint32_t>(p_.sites.size());
        const Function& f = p_.functions[i.target];
        p_.sites.push_back(arguments(n, [&](uint32_t k) { return f.params[k].type; }));
        break;
      }
      case Opcode::kPartial:
        i.dst = r_.u32();
        i.in = operands(1);
        i.site = typed(false);
        break;
      case Opcode::kLoad:
      case Opcode::kAssign: {
        const uint32_t t = type();
        if (r_.failed()) break;
        i.bytes = p_.types[t].bytes;
        i.a = t;
        i.in = operands(2);  // load: reference, destination; assign: reference, value
        p_.assigns |= i.op == Opcode::kAssign;
        break;
      }
      case Opcode::kDrop:
        i.in = indices(r_.count());
        break;
      case Opcode::kHost: {
        p_.host_callbacks.push_back(r_.below(p_.callbacks.size()));
        HostType h;
        for (uint32_t m = r_.count(); m > 0; --m) h.in.push_back(type());
        for (uint32_t m = r_.count(); m > 0; --m) h.out.push_back(type());
        i.in = operands(static_cast<uint32_t>(h.in.size()));
        outs(i, static_cast<uint32_t>(h.out.size()));
        const auto sized = [&](uint32_t t) { return p_.types[t].kind == Kind::kSized; };
        h.shares = std::any_of(h.in.begin(), h.in.end(), sized) || std::any_of(h.out.begin(), h.out.end(), sized);
        p_.hosts.push_back(std::move(h));
        i.target = static_cast<uint32_t>(p_.hosts.size() - 1);
        break;
      }
      case Opcode::kUpload:
      case Opcode::kDownload:
      case Opcode::kSave: {
        i.lane = static_cast<Lane>(r_.below(kLanes));
        i.a = type();
        if (r_.failed()) break;
        i.bytes = p_.types[i.a].bytes;
        i.in = operands(1);
        i.out = operands(1);
        break;
      }
      case Opcode::kWait:
      case Opcode::kSignal:
      case Opcode::kArrive:
        i.lane = static_cast<Lane>(r_.below(kLanes));
        i.a = r_.below(kMaxSlots);
        p_.events = std::max(p_.events, i.a + 1);
        break;
      case Opcode::kReturn:
        i.site = static_cast<uint32_t>(p_.sites.size());
        p_.sites.push_back(arguments(static_cast<uint32_t>(self.results.size()),
                                     [&](uint32_t k) { return self.results[k]; }));
        break;
      case Opcode::kCount:
        r_.fail();
        break;
    }
    for (uint32_t k = 0; k < i.out.size && i.op == Opcode::kRun && !r_.failed(); ++k) {
      p_.assigns |= p_.operands[i.out.begin + k].place == Place::kParam;
    }
    return i;
  }

  // Where their types say, once for all runs.
  Status place_constants() {
    for (Array& a : p_.constants) {
      Device& home = p_.away ? *p_.device : *p_.host;
      if (&a.device() == &home) continue;
      Array there;
      if (Status s = copy_array(a, home, there)) return s;
      a = std::move(there);
    }
    return {};
  }

  Status prepare(int64_t& instruction) {
    for (size_t k = 0; k < p_.kernels.size(); ++k) {
      PreparedKernel& kernel = p_.kernels[k];
      Signature s;
      for (uint32_t t : kernel.in) {
        s.inputs.push_back(p_.types[t].spec);
        if (p_.away && !kernel.on_host) {
          s.inputs_at.push_back(p_.types[t].away ? Residence::kDevice : Residence::kHost);
        }
      }
      for (uint32_t t : kernel.out) s.outputs.push_back(p_.types[t].spec);
      s.device = kernel.on_host ? p_.host : p_.device;
      Prepared prepared;
      if (Status failed = Registry::instance().make(s.device->name(), kernel.name, attrs_[k], s, kernel.kernel,
                                                    prepared)) {
        instruction = first_use(static_cast<uint32_t>(k));
        return failed;
      }
      kernel.workspace = prepared.workspace;
      size_t& most = kernel.on_host ? p_.host_workspace : p_.workspace;
      most = std::max(most, prepared.workspace);
    }
    return {};
  }

  bool is_record(const Function& f) const {
    if (f.code.size() != 1 || f.code[0].op != Opcode::kReturn || f.code[0].scalar >= kScalarBase) return false;
    const Site& s = p_.sites[f.code[0].site];
    if (s.words.size != f.param_words || s.objects.size != f.param_objects) return false;
    for (uint32_t k = 0; k < s.words.size; ++k) {
      if (p_.indices[s.words.begin + k] != k) return false;
    }
    for (uint32_t k = 0; k < s.objects.size; ++k) {
      const Operand& o = p_.operands[s.objects.begin + k];
      if (o.place != Place::kMove || o.index != k) return false;
    }
    return true;
  }

  int64_t first_use(uint32_t kernel) const {
    for (const Function& f : p_.functions) {
      for (size_t k = 0; k < f.code.size(); ++k) {
        if (f.code[k].op == Opcode::kRun && f.code[k].target == kernel)
          return f.first_instr + static_cast<int64_t>(k);
      }
    }
    return -1;
  }

  Reader r_;
  Program& p_;
  std::string device_;
  std::vector<uint32_t> constant_types_;
  std::vector<Attrs> attrs_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> signatures_;
};

}  // namespace

Status load(std::span<const uint8_t> bytes, Device& device, std::vector<HostFn> callbacks,
            std::vector<Array> constants, std::unique_ptr<Program>& out, int64_t& instruction) {
  constexpr size_t kHeader = 3 * sizeof(uint32_t);
  instruction = -1;
  Reader head(bytes);
  if (head.u32() != kMagic || head.u32() != kVersion)
    return {Code::kValue, "not a program of this version of minds"};
  const uint32_t checksum = head.u32();
  if (head.failed() || crc32(bytes.subspan(kHeader)) != checksum)
    return {Code::kValue, "corrupted program: wrong checksum"};
  auto p = std::make_unique<Program>();
  p->device = &device;
  if (Status s = find_device("cpu", 0, p->host)) return s;
  p->away = !device.traits().host_memory;
  p->callbacks = std::move(callbacks);
  p->constants = std::move(constants);
  Loader loader(bytes.subspan(kHeader), *p);
  if (!loader.decode()) return {Code::kValue, "corrupted program"};
  if (Status s = loader.finish(instruction)) return s;
  out = std::move(p);
  return {};
}

}  // namespace minds::runtime
