// class Device, Stream, Event: devices as Python sees them, and which one new arrays are made on.
#include <pybind11/stl.h>

#include "cpu/device.h"
#include "kernel/plugin.h"
#include "python/bindings.h"
#include "runtime/kept.h"

namespace minds::python {
namespace {

Device* chosen = nullptr;               // by set_device; nullptr: the CPU
thread_local Device* within = nullptr;  // by `using_device`, for this thread and a while

// Of a device, per thread: the stream that eager work is queued on, where it is not the default.
thread_local std::vector<Stream*> streams;

// Within `Ahead`: the lane on which this thread's copies to a device go.
thread_local Stream* ahead = nullptr;

py::dict memory(Device& d) {
  const Allocator::Stats s = d.allocator().stats();
  const MemoryInfo m = d.memory();
  py::dict out;
  out["in_use"] = s.in_use;
  out["cached"] = s.cached;
  out["peak"] = s.peak;
  out["peak_reserved"] = s.peak_reserved;
  out["total"] = m.total;
  out["free"] = m.free;
  return out;
}

py::dict properties(Device& d) {
  const DeviceProperties p = d.properties();
  py::dict libraries, out;
  for (const auto& [name, version] : p.libraries) libraries[py::str(name)] = version;
  out["name"] = p.name;
  out["major"] = p.major;
  out["minor"] = p.minor;
  out["processors"] = p.processors;
  out["warp"] = p.warp;
  out["libraries"] = libraries;
  return out;
}

// An event that remembers its device, so that streams of others refuse it.
struct BoundEvent {
  BoundEvent(Device& d, bool timing) : device(d), event(d.event(timing)) {}
  Device& device;
  std::unique_ptr<Event> event;
};

void same_device(const Stream& q, const BoundEvent& e) {
  if (&q.device() != &e.device) {
    throw py::value_error("the stream is of " + q.device().label() + ", the event of " + e.device.label());
  }
}

Status waiting(Status (*wait)(void*), void* what) {
  const py::gil_scoped_release nogil;
  return wait(what);
}

void synchronize(Device& d) {
  check(d.begin());
  check(waiting([](void* what) { return static_cast<Device*>(what)->synchronize(); }, &d));
  check_faults(d);
}

Device& device(const std::string& name, int index) {
  Device* d = nullptr;
  Status s;
  {
    const py::gil_scoped_release nogil;
    s = find_device(name, index, d);
  }
  check(s);
  return *d;
}

int count(const std::string& name) {
  int n = 0;
  check(device_count(name, n));
  return n;
}

void bind_streams(py::module_& m) {
  py::class_<Stream, std::unique_ptr<Stream, py::nodelete>>(m, "Stream", "Work queued on a device, run in order.")
      .def_property_readonly("device", &Stream::device, py::return_value_policy::reference)
      .def_property_readonly("handle", &Stream::handle)
      .def("idle", &Stream::idle)
      .def("record",
           [](Stream& q, BoundEvent& e) {
             same_device(q, e);
             check(q.record(*e.event));
           })
      .def("wait",
           [](Stream& q, BoundEvent& e) {
             same_device(q, e);
             check(q.wait(*e.event));
           })
      .def("synchronize", [](Stream& q) {
        check(waiting([](void* what) { return static_cast<Stream*>(what)->synchronize(); }, &q));
        check_faults(q.device());
      });
  py::class_<BoundEvent>(m, "Event", "A point in a stream's work.")
      .def(py::init<Device&, bool>(), py::arg("device"), py::arg("timing") = false)
      .def_property_readonly("device", [](BoundEvent& e) -> Device& { return e.device; },
                             py::return_value_policy::reference)
      .def("done", [](BoundEvent& e) { return e.event->done(); })
      .def("synchronize",
           [](BoundEvent& e) {
             check(waiting([](void* what) { return static_cast<Event*>(what)->synchronize(); }, e.event.get()));
           })
      .def("milliseconds_since", [](BoundEvent& e, BoundEvent& earlier) {
        if (&e.device != &earlier.device) throw py::value_error("the events are of different devices");
        double ms = 0;
        check(e.event->milliseconds_since(*earlier.event, ms));
        return ms;
      });
}

}  // namespace

Device& current_device() {
  if (within != nullptr) return *within;
  return chosen != nullptr ? *chosen : cpu::device();
}

Stream& current_stream(Device& d) {
  for (Stream* q : streams) {
    if (&q->device() == &d) return *q;
  }
  return d.stream();
}

namespace {

// `later` goes on when `first` has come so far.
Status follow(Stream& first, Stream& later) {
  const std::unique_ptr<Event> here = first.device().event(false);
  if (Status s = first.record(*here)) return s;
  return later.wait(*here);
}

}  // namespace

Ordered::Ordered(Device& d) : own_(current_stream(d)), others_(d.stream()) {
  if (&own_ != &others_) check(follow(own_, others_));
}

void Ordered::uses(const Array& a) const {
  if (&own_ == &others_ || &a.device() != &others_.device() || a.buffer->foreign()) return;
  a.device().allocator().used_by(*a.buffer.get(), others_);
}

Ordered::~Ordered() {
  // A device that fails here fails again where somebody waits for it.
  if (&own_ != &others_) static_cast<void>(follow(others_, own_).is_ok());
}

Status upload(Array& to, const void* from) {
  Device& d = to.device();
  Stream& own = current_stream(d);  // on which the array was made
  const bool by_lane = ahead != nullptr && &ahead->device() == &d && ahead != &own;
  if (by_lane) {
    if (Status s = follow(own, *ahead)) return s;
  }
  if (Status s = d.copy(to.data(), from, to.bytes(), CopyKind::kToDevice, by_lane ? *ahead : own)) return s;
  if (by_lane) d.allocator().used_by(*to.buffer.get(), *ahead);
  return {};
}

namespace {

// Copies to a device that run beside the work that is queued there, and a point from which that work needs them.
class Ahead {
 public:
  explicit Ahead(Device& d) : device_(d) {}
  void enter() { ahead = &device_.stream(Lane::kCopy); }
  void exit() {
    ahead = nullptr;
    there_ = device_.event(false);
    check(device_.stream(Lane::kCopy).record(*there_));
  }
  bool done() const { return there_ != nullptr && there_->done(); }
  void wait() const {
    if (there_ != nullptr) check(current_stream(device_).wait(*there_));
  }

 private:
  Device& device_;
  std::unique_ptr<Event> there_;
};

}  // namespace

void bind_device(py::module_& m) {
  py::class_<Device, std::unique_ptr<Device, py::nodelete>>(m, "Device", "A device that has been opened.")
      .def_property_readonly("name", &Device::name)
      .def_property_readonly("index", &Device::index)
      .def_property_readonly("label", &Device::label)
      .def_property_readonly("is_host", [](const Device& d) { return d.traits().host_memory; })
      .def("memory", &memory)
      .def("properties", &properties)
      .def("trim",
           [](Device& d) {
             static_cast<void>(runtime::give_back(d));
             d.allocator().trim();
           })
      .def("reset_peaks", [](Device& d) { d.allocator().reset_peaks(); })
      .def("synchronize", &synchronize)
      .def("stream", [](Device& d) -> Stream& { return d.stream(); }, py::return_value_policy::reference)
      .def("user_stream", [](Device& d) -> Stream& { return d.user_stream(); }, py::return_value_policy::reference)
      .def("__repr__", [](const Device& d) { return "<Device " + d.label() + ">"; });
  bind_streams(m);
  py::class_<Ahead>(m, "Ahead", "Copies to a device that run beside what is queued there.")
      .def(py::init<Device&>(), py::arg("device"))
      .def("__enter__",
           [](py::object self) {
             py::cast<Ahead&>(self).enter();
             return self;
           })
      .def("__exit__", [](Ahead& a, const py::args&) { a.exit(); })
      .def("done", &Ahead::done)
      .def("wait", &Ahead::wait);
  m.def("device", &device, py::arg("name"), py::arg("index") = 0, py::return_value_policy::reference,
        "The device, opened if it is not yet.");
  m.def("device_count", &count, py::arg("name"), "How many devices of a kind there are.");
  m.def("open_devices", [] {
    py::list out;
    for (Device* d : open_devices()) out.append(py::cast(d, py::return_value_policy::reference));
    return out;
  });
  m.def("current_device", &current_device, py::return_value_policy::reference, "Where new arrays are made.");
  m.def("set_device", [](Device& d) { chosen = &d; }, py::arg("device"), "Makes it the one for new arrays.");
  m.def(
      "use_device",
      [](py::object d) {
        Device* before = within;
        within = d.is_none() ? nullptr : py::cast<Device*>(d);
        return before == nullptr ? py::object(py::none()) : py::cast(before, py::return_value_policy::reference);
      },
      py::arg("device"), "Makes it the one for new arrays of this thread, or None for set_device's; gives the former.");
  m.def("current_stream", &current_stream, py::arg("device"), py::return_value_policy::reference);
  m.def(
      "set_stream",
      [](Stream& q) {
        for (Stream*& known : streams) {
          if (&known->device() == &q.device()) {
            known = &q;
            return;
          }
        }
        streams.push_back(&q);
      },
      py::arg("stream"), "Queues this thread's eager work on the stream's device there.");
}

}  // namespace minds::python
