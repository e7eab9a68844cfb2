// What the profiler and the search for NaN ask the runtime to watch.
#include "runtime/trace.h"

#include "python/bindings.h"

namespace minds::python {

void bind_trace(py::module_& m) {
  m.def(
      "watch",
      [](bool times, bool nan) {
        runtime::watching = (times ? runtime::kTimes : 0) | (nan ? runtime::kNan : 0);
      },
      py::arg("times"), py::arg("nan"),
      "Watch kernels from now on: note when each ran, fail at the first that gives a NaN.");
  m.def(
      "take_spans",
      [] {
        py::list out;
        for (const runtime::Span& s : runtime::take_spans()) {
          const py::object where =
              s.program == 0 ? site_of(static_cast<uint16_t>(s.where)) : py::object(py::int_(s.where));
          out.append(py::make_tuple(s.op, s.program, where, s.begin, s.end, s.thread, s.in_use));
        }
        return out;
      },
      "What ran while it was watched, and was not taken yet: (kernel, program, where, begin, end, thread, bytes in "
      "use). A program's kernel is at an instruction, an eager one (program 0) at a (file, line, function) or None; a "
      "whole run of a program has no kernel. Times are nanoseconds.");
}

}  // namespace minds::python
