#include "base/parallel.h"
#include "cpu/provider/onednn_plan.h"

namespace minds::cpu::onednn {

namespace {

using dnnl::memory;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// The three tensors of a convolution, by role.
struct Descs {
  memory::desc src, weights, dst;
};

Descs outside(const ConvSpec& s, memory::data_type t) {
  const memory::dims src{s.batch, s.in_channels, s.in_h, s.in_w}, dst{s.batch, s.out_channels, s.out_h, s.out_w};
  if (s.group == 1) {
    return {{src, t, memory::format_tag::nchw},
            {{s.out_channels, s.in_channels, s.kernel_h, s.kernel_w}, t, memory::format_tag::oihw},
            {dst, t, memory::format_tag::nchw}};
  }
  return {{src, t, memory::format_tag::nchw},
          {{s.group, s.out_channels / s.group, s.in_channels / s.group, s.kernel_h, s.kernel_w},
           t,
           memory::format_tag::goihw},
          {dst, t, memory::format_tag::nchw}};
}

Descs inside(const Descs& d, memory::data_type t, ConvLayout layout) {
  const auto act = layout == ConvLayout::kPlain          ? memory::format_tag::nchw
                   : layout == ConvLayout::kChannelsLast ? memory::format_tag::nhwc
                                                         : memory::format_tag::any;
  return {{d.src.get_dims(), t, act},
          {d.weights.get_dims(), t, memory::format_tag::any},
          {d.dst.get_dims(), t, act}};
}

struct Window {
  memory::dims stride, dilation, begin, end;
};

Window window_of(const ConvSpec& s) {
  return {{s.stride_h, s.stride_w}, {s.dilation_h - 1, s.dilation_w - 1}, {s.top, s.left}, {s.bottom, s.right}};
}

auto forward(const Descs& d, const Window& w) {
  return dnnl::convolution_forward::primitive_desc(engine(), dnnl::prop_kind::forward_training, kDirect, d.src,
                                                   d.weights, d.dst, w.stride, w.dilation, w.begin, w.end, attributes(),
                                                   true);
}

// Appends reorder, computation, reorder. `first` and `second` are the operands in the provider's order, `result` is written.
template <class Primitive, class Desc>
void chain(PrimitivePlan& p, const Desc& pd, std::pair<int, memory::desc> first, memory::desc first_inside,
           std::pair<int, memory::desc> second, memory::desc second_inside, std::pair<int, memory::desc> result,
           memory::desc result_inside) {
  const auto x = p.slot(PrimitivePlan::kX, first.second), y = p.slot(PrimitivePlan::kY, second.second);
  const auto out = p.slot(PrimitivePlan::kOut, result.second);
  const auto a = p.wanted(x, first_inside), b = p.wanted(y, second_inside), c = p.target(out, result_inside);
  p.step(Primitive(pd), pd.scratchpad_desc(), {{first.first, a}, {second.first, b}, {result.first, c}});
  p.finish(c, out);
}

}  // namespace

Status make_conv(const ConvSpec& s, ConvLayout layout, std::unique_ptr<Plan>& plan) {
  const auto t = data_type(s.dtype);
  if (t == memory::data_type::undef) return Status::ok();
  try {
    const int64_t window = s.in_channels / s.group * s.kernel_h * s.kernel_w;
    const bool serial = is_little(s.batch * s.out_channels * s.out_h * s.out_w * window, s.dtype);
    const OneThread scope(serial);
    const Descs out = outside(s, t), in = inside(out, t, layout);
    const Window w = window_of(s);
    const auto hint = forward(in, w);
    if (!hint) return Status::ok();
    auto p = std::make_unique<PrimitivePlan>(serial);
    if (s.pass == ConvPass::kForward) {
      if (is_reference(hint.impl_info_str())) return Status::ok();
      chain<dnnl::convolution_forward>(*p, hint, {DNNL_ARG_SRC, out.src}, hint.src_desc(),
                                       {DNNL_ARG_WEIGHTS, out.weights}, hint.weights_desc(), {DNNL_ARG_DST, out.dst},
                                       hint.dst_desc());
    } else if (s.pass == ConvPass::kData) {
      const dnnl::convolution_backward_data::primitive_desc pd(engine(), kDirect, in.src, in.weights, in.dst, w.stride,
                                                               w.dilation, w.begin, w.end, hint, attributes(), true);
      if (!pd || is_reference(pd.impl_info_str())) return Status::ok();
      chain<dnnl::convolution_backward_data>(*p, pd, {DNNL_ARG_DIFF_DST, out.dst}, pd.diff_dst_desc(),
                                             {DNNL_ARG_WEIGHTS, out.weights}, pd.weights_desc(),
                                             {DNNL_ARG_DIFF_SRC, out.src}, pd.diff_src_desc());
    } else {
      const dnnl::convolution_backward_weights::primitive_desc pd(engine(), kDirect, in.src, in.weights, in.dst,
                                                                  w.stride, w.dilation, w.begin, w.end, hint,
                                                                  attributes(), true);
      if (!pd || is_reference(pd.impl_info_str())) return Status::ok();
      chain<dnnl::convolution_backward_weights>(*p, pd, {DNNL_ARG_SRC, out.src}, pd.src_desc(),
                                                {DNNL_ARG_DIFF_DST, out.dst}, pd.diff_dst_desc(),
                                                {DNNL_ARG_DIFF_WEIGHTS, out.weights}, pd.diff_weights_desc());
    }
    plan = std::move(p);
    return Status::ok();
  } catch (const dnnl::error& e) {
    return {Code::kBackend, std::string("oneDNN: ") + e.what()};
  }
}

}  // namespace minds::cpu::onednn
