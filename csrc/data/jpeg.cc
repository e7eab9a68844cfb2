#include "data/jpeg.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstring>
#include <vector>

namespace minds::data {

namespace {

// The binary interface of version 62 on machines with 64-bit pointers, which the library itself checks: it is told the
// version and the size of the record and refuses others. Only the fields used here have a name.
constexpr int kVersion = 62;
constexpr int kRgb = 2;
constexpr int kCmyk = 4;
constexpr int kHeaderOk = 1;

struct Errors {
  void (*exit)(void* job);
  void (*emit)(void* job, int level);
  void (*output)(void* job);
  void (*format)(void* job, char* text);
  void (*reset)(void* job);
  int code;
  uint8_t rest[124];
};
static_assert(sizeof(Errors) == 168);

struct Source {
  const uint8_t* next;
  size_t left;
  void (*init)(void* job);
  int (*fill)(void* job);
  void (*skip)(void* job, long count);
  int (*resync)(void* job, int desired);
  void (*term)(void* job);
};
static_assert(sizeof(Source) == 56);

struct Record {
  Errors* errors;
  uint8_t a[32];
  Source* source;
  uint32_t width, height;
  int components;
  int colours, wanted_colours;
  uint8_t b[68];
  uint32_t out_width, out_height;
  int out_colour_components, out_components;
  uint8_t c[16];
  uint32_t out_row;
  uint8_t d[460];
};
static_assert(sizeof(Record) == 632 && offsetof(Record, source) == 40 && offsetof(Record, out_width) == 136 &&
              offsetof(Record, out_row) == 168);

struct Library {
  Errors* (*std_error)(Errors*);
  void (*create)(Record*, int version, size_t size);
  void (*destroy)(Record*);
  int (*read_header)(Record*, int require_image);
  int (*start)(Record*);
  uint32_t (*read)(Record*, uint8_t** rows, uint32_t count);
  uint32_t (*skip)(Record*, uint32_t count);
  void (*crop)(Record*, uint32_t* x, uint32_t* width);
  int (*resync)(void*, int);
};

std::atomic<const Library*> library{nullptr};

// One file that is being read. The library reports errors by a call that must not return: it jumps, over frames of C
// only, back to `run`, which owns nothing that would have to be destroyed.
struct Job {
  Record record;  // first: the library's pointers to it are pointers to the job
  Errors errors;
  Source source;
  jmp_buf back;
  char text[200];
};

Job* job_of(void* record) { return static_cast<Job*>(record); }

[[noreturn]] void fail(void* record) {
  Job* job = job_of(record);
  if (job->text[0] == '\0') job->errors.format(record, job->text);
  longjmp(job->back, 1);
}

[[noreturn]] void ended(void* record) {
  std::strcpy(job_of(record)->text, "the file is truncated");
  longjmp(job_of(record)->back, 1);
}

void ignore(void*) {}
void ignore_warning(void*, int) {}
int fill(void* record) { ended(record); }

void skip(void* record, long count) {
  Source& source = job_of(record)->source;
  if (count <= 0) return;
  if (static_cast<size_t>(count) > source.left) ended(record);
  source.next += count;
  source.left -= static_cast<size_t>(count);
}

void begin(const Library& lib, Job& job) {
  lib.std_error(&job.errors);
  job.errors.exit = fail;
  job.errors.emit = ignore_warning;
  job.errors.output = ignore;
  job.record.errors = &job.errors;
}

void open(const Library& lib, Job& job, std::span<const uint8_t> file) {
  lib.create(&job.record, kVersion, sizeof(Record));
  job.source = {file.data(), file.size(), ignore, fill, skip, lib.resync, ignore};
  job.record.source = &job.source;
  if (lib.read_header(&job.record, 1) != kHeaderOk) ended(&job.record);
}

bool read_size(const Library& lib, Job& job, std::span<const uint8_t> file) {
  if (setjmp(job.back) != 0) return false;
  open(lib, job, file);
  return true;
}

// Reads rows [box.y, box.y + box.height) of columns [x, x + width), which the library may widen to whole blocks.
bool read_rows(const Library& lib, Job& job, Box box, uint8_t* wide, uint8_t* out) {
  if (setjmp(job.back) != 0) return false;
  Record& record = job.record;
  record.wanted_colours = kRgb;
  lib.start(&record);
  // A margin: the colours of a pixel are interpolated from neighbours, which a cut would change at its edges.
  constexpr int64_t kMargin = 16;
  const int64_t left = std::max<int64_t>(0, box.x - kMargin);
  uint32_t x = static_cast<uint32_t>(left);
  uint32_t width = static_cast<uint32_t>(std::min<int64_t>(record.out_width, box.x + box.width + kMargin) - left);
  if (width < record.out_width) lib.crop(&record, &x, &width);
  if (box.y > 0) lib.skip(&record, static_cast<uint32_t>(box.y));
  const bool whole = box.width == record.out_width && x == 0;
  for (int64_t row = 0; row < box.height; ++row) {
    uint8_t* to = out + row * box.width * 3;
    uint8_t* line = whole ? to : wide;
    if (lib.read(&record, &line, 1) != 1) ended(&record);
    if (!whole) std::memcpy(to, wide + (box.x - x) * 3, static_cast<size_t>(box.width) * 3);
  }
  return true;
}

class Reader {
 public:
  Reader(const Library& lib, std::span<const uint8_t> file) : lib_(lib) {
    std::memset(static_cast<void*>(&job_), 0, sizeof(job_));
    begin(lib_, job_);
    fine_ = read_size(lib_, job_, file);
  }
  ~Reader() { lib_.destroy(&job_.record); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Status status() const { return fine_ ? Status::ok() : Status(Code::kValue, job_.text); }
  Record& record() { return job_.record; }
  Status rows(Box box, uint8_t* wide, uint8_t* out) {
    fine_ = read_rows(lib_, job_, box, wide, out);
    return status();
  }

 private:
  const Library& lib_;
  Job job_;
  bool fine_ = false;
};

template <class F>
bool find(void* handle, const char* name, F& to) {
  to = reinterpret_cast<F>(dlsym(handle, name));
  return to != nullptr;
}

Status four_colours() { return {Code::kBackend, "an image of four colours"}; }
Status missing() { return {Code::kBackend, "there is no libjpeg-turbo"}; }

}  // namespace

bool has_jpeg_library() { return library.load(std::memory_order_acquire) != nullptr; }

bool open_jpeg_library(const std::string& path) {
  if (has_jpeg_library()) return true;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return false;
  static Library found;
  Library lib;
  if (!find(handle, "jpeg_std_error", lib.std_error) || !find(handle, "jpeg_CreateDecompress", lib.create) ||
      !find(handle, "jpeg_destroy_decompress", lib.destroy) || !find(handle, "jpeg_read_header", lib.read_header) ||
      !find(handle, "jpeg_start_decompress", lib.start) || !find(handle, "jpeg_read_scanlines", lib.read) ||
      !find(handle, "jpeg_skip_scanlines", lib.skip) || !find(handle, "jpeg_crop_scanline", lib.crop) ||
      !find(handle, "jpeg_resync_to_restart", lib.resync)) {
    dlclose(handle);
    return false;
  }
  found = lib;
  library.store(&found, std::memory_order_release);
  return true;
}

bool is_jpeg(std::span<const uint8_t> file) {
  return file.size() > 3 && file[0] == 0xFF && file[1] == 0xD8 && file[2] == 0xFF;
}

Status jpeg_size(std::span<const uint8_t> file, int64_t& height, int64_t& width) {
  const Library* lib = library.load(std::memory_order_acquire);
  if (lib == nullptr) return missing();
  Reader reader(*lib, file);
  if (auto s = reader.status()) return s;
  const Record& record = reader.record();
  if (record.components == 4 || record.colours >= kCmyk) return four_colours();
  height = record.height;
  width = record.width;
  // A broken header may claim gigabytes of pixels. A byte of a file holds some hundred at most.
  constexpr int64_t kMost = 4096;
  if (height * width / kMost > static_cast<int64_t>(file.size())) return {Code::kValue, "the file is truncated"};
  return Status::ok();
}

Status decode_jpeg(std::span<const uint8_t> file, Box box, uint8_t* out) {
  const Library* lib = library.load(std::memory_order_acquire);
  if (lib == nullptr) return missing();
  Reader reader(*lib, file);
  if (auto s = reader.status()) return s;
  const Record& record = reader.record();
  if (record.components == 4 || record.colours >= kCmyk) return four_colours();
  if (box.x < 0 || box.y < 0 || box.width < 1 || box.height < 1 || box.x > int64_t{record.width} - box.width ||
      box.y > int64_t{record.height} - box.height)
    return {Code::kValue, "the part is not inside the image"};
  std::vector<uint8_t> wide((static_cast<size_t>(record.width) + 64) * 3);
  return reader.rows(box, wide.data(), out);
}

}  // namespace minds::data
