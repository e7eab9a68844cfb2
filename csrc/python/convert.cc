// Python values to the core's and back.
#include <string>

#include "kernel/plugin.h"
#include "python/bindings.h"

namespace minds::python {

const Array& to_array(py::handle array) {
  py::detail::make_caster<Array> caster;
  if (!caster.load(array, false)) {
    throw py::type_error(std::string("expected an Array, got ") + Py_TYPE(array.ptr())->tp_name);
  }
  return py::detail::cast_op<const Array&>(caster);
}

Device& to_device(py::handle device) {
  if (device.is_none()) return current_device();
  if (py::isinstance<Device>(device)) return py::cast<Device&>(device);
  if (!PyUnicode_Check(device.ptr())) {
    throw py::type_error(std::string("expected a device, got ") + Py_TYPE(device.ptr())->tp_name);
  }
  const std::string label = py::cast<std::string>(device);
  const size_t colon = label.find(':');
  int index = 0;
  if (colon != std::string::npos) {
    const std::string digits = label.substr(colon + 1);
    if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string::npos)
      throw py::value_error("no device is called '" + label + "'");
    index = std::stoi(digits);
  }
  Device* found = nullptr;
  check(find_device(label.substr(0, colon), index, found));
  return *found;
}

double to_double(py::handle number) {
  const double d = PyFloat_AsDouble(number.ptr());
  if (d == -1.0 && PyErr_Occurred()) throw py::error_already_set();
  return d;
}

DType to_dtype(int64_t code) {
  if (code < 0 || code >= kDTypeCount) throw py::value_error("no dtype has code " + std::to_string(code));
  return static_cast<DType>(code);
}

namespace {

// OverflowError beyond 64 bits, TypeError for what is not an int.
int64_t to_int(py::handle number) {
  const int64_t i = PyLong_AsLongLong(number.ptr());
  if (i == -1 && PyErr_Occurred()) throw py::error_already_set();
  return i;
}

}  // namespace

Shape to_shape(py::handle sequence) {
  const py::object items =
      py::reinterpret_steal<py::object>(PySequence_Fast(sequence.ptr(), "a shape is a tuple of ints"));
  if (!items) throw py::error_already_set();
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.ptr());
  Shape shape;
  shape.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    shape.push_back(to_int(PySequence_Fast_GET_ITEM(items.ptr(), i)));
  }
  return shape;
}

TensorSpec to_spec(py::handle pair) {
  if (!PyTuple_Check(pair.ptr()) || PyTuple_GET_SIZE(pair.ptr()) != 2) {
    throw py::type_error("a tensor is described by (shape, dtype code)");
  }
  TensorSpec spec{to_dtype(to_int(PyTuple_GET_ITEM(pair.ptr(), 1))),
                  to_shape(PyTuple_GET_ITEM(pair.ptr(), 0))};
  check(check_shape(spec.shape, spec.dtype));
  return spec;
}

namespace {

bool is_dtype(py::handle v) { return py::hasattr(v, "code") && py::hasattr(v, "itemsize"); }

Attrs::Value sequence_value(py::handle v) {
  const py::object items =
      py::reinterpret_steal<py::object>(PySequence_Fast(v.ptr(), "an attribute is a number or a tuple"));
  if (!items) throw py::error_already_set();
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.ptr());
  std::vector<int64_t> ints;
  std::vector<double> floats;
  for (Py_ssize_t i = 0; i < n; ++i) {
    const py::handle item(PySequence_Fast_GET_ITEM(items.ptr(), i));
    if (PyLong_Check(item.ptr()) && floats.empty()) {
      ints.push_back(to_int(item));
    } else {
      if (floats.empty()) floats.assign(ints.begin(), ints.end());
      floats.push_back(to_double(item));
    }
  }
  if (floats.empty()) return ints;
  return floats;
}

}  // namespace

Attrs to_attrs(const py::dict& attrs) {
  Attrs out;
  for (const auto& [key, v] : attrs) {
    Attrs::Value value;
    if (v.is_none()) {
      value = std::monostate{};
    } else if (PyBool_Check(v.ptr())) {
      value = v.ptr() == Py_True;
    } else if (PyLong_Check(v.ptr())) {
      value = to_int(v);
    } else if (PyFloat_Check(v.ptr())) {
      value = py::cast<double>(v);
    } else if (PyUnicode_Check(v.ptr())) {
      value = py::cast<std::string>(v);
    } else if (is_dtype(v)) {
      value = to_dtype(py::cast<int>(v.attr("code")));
    } else {
      value = sequence_value(v);
    }
    out.set(py::cast<std::string>(key), std::move(value));
  }
  return out;
}

py::tuple to_tuple(const Shape& shape) {
  py::tuple t(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) t[i] = shape[i];
  return t;
}

}  // namespace minds::python
