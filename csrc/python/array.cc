// class Array: a mutable box around a buffer, exchanged with NumPy without a copy where that is safe.
#include <pybind11/numpy.h>

#include <cmath>
#include <cstring>

#include "base/half.h"
#include "cpu/device.h"
#include "python/bindings.h"

namespace minds::python {
namespace {

// Memory that a Python object owns.
class Foreign final : public Buffer {
 public:
  Foreign(void* data, size_t bytes, Device& device, py::object owner)
      : Buffer(data, bytes, device, destroy), owner_(std::move(owner)) {
    foreign_ = true;
  }

 private:
  static void destroy(Buffer* b) noexcept {
    if (!Py_IsInitialized()) return;  // the interpreter took the owner down with it
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

Array allocate(Shape shape, DType t) {
  Array a;
  check(make_array(cpu::device().allocator(), {t, std::move(shape)}, a));
  return a;
}

Array from_numpy(const py::array& given, const py::object& code, bool copy) {
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
  if (!copy && contiguous && aligned && a.writeable() && a.size() > 0) {
    check(check_shape(shape, t));
    return {TensorSpec{t, std::move(shape)},
            foreign_buffer(a.mutable_data(), static_cast<size_t>(a.nbytes()), cpu::device(), py::object(a))};
  }
  if (!contiguous) {
    a = py::reinterpret_steal<py::array>(py::module_::import("numpy").attr("ascontiguousarray")(a).release());
  }
  Array out = allocate(std::move(shape), t);
  if (out.bytes() > 0) std::memcpy(out.data(), a.data(), out.bytes());
  return out;
}

py::array to_numpy(const Array& a) {
  // The capsule is the array's base: it keeps the buffer as long as the view lives.
  auto keep = std::make_unique<BufferRef>(a.buffer);
  const py::capsule base(keep.get(),
                         [](void* p) { const std::unique_ptr<BufferRef> gone(static_cast<BufferRef*>(p)); });
  keep.release();  // the capsule has it
  return py::array(numpy_dtype(a.spec.dtype),
                   std::vector<py::ssize_t>(a.spec.shape.begin(), a.spec.shape.end()), a.data(), base);
}

template <class T>
void fill(Array& a, T v) {
  std::fill_n(static_cast<T*>(a.data()), a.size(), v);
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
    throw py::value_error(py::cast<std::string>(py::str(n)) + " does not fit " + name(a.spec.dtype));
  }
}

Array full(py::handle shape, int code, py::handle number) {
  Array a = allocate(to_shape(shape), to_dtype(code));
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
  std::memcpy(&v, a.data(), sizeof v);
  return v;
}

py::object item(const Array& a) {
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

Array copied(const Array& a) {
  Array out = allocate(a.spec.shape, a.spec.dtype);
  if (out.bytes() > 0) std::memcpy(out.data(), a.data(), out.bytes());
  return out;
}

}  // namespace

BufferRef foreign_buffer(void* data, size_t bytes, Device& device, py::object owner) {
  return BufferRef(std::make_unique<Foreign>(data, bytes, device, std::move(owner)).release());
}

void bind_array(py::module_& m) {
  py::class_<Array> array(m, "Array", py::is_final(),
                          "A dense tensor in memory: a mutable box around a shared buffer.");
  array
      .def_static("from_numpy", &from_numpy, py::arg("a"), py::arg("dtype") = py::none(),
                  py::arg("copy") = true)
      .def_static("full", &full, py::arg("shape"), py::arg("dtype"), py::arg("value"))
      .def_static(
          "empty", [](py::handle shape, int dtype) { return allocate(to_shape(shape), to_dtype(dtype)); },
          py::arg("shape"), py::arg("dtype"))
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
      .def("copy", &copied)
      .def("__repr__", [](const Array& a) { return "<Array " + to_string(a.spec) + ">"; });
  bind_dlpack(array);
}

}  // namespace minds::python
