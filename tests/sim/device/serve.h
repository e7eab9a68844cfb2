// The whole of the device process's program; of `sim` it is in the shared object, which holds the kernels.
#pragma once
#include <cstdint>
#include <memory>

namespace minds::sim {

class Server;
struct Control;
using MakeServer = std::unique_ptr<Server> (*)(int socket, Control& control, uint64_t seed, unsigned delay);

// The arguments are those that `Process` gives: socket, memory, control, address, size, the host's process.
int serve(int argc, char** argv, MakeServer make);

}  // namespace minds::sim

extern "C" __attribute__((visibility("default"))) int minds_sim_serve(int argc, char** argv);
