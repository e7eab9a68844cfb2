// What batch_norm and layer_norm normalise over, and what the signatures of them and of their gradients must be.
#pragma once
#include "base/parallel.h"
#include "kernel/plan/check.h"

namespace minds {

// x as (batch, channels, plane); statistics and parameters have one element per channel.
struct ChannelsPlan {
  // (x, gamma, beta), perhaps with a residual, -> (y, mean, var)
  Status prepare(const Signature& s) { return prepare(s, false); }
  Status prepare(const Signature& s, bool residual);
  Status prepare_gradient(const Signature& s);   // (dout, x, mean, var, gamma) -> (dx, dgamma, dbeta)
  // (dout, y, x, mean, var, gamma) -> (dx, dgamma, dbeta), perhaps with the residual's
  Status prepare_relu_gradient(const Signature& s, bool residual);
  Status prepare_inference(const Signature& s);  // (x, gamma, beta, mean, var) -> y

  int64_t each() const { return batch * plane; }  // elements of a channel
  // Calls f(offset) for each plane of a channel.
  template <class F>
  void planes(int64_t channel, F&& f) const {
    for (int64_t n = 0; n < batch; ++n) f((n * channels + channel) * plane);
  }
  // Calls f(channel) for all of them, over the threads.
  template <class F>
  void over_channels(F&& f) const {
    parallel_for(channels, items_per_thread(each()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) f(c);
    });
  }

  int64_t batch = 0, channels = 0, plane = 0;

 private:
  Status read(const TensorSpec& x);
  Status expect_channels(const Signature& s, size_t from, size_t to) const;
};

// x as (rows, width); statistics have one element per row, in any shape, parameters one per column.
struct LayerPlan {
  // (x, gamma, beta) -> (y, mean, rstd)
  Status prepare(const Signature& s, int64_t begin_axis);
  // (dout, x, mean, rstd, gamma) -> (dx, dgamma, dbeta)
  Status prepare_gradient(const Signature& s, int64_t begin_axis);

  int64_t rows = 0, width = 0;

 private:
  Status read(const TensorSpec& x, int64_t begin_axis);
};

}  // namespace minds
