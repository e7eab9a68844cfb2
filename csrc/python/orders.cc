// Orders of rows for `minds.dataset`, as arrays.
#include <pybind11/numpy.h>

#include <span>

#include "data/order.h"
#include "python/orders.h"

namespace minds::python {

namespace {

constexpr int64_t kSeeds = int64_t{1} << 32;

uint32_t to_seed(int64_t seed) {
  if (seed < 0 || seed >= kSeeds) throw py::value_error("a seed is in [0, 2^32)");
  return static_cast<uint32_t>(seed);
}

template <class T>
py::array_t<T> numbers(int64_t count) {
  if (count < 0) throw py::value_error("a count is not negative");
  return py::array_t<T>(count);
}

template <class T>
std::span<T> elements(py::array_t<T>& array) {
  return {array.mutable_data(), static_cast<size_t>(array.size())};
}

}  // namespace

void bind_orders(py::module_& m) {
  m.def(
      "shuffle_ids",
      [](py::array_t<int64_t>& ids, int64_t seed) {
        if (ids.ndim() != 1 || (ids.size() > 1 && ids.strides(0) != sizeof(int64_t)))
          throw py::value_error("numbers without gaps are expected");
        const std::span<int64_t> to = elements(ids);
        const uint32_t s = to_seed(seed);
        const py::gil_scoped_release nogil;
        data::shuffle(to, s);
      },
      py::arg("ids").noconvert(), py::arg("seed"));
  m.def(
      "draw_below",
      [](int64_t limit, int64_t count, int64_t seed) {
        if (limit < 1 || limit > kSeeds) throw py::value_error("a limit is in [1, 2^32]");
        py::array_t<int64_t> made = numbers<int64_t>(count);
        const uint32_t s = to_seed(seed);
        data::draw(elements(made), limit, s);
        return made;
      },
      py::arg("limit"), py::arg("count"), py::arg("seed"));
  m.def(
      "draw_words",
      [](int64_t count, uint64_t seed, uint64_t before) {
        py::array_t<uint64_t> made = numbers<uint64_t>(count);
        data::draw_words(elements(made), seed, before);
        return made;
      },
      py::arg("count"), py::arg("seed"), py::arg("before"));
  m.def(
      "shuffle_through",
      [](int64_t count, int64_t room, uint64_t seed, uint64_t before) {
        if (room < 1) throw py::value_error("a buffer has room for a row");
        py::array_t<int64_t> made = numbers<int64_t>(count);
        const std::span<int64_t> to = elements(made);
        const py::gil_scoped_release nogil;
        data::shuffle_through(to, room, seed, before);
        return made;
      },
      py::arg("count"), py::arg("room"), py::arg("seed"), py::arg("before"));
}

}  // namespace minds::python
