// Kinds of devices: the CPU is built in, the others are shared objects that are opened when they are first asked for.
//
// A plug-in `NAME` is minds/lib/libminds_NAME.so, or lies in a folder of the environment variable MINDS_PLUGINS
// (separated by ':'). It is linked with its own copy of base/, device/ and kernel/, so nothing is resolved between it
// and the core: they meet only in the classes of these headers, and must be built from the same ones.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/communicator.h"
#include "device/device.h"
#include "kernel/registry.h"
#include "minds_abi.h"  // kAbi: a checksum of the headers and of how they are compiled

namespace minds {

struct Plugin {
  std::string_view name;
  // How many devices there are. Fails if something is missing, and says what and how it is got.
  Status (*count)(int& n);
  // Opens one of them, once; never destroyed.
  Status (*open)(int index, Device*& out);
  const Registry& registry;
  const Communication* communication = nullptr;  // null: its devices exchange nothing by themselves
};

// What a plug-in defines: `MINDS_PLUGIN(plugin)`, at file scope, with a static Plugin.
using PluginEntry = const Plugin*(uint32_t abi);
#define MINDS_PLUGIN(plugin)                                                                                \
  extern "C" __attribute__((visibility("default"))) const ::minds::Plugin* minds_plugin(uint32_t abi) {     \
    return abi == ::minds::kAbi ? &(plugin) : nullptr;                                                      \
  }

// Told of each kind that communicates, when it is opened: gives it the kernels of collectives.
void on_communicating(void (*add)(std::string_view name, const Communication& c));

// A kind that is linked in.
bool add_builtin(const Plugin& plugin);

Status device_count(std::string_view name, int& n);
// The device, opened if it is not yet.
Status find_device(std::string_view name, int index, Device*& out);
// Those that have been opened.
std::vector<Device*> open_devices();

}  // namespace minds
