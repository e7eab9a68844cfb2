// Threads that compile kernels, so that a program's kernels are compiled beside each other.
#pragma once
#include <functional>

namespace minds::cuda {

// Has the work done by one of a few threads, in the order in which it is given. At the end of the process what has not
// begun is dropped.
void in_background(std::function<void()> work);

}  // namespace minds::cuda
