// CRC-32, the checksum of zlib and PNG.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace minds {

// Of `bytes`, by all threads where they are many.
uint32_t crc32(std::span<const uint8_t> bytes);

}  // namespace minds
