#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "base/crc32.h"
#include "check.h"
#include "cpu/device.h"
#include "runtime/executor.h"
#include "runtime/machine/machine.h"
#include "runtime/reader.h"

namespace minds::runtime {
namespace {

Allocator& memory() { return cpu::device().allocator(); }

TEST(stack_pushes_pops_and_crosses_chunks) {
  Stack s(memory());
  EXPECT(s.prepare(100));
  std::vector<Stack::Mark> marks;
  std::vector<char*> blocks;
  for (size_t k = 0; k < 2000; ++k) {
    marks.push_back(s.mark());
    char* p = s.push(64 + k % 7 * 500);
    EXPECT(p != nullptr && reinterpret_cast<uintptr_t>(p) % kAlignment == 0);
    std::memset(p, static_cast<int>(k), 64 + k % 7 * 500);
    blocks.push_back(p);
  }
  for (size_t k = 2000; k-- > 0;) {
    EXPECT_EQ(static_cast<unsigned char>(*blocks[k]), static_cast<unsigned char>(k));
    s.pop(marks[k]);
  }
  EXPECT_EQ(s.push(64), blocks[0]);  // the same place again
}

TEST(stack_keeps_to_its_limit) {
  Stack s(memory());
  EXPECT(s.prepare(1 << 20));
  s.set_limit(1 << 20);
  const Stack::Mark bottom = s.mark();
  size_t pushed = 0;
  while (s.push(1 << 10) != nullptr) pushed += 1 << 10;
  EXPECT(pushed >= (1 << 20) && pushed <= (3 << 20));
  s.pop(bottom);
  EXPECT(s.push(1 << 10) != nullptr);
}

TEST(stack_gives_back_what_it_grew_by) {
  const size_t before = memory().stats().in_use;
  {
    Stack s(memory());
    EXPECT(s.prepare(64));
    const Stack::Mark bottom = s.mark();
    for (int k = 0; k < 100; ++k) EXPECT(s.push(1 << 16) != nullptr);
    s.pop(bottom);
    s.trim();
    EXPECT(memory().stats().in_use - before < (1 << 17));
  }
  EXPECT_EQ(memory().stats().in_use, before);
}

// A function whose closures hold one object.
Function of_one_object() {
  Function f{};
  f.layouts = {Layout{}, Layout{1, 1, 0, 0}};
  f.packed = {0};
  return f;
}

TEST(a_chain_of_a_million_closures_dies_without_recursion) {
  const Function f = of_one_object();
  const size_t before = memory().stats().in_use;
  Slot last = Slot::adopt(memory().allocate(256).detach());
  for (int k = 0; k < 1'000'000; ++k) {
    Closure* c = Closure::make(&f, 1);
    c->slots()[0] = last;
    last = Slot::adopt(c);
  }
  release(last);
  EXPECT_EQ(memory().stats().in_use, before);
}

TEST(shared_closures_die_with_their_last_user) {
  const Function f = of_one_object();
  Closure* inner = Closure::make(&f, 0);
  Slot a = Slot::adopt(inner);
  retain(a);
  Slot b = Slot::adopt(Closure::make(&f, 1));
  b.closure()->slots()[0] = Slot::adopt(inner);
  release(b);
  EXPECT_EQ(inner->users, 1u);
  release(a);
}

TEST(reader_never_passes_the_end) {
  const uint8_t bytes[] = {255, 255, 255, 255, 1, 0, 0, 0, 'a'};
  Reader r({bytes, sizeof bytes});
  EXPECT_EQ(r.count(), 0u);
  EXPECT(r.failed());
  Reader s({bytes + 4, 5});
  EXPECT_EQ(s.str(), "");
  EXPECT(s.failed() && !s.done());
  EXPECT_EQ(s.u64(), 0u);
}

TEST(checksum_is_that_of_zlib) {
  const char* text = "123456789";
  EXPECT_EQ(crc32({reinterpret_cast<const uint8_t*>(text), 9}), 0xcbf43926u);
}

// ---- programs, written by hand

struct Writer {
  std::vector<uint32_t> words;
  void put(std::initializer_list<uint32_t> w) { words.insert(words.end(), w); }
  void text(const char* s) {
    const size_t n = std::strlen(s), at = words.size() + 1;
    words.push_back(static_cast<uint32_t>(n));
    words.resize(at + (n + 3) / 4);
    std::memcpy(words.data() + at, s, n);
  }
};

std::vector<uint8_t> sealed(const std::vector<uint8_t>& body) {
  std::vector<uint8_t> code(12);
  const uint32_t head[] = {kMagic, kVersion, crc32(body)};
  std::memcpy(code.data(), head, sizeof head);
  code.insert(code.end(), body.begin(), body.end());
  return code;
}

// f(n, x): n times x = x + x.
std::vector<uint8_t> doubling() {
  constexpr uint32_t word = 0, object = 1, move = 2, pool = 6, f32 = 11, i64 = 4;
  constexpr auto op = [](Opcode o) { return static_cast<uint32_t>(o); };
  Writer w;
  w.text("cpu");
  w.put({2, 0, f32, 1, 4, 0, 0, i64, 0});  // types: 0 float32[4], 1 int64
  w.put({0, 0, 1});                        // no constants, no callbacks, one kernel
  w.text("add");
  w.put({0, 2, 0, 0, 1, 0, 4});  // no attributes, two inputs and an output of type 0; four functions
  w.text("root");
  w.put({2, 1, 1, 0, 1, 1, 0, 1, 2, 1, 0, 0, 0});
  w.text("loop");
  w.put({3, 1, 1, 1, 1, 0, 1, 1, 0, 1, 3, 0, 0});
  w.text("step");
  w.put({3, 1, 1, 1, 1, 0, 1, 1, 0, 2, 4, 1, 1, 0, 0});
  w.text("end");
  w.put({1, 0, 1, 1, 0, 1, 0, 0, 0});
  w.put({1, op(Opcode::kTail), 1, word, 1, word, 0, move, 0, 0});
  w.put({2,    kScalarBase + scalar_number<int64_t>(BinaryOp::kLess),
         0,    1,
         2,    op(Opcode::kSwitchTail),
         word, 2,
         2,    word,
         0,    word,
         1,    move,
         0,    0,
         3,    move,
         0,    0});
  w.put({3,
         kScalarBase + scalar_number<int64_t>(BinaryOp::kAdd),
         0,
         2,
         3,
         op(Opcode::kRun),
         0,
         object,
         0,
         move,
         0,
         pool,
         1,
         2,
         op(Opcode::kTail),
         1,
         word,
         3,
         word,
         1,
         move,
         1,
         0});
  w.put({1, op(Opcode::kReturn), move, 0});
  const auto* bytes = reinterpret_cast<const uint8_t*>(w.words.data());
  return {bytes, bytes + w.words.size() * sizeof(uint32_t)};
}

Array number(int64_t v) {
  Array a;
  EXPECT(make_array(memory(), {DType::kInt64, {}}, a).is_ok());
  std::memcpy(a.data(), &v, sizeof v);
  return a;
}

Array ones() {
  Array a;
  EXPECT(make_array(memory(), {DType::kFloat32, {4}}, a).is_ok());
  std::fill_n(static_cast<float*>(a.data()), 4, 1.0f);
  return a;
}

Status call(Program& p, int64_t n, Array& result, Hooks hooks = {}) {
  const Array count = number(n), x = ones();
  const Array* in[] = {&count, &x};
  Run run(p, std::move(hooks));
  if (!run.try_lock()) run.lock();
  if (Status s = run.start(in, {})) return s;
  if (Status s = run.execute()) return s;
  std::vector<Array> results;
  if (Status s = run.finish(results)) return s;
  if (results.empty()) return {Code::kInternal, "no result"};
  result = std::move(results[0]);
  return {};
}

Status loaded(const std::vector<uint8_t>& code, std::unique_ptr<Program>& p) {
  int64_t instruction = -1;
  return load(code, cpu::device(), {}, {}, p, instruction);
}

TEST(a_loop_doubles_and_its_buffer_is_reused) {
  std::unique_ptr<Program> p;
  const Status s = loaded(sealed(doubling()), p);
  if (s) return EXPECT_EQ(s.message(), "");
  Array r;
  EXPECT(call(*p, 10, r).is_ok());
  EXPECT_EQ(static_cast<float*>(r.data())[3], 1024.0f);
  EXPECT_EQ(r.buffer->use_count(), 1);
  EXPECT(call(*p, 100, r).is_ok());
  EXPECT_EQ(static_cast<float*>(r.data())[0], 0x1p100f);
}

TEST(one_program_runs_in_several_threads) {
  std::unique_ptr<Program> p;
  EXPECT(loaded(sealed(doubling()), p).is_ok());
  std::vector<std::thread> threads;
  std::vector<float> got(4);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 50; ++k) {
        Array r;
        if (call(*p, static_cast<int64_t>(t) + 20, r).is_ok()) got[t] = static_cast<float*>(r.data())[1];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t t = 0; t < 4; ++t) EXPECT_EQ(got[t], static_cast<float>(1 << (20 + t)));
}

TEST(polling_ends_a_loop) {
  std::unique_ptr<Program> p;
  EXPECT(loaded(sealed(doubling()), p).is_ok());
  int polls = 0;
  Hooks hooks;
  hooks.poll = [&]() -> Status {
    if (++polls < 3) return {};
    return {Code::kHost, "stop"};
  };
  Array r;
  const Status s = call(*p, INT64_MAX, r, std::move(hooks));
  EXPECT(s && s.code() == Code::kHost);
  EXPECT_EQ(polls, 3);
}

// f(p, x): p = p + x.
std::vector<uint8_t> adding() {
  constexpr uint32_t object = 1, move = 2, pool = 6, param = 7, f32 = 11;
  Writer w;
  w.text("cpu");
  w.put({2, 0, f32, 1, 4, 0, 2, f32, 1, 4, 0});  // types: 0 float32[4], 1 a reference to one
  w.put({0, 0, 1});
  w.text("add");
  w.put({0, 2, 0, 0, 1, 0, 1});
  w.text("root");
  w.put({2, 1, 0, 0, 1, 0, 3, 0, 0, 0});
  w.put({3, static_cast<uint32_t>(Opcode::kLoad), 1, object, 0, pool, 2});
  w.put({static_cast<uint32_t>(Opcode::kRun), 0, move, 2, move, 1, param, 0, 1});
  w.put({static_cast<uint32_t>(Opcode::kReturn)});
  const auto* bytes = reinterpret_cast<const uint8_t*>(w.words.data());
  return {bytes, bytes + w.words.size() * sizeof(uint32_t)};
}

TEST(updates_of_a_parameter_from_several_threads_are_in_place_and_none_is_lost) {
  std::unique_ptr<Program> p;
  EXPECT(loaded(sealed(adding()), p).is_ok());
  EXPECT(p->assigns);
  Array box = ones();
  const void* place = box.data();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const Array x = ones();
      const Array* in[] = {&x};
      Array* params[] = {&box};
      for (int k = 0; k < 100; ++k) {
        Run run(*p, {});
        run.lock();
        std::vector<Array> results;
        EXPECT(run.start(in, params).is_ok() && run.execute().is_ok() && run.finish(results).is_ok());
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(static_cast<float*>(box.data())[3], 401.0f);
  EXPECT_EQ(box.data(), place);

  const Array seen = box;  // now shared: the next update takes a new buffer
  const Array x = ones();
  const Array* in[] = {&x};
  Array* params[] = {&box};
  Run run(*p, {});
  std::vector<Array> results;
  EXPECT(run.try_lock() && run.start(in, params).is_ok() && run.execute().is_ok() &&
         run.finish(results).is_ok());
  EXPECT_EQ(static_cast<float*>(seen.data())[0], 401.0f);
  EXPECT_EQ(static_cast<float*>(box.data())[0], 402.0f);
}

// ---- programs for machine code

constexpr uint32_t kWordAt = 0, kObjectAt = 1, kMoveAt = 2, kInt64 = 4, kFloat = 11;
constexpr uint32_t code_of(Opcode o) { return static_cast<uint32_t>(o); }
constexpr uint32_t on_ints(BinaryOp o) { return kScalarBase + scalar_number<int64_t>(o); }

std::unique_ptr<Program> loaded(const Writer& w) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(w.words.data());
  std::unique_ptr<Program> p;
  const Status s = loaded(sealed({bytes, bytes + w.words.size() * sizeof(uint32_t)}), p);
  EXPECT_EQ(s ? s.message() : "", "");
  return p;
}

// A short function that calls one with a large frame again and again: as machine code it would be too much.
TEST(programs_with_too_much_machine_code_are_interpreted) {
  Writer w;
  w.text("cpu");
  w.put({0, 0, 0, 0, 2});
  w.text("root");
  w.put({0, 0, 0, 0, 0, 0});
  w.text("wide");
  w.put({0, 0, 4000, 0, 0, 0});
  w.put({1, code_of(Opcode::kTail), 1, 0, 3001});
  for (int k = 0; k < 3000; ++k) w.put({code_of(Opcode::kCall), 1, 0, 0});
  w.put({code_of(Opcode::kReturn)});
  const auto p = loaded(w);
  if (!p) return;
  EXPECT(p->compiled == nullptr);
  Hooks hooks = default_limits(cpu::device());
  hooks.stack_limit = 1 << 20;
  Run run(*p, hooks);
  Status s = run.start({}, {});
  if (!s) s = run.execute();
  EXPECT(s && s.message().starts_with("recursion is too deep"));
}

// loop(n): a call of a function that is too large for machine code, then loop(n - 1).
TEST(polling_ends_a_loop_that_leaves_machine_code_each_time) {
  Writer w;
  w.text("cpu");
  w.put({1, 0, kInt64, 0, 0, 0, 0, 3});
  w.text("root");
  w.put({1, 0, 1, 1, 0, 0, 1, 0, 0});
  w.text("loop");
  w.put({1, 0, 1, 1, 0, 0, 6, 2, 1, 0, 0, 0, 0});
  w.text("wide");
  w.put({1, 0, 1, 1, 0, 0, 5000, 0, 0});
  w.put({1, code_of(Opcode::kTail), 1, kWordAt, 0, 0});
  w.put({4, code_of(Opcode::kCall), 2, kWordAt, 0, 0, 5, 0});
  w.put({on_ints(BinaryOp::kSub), 0, 1, 3, on_ints(BinaryOp::kLess), 2, 3, 4});
  w.put({code_of(Opcode::kSwitchTail), kWordAt, 4, 1, kWordAt, 3, 0, 2, kWordAt, 3, 0});
  w.put({1, code_of(Opcode::kReturn), kWordAt, 0});
  const auto p = loaded(w);
  if (!p) return;
  Hooks hooks;
  hooks.poll = []() -> Status { return {Code::kHost, "stop"}; };
  const Array count = number(int64_t{1} << 22);
  const Array* in[] = {&count};
  Run run(*p, hooks);
  Status s = run.start(in, {});
  if (!s) s = run.execute();
  EXPECT_EQ(s ? s.message() : "it ran to its end", "stop");
}

// loop(n, x, at): x = end(x)[at], whose index has no coordinates, n times.
TEST(an_index_without_coordinates_reads_the_whole) {
  Writer w;
  w.text("cpu");
  w.put({3, 0, kInt64, 0, 0, kFloat, 0, 0, kInt64, 1, 0, 0, 0, 0, 1});
  w.text("gather_nd");
  w.put({0, 2, 1, 2, 1, 1, 3});
  w.text("root");
  w.put({3, 0, 1, 1, 1, 2, 1, 1, 1, 1, 2, 0, 0});
  w.text("loop");
  w.put({3, 0, 1, 1, 1, 2, 1, 1, 1, 1, 8, 2, 1, 0, 0, 0, 0});
  w.text("end");
  w.put({1, 1, 1, 1, 1, 0, 1, 0, 0});
  w.put({1, code_of(Opcode::kTail), 1, kWordAt, 0, kWordAt, 1, kMoveAt, 0, 0});
  w.put({5, code_of(Opcode::kCall), 2, kWordAt, 1, 0, 7, 0});
  w.put({code_of(Opcode::kRun), 0, kWordAt, 7, kObjectAt, 0, kWordAt, 4, 0});
  w.put({on_ints(BinaryOp::kSub), 0, 2, 5, on_ints(BinaryOp::kLess), 3, 5, 6});
  w.put({code_of(Opcode::kSwitchTail), kWordAt, 6, 1, kWordAt, 5, kWordAt, 4, kMoveAt, 0, 0, 2, kWordAt, 4, 0});
  w.put({1, code_of(Opcode::kReturn), kWordAt, 0});
  const auto p = loaded(w);
  if (!p) return;
  Array x, at;
  EXPECT(make_array(memory(), {DType::kFloat32, {}}, x).is_ok());
  EXPECT(make_array(memory(), {DType::kInt64, {0}}, at).is_ok());
  *static_cast<float*>(x.data()) = 7;
  const Array count = number(5);
  const Array* in[] = {&count, &x, &at};
  Run run(*p, {});
  std::vector<Array> results;
  EXPECT(run.start(in, {}).is_ok() && run.execute().is_ok() && run.finish(results).is_ok());
  EXPECT(results.size() == 1 && *static_cast<const float*>(results[0].data()) == 7);
}

// ----

TEST(hostile_programs_end_in_a_status) {
  const std::vector<uint8_t> body = doubling();
  std::mt19937 random(1);
  int refused = 0, ran = 0;
  for (int k = 0; k < 20000; ++k) {
    std::vector<uint8_t> broken = body;
    for (uint32_t n = random() % 3 + 1; n > 0; --n) {
      const size_t at = random() % (broken.size() / 4) * 4;
      if (random() % 2 == 0) {
        broken[at + random() % 4] ^= static_cast<uint8_t>(1u << random() % 8);
      } else {
        const uint32_t small = random() % 20;
        std::memcpy(broken.data() + at, &small, sizeof small);
      }
    }
    if (random() % 16 == 0) broken.resize(random() % broken.size());
    std::unique_ptr<Program> p;
    if (loaded(sealed(broken), p)) {
      ++refused;
      continue;
    }
    Hooks hooks = default_limits(cpu::device());
    hooks.stack_limit = 1 << 20;
    hooks.memory_limit = memory().stats().in_use + (64 << 20);
    hooks.poll = []() -> Status { return {Code::kHost, "stop"}; };
    Array r;
    ran += call(*p, 3, r, std::move(hooks)).is_ok();
  }
  EXPECT(refused > 5000);
  EXPECT(ran > 100);
}

}  // namespace
}  // namespace minds::runtime
