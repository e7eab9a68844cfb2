"""Writes the header with the stamp that the core and its plug-ins must share.

Called with the header's path, a text that says how they are compiled, and the headers of the common part.
"""

import sys
import zlib

path, how, *headers = sys.argv[1:]
stamp = zlib.crc32(how.encode())
for header in sorted(headers):
    with open(header, "rb") as f:
        stamp = zlib.crc32(f.read(), stamp)
text = f"""#pragma once
#include <cstdint>

namespace minds {{

inline constexpr uint32_t kAbi = {stamp:#010x};

}}  // namespace minds
"""
try:
    with open(path, encoding="utf-8") as f:
        same = f.read() == text
except FileNotFoundError:
    same = False
if not same:
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
