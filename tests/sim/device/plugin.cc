// The plug-in: its kernels are those of the CPU, under another name.
#include <cstdlib>

#include "device.h"
#include "kernel/plugin.h"
#include "kernel/registry.h"

namespace minds::sim {
namespace {

size_t setting(const char* name, size_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 0);
}

// Shapes and attributes are checked on the host, by preparing the CPU's kernel, whose twin in the device process runs.
class SimKernel final : public Kernel {
 public:
  SimKernel(std::string_view op, const Attrs& attrs) : op_(op), attrs_(attrs) {}
  ~SimKernel() override {
    if (process_ != nullptr) static_cast<void>(process_->post(0, Kind::kForget, Writer().put(id_)));
  }

  Status prepare(const Signature& s, Prepared& p) override {
    if (s.device == nullptr) return {Code::kInternal, "sim: a kernel is prepared for no device"};
    std::unique_ptr<Kernel> checked;
    const Signature plain{s.inputs, s.outputs};
    if (Status bad = Registry::instance().make("cpu", op_, attrs_, plain, checked, p)) return bad;
    bytes_.clear();
    for (size_t n = 0; n < s.inputs.size(); ++n) bytes_.push_back(s.on_host(n) ? s.inputs[n].bytes() : 0);
    outputs_ = s.outputs.size();
    static std::atomic<uint64_t> last{0};
    id_ = ++last;
    process_ = &static_cast<SimDevice*>(s.device)->process();
    Writer body;
    body.put(id_).text(op_).attrs(attrs_).specs(s.inputs).specs(s.outputs).put(p.workspace);
    return process_->post(0, Kind::kPrepare, body);
  }

  Status run(const Args& a, Stream& q) const override {
    Writer body;
    body.put(id_).put(a.instruction).put(a.fault);
    for (size_t n = 0; n < bytes_.size(); ++n) {
      body.put(bytes_[n] != 0);
      if (bytes_[n] != 0) {
        body.raw(a.in[n], bytes_[n]);
      } else {
        body.put(a.in[n]);
      }
    }
    body.raw(a.out, outputs_ * sizeof *a.out).put(a.workspace);
    return process_->post(number_of(q), Kind::kRun, body);
  }

 private:
  const std::string op_;
  const Attrs attrs_;
  uint64_t id_ = 0;
  Process* process_ = nullptr;
  std::vector<size_t> bytes_;  // of the inputs that are words of the host; 0: an address
  size_t outputs_ = 0;
};

std::unique_ptr<Kernel> make(std::string_view op, const Attrs& attrs) {
  return std::make_unique<SimKernel>(op, attrs);
}

Registry& kernels() {
  static Registry& all = *new Registry;
  for (const Registry::Entry& e : Registry::instance().entries()) all.add("sim", e.op, {e.dtype}, make);
  return all;
}

Status count(int& n) {
  n = static_cast<int>(setting("MINDS_SIM_DEVICES", 2));
  return {};
}

Status open(int index, Device*& out) {
  std::unique_ptr<Process> process;
  const Machine machine{"sim:" + std::to_string(index), "sim_device", index,
                        setting("MINDS_SIM_MEMORY", size_t{1} << 30)};
  if (Status s = Process::start(machine, process)) return s;
  auto memory = std::make_unique<Memory>(*process);
  out = std::make_unique<SimDevice>(index, std::move(process), std::move(memory)).release();
  return {};
}

// Made when it is asked for: then all of the CPU's kernels are in the registry.
const Plugin& plugin() {
  static const Plugin made{"sim", count, open, kernels()};
  return made;
}

}  // namespace
}  // namespace minds::sim

MINDS_PLUGIN(minds::sim::plugin())
