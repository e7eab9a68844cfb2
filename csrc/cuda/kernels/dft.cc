// dft: the discrete Fourier transform along an axis, by cuFFT. The rows along the axis are put behind one another, cut or
// padded, transformed in place and put back with their scale.
#include <cmath>
#include <mutex>

#include "cuda/cufft.h"
#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/on_device.h"
#include "cuda/provider/provider.h"
#include "cuda/stream.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

// A plan of `rows` transforms of `n` elements that lie behind one another. A plan runs for one thread at a time.
class FftPlan {
 public:
  FftPlan() = default;
  FftPlan(const FftPlan&) = delete;
  FftPlan& operator=(const FftPlan&) = delete;
  ~FftPlan() {
    if (made_) static_cast<void>(cufft().cufftDestroy(handle_));
  }

  Status prepare(int64_t n, int64_t rows, bool wide, size_t& workspace) {
    if (Status bad = open_cufft()) return bad;
    if (Status bad = MINDS_CUFFT(cufftCreate, &handle_)) return bad;
    made_ = true;
    wide_ = wide;
    if (Status bad = MINDS_CUFFT(cufftSetAutoAllocation, handle_, 0)) return bad;
    long long size = n;
    return MINDS_CUFFT(cufftMakePlanMany64, handle_, 1, &size, nullptr, 1, n, nullptr, 1, n, wide ? CUFFT_Z2Z : CUFFT_C2C, rows,
                       &workspace);
  }

  Status run(void* rows, void* workspace, int direction, Stream& q) const {
    const std::lock_guard guard(lock_);
    if (Status bad = MINDS_CUFFT(cufftSetStream, handle_, stream_of(q))) return bad;
    if (Status bad = MINDS_CUFFT(cufftSetWorkArea, handle_, workspace)) return bad;
    if (wide_) {
      auto* const at = static_cast<cufftDoubleComplex*>(rows);
      return MINDS_CUFFT(cufftExecZ2Z, handle_, at, at, direction);
    }
    auto* const at = static_cast<cufftComplex*>(rows);
    return MINDS_CUFFT(cufftExecC2C, handle_, at, at, direction);
  }

 private:
  mutable std::mutex lock_;
  cufftHandle handle_ = 0;
  bool made_ = false, wide_ = false;
};

class Dft final : public OnDevice {
 public:
  explicit Dft(const Attrs& a)
      : n_(a.i64("n")), axis_(a.i64("axis")), inverse_(a.boolean("inverse")), scale_(scale_of(a.str("norm"))) {}

 private:
  double scale_of(const std::string& norm) const {
    if (norm == "ortho") return 1 / std::sqrt(static_cast<double>(n_));
    return (norm == "backward") == inverse_ ? 1 / static_cast<double>(n_) : 1.0;
  }

  Status plan(const Signature& s, Prepared& p) override {
    if (Status bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec &x = s.inputs[0], &out = s.outputs[0];
    if (Status bad = along_.prepare(x.shape, axis_)) return bad;
    if (n_ < 1) return bad_value("n is " + std::to_string(n_) + ", not positive");
    Shape shape = x.shape;
    shape[static_cast<size_t>(axis_)] = n_;
    const bool wide = out.dtype == DType::kComplex128;
    if (Status bad = expect_spec(out, "the result", wide ? DType::kComplex128 : DType::kComplex64, shape)) return bad;
    count_ = out.size();
    if (count_ == 0) return {};
    size_t work = 0;
    if (Status bad = fft_.prepare(n_, count_ / n_, wide, work)) return bad;
    rows_at_ = take(p.workspace, out.bytes());
    work_at_ = take(p.workspace, work);
    grid_ = grid_for(count_, *s.device);
    const Defines defines{{"IN", type_name(x.dtype)}, {"OUT", type_name(out.dtype)}};
    if (Status bad = find_function(*s.device, "dft", "rows_of", defines, spread_)) return bad;
    return find_function(*s.device, "dft", "from_rows", defines, collect_);
  }

  Status queue(const Args& a, Stream& q) const override {
    if (count_ == 0) return {};
    char* const rows = within(a, rows_at_);
    if (Status bad = launch(*spread_, q, grid_, a.in[0], rows, along_.size, along_.inner, n_, count_)) return bad;
    if (Status bad = fft_.run(rows, within(a, work_at_), inverse_ ? CUFFT_INVERSE : CUFFT_FORWARD, q)) return bad;
    return launch(*collect_, q, grid_, rows, a.out[0], along_.inner, n_, count_, scale_);
  }

  const int64_t n_, axis_;
  const bool inverse_;
  const double scale_;
  AxisPlan along_;
  FftPlan fft_;
  int64_t count_ = 0;
  size_t rows_at_ = 0, work_at_ = 0;
  Grid grid_;
  const Function *spread_ = nullptr, *collect_ = nullptr;
};

MINDS_KERNEL("cuda", "dft", Dft, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cuda
