#include "compile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "translate.h"

extern char** environ;

namespace minds::sim {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& p) {
  std::ifstream f(p, std::ios::binary);
  std::ostringstream all;
  all << f.rdbuf();
  return all.str();
}

void write(const fs::path& p, const std::string& text) { std::ofstream(p, std::ios::binary) << text; }

uint64_t checksum(const std::string& s, uint64_t h) {
  for (const unsigned char c : s) h = (h ^ c) * 0x100000001b3u;
  return h;
}

fs::path beside() {
  Dl_info self;
  dladdr(reinterpret_cast<const void*>(&compile_text), &self);
  return fs::path(self.dli_fname).parent_path();
}

fs::path folder() {
  const char* given = std::getenv("MINDS_CUDA_TEXTS");
  return given == nullptr ? beside() / "texts" : fs::path(given);
}

// Runs a program; what it says goes to a file.
bool run(std::vector<std::string> words, const fs::path& said) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  std::vector<char*> env;
  for (char** e = environ; *e != nullptr; ++e) {
    // What is preloaded into a program under a sanitizer is not for the compiler.
    if (std::string_view(*e).substr(0, 11) != "LD_PRELOAD=") env.push_back(*e);
  }
  env.push_back(nullptr);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  int how = 0;
  return failed == 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

// The checks are calls that fibers.cc answers: each access of memory, indices of arrays, alignment.
const std::vector<std::string> kOptions = {
    "-std=c++17", "-O1", "-g1", "-w", "-fPIC", "-shared", "-nostdlib", "-nostdinc", "-nostdinc++",
    "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", "-fno-strict-aliasing", "-fwrapv", "-ffp-contract=off",
    "-fno-math-errno", "-ftemplate-backtrace-limit=2", "-fmax-errors=10",
    "-fsanitize=kernel-address", "-fsanitize=alignment,bounds,integer-divide-by-zero", "-fno-sanitize-recover=all",
    "-fsanitize-recover=kernel-address",
    "--param=asan-instrumentation-with-call-threshold=0", "--param=asan-stack=0", "--param=asan-globals=0"};

}  // namespace

Compiled compile_text(const std::string& text, const std::string& name, const std::vector<std::string>& defines,
                      int arch) {
  static const fs::path here = CUDA_TEXT_HEADERS;
  static const std::string headers = read(here / "cuda_on_cpu.h") + read(here / "cuda_interface.h");
  std::vector<std::string> pass = {"g++",      "-x", "c++", "-E", "-std=c++17", "-nostdinc", "-nostdinc++",
                                   "-DCUDA_ON_CPU=1", "-D__CUDACC__=1", "-D__CUDACC_RTC__=1",
                                   "-D__CUDA_ARCH__=" + std::to_string(arch * 10)};
  for (const std::string& d : defines) pass.push_back("-D" + d);
  uint64_t a = checksum(text, 0xcbf29ce484222325u), b = checksum(name + headers, 0x9e3779b97f4a7c15u);
  for (const std::vector<std::string>& list : {pass, kOptions}) {
    for (const std::string& w : list) a = checksum(w, a + 1), b = checksum(w, b ^ a);
  }
  char key[40];
  std::snprintf(key, sizeof key, "%016zx%016zx", static_cast<size_t>(a), static_cast<size_t>(b ^ checksum(text, b)));
  const fs::path all = folder();
  fs::create_directories(all);
  const fs::path done = all / (std::string(key) + ".so");
  Compiled c;
  c.ok = fs::exists(done);
  if (c.ok) {
    c.object = read(done);
    return c;
  }
  // A folder of its own, where the text has its name: addresses are looked up by it.
  const fs::path own = all / (std::string(key) + "." + std::to_string(getpid()) + "." +
                              std::to_string(std::hash<const void*>()(&c)));
  fs::create_directories(own);
  const std::string plain = own / fs::path(name).filename(), given = own / "given", said = own / "said",
                    made = own / "made.so";
  write(given, "#line 1 \"" + name + "\"\n" + text);
  pass.insert(pass.end(), {given, "-o", plain});
  c.ok = run(pass, said);
  if (c.ok) {
    std::string translated;
    const std::string wrong = translate(read(plain), translated);
    write(plain, translated);
    c.ok = wrong.empty();
    if (!c.ok) c.log = name + ": " + wrong + "\n";
  }
  if (c.ok) {
    std::vector<std::string> make = {"g++"};
    make.insert(make.end(), kOptions.begin(), kOptions.end());
    make.insert(make.end(), {"-x", "c++", "-include", here / "cuda_on_cpu.h", plain, "-o", made,
                             "-L" + beside().string(), "-lcuda_on_cpu"});
    c.ok = run(make, said);
  }
  if (c.log.empty()) c.log = read(said);
  if (c.ok) {
    c.object = read(made);
    fs::rename(made, done);
  }
  fs::remove_all(own);
  return c;
}

}  // namespace minds::sim
