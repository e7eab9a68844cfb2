// Kernels as functions of the driver: found by file and name, compiled on first use, launched.
//
// A function is looked up in `prepare`; `run` only launches, without allocation, lock or string.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/device.h"

namespace minds::cuda {

using Defines = std::vector<std::pair<std::string, std::string>>;

// A kernel, which lives as long as its device. It is compiled in the background: whoever needs it first waits.
class Function {
 public:
  explicit Function(std::string label) : label_(std::move(label)) {}
  const std::string& label() const { return label_; }  // "softmax/softmax_rows"
  // Fine when it is loaded; what follows holds then.
  Status loaded() const { return ready_.load(std::memory_order_acquire) ? Status{} : wait(); }
  CUfunction handle() const { return handle_; }
  // The sizes of its parameters, in their order; drivers before 12.4 do not tell.
  const std::optional<std::vector<size_t>>& parameters() const { return parameters_; }

  void finish(Status failed, CUfunction handle, std::optional<std::vector<size_t>> parameters);

 private:
  Status wait() const;

  const std::string label_;
  std::atomic<bool> ready_ = false;  // and fine
  mutable std::mutex lock_;          // of what follows, until it is ready
  mutable std::condition_variable ended_;
  bool over_ = false;
  Status failed_;
  CUfunction handle_ = nullptr;
  std::optional<std::vector<size_t>> parameters_;
};

// The kernel `name` of kernels/FILE.cu, compiled with the defines; found again if it was asked for before. Safe from
// several threads.
Status find_function(Device& d, std::string_view file, std::string_view name, const Defines& defines,
                     const Function*& out);

// The same of a text that was rendered; `label` names it in messages of the compiler. Both are compiled after
// kernels/prelude.cuh; a line `#include "FILE.cuh"` stands for that file of kernels/, once.
Status compile_function(Device& d, std::string_view label, const std::string& text, std::string_view name,
                        const Function*& out);

// Lets the kernel ask for more than 48 KiB of shared memory at its launches; fails if the device has less.
Status allow_shared(Device& d, const Function& f, unsigned bytes);

// The shape of a launch; `shared` is in bytes, of the `extern __shared__` array.
struct Grid {
  unsigned x = 1, y = 1, z = 1, block = 256, shared = 0;
};

// Blocks for `n` elements, `each` to a thread, whose threads go on by the grid's size: no more than fill the device.
Grid grid_for(int64_t n, const Device& d, unsigned block = 256, unsigned each = 1);

namespace detail {
Status launch(const Function& f, Stream& q, const Grid& g, void** arguments, const size_t* sizes, size_t count);
}

// Queues the kernel; the arguments are passed by value, and must be of its parameters' sizes.
template <class... A>
Status launch(const Function& f, Stream& q, const Grid& g, const A&... arguments) {
  static_assert((std::is_trivially_copyable_v<A> && ...));
  static constexpr std::array<size_t, sizeof...(A)> kSizes{sizeof(A)...};
  std::array<void*, sizeof...(A)> at{const_cast<void*>(static_cast<const void*>(&arguments))...};
  return detail::launch(f, q, g, at.data(), kSizes.data(), sizeof...(A));
}
// The same of arguments that are counted at run time.
inline Status launch_counted(const Function& f, Stream& q, const Grid& g, void** arguments, const size_t* sizes,
                             size_t count) {
  return detail::launch(f, q, g, arguments, sizes, count);
}

// What a device has loaded, or will have.
class Modules {
 public:
  explicit Modules(int capability);
  const Function* find(CudaDevice& d, const std::string& label, const std::string& text, const std::string& name);

 private:
  Status load(const CudaDevice& d, const std::string& label, const std::string& text, const std::string& name,
              Function& out) const;

  const std::vector<std::string> options_;
  std::mutex lock_;
  std::map<std::string, Function> functions_;  // by name and text
};

}  // namespace minds::cuda
