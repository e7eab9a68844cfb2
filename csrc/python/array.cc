// class Array: a mutable box around a buffer, exchanged with NumPy without a copy where that is safe.
#include <pybind11/numpy.h>

#include <cmath>
#include <cstring>

#include "base/half.h"
#include "cpu/device.h"
#include "python/bindings.h"
#include "python/derivative.h"
#include "runtime/kept.h"

namespace minds::python {
namespace {

constexpr size_t kQuickCopy = 256 * 1024;  // bytes that are copied before the interpreter lock is given away

// Memory that a Python object owns. That of a device is given back when the work has run that was queued before.
class Foreign final : public Buffer {
 public:
  Foreign(void* data, size_t bytes, Device& device, py::object owner)
      : Buffer(data, bytes, device, destroy), owner_(std::move(owner)) {
    foreign_ = true;
  }

 private:
  static void destroy(Buffer* b) noexcept {
    if (!Py_IsInitialized()) return;  // the interpreter took the owner down with it
    if (b->host() == nullptr) static_cast<void>(b->device().synchronize().is_ok());
    const py::gil_scoped_acquire gil;
    const std::unique_ptr<Foreign> gone(static_cast<Foreign*>(b));
  }
  py::object owner_;
};

const char* numpy_format(DType t) {
  static constexpr const char* formats[kDTypeCount] = {"?",  "i1", "i2", "i4", "i8", "u1", "u2", "u4",
                                                       "u8", "f2", "u2", "f4", "f8", "c8", "c16"};
  return formats[static_cast<int>(t)];
}

py::dtype numpy_dtype(DType t) { return py::dtype(std::string(numpy_format(t))); }

DType from_numpy_dtype(const py::dtype& d) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    const char* f = numpy_format(t);
    if (t != DType::kBFloat16 && (d.kind() == f[0] || (f[0] == '?' && d.kind() == 'b')) &&
        static_cast<size_t>(d.itemsize()) == item_size(t)) {
      return t;
    }
  }
  throw py::type_error("no dtype of minds for NumPy's " + py::cast<std::string>(py::str(d)));
}

// A lack of memory says where.
void check_memory(const Status& s, const Device& d) {
  const bool lacks = !s.is_ok() && s.code() == Code::kMemory && !d.traits().host_memory;
  check(lacks ? Status(Code::kMemory, s.message() + " on " + d.label()) : Status());
  check(s);
}

Array allocate(Shape shape, DType t, Device& d) {
  if (!d.traits().host_memory) check(d.begin());
  Array a{{t, std::move(shape)}, {}};
  if (d.traits().host_memory) {
    check(make_array(d.allocator(), TensorSpec(a.spec), a));
    return a;
  }
  check(check_shape(a.spec.shape, t));
  a.buffer = d.allocator().allocate(a.bytes(), current_stream(d));  // which is to fill it
  if (!a.buffer && runtime::give_back(d)) a.buffer = d.allocator().allocate(a.bytes(), current_stream(d));
  if (!a.buffer) check({Code::kMemory, "cannot allocate " + to_string(a.spec) + " on " + d.label()});
  a.buffer->set_site(user_site());
  return a;
}

Array from_numpy(const py::array& given, const py::object& code, bool copy, const py::object& device) {
  Device& d = to_device(device);
  py::array a = given;
  if (!a.dtype().attr("isnative").cast<bool>()) a = a.attr("astype")(a.dtype().attr("newbyteorder")("="));
  const DType t = code.is_none() ? from_numpy_dtype(a.dtype()) : to_dtype(py::cast<int>(code));
  if (t == DType::kBFloat16) {
    if (a.dtype().kind() != 'u' || a.itemsize() != 2)
      throw py::type_error("bfloat16 is given by its bits, as uint16");
  } else if (from_numpy_dtype(a.dtype()) != t) {
    throw py::type_error(std::string("expected an array of ") + name(t) + ", got " +
                         py::cast<std::string>(py::str(a.dtype())));
  }
  Shape shape(a.shape(), a.shape() + a.ndim());
  const bool contiguous = (a.flags() & py::array::c_style) != 0;
  const bool aligned = reinterpret_cast<uintptr_t>(a.data()) % kAlignment == 0;
  const bool here = d.traits().host_memory;
  if (here && !copy && contiguous && aligned && a.writeable() && a.size() > 0) {
    check(check_shape(shape, t));
    return {TensorSpec{t, std::move(shape)},
            foreign_buffer(a.mutable_data(), static_cast<size_t>(a.nbytes()), cpu::device(), py::object(a))};
  }
  if (!contiguous) {
    a = py::reinterpret_steal<py::array>(py::module_::import("numpy").attr("ascontiguousarray")(a).release());
  }
  Array out = allocate(std::move(shape), t, d);
  if (out.bytes() == 0) return out;
  if (here) {
    std::memcpy(out.data(), a.data(), out.bytes());
  } else {
    check(upload(out, a.data()));
  }
  return out;
}

// Of the host's memory a view, of a device's a copy.
py::array to_numpy(const Array& a) {
  if (Trace* t = Trace::current()) t->fail();  // what reads numbers may depend on them
  std::vector<py::ssize_t> shape(a.spec.shape.begin(), a.spec.shape.end());
  if (!a.device().traits().host_memory) {
    py::array out(numpy_dtype(a.spec.dtype), std::move(shape));
    read(a, out.mutable_data());
    return out;
  }
  // The capsule is the array's base: it keeps the buffer as long as the view lives.
  auto keep = std::make_unique<BufferRef>(a.buffer);
  const py::capsule base(keep.get(),
                         [](void* p) { const std::unique_ptr<BufferRef> gone(static_cast<BufferRef*>(p)); });
  keep.release();  // the capsule has it
  return py::array(numpy_dtype(a.spec.dtype), std::move(shape), a.data(), base);
}

template <class T>
void fill(Array& a, T v) {
  Device& d = a.device();
  if (d.traits().host_memory) {
    std::fill_n(static_cast<T*>(a.data()), a.size(), v);
  } else if (a.size() > 0) {
    check(d.fill(a.data(), &v, sizeof v, static_cast<size_t>(a.size()), current_stream(d)));
  }
}

// An int that must fit: a silent wrap would hide a user's mistake.
template <class T>
void fill_int(Array& a, py::handle number) {
  py::object n = py::reinterpret_borrow<py::object>(number);
  if (PyFloat_Check(n.ptr()))
    n = py::reinterpret_steal<py::object>(PyNumber_Long(n.ptr()));  // refuses NaN and infinities
  if (!n) throw py::error_already_set();
  n = py::reinterpret_steal<py::object>(PyNumber_Index(n.ptr()));
  if (!n) throw py::error_already_set();
  try {
    fill(a, py::cast<T>(n));
  } catch (const py::cast_error&) {
    const std::string what = py::cast<std::string>(py::str(n)) + " does not fit " + name(a.spec.dtype);
    PyErr_SetString(a.spec.dtype == DType::kInt64 ? PyExc_OverflowError : PyExc_ValueError, what.c_str());
    throw py::error_already_set();
  }
}

Array full(py::handle shape, int code, py::handle number, const py::object& device) {
  Array a = allocate(to_shape(shape), to_dtype(code), to_device(device));
  switch (a.spec.dtype) {
    case DType::kBool:
      fill(a, static_cast<uint8_t>(py::cast<bool>(py::bool_(py::reinterpret_borrow<py::object>(number)))));
      break;
    case DType::kInt8:
      fill_int<int8_t>(a, number);
      break;
    case DType::kInt16:
      fill_int<int16_t>(a, number);
      break;
    case DType::kInt32:
      fill_int<int32_t>(a, number);
      break;
    case DType::kInt64:
      fill_int<int64_t>(a, number);
      break;
    case DType::kUInt8:
      fill_int<uint8_t>(a, number);
      break;
    case DType::kUInt16:
      fill_int<uint16_t>(a, number);
      break;
    case DType::kUInt32:
      fill_int<uint32_t>(a, number);
      break;
    case DType::kUInt64:
      fill_int<uint64_t>(a, number);
      break;
    case DType::kFloat16:
      fill(a, float16(to_double(number)));
      break;
    case DType::kBFloat16:
      fill(a, bfloat16(to_double(number)));
      break;
    case DType::kFloat32:
      fill(a, static_cast<float>(to_double(number)));
      break;
    case DType::kFloat64:
      fill(a, to_double(number));
      break;
    default:
      throw py::type_error(std::string("cannot fill an array of ") + name(a.spec.dtype));
  }
  return a;
}

template <class T>
T first(const Array& a) {
  T v;
  if (a.device().traits().host_memory) {
    std::memcpy(&v, a.data(), sizeof v);
  } else {
    read(a, &v);
  }
  return v;
}

py::object item(const Array& a) {
  if (Trace* t = Trace::current()) t->fail();
  if (a.size() != 1) throw py::value_error("item() needs exactly one element, got " + to_string(a.spec));
  switch (a.spec.dtype) {
    case DType::kBool:
      return py::bool_(first<uint8_t>(a) != 0);
    case DType::kInt8:
      return py::int_(first<int8_t>(a));
    case DType::kInt16:
      return py::int_(first<int16_t>(a));
    case DType::kInt32:
      return py::int_(first<int32_t>(a));
    case DType::kInt64:
      return py::int_(first<int64_t>(a));
    case DType::kUInt8:
      return py::int_(first<uint8_t>(a));
    case DType::kUInt16:
      return py::int_(first<uint16_t>(a));
    case DType::kUInt32:
      return py::int_(first<uint32_t>(a));
    case DType::kUInt64:
      return py::int_(first<uint64_t>(a));
    case DType::kFloat16:
      return py::float_(static_cast<float>(first<float16>(a)));
    case DType::kBFloat16:
      return py::float_(static_cast<float>(first<bfloat16>(a)));
    case DType::kFloat32:
      return py::float_(first<float>(a));
    case DType::kFloat64:
      return py::float_(first<double>(a));
    default:
      return to_numpy(a).attr("item")();
  }
}

Array reshaped(const Array& a, py::handle shape) {
  TensorSpec spec{a.spec.dtype, to_shape(shape)};
  check(check_shape(spec.shape, spec.dtype));
  if (spec.size() != a.size())
    throw py::value_error("cannot reshape " + to_string(a.spec) + " to " + to_string(spec));
  return {std::move(spec), a.buffer};
}

void assign(Array& a, const Array& other, bool force) {
  if (!force && (a.spec.dtype != other.spec.dtype || a.spec.shape != other.spec.shape)) {
    throw py::value_error("cannot assign " + to_string(other.spec) + " to " + to_string(a.spec));
  }
  a = Array(other);
}

// NumPy's description of a tensor in CUDA's memory; other memory has none.
py::dict cuda_array_interface(const Array& a) {
  constexpr int kCuda = 2;  // DLPack's code
  if (a.device().traits().dlpack_type != kCuda)
    throw py::attribute_error("the tensor is on " + a.device().label() + ", which is not CUDA's memory");
  if (a.spec.dtype == DType::kBFloat16) throw py::attribute_error("NumPy has no bfloat16");
  py::dict d;
  d["shape"] = to_tuple(a.spec.shape);
  d["typestr"] = numpy_dtype(a.spec.dtype).attr("str");
  d["data"] = py::make_tuple(reinterpret_cast<uintptr_t>(a.data()), false);
  d["version"] = 3;
  const uintptr_t stream = current_stream(a.device()).handle();
  d["stream"] = stream == 0 ? py::object(py::int_(1)) : py::object(py::int_(stream));  // 1: the default stream
  return d;
}

}  // namespace

Array array_on(const Array& a, Device& to) {
  for (Device* d : {&a.device(), &to}) {
    if (d->traits().host_memory) continue;
    check(d->begin());
  }
  Array out;
  const Ordered from(a.device()), into(to);
  Status s;
  if (a.bytes() < kQuickCopy && a.device().traits().host_memory) {
    s = copy_array(a, to, out);
  } else {
    const py::gil_scoped_release nogil;
    s = copy_array(a, to, out);
  }
  from.uses(a);
  check_memory(s, to);
  if (!to.traits().host_memory) out.buffer->set_site(user_site());
  if (to.traits().host_memory && &a.device() != &to) check_faults(a.device());
  return out;
}

void read(const Array& a, void* to) {
  check(a.device().begin());
  const Ordered order(a.device());
  Status s;
  {
    const py::gil_scoped_release nogil;
    s = read_array(a, to);
  }
  check(s);
  check_faults(a.device());
}

BufferRef foreign_buffer(void* data, size_t bytes, Device& device, py::object owner) {
  return BufferRef(std::make_unique<Foreign>(data, bytes, device, std::move(owner)).release());
}

void bind_array(py::module_& m) {
  py::class_<Array> array(m, "Array", py::is_final(),
                          "A dense tensor in memory: a mutable box around a shared buffer.");
  array
      .def_static("from_numpy", &from_numpy, py::arg("a"), py::arg("dtype") = py::none(),
                  py::arg("copy") = true, py::arg("device") = py::none())
      .def_static("full", &full, py::arg("shape"), py::arg("dtype"), py::arg("value"),
                  py::arg("device") = py::none())
      .def_static(
          "empty",
          [](py::handle shape, int dtype, const py::object& device) {
            return allocate(to_shape(shape), to_dtype(dtype), to_device(device));
          },
          py::arg("shape"), py::arg("dtype"), py::arg("device") = py::none())
      .def_property_readonly("device", &Array::device, py::return_value_policy::reference)
      .def_property_readonly("site", [](const Array& a) { return site_of(a.buffer->site()); },
                             "The user's line that made it (file, line, function), or None.")
      .def_property_readonly("is_host", [](const Array& a) { return a.device().traits().host_memory; })
      .def("to", [](const Array& a, const py::object& device) { return array_on(a, to_device(device)); },
           py::arg("device"), "A copy on a device.")
      .def_property_readonly("shape", [](const Array& a) { return to_tuple(a.spec.shape); })
      .def_property_readonly("dtype", [](const Array& a) { return static_cast<int>(a.spec.dtype); })
      .def_property_readonly("size", &Array::size)
      .def_property_readonly("nbytes", &Array::bytes)
      .def_property_readonly("use_count", [](const Array& a) { return a.buffer->use_count(); })
      .def_property_readonly("data_ptr", [](const Array& a) { return reinterpret_cast<uintptr_t>(a.data()); })
      .def("numpy", &to_numpy)
      .def("item", &item)
      .def("reshape", &reshaped, py::arg("shape"))
      .def("assign", &assign, py::arg("other"), py::arg("force") = false)
      .def("copy", [](const Array& a) { return array_on(a, a.device()); })
      .def_property_readonly("__cuda_array_interface__", &cuda_array_interface)
      .def("__repr__", [](const Array& a) { return "<Array " + to_string(a.spec) + ">"; });
  bind_dlpack(array);
}

}  // namespace minds::python
