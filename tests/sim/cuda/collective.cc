#include "collective.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <mutex>

#include "base/half.h"
#include "calls.h"

namespace minds::sim {
namespace {

using Bytes = std::vector<char>;

// What this device has done in a group, by the group's folder.
struct Progress {
  uint64_t collectives = 0;
  std::map<int, uint64_t> sent, received;
};

Progress& progress(const std::string& folder) {
  static std::mutex lock;
  static auto& all = *new std::map<std::string, Progress>;
  const std::lock_guard guard(lock);
  return all[folder];
}

class Meeting {
 public:
  explicit Meeting(const Collective& c) : c_(c), folder_(c.folder), done_(progress(folder_)) {}

  void post(const std::string& name, const void* head, size_t head_bytes, const void* data, size_t bytes) const {
    const std::string path = folder_ + "/" + name, made = path + ".made";
    std::ofstream file(made, std::ios::binary);
    file.write(static_cast<const char*>(head), static_cast<std::streamsize>(head_bytes));
    file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    file.close();
    rename(made.c_str(), path.c_str());
  }

  // Waits for a file, or for it to be gone; false: this member has given up.
  bool await(const std::string& name, bool there) const {
    const std::string path = folder_ + "/" + name, given_up = folder_ + "/aborted-" + std::to_string(c_.member);
    while ((access(path.c_str(), F_OK) == 0) != there) {
      if (access(given_up.c_str(), F_OK) == 0) return false;
      usleep(100);
    }
    return true;
  }

  Bytes read(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void remove(const std::string& name) const { unlink((folder_ + "/" + name).c_str()); }

 protected:
  const Collective& c_;
  const std::string folder_;
  Progress& done_;
};

template <class T, class A>
void combine(int operation, const std::vector<const char*>& parts, char* out, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    A sum = static_cast<A>(reinterpret_cast<const T*>(parts[0])[i]);
    for (size_t p = 1; p < parts.size(); ++p) {
      const A v = static_cast<A>(reinterpret_cast<const T*>(parts[p])[i]);
      switch (operation) {
        case 0: sum = static_cast<A>(sum + v); break;
        case 1: sum = static_cast<A>(sum * v); break;
        case 2: sum = sum < v ? v : sum; break;
        default: sum = v < sum ? v : sum;
      }
    }
    reinterpret_cast<T*>(out)[i] = static_cast<T>(sum);
  }
}

// ncclDataType_t by its numbers.
void reduce(int type, int operation, const std::vector<const char*>& parts, char* out, uint64_t count) {
  switch (type) {
    case 0: return combine<int8_t, int8_t>(operation, parts, out, count);
    case 1: return combine<uint8_t, uint8_t>(operation, parts, out, count);
    case 2: return combine<int32_t, uint32_t>(operation, parts, out, count);
    case 3: return combine<uint32_t, uint32_t>(operation, parts, out, count);
    case 4: return combine<int64_t, uint64_t>(operation, parts, out, count);
    case 5: return combine<uint64_t, uint64_t>(operation, parts, out, count);
    case 6: return combine<float16, float>(operation, parts, out, count);
    case 7: return combine<float, float>(operation, parts, out, count);
    case 8: return combine<double, double>(operation, parts, out, count);
    default: return combine<bfloat16, float>(operation, parts, out, count);
  }
}

size_t size_of(int type) {
  constexpr size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return sizes[type];
}

class Together : public Meeting {
 public:
  using Meeting::Meeting;

  // Operands: in, out.
  Status run(const char* in, char* out) {
    const size_t part = c_.count * size_of(c_.type), n = static_cast<size_t>(c_.members);
    const bool scatters = c_.kind == Collective::kReduceScatter;
    const std::string number = std::to_string(done_.collectives++) + "-" + kind() + "-";
    const auto name = [&](int m) { return number + std::to_string(m); };
    post(name(c_.member), nullptr, 0, in, c_.kind == Collective::kBroadcast && c_.member != c_.peer ? 0 : scatters ? part * n : part);
    std::vector<Bytes> all;
    for (int m = 0; m < c_.members; ++m) {
      if (!await(name(m), true)) return {};
      all.push_back(read(name(m)));
    }
    std::vector<const char*> parts;
    for (const Bytes& b : all) parts.push_back(b.data() + (scatters ? part * static_cast<size_t>(c_.member) : 0));
    const auto peer = static_cast<size_t>(c_.peer);
    switch (c_.kind) {
      case Collective::kAllGather:
        for (size_t m = 0; m < n; ++m) std::memcpy(out + m * part, all[m].data(), part);
        break;
      case Collective::kBroadcast:
        std::memcpy(out, all[peer].data(), part);
        break;
      case Collective::kReduce:
        if (c_.member != c_.peer) break;
        [[fallthrough]];
      default:
        reduce(c_.type, c_.operation, parts, out, c_.count);
    }
    // All have posted this one, so all have read the one before.
    if (!done_last_.count(folder_)) done_last_[folder_] = "";
    std::string& last = done_last_[folder_];
    if (!last.empty()) remove(last);
    last = name(c_.member);
    return {};
  }

 private:
  // Members that disagree wait for one another, as they would for the library.
  std::string kind() const {
    const uint64_t count = c_.kind == Collective::kBroadcast || c_.kind == Collective::kAllGather ? c_.count * size_of(c_.type) : c_.count;
    return std::to_string(c_.kind) + "." + std::to_string(c_.type) + "." + std::to_string(c_.operation) + "." +
           std::to_string(c_.peer) + "." + std::to_string(count);
  }
  static inline std::map<std::string, std::string>& done_last_ = *new std::map<std::string, std::string>;
};

class Messages : public Meeting {
 public:
  using Meeting::Meeting;

  std::string name(int from, int to, uint64_t number) const {
    return "message-" + std::to_string(from) + "-" + std::to_string(to) + "-" + std::to_string(number);
  }
  std::string begin_send(const char* in) {
    const std::string sent = name(c_.member, c_.peer, done_.sent[c_.peer]++);
    post(sent, nullptr, 0, in, c_.count * size_of(c_.type));
    return sent;
  }
  // A message of another size never arrives.
  bool receive(char* out) {
    const std::string got = name(c_.peer, c_.member, done_.received[c_.peer]++);
    if (!await(got, true)) return false;
    const Bytes data = read(got);
    if (data.size() != c_.count * size_of(c_.type)) return await("never", true);
    std::memcpy(out, data.data(), data.size());
    remove(got);
    return true;
  }
};

}  // namespace

// Operands: in and out of each piece. Sending ends when the other has received.
Status run_collectives(const std::vector<uintptr_t>& at, Reader& body) {
  std::vector<Collective> all(body.get<size_t>());
  for (Collective& c : all) c = body.get<Collective>();
  std::vector<std::pair<const Collective*, std::string>> sent;
  const auto in = [&](size_t n) { return reinterpret_cast<const char*>(at[2 * n]); };
  const auto out = [&](size_t n) { return reinterpret_cast<char*>(at[2 * n + 1]); };
  for (size_t n = 0; n < all.size(); ++n) {
    if (all[n].kind == Collective::kSend) sent.emplace_back(&all[n], Messages(all[n]).begin_send(in(n)));
  }
  for (size_t n = 0; n < all.size(); ++n) {
    if (all[n].kind == Collective::kReceive) {
      if (!Messages(all[n]).receive(out(n))) return {};
    } else if (all[n].kind != Collective::kSend) {
      if (Status s = Together(all[n]).run(in(n), out(n))) return s;
    }
  }
  for (const auto& [c, name] : sent) {
    if (!Messages(*c).await(name, false)) return {};
  }
  return {};
}

}  // namespace minds::sim
