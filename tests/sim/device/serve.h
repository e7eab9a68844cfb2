// The whole of the device process's program; in the shared object, which holds the kernels.
#pragma once

namespace minds::sim {

// The arguments are those that `Process` gives: socket, memory, control, address, size, the host's process.
int serve(int argc, char** argv);

}  // namespace minds::sim

extern "C" __attribute__((visibility("default"))) int minds_sim_serve(int argc, char** argv);
