// A test library of forty lines. TEST(name) { EXPECT(condition); EXPECT_EQ(got, wanted); }
#pragma once
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace minds::test {

struct Case {
  std::string name;
  std::function<void()> body;
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
inline int failures = 0;

struct Enter {
  Enter(const char* name, std::function<void()> body) { cases().push_back({name, std::move(body)}); }
};

inline void report(bool ok, const char* file, int line, const std::string& what) {
  if (ok) return;
  ++failures;
  std::cerr << file << ":" << line << ": failed: " << what << "\n";
}

template <class A, class B>
void expect_equal(const A& got, const B& wanted, const char* file, int line, const char* what) {
  if (got == wanted) return;
  ++failures;
  std::cerr << file << ":" << line << ": " << what << ": got " << got << ", wanted " << wanted << "\n";
}

}  // namespace minds::test

#define TEST(name)                                                    \
  static void test_##name();                                          \
  static const ::minds::test::Enter enter_##name{#name, test_##name}; \
  static void test_##name()
#define EXPECT(condition) ::minds::test::report(static_cast<bool>(condition), __FILE__, __LINE__, #condition)
#define EXPECT_EQ(got, wanted) ::minds::test::expect_equal((got), (wanted), __FILE__, __LINE__, #got)
