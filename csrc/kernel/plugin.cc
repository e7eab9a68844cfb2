#include "kernel/plugin.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

namespace minds {
namespace {

struct Kind {
  const Plugin* plugin;
  std::vector<Device*> devices;  // by index; nullptr: not opened
};

struct Kinds {
  std::recursive_mutex lock;  // a device may be made of another
  std::map<std::string, Kind, std::less<>> by_name;
};

Kinds& kinds() {
  static Kinds& all = *new Kinds;  // buffers of its devices outlive the static destructors
  return all;
}

// The folders that plug-ins are looked for in.
std::vector<std::string> folders() {
  std::vector<std::string> out;
  if (const char* given = std::getenv("MINDS_PLUGINS")) {
    std::string_view rest = given;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) out.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&find_device), &self) != 0 && self.dli_fname != nullptr) {
    const std::string path = self.dli_fname;
    const size_t slash = path.rfind('/');
    out.push_back((slash == std::string::npos ? "." : path.substr(0, slash)) + "/lib");
  }
  return out;
}

void (*add_collectives)(std::string_view, const Communication&) = nullptr;

Status open_plugin(const std::string& path, std::string_view name, const Plugin*& out) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {Code::kBackend, std::string("cannot open the plug-in: ") + dlerror()};
  const auto entry = reinterpret_cast<PluginEntry*>(dlsym(library, "minds_plugin"));
  const Plugin* found = entry == nullptr ? nullptr : entry(kAbi);
  Status s;
  if (entry == nullptr) {
    s = {Code::kBackend, path + " is not a plug-in of minds: it has no function minds_plugin"};
  } else if (found == nullptr) {
    s = {Code::kBackend, path + " was built with another version of minds; build or install both together"};
  } else if (found->name != name) {
    s = {Code::kBackend, path + " is the plug-in for '" + std::string(found->name) + "'"};
  } else {
    s = Registry::instance().merge(name, found->registry);
  }
  if (s) {
    dlclose(library);
    return s;
  }
  if (found->communication != nullptr && add_collectives != nullptr) add_collectives(name, *found->communication);
  out = found;
  return {};
}

// Under the lock.
Status find_kind(std::string_view name, Kind*& out) {
  auto& known = kinds().by_name;
  auto at = known.find(name);
  if (at == known.end()) {
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    const Plugin* plugin = nullptr;
    for (const std::string& folder : plain ? folders() : std::vector<std::string>{}) {
      const std::string path = folder + "/libminds_" + std::string(name) + ".so";
      if (access(path.c_str(), R_OK) != 0) continue;
      if (Status s = open_plugin(path, name, plugin)) return s;
      break;
    }
    if (plugin == nullptr) {
      return {Code::kBackend, "device '" + std::string(name) + "' is not available: this build of minds has none"};
    }
    at = known.emplace(name, Kind{plugin, {}}).first;
  }
  out = &at->second;
  return {};
}

}  // namespace

void on_communicating(void (*add)(std::string_view, const Communication&)) { add_collectives = add; }

bool add_builtin(const Plugin& plugin) {
  return kinds().by_name.emplace(plugin.name, Kind{&plugin, {}}).second;
}

Status device_count(std::string_view name, int& n) {
  const std::lock_guard guard(kinds().lock);
  Kind* kind;
  if (Status s = find_kind(name, kind)) return s;
  return kind->plugin->count(n);
}

Status find_device(std::string_view name, int index, Device*& out) {
  const std::lock_guard guard(kinds().lock);
  Kind* kind;
  if (Status s = find_kind(name, kind)) return s;
  const auto at = static_cast<size_t>(index);
  if (index >= 0 && at < kind->devices.size() && kind->devices[at] != nullptr) {
    out = kind->devices[at];
    return {};
  }
  int n = 0;
  if (Status s = kind->plugin->count(n)) return s;
  if (index < 0 || index >= n) {
    return {Code::kValue, "there is no device number " + std::to_string(index) + "; " +
                              (n == 0 ? "none was found" : "the last is number " + std::to_string(n - 1))};
  }
  if (kind->devices.size() <= at) kind->devices.resize(at + 1);
  if (Status s = kind->plugin->open(index, kind->devices[at])) return s;
  out = kind->devices[at];
  return {};
}

std::vector<Device*> open_devices() {
  const std::lock_guard guard(kinds().lock);
  std::vector<Device*> out;
  for (const auto& [name, kind] : kinds().by_name) {
    for (Device* d : kind.devices) {
      if (d != nullptr) out.push_back(d);
    }
  }
  return out;
}

}  // namespace minds
