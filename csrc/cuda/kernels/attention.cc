// Attention, of 16-bit floats by tensor cores, and its gradient.
#include <string>

#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/rows.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

// As `Problem` of attention.cu.
struct Problem {
  int64_t queries, keys, inner;
  int64_t mask_outer = 0, mask_inner = 0, mask_query = 0, mask_key = 0;
  float scale;
};

class Attention : public Kernel {
 protected:
  explicit Attention(const Attrs& a) : scale_(static_cast<float>(a.f64("scale"))) {}

  // Of (query, key, value) and perhaps a mask.
  Status read(const TensorSpec* operands, const TensorSpec* mask) {
    const TensorSpec &q = operands[0], &k = operands[1];
    const size_t rank = q.shape.size();
    if (rank != 3 && rank != 4) return bad_value("queries have shape " + to_string(q.shape) + ", expected rank 3 or 4");
    const int64_t head = q.shape[rank - 1];
    if (head <= 0 || head > 128 || head % 16 != 0) {
      return bad_value("vectors have " + std::to_string(head) + " elements, expected a multiple of 16 up to 128");
    }
    Shape keys = q.shape;
    if (k.shape.size() == rank) keys[rank - 2] = k.shape[rank - 2];
    if (auto bad = expect_spec(k, "the keys", q.dtype, keys)) return bad;
    if (auto bad = expect_spec(operands[2], "the values", q.dtype, keys)) return bad;
    p_.inner = rank == 4 ? q.shape[1] : 1;
    p_.queries = q.shape[rank - 2];
    p_.keys = keys[rank - 2];
    p_.scale = scale_;
    pairs_ = product(q.shape, 0, rank - 2);
    if (mask != nullptr) {
      if (auto bad = read_mask(*mask, q.dtype, q.shape)) return bad;
    }
    defines_ = {{"ELEMENT", type_name(q.dtype)}, {"HEAD", std::to_string(head)}, {"MASKED", mask != nullptr ? "1" : "0"}};
    if (q.dtype == DType::kFloat32) {
      // Each keeps few elements, whole pairs, in its registers.
      int lanes = 4;
      while (lanes < 16 && head / lanes > 10 && head % (4 * lanes) == 0) lanes *= 2;
      text_ = "attention_wide";
      rows_of_block_ = 128 / lanes;
      defines_.emplace_back("LANES", std::to_string(lanes));
    } else {
      defines_.emplace_back("COLUMNS", head > 64 ? "32" : "64");
    }
    return {};
  }

  // Blocks of so many rows of each pair.
  Grid grid(int64_t rows) const {
    Grid g;
    g.x = static_cast<unsigned>(pairs_ * ceil_div(rows, rows_of_block_));
    g.block = 128;
    return g;
  }

  Problem p_{};
  int64_t pairs_ = 0;
  const char* text_ = "attention";
  int64_t rows_of_block_ = 64;  // 16 for a warp
  Defines defines_;

 private:
  Status read_mask(const TensorSpec& mask, DType t, const Shape& queries) {
    Shape scores = queries;
    scores.back() = p_.keys;
    if (mask.dtype != t) return expect_spec(mask, "the mask", t, mask.shape);
    if (mask.shape.empty() || mask.shape.size() > scores.size()) {
      return bad_value("the mask has shape " + to_string(mask.shape) + ", expected rank 1 to " +
                       std::to_string(scores.size()));
    }
    int64_t step = 1, strides[4] = {};  // from the last axis on
    for (size_t d = 0; d < mask.shape.size(); ++d) {
      const int64_t size = mask.shape[mask.shape.size() - 1 - d], whole = scores[scores.size() - 1 - d];
      if (size != 1 && size != whole) {
        return bad_value("the mask's shape " + to_string(mask.shape) + " does not broadcast to " + to_string(scores));
      }
      strides[d] = size == 1 ? 0 : step;
      step *= size;
    }
    p_.mask_key = strides[0];
    p_.mask_query = strides[1];
    const bool heads = scores.size() == 4;
    p_.mask_inner = heads ? strides[2] : 0;
    p_.mask_outer = heads ? strides[3] : strides[2];
    return {};
  }

  const float scale_;
};

// (query, key, value, mask) -> (out, sums)
class Forward final : public Attention {
 public:
  explicit Forward(const Attrs& a) : Attention(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    masked_ = s.inputs.size() == 4;
    if (auto bad = expect_counts(s, masked_ ? 4 : 3, 2)) return bad;
    if (auto bad = read(s.inputs.data(), masked_ ? &s.inputs[3] : nullptr)) return bad;
    const TensorSpec& q = s.inputs[0];
    if (auto bad = expect_spec(s.outputs[0], "the result", q.dtype, q.shape)) return bad;
    const Shape rows(q.shape.begin(), q.shape.end() - 1);
    if (auto bad = expect_spec(s.outputs[1], "the sums", DType::kFloat32, rows)) return bad;
    return find_function(*s.device, text_, "forward", defines_, forward_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (pairs_ == 0 || p_.queries == 0) return {};
    return launch(*forward_, q, grid(p_.queries), a.in[0], a.in[1], a.in[2], masked_ ? a.in[3] : nullptr, a.out[0],
                  a.out[1], p_);
  }

 private:
  bool masked_ = false;
  const Function* forward_ = nullptr;
};

// (dout, query, key, value, mask, out, sums) -> (dq, dk, dv)
class Backward final : public Attention {
 public:
  explicit Backward(const Attrs& a) : Attention(a) {}

  Status prepare(const Signature& s, Prepared& p) override {
    masked_ = s.inputs.size() == 7;
    if (auto bad = expect_counts(s, masked_ ? 7 : 6, 3)) return bad;
    if (auto bad = read(&s.inputs[1], masked_ ? &s.inputs[4] : nullptr)) return bad;
    const TensorSpec& q = s.inputs[1];
    const size_t out = masked_ ? 5 : 4;
    const Shape rows(q.shape.begin(), q.shape.end() - 1);
    if (auto bad = expect_spec(s.inputs[0], "dout", q.dtype, q.shape)) return bad;
    if (auto bad = expect_spec(s.inputs[out], "the result", q.dtype, q.shape)) return bad;
    if (auto bad = expect_spec(s.inputs[out + 1], "the sums", DType::kFloat32, rows)) return bad;
    for (size_t i = 0; i < 3; ++i) {
      if (auto bad = expect_spec(s.outputs[i], "a gradient", q.dtype, s.inputs[i + 1].shape)) return bad;
    }
    rows_ = product(rows, 0, rows.size());
    p.workspace = static_cast<size_t>(rows_) * sizeof(float);
    if (auto bad = find_function(*s.device, text_, "dots", defines_, dots_)) return bad;
    if (auto bad = find_function(*s.device, text_, "backward_queries", defines_, queries_)) return bad;
    return find_function(*s.device, text_, "backward_keys", defines_, keys_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (pairs_ == 0) return {};
    const void* const mask = masked_ ? a.in[4] : nullptr;
    const void* const* const rest = a.in + (masked_ ? 5 : 4);
    if (rows_ > 0) {
      Grid g;
      g.x = static_cast<unsigned>(ceil_div(rows_, kThreads / 32));
      if (auto bad = launch(*dots_, q, g, a.in[0], rest[0], a.workspace, rows_)) return bad;
      if (auto bad = launch(*queries_, q, grid(p_.queries), a.in[0], a.in[1], a.in[2], a.in[3], mask, rest[1],
                            a.workspace, a.out[0], p_)) {
        return bad;
      }
    }
    if (p_.keys == 0) return {};
    return launch(*keys_, q, grid(p_.keys), a.in[0], a.in[1], a.in[2], a.in[3], mask, rest[1], a.workspace, a.out[1],
                  a.out[2], p_);
  }

 private:
  bool masked_ = false;
  int64_t rows_ = 0;  // of all queries
  const Function *dots_ = nullptr, *queries_ = nullptr, *keys_ = nullptr;
};

MINDS_KERNEL("cuda", "attention", Forward, DType::kFloat16, DType::kBFloat16, DType::kFloat32);
MINDS_KERNEL("cuda", "attention_dx", Backward, DType::kFloat16, DType::kBFloat16, DType::kFloat32);

}  // namespace
}  // namespace minds::cuda
