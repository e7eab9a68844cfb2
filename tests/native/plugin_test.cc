// What is refused when plug-ins are opened; the device `sim` (tests/sim) is one that works.
#include "kernel/plugin.h"

#include <cstdlib>
#include <string>
#include <thread>

#include "check.h"

namespace minds {
namespace {

std::string refusal(const char* name, int index = 0) {
  setenv("MINDS_PLUGINS", "/nonexistent::" PLUGINS, 1);
  Device* device = nullptr;
  const Status s = find_device(name, index, device);
  EXPECT(device == nullptr);
  EXPECT(s && s.code() != Code::kInternal);
  return s ? s.message() : "";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(a_plugin_of_another_build_is_refused) {
  EXPECT(contains(refusal("stale"), "libminds_stale.so was built with another version of minds"));
  EXPECT(contains(refusal("stale"), "another version"));  // each time
}

TEST(a_library_that_is_no_plugin_is_refused) {
  EXPECT(contains(refusal("empty"), "no function minds_plugin"));
}

TEST(a_plugin_has_its_own_name) { EXPECT(contains(refusal("misnamed"), "is the plug-in for 'another'")); }

TEST(what_a_plugin_says_is_passed_on) {
  EXPECT(contains(refusal("absent"), "the driver is missing"));
  EXPECT(contains(refusal("absent", 1), "there is no device number 1; the last is number 0"));
  int n = -1;
  EXPECT(!device_count("absent", n));
  EXPECT_EQ(n, 1);
}

TEST(a_missing_plugin_is_named) {
  EXPECT(contains(refusal("nowhere"), "device 'nowhere' is not available"));
  int n = 0;
  EXPECT(device_count("nowhere", n).code() == Code::kBackend);
}

TEST(kernels_of_others_are_not_merged) {
  Registry own, all;
  const auto none = [](std::string_view, const Attrs&) -> std::unique_ptr<Kernel> { return nullptr; };
  own.add("mine", "add", {DType::kFloat32}, none);
  own.add("cpu", "add", {DType::kFloat32}, none);
  EXPECT(!all.merge("mine", own));
  EXPECT(all.contains("mine", "add", DType::kFloat32));
  EXPECT(!all.contains("cpu", "add", DType::kFloat32));
  own.add("mine", "add", {DType::kFloat32}, none);
  EXPECT(all.merge("mine", own).code() == Code::kInternal);
}

TEST(kernels_are_found_while_others_are_merged) {
  Registry own, all;
  const auto none = [](std::string_view, const Attrs&) -> std::unique_ptr<Kernel> { return nullptr; };
  for (int k = 0; k < 200; ++k) own.add("mine", "op" + std::to_string(k), {DType::kFloat32}, none);
  std::thread reader([&all] {
    for (int k = 0; k < 2000; ++k) static_cast<void>(all.contains("mine", "op7", DType::kFloat32));
  });
  EXPECT(!all.merge("mine", own));
  reader.join();
  EXPECT(all.contains("mine", "op7", DType::kFloat32));
}

}  // namespace
}  // namespace minds
