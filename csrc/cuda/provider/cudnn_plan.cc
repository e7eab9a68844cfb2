#include "cuda/provider/cudnn_plan.h"

#include <array>
#include <map>
#include <vector>

#include "cuda/provider/provider.h"
#include "cuda/stream.h"

namespace minds::cuda {
namespace {

// A descriptor that is destroyed with this.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(Descriptor&& o) noexcept : made_(std::exchange(o.made_, nullptr)) {}
  Descriptor& operator=(Descriptor&& o) noexcept {
    std::swap(made_, o.made_);
    return *this;
  }
  ~Descriptor() {
    if (made_ != nullptr) static_cast<void>(cudnn().cudnnBackendDestroyDescriptor(made_));
  }
  Status create(cudnnBackendDescriptorType_t type) { return MINDS_CUDNN(cudnnBackendCreateDescriptor, type, &made_); }
  template <class T>
  Status set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T* values, size_t count) {
    return MINDS_CUDNN(cudnnBackendSetAttribute, made_, name, type, static_cast<int64_t>(count), values);
  }
  template <class T>
  Status set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T& value) {
    return set(name, type, &value, 1);
  }
  Status refer(cudnnBackendAttributeName_t name, const Descriptor& to) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, to.made_);
  }
  Status finalize() { return MINDS_CUDNN(cudnnBackendFinalize, made_); }
  cudnnBackendDescriptor_t get() const { return made_; }
  cudnnBackendDescriptor_t detach() { return std::exchange(made_, nullptr); }

 private:
  cudnnBackendDescriptor_t made_ = nullptr;
};

// Does the steps until one fails.
template <class... Step>
Status in_turn(Step... step) {
  Status bad;
  static_cast<void>(((bad = step(), bad.is_ok()) && ...));
  return bad;
}

constexpr int64_t kImage = 1, kWeights = 2, kResult = 3;  // the tensors' names

cudnnDataType_t data_type(DType t) {
  return t == DType::kFloat16 ? CUDNN_DATA_HALF : t == DType::kBFloat16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

// Sizes are N, C, H, W whatever the order in memory.
Status tensor(int64_t name, DType t, const std::array<int64_t, 4>& size, bool last, Descriptor& d) {
  const auto [n, c, h, w] = size;
  const std::array<int64_t, 4> stride = last ? std::array<int64_t, 4>{h * w * c, 1, w * c, c}
                                             : std::array<int64_t, 4>{c * h * w, h * w, w, 1};
  constexpr int64_t kAligned = 64;
  return in_turn([&] { return d.create(CUDNN_BACKEND_TENSOR_DESCRIPTOR); },
                 [&] { return d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, name); },
                 [&] { return d.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, data_type(t)); },
                 [&] { return d.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, kAligned); },
                 [&] { return d.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, size.data(), size.size()); },
                 [&] { return d.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, stride.data(), stride.size()); },
                 [&] { return d.finalize(); });
}

Status convolution(const ConvSpec& s, Descriptor& d) {
  const int64_t dims = 2;
  const std::array<int64_t, 2> dilation{s.dilation_h, s.dilation_w}, stride{s.stride_h, s.stride_w};
  const std::array<int64_t, 2> before{s.top, s.left}, after{s.bottom, s.right};
  const auto ints = [&](cudnnBackendAttributeName_t name, const std::array<int64_t, 2>& values) {
    return [&d, name, &values] { return d.set(name, CUDNN_TYPE_INT64, values.data(), values.size()); };
  };
  return in_turn(
      [&] { return d.create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR); },
      [&] { return d.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT); },
      [&] { return d.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION); },
      [&] { return d.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, dims); },
      ints(CUDNN_ATTR_CONVOLUTION_DILATIONS, dilation), ints(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, stride),
      ints(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, before), ints(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, after),
      [&] { return d.finalize(); });
}

// How one of the three passes names its parts.
struct Names {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t alpha, beta, convolution, image, weights, result;
};

constexpr Names names_of(ConvPass pass) {
  switch (pass) {
    case ConvPass::kForward:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,             CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
    case ConvPass::kData:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY};
    default:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY};
  }
}

// What a plan is made of. The manual does not say that a descriptor copies those it refers to, so that they live as long.
struct Parts {
  Descriptor conv, image, weights, result, operation, graph;
  std::vector<Descriptor> choice;  // heuristics, and the configuration that was taken
};

// The graph of the one operation.
Status graph_of(cudnnHandle_t handle, const ConvSpec& s, bool last, Parts& p) {
  const Names name = names_of(s.pass);
  const float one = 1, zero = 0;
  auto& [conv, image, weights, result, operation, graph, choice] = p;
  return in_turn(
      [&] { return convolution(s, conv); },
      [&] { return tensor(kImage, s.dtype, {s.batch, s.in_channels, s.in_h, s.in_w}, last, image); },
      [&] {
        return tensor(kWeights, s.dtype, {s.out_channels, s.in_channels / s.group, s.kernel_h, s.kernel_w}, last,
                      weights);
      },
      [&] { return tensor(kResult, s.dtype, {s.batch, s.out_channels, s.out_h, s.out_w}, last, result); },
      [&] { return operation.create(name.operation); },
      [&] { return operation.set(name.alpha, CUDNN_TYPE_FLOAT, one); },
      [&] { return operation.set(name.beta, CUDNN_TYPE_FLOAT, zero); },
      [&] { return operation.refer(name.convolution, conv); }, [&] { return operation.refer(name.image, image); },
      [&] { return operation.refer(name.weights, weights); }, [&] { return operation.refer(name.result, result); },
      [&] { return operation.finalize(); }, [&] { return graph.create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR); },
      [&] { return graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle); },
      [&] { return graph.refer(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation); }, [&] { return graph.finalize(); });
}

// Configurations of engines that a heuristic proposes, the best first.
Status propose(Parts& p, cudnnBackendHeurMode_t mode, std::vector<Descriptor>& out) {
  constexpr int64_t kMost = 16;
  Descriptor heuristic;
  std::vector<Descriptor> made(kMost);
  std::vector<cudnnBackendDescriptor_t> raw;
  int64_t count = 0;
  Status bad = in_turn([&] { return heuristic.create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR); },
                       [&] { return heuristic.refer(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, p.graph); },
                       [&] { return heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode); },
                       [&] { return heuristic.finalize(); });
  if (bad) return {};  // it knows nothing of such a graph
  for (Descriptor& d : made) {
    if (Status s = d.create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)) return s;
    raw.push_back(d.get());
  }
  if (Status s = MINDS_CUDNN(cudnnBackendGetAttribute, heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                             CUDNN_TYPE_BACKEND_DESCRIPTOR, kMost, &count, raw.data())) {
    return s;
  }
  made.resize(static_cast<size_t>(std::min(count, kMost)));
  out = std::move(made);
  p.choice.push_back(std::move(heuristic));
  return {};
}

// Whether a configuration's numbers are those we ask for.
Status is_right(const Descriptor& config, DType t, bool tf32, bool& right) {
  Descriptor engine;
  if (Status s = engine.create(CUDNN_BACKEND_ENGINE_DESCRIPTOR)) return s;
  cudnnBackendDescriptor_t raw = engine.get();
  int64_t count = 0;
  if (Status s = MINDS_CUDNN(cudnnBackendGetAttribute, config.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                             CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw)) {
    return s;
  }
  constexpr int64_t kMost = CUDNN_NUMERICAL_NOTE_TYPE_COUNT;
  std::array<cudnnBackendNumericalNote_t, kMost> notes{};
  count = 0;
  if (Status s = MINDS_CUDNN(cudnnBackendGetAttribute, engine.get(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                             CUDNN_TYPE_NUMERICAL_NOTE, kMost, &count, notes.data())) {
    return s;
  }
  right = true;
  const bool exact = t == DType::kFloat32 && !tf32;
  for (size_t i = 0; i < static_cast<size_t>(std::min(count, kMost)); ++i) {
    const auto note = notes[i];
    if (note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC || note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION ||
        (exact && (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE || note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS))) {
      right = false;
    }
  }
  return {};
}

// The plan of a configuration, if it can be made and is content with the workspace.
bool build(cudnnHandle_t handle, const Descriptor& config, Descriptor& plan, size_t& workspace) {
  int64_t bytes = 0, count = 0;
  const Status bad = in_turn(
      [&] { return plan.create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR); },
      [&] { return plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle); },
      [&] { return plan.refer(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config); }, [&] { return plan.finalize(); },
      [&] {
        return MINDS_CUDNN(cudnnBackendGetAttribute, plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                           CUDNN_TYPE_INT64, 1, &count, &bytes);
      });
  workspace = static_cast<size_t>(bytes);
  return bad.is_ok() && workspace <= 4 * kMostWorkspace;
}

Status choose(cudnnHandle_t handle, const ConvSpec& s, bool last, bool tf32, Parts& p, Descriptor& plan,
              size_t& workspace) {
  if (graph_of(handle, s, last, p)) return {};  // it has no such operation
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    std::vector<Descriptor> proposed;
    if (Status bad = propose(p, mode, proposed)) return bad;
    for (Descriptor& config : proposed) {
      bool right = false;
      if (Status bad = is_right(config, s.dtype, tf32, right)) return bad;
      Descriptor made;
      if (!right || !build(handle, config, made, workspace)) continue;
      plan = std::move(made);
      p.choice.push_back(std::move(config));
      return {};
    }
  }
  return {};
}

// What tells one plan from another.
std::string key_of(const Device& d, const ConvSpec& s, bool last, bool tf32) {
  std::string key = d.label();
  for (const int64_t n :
       {static_cast<int64_t>(s.dtype), static_cast<int64_t>(s.pass), s.batch, s.in_channels, s.in_h, s.in_w,
        s.out_channels, s.out_h, s.out_w, s.kernel_h, s.kernel_w, s.stride_h, s.stride_w, s.top, s.bottom, s.left,
        s.right, s.dilation_h, s.dilation_w, s.group, int64_t{last}, int64_t{tf32}}) {
    key.append(1, ' ').append(std::to_string(n));
  }
  return key;
}

}  // namespace

CudnnPlan::~CudnnPlan() {
  if (plan_ != nullptr) static_cast<void>(cudnn().cudnnBackendDestroyDescriptor(plan_));
}

Status CudnnPlan::make(const Device& d, const ConvSpec& s, bool last, bool tf32,
                       std::shared_ptr<const CudnnPlan>& out) {
  static std::mutex lock;
  static auto& known = *new std::map<std::string, std::weak_ptr<const CudnnPlan>>;
  CudnnHandle* handle = nullptr;
  if (Status bad = cudnn_handle(d, handle)) return bad;
  const std::lock_guard guard(lock);
  std::weak_ptr<const CudnnPlan>& entry = known[key_of(d, s, last, tf32)];
  out = entry.lock();
  if (out) return {};
  const std::lock_guard use(handle->lock);
  const auto parts = std::make_shared<Parts>();
  Descriptor plan;
  size_t workspace = 0;
  if (Status bad = choose(handle->handle, s, last, tf32, *parts, plan, workspace)) return bad;
  if (plan.get() == nullptr) return {};
  const std::shared_ptr<CudnnPlan> made(new CudnnPlan);
  made->handle_ = handle;
  made->parts_ = parts;
  made->plan_ = plan.detach();
  made->workspace_ = workspace;
  entry = made;
  out = made;
  return {};
}

Status CudnnPlan::run(const void* image, const void* weights, const void* result, void* workspace, Stream& q) const {
  const std::array<int64_t, 3> names{kImage, kWeights, kResult};
  const std::array<const void*, 3> data{image, weights, result};
  Descriptor pack;
  return in_turn(
      [&] { return pack.create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR); },
      [&] { return pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, names.data(), names.size()); },
      [&] { return pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, data.data(), data.size()); },
      [&] { return pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace); },
      [&] { return pack.finalize(); },
      [&] {
        const std::lock_guard use(handle_->lock);
        if (Status bad = MINDS_CUDNN(cudnnSetStream, handle_->handle, stream_of(q))) return bad;
        return MINDS_CUDNN(cudnnBackendExecute, handle_->handle, plan_, pack.get());
      });
}

}  // namespace minds::cuda
