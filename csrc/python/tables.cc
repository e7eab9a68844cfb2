// What the compiler must know of the core, as tables: the elementwise ops' forms and the program format.
#include "cpu/kernels/number.h"
#include "kernel/plugin.h"
#include "kernel/tile_program.h"
#include "python/bindings.h"
#include "runtime/program.h"

namespace minds::python {
namespace {

py::str text(std::string_view s) { return {s.data(), s.size()}; }
int code(DType t) { return static_cast<int>(t); }

py::list scalar_forms() {
  py::list out;
  for (const runtime::ScalarForm& f : runtime::scalar_forms()) {
    out.append(py::make_tuple(f.number, text(f.op), f.operands, code(f.in), code(f.out), f.checked));
  }
  return out;
}

py::list number_forms() {
  py::list out;
  for (const cpu::NumberForm& f : cpu::number_forms()) out.append(py::make_tuple(text(f.op), code(f.in), code(f.out)));
  return out;
}

py::list elementwise() {
  py::list out;
  const auto add = [&](const Elementwise& op, int operands) {
    out.append(py::make_tuple(text(op.name), operands, op.gives == Gives::kBool, op.refused != Refused::kNothing));
  };
  for (const Elementwise& op : kUnaryOps) add(op, 1);
  for (const Elementwise& op : kBinaryOps) add(op, 2);
  return out;
}

py::dict program_format() {
  py::list opcodes;
#define MINDS_NAME(Name, name) opcodes.append(#name);
  MINDS_OPCODES(MINDS_NAME)
#undef MINDS_NAME
  py::dict d;
  d["magic"] = runtime::kMagic;
  d["version"] = runtime::kVersion;
  d["opcodes"] = opcodes;
  d["scalar_base"] = runtime::kScalarBase;
  d["word_bytes"] = sizeof(runtime::Word);
  d["unit"] = kAlignment;
  d["away"] = runtime::kAway;
  d["tile_values"] = kTileValues;
  return d;
}

// Opens the device.
py::dict device_traits(const std::string& name, int index) {
  Device* device = nullptr;
  check(find_device(name, index, device));
  const DeviceTraits& t = device->traits();
  py::dict d;
  d["host_memory"] = t.host_memory;
  d["immediates"] = t.immediates;
  d["fuses"] = t.fuses;
  d["channels_last"] = t.channels_last;
  d["lanes"] = t.lanes;
  d["alignment"] = t.alignment;
  d["tile_values"] = t.tile_values;
  return d;
}

}  // namespace

void bind_tables(py::module_& m) {
  m.def("elementwise", &elementwise,
        "The elementwise kernels: (name, operands, whether it gives bool, whether integers may be refused when it "
        "runs).");
  m.def("scalar_forms", &scalar_forms,
        "The instructions on words: (number, kernel that does the same, operands, dtype codes of operands and result, "
        "whether it has CPython's errors).");
  m.def("number_forms", &number_forms,
        "What the kernel `python_number` computes: (op, dtype codes of operands and result).");
  m.def("device_traits", &device_traits, py::arg("name"), py::arg("index") = 0,
        "What the compiler must know of a device (csrc/device/device.h).");
  m.def("program_format", &program_format, "The constants of the format of programs.");
}

}  // namespace minds::python
