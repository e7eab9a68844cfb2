// Images for `minds.dataset`: arrays and files in, arrays out; the work itself runs without the interpreter lock.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "data/augment.h"
#include "data/warp.h"
#include "python/bindings.h"

namespace minds::python {

namespace {

using data::Kind;
using data::View;

Kind to_kind(int kind) {
  if (kind < 0 || kind >= data::kKinds) throw py::value_error("no interpolation has number " + std::to_string(kind));
  return static_cast<Kind>(kind);
}

// An array (H, W) or (H, W, C) without gaps, as bytes or 32-bit floats.
struct Pixels {
  py::buffer_info info;
  bool floats;
  int64_t height, width, channels;

  Pixels(const py::buffer& array, bool writable) : info(array.request(writable)) {
    floats = info.format == py::format_descriptor<float>::format();
    if (!floats && info.format != py::format_descriptor<uint8_t>::format())
      throw py::type_error("an image of bytes or 32-bit floats is expected");
    if (info.ndim != 2 && info.ndim != 3) throw py::value_error("an image (H, W) or (H, W, C) is expected");
    py::ssize_t step = info.itemsize;
    for (py::ssize_t d = info.ndim; d-- > 0;) {
      if (info.shape[d] < 1) throw py::value_error("an image without pixels");
      if (info.shape[d] > 1 && info.strides[d] != step) throw py::value_error("an image without gaps is expected");
      step *= info.shape[d];
    }
    height = info.shape[0];
    width = info.shape[1];
    channels = info.ndim == 3 ? info.shape[2] : 1;
  }

  template <class T>
  View<T> view() const {
    return {static_cast<const T*>(info.ptr), height, width, channels, width * channels};
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(info.ptr);
  }
};

std::span<const uint8_t> to_bytes(const py::buffer_info& info) {
  if (info.itemsize != 1 || info.ndim != 1 || (info.size > 1 && info.strides[0] != 1))
    throw py::type_error("an encoded image is an array of bytes");
  return {static_cast<const uint8_t*>(info.ptr), static_cast<size_t>(info.size)};
}

std::vector<float> to_floats(const py::tuple& numbers) {
  std::vector<float> made;
  for (const py::handle n : numbers) made.push_back(static_cast<float>(to_double(n)));
  return made;
}

using Four = std::array<int64_t, 4>;

Four to_box(const py::tuple& box) {
  Four made{};
  if (box.size() != 4) throw py::value_error("a box is (x, y, width, height)");
  for (size_t i = 0; i < 4; ++i) made[i] = py::cast<int64_t>(box[i]);
  return made;
}

void augment(const py::buffer& from, bool encoded, const py::tuple& box, int kind, bool mirror, bool upside_down,
             bool planar, const py::tuple& mean, const py::tuple& std, const py::buffer& to) {
  const Four b = to_box(box);
  const Pixels out(to, true);
  if (out.floats == (mean.size() == 0)) throw py::type_error("normalised images are floats, others bytes");
  // Channels first: (C, H, W) is an image of C rows for the checks above.
  data::Augment what{{b[0], b[1], b[2], b[3]}, planar ? out.width : out.height, planar ? out.channels : out.width,
                     to_kind(kind), mirror, upside_down, planar, to_floats(mean), to_floats(std)};
  const int64_t channels = planar ? out.height : out.channels;
  Status s;
  if (encoded) {
    const py::buffer_info file = from.request();
    const std::span<const uint8_t> bytes = to_bytes(file);
    if (channels != 3) throw py::value_error("a decoded image has three channels");
    const py::gil_scoped_release nogil;
    s = data::augment(bytes, what, out.info.ptr);
  } else {
    const Pixels in(from, false);
    if (in.floats || in.channels != channels) throw py::type_error("an image of as many channels of bytes is expected");
    const py::gil_scoped_release nogil;
    s = data::augment(in.view<uint8_t>(), what, out.info.ptr);
  }
  check(s);
}

template <class T>
void resize(const Pixels& from, Kind kind, const Pixels& to) {
  T* at = to.data<T>();
  const int64_t n = to.width * to.channels;
  data::resize(from.view<T>(), to.height, to.width, kind,
               [&](int64_t y, const T* row) { std::copy_n(row, n, at + y * n); });
}

}  // namespace

void bind_images(py::module_& m) {
  m.def("open_jpeg_library", &data::open_jpeg_library, py::arg("path"));
  m.def("has_jpeg_library", &data::has_jpeg_library);
  m.def(
      "jpeg_size",
      [](const py::buffer& file) {
        const py::buffer_info info = file.request();
        int64_t height = 0, width = 0;
        check(data::jpeg_size(to_bytes(info), height, width));
        return py::make_tuple(height, width);
      },
      py::arg("file"));
  m.def("augment_image", &augment, py::arg("source"), py::arg("encoded"), py::arg("box"), py::arg("kind"),
        py::arg("mirror"), py::arg("upside_down"), py::arg("planar"), py::arg("mean"), py::arg("std"), py::arg("to"));
  m.def(
      "resize_image",
      [](const py::buffer& source, int kind, const py::buffer& to) {
        const Pixels from(source, false), out(to, true);
        const Kind k = to_kind(kind);
        if (from.floats != out.floats || from.channels != out.channels)
          throw py::type_error("an image and its resized form have the same type and channels");
        const py::gil_scoped_release nogil;
        from.floats ? resize<float>(from, k, out) : resize<uint8_t>(from, k, out);
      },
      py::arg("source"), py::arg("kind"), py::arg("to"));
  m.def(
      "warp_image",
      [](const py::buffer& source, const py::tuple& map, bool projective, int kind, const py::tuple& border,
         const py::buffer& to) {
        const Pixels from(source, false), out(to, true);
        const std::vector<float> outside = to_floats(border);
        if (map.size() != 9 || from.floats != out.floats || from.channels != out.channels ||
            static_cast<int64_t>(outside.size()) != from.channels)
          throw py::type_error("a map has nine numbers, a border one per channel");
        double numbers[9];
        for (size_t i = 0; i < 9; ++i) numbers[i] = to_double(map[i]);
        const std::vector<uint8_t> bytes(outside.begin(), outside.end());
        const Kind k = to_kind(kind);
        Status s;
        {
          const py::gil_scoped_release nogil;
          s = from.floats ? data::warp(from.view<float>(), out.height, out.width, numbers, projective, k,
                                       outside.data(), out.data<float>())
                          : data::warp(from.view<uint8_t>(), out.height, out.width, numbers, projective, k,
                                       bytes.data(), out.data<uint8_t>());
        }
        check(s);
      },
      py::arg("source"), py::arg("map"), py::arg("projective"), py::arg("kind"), py::arg("border"), py::arg("to"));
}

}  // namespace minds::python
