// The world of processes, and jobs that run beside the program.
#include "python/comm.h"

#include <pybind11/stl.h>

#include <mutex>
#include <optional>

#include "comm/history.h"
#include "comm/queue.h"
#include "comm/segment.h"
#include "comm/world.h"
#include "runtime/trace.h"

namespace minds::python {
namespace {

using comm::World;

// Python objects that native code keeps for ever, or lets go with the interpreter's lock.
std::shared_ptr<py::object> shared(py::object fn) {
  return {new py::object(std::move(fn)), [](py::object* p) {
            if (!Py_IsInitialized()) return;
            const py::gil_scoped_acquire gil;
            delete p;
          }};
}

// An exchange that was watched.
struct Noted {
  std::string what, site;
  int64_t begin, end;
  size_t sent;
};
std::mutex noted_lock;
std::vector<Noted> noted;

void note(const comm::Exchanged& e) {
  if ((runtime::watched() & runtime::kTimes) == 0) return;
  const std::lock_guard guard(noted_lock);
  noted.push_back({e.call.what, e.call.site, e.begin, e.end, e.sent});
}

py::list take_exchanges() {
  std::vector<Noted> all;
  {
    const std::lock_guard guard(noted_lock);
    all.swap(noted);
  }
  py::list out;
  for (const Noted& n : all) out.append(py::make_tuple(n.what, n.site, n.begin, n.end, n.sent));
  return out;
}

void watch(py::object waiting, py::object left, py::object line) {
  const auto ask = shared(std::move(waiting)), tell = shared(std::move(left)), where = shared(std::move(line));
  World::instance().watch({
      [ask](const comm::Call& call, const std::vector<int>& ranks, double seconds) -> Status {
        const py::gil_scoped_acquire gil;
        try {
          if (PyErr_CheckSignals() != 0) throw py::error_already_set();
          (*ask)(call.what, call.site, ranks, seconds);
        } catch (const py::error_already_set&) {
          return keep_host_error();
        }
        return {};
      },
      [tell]() -> Status {
        const py::gil_scoped_acquire gil;
        try {
          (*tell)();
        } catch (const py::error_already_set&) {  // such as Ctrl-C
          return keep_host_error();
        }
        return {};
      },
      []() -> Status {
        const py::gil_scoped_acquire gil;
        try {
          if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        } catch (const py::error_already_set&) {
          return keep_host_error();
        }
        return {};
      },
      &note,
      [where](std::string& line) -> Status {
        const py::gil_scoped_acquire gil;
        try {
          line = py::cast<std::string>((*where)());
        } catch (const py::error_already_set&) {
          return keep_host_error();
        }
        return {};
      },
  });
}

// Sends bytes to ranks and receives as many as are said from others.
py::list exchange(const std::vector<std::pair<int, py::bytes>>& send, const std::vector<std::pair<int, size_t>>& receive,
                  const std::string& what) {
  std::vector<comm::Outgoing> out;
  for (const auto& [rank, data] : send) {
    const std::string_view view = data;
    out.push_back({rank, view.data(), view.size()});
  }
  std::vector<std::string> got;
  std::vector<comm::Incoming> in;
  for (const auto& [rank, bytes] : receive) got.emplace_back(bytes, '\0');
  for (size_t i = 0; i < got.size(); ++i) in.push_back({receive[i].first, got[i].data(), got[i].size()});
  Status s;
  {
    const py::gil_scoped_release nogil;
    s = World::instance().exchange(out, in, {what, "", comm::tag_of("bytes")});
  }
  check(s);
  py::list all;
  for (const std::string& g : got) all.append(py::bytes(g));
  return all;
}

// Runs a callable of Python, which raises nothing.
std::shared_ptr<comm::Job> begin(py::object work) {
  const auto held = shared(std::move(work));
  return comm::begin([held]() -> Status {
    const py::gil_scoped_acquire gil;
    try {
      (*held)();
    } catch (py::error_already_set& e) {
      e.discard_as_unraisable("minds communication");
    }
    return {};
  });
}

}  // namespace

void bind_comm(py::module_& m) {
  m.def(
      "comm_open",
      [](const std::string& library) {
        Status s;
        {
          const py::gil_scoped_release nogil;
          s = World::instance().open(library);
        }
        check(s);
      },
      py::arg("library"));
  m.def("comm_world", [] { return py::make_tuple(World::instance().rank(), World::instance().size()); });
  m.def(
      "comm_segment",
      []() -> std::optional<std::pair<int, uint64_t>> {
        std::pair<int, uint64_t> made;
        if (!comm::Segments::instance().make(made.first, made.second)) return {};
        return made;
      },
      "Makes the memory that others of this host may read: its file, and the number that it begins with.");
  m.def("comm_reach",
        [](int rank, int pid, int file, uint64_t key) {
          return comm::Segments::instance().reach(rank, pid, file, key);
        },
        py::arg("rank"), py::arg("pid"), py::arg("file"), py::arg("key"), "Whether that of another process is here.");
  m.def("comm_share", [](bool all) { comm::Segments::instance().use(all); }, py::arg("all"),
        "Says whether each process reaches each other's, for collectives that are prepared from now on.");
  m.def("comm_watch", &watch, py::arg("waiting"), py::arg("left"), py::arg("line"));
  m.def("comm_exchange", &exchange, py::arg("send"), py::arg("receive"), py::arg("what"));
  m.def("take_exchanges", &take_exchanges,
        "What this process exchanged with others while it was watched, and was not taken yet: (what, line, begin, end, "
        "bytes sent). Times are nanoseconds.");
  m.def("comm_settle", [] { check(comm::after_begun()); }, py::call_guard<py::gil_scoped_release>(),
        "Waits for what runs beside the program.");
  m.def("comm_close", [] { check(World::instance().close()); });
  m.def("comm_abort", [](int code) { World::instance().abort(code); }, py::arg("code"));
  m.def("comm_counts", [] { return py::make_tuple(comm::History::counts(), World::instance().messages()); },
        "How many collectives each group of ranks has had, and how many messages each rank got and gave.");
  m.def("comm_bytes_sent", [] { return World::instance().bytes_sent(); });
  py::class_<comm::Job, std::shared_ptr<comm::Job>>(m, "CommJob")
      .def(
          "wait", [](comm::Job& job, double seconds) { return job.wait(seconds); }, py::arg("seconds"),
          py::call_guard<py::gil_scoped_release>());
  m.def("comm_begin", &begin, py::arg("work"));
}

}  // namespace minds::python
