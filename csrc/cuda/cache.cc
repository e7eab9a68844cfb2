#include "cuda/cache.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/crc32.h"

namespace minds::cuda {
namespace {

namespace fs = std::filesystem;

// A file: this header, the key, the cubin. The key is compared, so equal file names do no harm.
struct Header {
  char magic[8];
  uint64_t key_bytes, cubin_bytes;
  uint32_t crc, unused;
};
constexpr char kMagic[8] = {'m', 'i', 'n', 'd', 's', 'c', 'u', '1'};

// MINDS_CUDA_CACHE, or where the desktop standard says that caches are.
fs::path folder() {
  if (const char* given = std::getenv("MINDS_CUDA_CACHE")) return given;
  if (const char* given = std::getenv("XDG_CACHE_HOME"); given != nullptr && *given == '/') {
    return fs::path(given) / "minds" / "cuda";
  }
  const char* home = std::getenv("HOME");
  return home == nullptr ? fs::path() : fs::path(home) / ".cache" / "minds" / "cuda";
}

fs::path file_of(const std::string& key) {
  const fs::path where = folder();
  if (where.empty()) return where;
  uint64_t a = 0xcbf29ce484222325u, b = 0x84222325cbf29ce4u;  // FNV-1a, twice
  for (const unsigned char c : key) {
    a = (a ^ c) * 0x100000001b3u;
    b = (b ^ c) * 0x10000000233u;
  }
  char name[48];
  std::snprintf(name, sizeof name, "%016llx%016llx.cubin", static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b));
  return where / name;
}

uint32_t crc_of(const std::string& text) {
  return crc32({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace

bool read_cached(const std::string& key, std::string& cubin) {
  const fs::path path = file_of(key);
  if (path.empty()) return false;
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  Header h;
  if (all.size() < sizeof h) return false;
  std::memcpy(&h, all.data(), sizeof h);
  const size_t rest = all.size() - sizeof h;
  if (std::memcmp(h.magic, kMagic, sizeof kMagic) != 0 || h.key_bytes != key.size() || h.key_bytes > rest ||
      h.cubin_bytes != rest - h.key_bytes || all.compare(sizeof h, key.size(), key) != 0) {
    return false;
  }
  cubin = all.substr(sizeof h + key.size());
  return crc_of(cubin) == h.crc;
}

void write_cached(const std::string& key, const std::string& cubin) {
  const fs::path path = file_of(key);
  if (path.empty()) return;
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed) return;
  static std::atomic<unsigned> last{0};
  const fs::path written =
      path.string() + "." + std::to_string(getpid()) + "." + std::to_string(last.fetch_add(1)) + ".new";
  {
    Header h{{}, key.size(), cubin.size(), crc_of(cubin), 0};
    std::memcpy(h.magic, kMagic, sizeof kMagic);
    std::ofstream file(written, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&h), sizeof h) << key << cubin;
    file.close();
    if (!file) {
      fs::remove(written, failed);
      return;
    }
  }
  fs::rename(written, path, failed);  // whoever reads sees all of it or nothing
  if (failed) fs::remove(written, failed);
}

}  // namespace minds::cuda
