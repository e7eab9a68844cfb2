// Memory of the device: slabs of CANN's, cut into blocks. A slab belongs to one stream, so what that stream gives back
// it may use again at once: its work runs in order.
#pragma once
#include <map>
#include <mutex>

#include "ascend/acl.h"
#include "device/device.h"

namespace minds::ascend {

class AscendDevice;

inline constexpr size_t kUnit = 512;  // of blocks, and of what lies in them: CANN's own alignment
inline constexpr size_t kTail = 32;   // bytes after a block's last that operators may read

class Memory final : public Allocator {
 public:
  void serve(AscendDevice& device) { device_ = &device; }  // by its constructor: each needs the other
  BufferRef allocate(size_t bytes) noexcept override;
  BufferRef allocate(size_t bytes, Stream& home) noexcept override;
  void used_by(Buffer& b, Stream& q) noexcept override;
  void trim() noexcept override;
  Stats stats() const noexcept override;
  void reset_peaks() noexcept override;

 private:
  struct Block;
  struct Slab {
    Stream* home;
    size_t size;
    std::map<char*, size_t> free;  // parts by address, no two of them neighbours
  };
  static void drop(Buffer* b) noexcept;
  char* take(size_t size, Stream& home);  // these under the lock
  char* take_free(size_t size, Stream& home);
  bool add_slab(size_t size, Stream& home);
  void give(char* at, size_t size);
  void release_slabs();

  AscendDevice* device_ = nullptr;
  mutable std::mutex lock_;  // of what follows
  std::map<char*, Slab> slabs_;
  size_t in_use_ = 0, peak_ = 0, reserved_ = 0, peak_reserved_ = 0;
};

}  // namespace minds::ascend
