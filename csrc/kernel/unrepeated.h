// Kernels that do more than queue work.
#pragma once

namespace minds {

// What `run` of such a kernel does is not the same each time, and may wait for other processes: it is not recorded, and
// nobody holds Python's lock meanwhile.
class Unrepeated {
 protected:
  virtual ~Unrepeated() = default;
};

}  // namespace minds
