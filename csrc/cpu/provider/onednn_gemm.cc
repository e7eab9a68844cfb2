#include <cstring>

#include "base/parallel.h"
#include "cpu/provider/onednn_plan.h"

namespace minds::cpu::onednn {

namespace {

// A dense operand of the batch shape with `rows` x `cols` matrices, stored transposed if `trans`.
dnnl::memory::desc operand(dnnl::memory::data_type t, const Shape& batch, int64_t rows, int64_t cols, bool trans) {
  dnnl::memory::dims dims(batch.begin(), batch.end());
  dims.push_back(rows);
  dims.push_back(cols);
  const size_t rank = dims.size();
  dnnl::memory::dims strides(rank);
  strides[rank - 1] = trans ? rows : 1;
  strides[rank - 2] = trans ? 1 : cols;
  int64_t step = rows * cols;
  for (size_t i = rank - 2; i-- > 0; step *= dims[i]) strides[i] = step;
  return {dims, t, strides};
}

// Whether oneDNN's classical product, which packs both operands, beats the batched kernel that oneDNN would choose. That one
// reads a right operand that is not transposed in place, which costs up to three times the time where its rows are far
// apart; where it is transposed both pack, and the classical one is ahead for large matrices.
bool packing_pays(const GemmSpec& s) {
  constexpr int64_t kWide = 512;
  return s.dtype == DType::kFloat32 && s.n >= kWide && (!s.trans_y || s.m >= kWide);
}

// The classical product, if there is one for these operands.
void choose_packing(dnnl::matmul::primitive_desc& pd) {
  dnnl::matmul::primitive_desc other = pd;
  do {
    if (std::strncmp(other.impl_info_str(), "gemm", 4) == 0) {
      pd = other;
      return;
    }
  } while (other.next_impl());
}

}  // namespace

Status make_gemm(const GemmSpec& s, std::unique_ptr<Plan>& plan) {
  const auto t = data_type(s.dtype);
  if (t == dnnl::memory::data_type::undef || s.batch_x.size() + 2 > DNNL_MAX_NDIMS) return Status::ok();
  try {
    Shape batch(s.batch_x.size());
    for (size_t i = 0; i < batch.size(); ++i) batch[i] = s.batch_x[i] == 1 ? s.batch_y[i] : s.batch_x[i];
    const auto x = operand(t, s.batch_x, s.m, s.k, s.trans_x), y = operand(t, s.batch_y, s.k, s.n, s.trans_y);
    const auto out = operand(s.sum ? dnnl::memory::data_type::f32 : t, batch, s.m, s.n, false);
    int64_t work = s.m * s.n * s.k;
    for (int64_t b : batch) work *= b;
    const bool serial = is_little(work, s.dtype);
    const OneThread scope(serial);
    dnnl::primitive_attr how = attributes();
    if (s.sum) {
      dnnl::post_ops after;
      after.append_sum();
      how.set_post_ops(after);
    }
    dnnl::matmul::primitive_desc pd(engine(), x, y, out, how, true);
    if (pd && batch.empty() && packing_pays(s)) choose_packing(pd);
    if (!pd || is_reference(pd.impl_info_str())) return Status::ok();
    auto p = std::make_unique<PrimitivePlan>(serial);
    p->step(dnnl::matmul(pd), pd.scratchpad_desc(),
            {{DNNL_ARG_SRC, p->slot(PrimitivePlan::kX, x)},
             {DNNL_ARG_WEIGHTS, p->slot(PrimitivePlan::kY, y)},
             {DNNL_ARG_DST, p->slot(PrimitivePlan::kOut, out)}});
    plan = std::move(p);
    return Status::ok();
  } catch (const dnnl::error& e) {
    return {Code::kBackend, std::string("oneDNN: ") + e.what()};
  }
}

}  // namespace minds::cpu::onednn
