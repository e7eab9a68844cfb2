// The compiler of kernels: text in CUDA C to a cubin.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cuda/library.h"
#include "cuda/nvrtc.tbl"

namespace minds::cuda {

enum nvrtcResult : unsigned {};
using nvrtcProgram = struct _nvrtcProgram*;

MINDS_NVRTC_CONSTANTS(MINDS_CONSTANT)

struct Nvrtc {
  MINDS_NVRTC_FUNCTIONS(MINDS_POINTER)
};

// Opened once; fails with a sentence that says what is missing.
Status open_nvrtc();

// "13.5", after `open_nvrtc` was fine; part of the key of what is cached.
const std::string& nvrtc_version();

// Safe from several threads at once. `label` names the text in what the compiler says.
Status compile(std::string_view label, const std::string& text, const std::vector<std::string>& options,
               std::string& cubin);

}  // namespace minds::cuda
