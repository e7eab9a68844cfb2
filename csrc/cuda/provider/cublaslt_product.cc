// Products by cuBLASLt. It counts in columns: a row-major matrix is its transpose to it, so that out' = y'·x' is asked for,
// with y first.
#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>

#include "cuda/cublaslt.h"
#include "cuda/provider/provider.h"
#include "cuda/stream.h"

namespace minds::cuda {
namespace {

struct Destroy {
  void operator()(cublasLtMatmulDesc_t d) const { static_cast<void>(cublaslt().cublasLtMatmulDescDestroy(d)); }
  void operator()(cublasLtMatrixLayout_t d) const { static_cast<void>(cublaslt().cublasLtMatrixLayoutDestroy(d)); }
  void operator()(cublasLtMatmulPreference_t d) const {
    static_cast<void>(cublaslt().cublasLtMatmulPreferenceDestroy(d));
  }
};
template <class Opaque>
using Owned = std::unique_ptr<Opaque, Destroy>;

template <class T>
Status set(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t what, const T& value) {
  return MINDS_CUBLASLT(cublasLtMatmulDescSetAttribute, d, what, &value, sizeof value);
}
template <class T>
Status set(cublasLtMatrixLayout_t d, cublasLtMatrixLayoutAttribute_t what, const T& value) {
  return MINDS_CUBLASLT(cublasLtMatrixLayoutSetAttribute, d, what, &value, sizeof value);
}
template <class T>
Status set(cublasLtMatmulPreference_t d, cublasLtMatmulPreferenceAttributes_t what, const T& value) {
  return MINDS_CUBLASLT(cublasLtMatmulPreferenceSetAttribute, d, what, &value, sizeof value);
}

cudaDataType_t data_type(DType t) {
  switch (t) {
    case DType::kFloat16: return CUDA_R_16F;
    case DType::kBFloat16: return CUDA_R_16BF;
    case DType::kFloat32: return CUDA_R_32F;
    default: return CUDA_R_64F;
  }
}

class Product final : public Plan {
 public:
  // `found`: whether the library has a way.
  Status prepare(const Device& d, const ProductSpec& s, bool& found) {
    if (Status bad = cublaslt_handle(d, handle_)) return bad;
    wide_ = s.dtype == DType::kFloat64;
    const auto compute = wide_     ? CUBLAS_COMPUTE_64F
                         : s.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                  : CUBLAS_COMPUTE_32F;
    cublasLtMatmulDesc_t made = nullptr;
    if (Status bad = MINDS_CUBLASLT(cublasLtMatmulDescCreate, &made, compute, wide_ ? CUDA_R_64F : CUDA_R_32F)) return bad;
    desc_.reset(made);
    const auto transposed = static_cast<int32_t>(CUBLAS_OP_T);
    if (s.trans_y) {
      if (Status bad = set(made, CUBLASLT_MATMUL_DESC_TRANSA, transposed)) return bad;
    }
    if (s.trans_x) {
      if (Status bad = set(made, CUBLASLT_MATMUL_DESC_TRANSB, transposed)) return bad;
    }
    if (Status bad = describe_epilogue(s)) return bad;
    split(s);
    if (Status bad = describe(s.dtype, s.trans_x ? s.k : s.m, s.trans_x ? s.m : s.k, strided_.x_step, x_)) return bad;
    if (Status bad = describe(s.dtype, s.trans_y ? s.n : s.k, s.trans_y ? s.k : s.n, strided_.y_step, y_)) return bad;
    if (Status bad = describe(s.out, s.m, s.n, strided_.out_step, out_)) return bad;
    return choose(s, found);
  }

  size_t workspace() const override { return workspace_; }

  Status run(const Operands& a, Stream& q) const override {
    // The address of a bias is part of the description, which other threads may be using.
    const std::unique_lock use = bias_ ? std::unique_lock(lock_) : std::unique_lock<std::mutex>();
    if (bias_) {
      if (Status bad = set(desc_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, a.bias)) return bad;
    }
    static constexpr float kOne = 1, kZero = 0;
    static constexpr double kWideOne = 1, kWideZero = 0;
    const void* one = wide_ ? static_cast<const void*>(&kWideOne) : &kOne;
    const void* zero = wide_ ? static_cast<const void*>(&kWideZero) : &kZero;
    for (const Bytes& b : calls_) {
      void* const to = static_cast<char*>(a.out) + b.out;
      if (Status bad = MINDS_CUBLASLT(cublasLtMatmul, handle_, desc_.get(), one, static_cast<const char*>(a.y) + b.y,
                                      y_.get(), static_cast<const char*>(a.x) + b.x, x_.get(), zero, to, out_.get(), to,
                                      out_.get(), &algo_, a.workspace, workspace_, stream_of(q))) {
        return bad;
      }
    }
    return {};
  }

 private:
  struct Bytes {
    size_t x, y, out;  // from the start of an operand
  };

  Status describe_epilogue(const ProductSpec& s) {
    bias_ = s.bias;
    if (!s.bias) return {};
    const auto kind = static_cast<uint32_t>(s.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS);
    if (Status bad = set(desc_.get(), CUBLASLT_MATMUL_DESC_EPILOGUE, kind)) return bad;
    // The heuristics ask of the address how it is aligned.
    const auto aligned = reinterpret_cast<const void*>(uintptr_t{kAlignment});
    return set(desc_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, aligned);
  }

  // The library takes one batch dim: the longest. A call each for the others.
  void split(const ProductSpec& s) {
    std::vector<ProductSpec::BatchDim> rest = s.batch;
    const auto longest = std::max_element(rest.begin(), rest.end(),
                                          [](const auto& a, const auto& b) { return a.size < b.size; });
    strided_ = {1, 0, 0, 0};
    if (longest != rest.end()) {
      strided_ = *longest;
      rest.erase(longest);
    }
    const auto item = static_cast<int64_t>(item_size(s.dtype)), out_item = static_cast<int64_t>(item_size(s.out));
    calls_ = {{0, 0, 0}};
    for (const auto& d : rest) {
      const std::vector<Bytes> inner = std::move(calls_);
      calls_.clear();
      for (int64_t i = 0; i < d.size; ++i) {
        for (const Bytes& b : inner) {
          calls_.push_back({b.x + static_cast<size_t>(i * d.x_step * item),
                            b.y + static_cast<size_t>(i * d.y_step * item),
                            b.out + static_cast<size_t>(i * d.out_step * out_item)});
        }
      }
    }
  }

  // A row-major matrix.
  Status describe(DType t, int64_t rows, int64_t cols, int64_t step, Owned<cublasLtMatrixLayoutOpaque_t>& out) {
    cublasLtMatrixLayout_t made = nullptr;
    if (Status bad = MINDS_CUBLASLT(cublasLtMatrixLayoutCreate, &made, data_type(t), static_cast<uint64_t>(cols),
                                    static_cast<uint64_t>(rows), cols)) {
      return bad;
    }
    out.reset(made);
    if (strided_.size == 1) return {};
    const auto count = static_cast<int32_t>(strided_.size);
    if (Status bad = set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count)) return bad;
    return set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, step);
  }

  // The bytes that divide all addresses of an operand; buffers begin at multiples of kAlignment.
  uint32_t alignment(size_t Bytes::*operand) const {
    size_t common = kAlignment;
    for (const Bytes& b : calls_) common = std::gcd(common, b.*operand);
    return static_cast<uint32_t>(common);
  }

  Status choose(const ProductSpec& s, bool& found) {
    cublasLtMatmulPreference_t made = nullptr;
    if (Status bad = MINDS_CUBLASLT(cublasLtMatmulPreferenceCreate, &made)) return bad;
    const Owned<cublasLtMatmulPreferenceOpaque_t> preference(made);
    const uint64_t most = kMostWorkspace;
    if (Status bad = set(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, most)) return bad;
    if (item_size(s.out) == 2) {
      // Parts of a long sum are added up in float32, not in the result's 16 bits.
      const auto scheme = static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
      if (Status bad = set(made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, scheme)) return bad;
    }
    const std::pair<cublasLtMatmulPreferenceAttributes_t, uint32_t> alignments[] = {
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(&Bytes::y)},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(&Bytes::x)},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(&Bytes::out)},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(&Bytes::out)}};
    for (const auto& [what, bytes] : alignments) {
      if (Status bad = set(made, what, bytes)) return bad;
    }
    cublasLtMatmulHeuristicResult_t best{};
    int count = 0;
    const cublasStatus_t status = cublaslt().cublasLtMatmulAlgoGetHeuristic(
        handle_, desc_.get(), y_.get(), x_.get(), out_.get(), out_.get(), made, 1, &best, &count);
    found = status == CUBLAS_STATUS_SUCCESS && count == 1 && best.state == CUBLAS_STATUS_SUCCESS;
    if (!found) return status == CUBLAS_STATUS_NOT_SUPPORTED ? Status{} : check(status, "cublasLtMatmulAlgoGetHeuristic");
    algo_ = best.algo;
    workspace_ = best.workspaceSize;
    return {};
  }

  cublasLtHandle_t handle_ = nullptr;
  Owned<cublasLtMatmulDescOpaque_t> desc_;
  Owned<cublasLtMatrixLayoutOpaque_t> x_, y_, out_;
  cublasLtMatmulAlgo_t algo_{};
  ProductSpec::BatchDim strided_{1, 0, 0, 0};
  std::vector<Bytes> calls_;
  size_t workspace_ = 0;
  bool wide_ = false;  // scales are float64
  bool bias_ = false;
  mutable std::mutex lock_;  // of the description, where it has a bias
};

}  // namespace

Status make_cublaslt_product(Device& d, const ProductSpec& s, PlanPtr& plan) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const bool fits = std::all_of(s.batch.begin(), s.batch.end(), [](const auto& b) { return b.size <= kMost; });
  if (!fits || std::max({s.m, s.n, s.k}) > kMost) return {};
  auto made = std::make_unique<Product>();
  bool found = false;
  if (Status bad = made->prepare(d, s, found)) return bad;
  if (found) plan = std::move(made);
  return {};
}

}  // namespace minds::cuda
