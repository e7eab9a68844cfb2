// JPEG files by the library libjpeg-turbo, found while running: the one that Pillow's wheel brings, or the system's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace minds::data {

struct Box {
  int64_t x = 0, y = 0, width = 0, height = 0;
};

// Opens the library at `path`; false where it is missing or not of the expected version. Once it was opened, later
// calls change nothing.
bool open_jpeg_library(const std::string& path);
bool has_jpeg_library();

bool is_jpeg(std::span<const uint8_t> file);

// Height and width of an image, from its header. Fails on what is no JPEG file.
Status jpeg_size(std::span<const uint8_t> file, int64_t& height, int64_t& width);

// The part `box` of an image, as rows of RGB; what lies below or far beside it is not reconstructed. Fails on broken and
// truncated files, on boxes outside the image, and on four colours (CMYK).
Status decode_jpeg(std::span<const uint8_t> file, Box box, uint8_t* out);

// The same, a row at a time: what follows works on a row while it is in the cache, and the image is nowhere as a whole.
class JpegRows {
 public:
  JpegRows(std::span<const uint8_t> file, Box box);
  ~JpegRows();

  // Row `y` of the part, followed by 8 bytes that can be read; good until the next one. Rows are asked for in rising
  // order. What comes after a failure is no row of the image.
  const uint8_t* row(int64_t y);
  Status status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace minds::data
