// The texts of csrc/cuda/kernels, which the build embeds (embed.py).
#pragma once
#include <string_view>

namespace minds::cuda {

// By file name ("softmax.cu"); empty if there is none.
std::string_view find_text(std::string_view file);

}  // namespace minds::cuda
