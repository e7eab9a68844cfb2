// DLPack: exchange of memory with other frameworks. The structs are the public C ABI, versions 0 and 1.
#include <cstring>

#include "cpu/device.h"
#include "kernel/plugin.h"
#include "python/bindings.h"

namespace minds::python {
namespace {

extern "C" {
struct DLDevice {
  int32_t device_type, device_id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor dl_tensor;
};
}

constexpr int32_t kCpu = 1;
constexpr uint64_t kReadOnly = 1;
constexpr const char *kName = "dltensor", *kUsed = "used_dltensor";
constexpr const char *kVersionedName = "dltensor_versioned", *kVersionedUsed = "used_dltensor_versioned";

// DLPack's type codes: 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool.
DLDataType to_dl(DType t) {
  static constexpr uint8_t codes[kDTypeCount] = {6, 0, 0, 0, 0, 1, 1, 1, 1, 2, 4, 2, 2, 5, 5};
  return {codes[static_cast<int>(t)], static_cast<uint8_t>(item_size(t) * 8), 1};
}

DType from_dl(DLDataType d) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const DLDataType c = to_dl(static_cast<DType>(i));
    if (c.code == d.code && c.bits == d.bits && d.lanes == 1) return static_cast<DType>(i);
  }
  throw py::type_error("no dtype of minds for DLPack's code " + std::to_string(d.code) + ", " +
                       std::to_string(d.bits) + " bits, " + std::to_string(d.lanes) + " lanes");
}

// What an exported tensor keeps alive.
template <class Managed>
struct Exported {
  Managed managed{};
  BufferRef buffer;
  Shape shape, strides;
};

template <class Managed>
Managed* export_tensor(const Array& a) {
  auto e = std::make_unique<Exported<Managed>>();
  e->buffer = a.buffer;
  e->shape = a.spec.shape;
  e->strides.resize(e->shape.size());
  int64_t step = 1;
  for (size_t i = e->shape.size(); i-- > 0; step *= e->shape[i]) e->strides[i] = step;
  e->managed.dl_tensor = {a.data(),
                          {a.device().traits().dlpack_type, a.device().index()},
                          static_cast<int32_t>(e->shape.size()),
                          to_dl(a.spec.dtype),
                          e->shape.data(),
                          e->strides.data(),
                          0};
  e->managed.manager_ctx = e.get();
  e->managed.deleter = [](Managed* m) {
    const std::unique_ptr<Exported<Managed>> gone(static_cast<Exported<Managed>*>(m->manager_ctx));
  };
  return &e.release()->managed;  // freed by its deleter
}

// Frees a capsule that nobody consumed.
template <class Managed>
void drop(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* m = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (m->deleter != nullptr) m->deleter(m);
}

// The consumer's stream must not read before what is queued here has run. Its streams are not ours, so the host waits,
// unless the consumer uses ours or wants no order.
void order(const Array& a, const py::object& stream) {
  Device& d = a.device();
  if (d.traits().host_memory) {
    if (!stream.is_none()) throw py::value_error("the CPU has no streams; stream must be None");
    return;
  }
  check(d.begin());
  Stream& q = current_stream(d);
  const int64_t given = stream.is_none() ? 0 : py::cast<int64_t>(stream);
  if (given == -1 || (given != 0 && static_cast<uintptr_t>(given) == q.handle())) return;
  const py::gil_scoped_release nogil;
  if (Status s = q.synchronize()) {
    const py::gil_scoped_acquire gil;
    check(s);
  }
}

py::object to_dlpack(const Array& a, const py::object& stream, const py::object& max_version,
                     const py::object& device, const py::object& copy) {
  const bool wanted = !copy.is_none() && py::cast<bool>(copy);
  Array source = a;
  if (!device.is_none()) {
    const auto [type, index] = py::cast<std::pair<int, int>>(device);
    if (type != a.device().traits().dlpack_type || index != a.device().index()) {
      const bool to_host = type == kCpu && index == 0 && (copy.is_none() || wanted);
      if (!to_host) {
        throw py::buffer_error("the tensor is on " +
                               (a.device().traits().host_memory ? "the CPU" : a.device().label()));
      }
      source = array_on(a, cpu::device());
    }
  }
  if (&source.device() == &a.device()) {
    order(a, stream);
    if (wanted) source = array_on(a, a.device());
  }
  PyObject* capsule = nullptr;
  if (!max_version.is_none() && py::cast<std::pair<int, int>>(max_version).first >= 1) {
    auto* m = export_tensor<DLManagedTensorVersioned>(source);
    m->major = 1;
    m->flags = source.buffer.get() == a.buffer.get() ? 0 : 2;  // 2: a copy was made
    capsule = PyCapsule_New(m, kVersionedName,
                            [](PyObject* c) { drop<DLManagedTensorVersioned>(c, kVersionedName); });
  } else {
    capsule = PyCapsule_New(export_tensor<DLManagedTensor>(source), kName,
                            [](PyObject* c) { drop<DLManagedTensor>(c, kName); });
  }
  if (capsule == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(capsule);
}

bool is_compact(const DLTensor& t) {
  if (t.strides == nullptr) return true;
  int64_t step = 1;
  for (int32_t i = t.ndim; i-- > 0; step *= t.shape[i]) {
    if (t.shape[i] != 1 && t.strides[i] != step) return false;
  }
  return true;
}

// Copies a strided tensor into a dense one.
void gather(const DLTensor& t, const char* from, char* to, size_t item) {
  Shape at(static_cast<size_t>(t.ndim), 0);
  for (;;) {
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d) offset += at[d] * t.strides[d];
    std::memcpy(to, from + offset * static_cast<int64_t>(item), item);
    to += item;
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == t.shape[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

// The open device that DLPack's pair names.
Device& owner_of(int32_t type, int32_t index) {
  if (type == kCpu) return cpu::device();
  for (Device* d : open_devices()) {
    if (d->traits().dlpack_type == type && d->index() == index) return *d;
  }
  throw py::buffer_error("no open device has memory of DLPack's type " + std::to_string(type) + ", number " +
                         std::to_string(index) + "; set_context(device_target=...) opens one");
}

Array import_tensor(const DLTensor& t, bool read_only, const py::object& owner) {
  Device& d = owner_of(t.device.device_type, t.device.device_id);
  const bool here = d.traits().host_memory;
  Array a;
  a.spec = {from_dl(t.dtype), Shape(t.shape, t.shape + t.ndim)};
  check(check_shape(a.spec.shape, a.spec.dtype));
  char* data = static_cast<char*>(t.data) + t.byte_offset;
  const bool aligned = reinterpret_cast<uintptr_t>(data) % kAlignment == 0;
  if (is_compact(t) && aligned && !read_only && a.size() > 0) {
    a.buffer = foreign_buffer(data, a.bytes(), d, owner);
    return a;
  }
  if (!is_compact(t) && !here) throw py::buffer_error("a tensor of " + d.label() + " must be contiguous");
  if (!here) check(d.begin());
  check(make_array(d.allocator(), TensorSpec(a.spec), a));
  if (a.size() == 0) return a;
  if (is_compact(t)) {
    check(d.copy(a.data(), data, a.bytes(), CopyKind::kOnDevice, d.stream()));
    if (!here) check(d.synchronize());  // then its owner may go
  } else {
    gather(t, data, static_cast<char*>(a.data()), item_size(a.spec.dtype));
  }
  return a;
}

// Takes a capsule over: renames it, and hands its tensor to a new owner that calls the deleter.
template <class Managed>
std::pair<Managed*, py::object> consume(py::handle capsule, const char* name, const char* used) {
  auto* m = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (m == nullptr) throw py::error_already_set();
  py::capsule owner(m, [](void* p) {
    auto* gone = static_cast<Managed*>(p);
    if (gone->deleter != nullptr) gone->deleter(gone);
  });
  PyCapsule_SetName(capsule.ptr(), used);
  return {m, std::move(owner)};
}

Array from_dlpack(const py::object& source) {
  py::object capsule = source;
  if (!PyCapsule_CheckExact(source.ptr())) {
    if (!py::hasattr(source, "__dlpack__")) throw py::type_error("expected an object with __dlpack__");
    py::dict given;
    if (py::hasattr(source, "__dlpack_device__")) {
      const auto [type, index] = py::cast<std::pair<py::int_, py::int_>>(source.attr("__dlpack_device__")());
      Device& d = owner_of(py::cast<int>(type), py::cast<int>(index));
      if (!d.traits().host_memory) given["stream"] = current_stream(d).handle();
    }
    try {
      capsule = source.attr("__dlpack__")(**given, py::arg("max_version") = py::make_tuple(1, 0));
    } catch (py::error_already_set& e) {
      if (!e.matches(PyExc_TypeError)) throw;
      capsule = source.attr("__dlpack__")(**given);  // a producer from before version 1
    }
  }
  if (PyCapsule_IsValid(capsule.ptr(), kVersionedName)) {
    const auto [m, owner] = consume<DLManagedTensorVersioned>(capsule, kVersionedName, kVersionedUsed);
    if (m->major != 1) throw py::buffer_error("unknown major version of DLPack");
    return import_tensor(m->dl_tensor, (m->flags & kReadOnly) != 0, owner);
  }
  if (!PyCapsule_IsValid(capsule.ptr(), kName)) throw py::type_error("expected an unused DLPack capsule");
  const auto [m, owner] = consume<DLManagedTensor>(capsule, kName, kUsed);
  return import_tensor(m->dl_tensor, false, owner);
}

}  // namespace

void bind_dlpack(py::class_<Array>& array) {
  array
      .def("__dlpack__", &to_dlpack, py::kw_only(), py::arg("stream") = py::none(),
           py::arg("max_version") = py::none(), py::arg("dl_device") = py::none(),
           py::arg("copy") = py::none())
      .def("__dlpack_device__", [](const Array& a) {
        return py::make_tuple(a.device().traits().dlpack_type, a.device().index());
      })
      .def_static("from_dlpack", &from_dlpack, py::arg("source"));
}

}  // namespace minds::python
