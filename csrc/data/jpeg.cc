#include "data/jpeg.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstring>
#include <stdexcept>
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

// The columns [x, x + width) that are read: the library begins and ends at whole blocks.
struct Columns {
  uint32_t x, width;
};

// Begins to read at the first row of the box.
bool start_rows(const Library& lib, Job& job, Box box, Columns& columns) {
  if (setjmp(job.back) != 0) return false;
  Record& record = job.record;
  record.wanted_colours = kRgb;
  lib.start(&record);
  // A margin: the colours of a pixel are interpolated from neighbours, which a cut would change at its edges.
  constexpr int64_t kMargin = 16;
  const int64_t left = std::max<int64_t>(0, box.x - kMargin);
  columns.x = static_cast<uint32_t>(left);
  columns.width = static_cast<uint32_t>(std::min<int64_t>(record.out_width, box.x + box.width + kMargin) - left);
  if (columns.width < record.out_width) lib.crop(&record, &columns.x, &columns.width);
  if (box.y > 0) lib.skip(&record, static_cast<uint32_t>(box.y));
  return true;
}

// Where a line that is read again at once begins: the library writes to an aligned one past the cache.
constexpr int64_t kUnaligned = 1;

// Reads the next row.
bool read_row(const Library& lib, Job& job, uint8_t* line) {
  if (setjmp(job.back) != 0) return false;
  if (lib.read(&job.record, &line, 1) != 1) ended(&job.record);
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
  bool start(Box box, Columns& columns) { return fine_ = start_rows(lib_, job_, box, columns); }
  bool read(uint8_t* line) { return fine_ = read_row(lib_, job_, line); }

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

// Whether a part of an image can be read.
Status check_part(Reader& reader, Box box) {
  if (auto s = reader.status()) return s;
  const Record& record = reader.record();
  if (record.components == 4 || record.colours >= kCmyk) return four_colours();
  if (box.x < 0 || box.y < 0 || box.width < 1 || box.height < 1 || box.x > int64_t{record.width} - box.width ||
      box.y > int64_t{record.height} - box.height)
    return {Code::kValue, "the part is not inside the image"};
  return Status::ok();
}

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

struct JpegRows::State {
  State(const Library& lib, std::span<const uint8_t> file) : reader(lib, file) {}

  Reader reader;
  Columns columns{};
  Status fault;
  int64_t next = 0;           // the row that the library reads next
  int64_t skipped = 0;        // bytes of a line before the part
  std::vector<uint8_t> line;  // from kUnaligned on, with room for whole blocks, and 8 bytes more
};

JpegRows::JpegRows(std::span<const uint8_t> file, Box box) {
  const Library* lib = library.load(std::memory_order_acquire);
  if (lib == nullptr) throw std::logic_error("there is no libjpeg-turbo");
  state_ = std::make_unique<State>(*lib, file);
  State& s = *state_;
  constexpr int64_t kRoom = 64;
  s.line.resize((static_cast<size_t>(std::max<int64_t>(s.reader.record().width, box.width)) + kRoom) * 3);
  s.fault = check_part(s.reader, box);
  if (s.fault) return;
  if (!s.reader.start(box, s.columns)) {
    s.fault = s.reader.status();
    return;
  }
  s.skipped = kUnaligned + (box.x - s.columns.x) * 3;
}

JpegRows::~JpegRows() = default;

const uint8_t* JpegRows::row(int64_t y) {
  State& s = *state_;
  for (; s.next <= y && !s.fault; ++s.next)
    if (!s.reader.read(s.line.data() + kUnaligned)) s.fault = s.reader.status();
  return s.line.data() + s.skipped;
}

Status JpegRows::status() const {
  const Status& s = state_->fault;
  return s ? Status(s.code(), s.message()) : Status::ok();
}

Status decode_jpeg(std::span<const uint8_t> file, Box box, uint8_t* out) {
  const Library* lib = library.load(std::memory_order_acquire);
  if (lib == nullptr) return missing();
  Reader reader(*lib, file);
  if (auto s = check_part(reader, box)) return s;
  Columns columns;
  if (!reader.start(box, columns)) return reader.status();
  const bool whole = box.width == reader.record().out_width && columns.x == 0;
  std::vector<uint8_t> wide(whole ? 0 : (static_cast<size_t>(reader.record().width) + 64) * 3);
  const size_t bytes = static_cast<size_t>(box.width) * 3;
  for (int64_t y = 0; y < box.height; ++y, out += bytes) {
    if (!reader.read(whole ? out : wide.data() + kUnaligned)) return reader.status();
    if (!whole) std::memcpy(out, wide.data() + kUnaligned + (box.x - columns.x) * 3, bytes);
  }
  return Status::ok();
}

}  // namespace minds::data
