// Runs all native tests, or those whose name contains the first argument.
#include "check.h"

int main(int argc, char** argv) {
  using namespace minds::test;
  const std::string wanted = argc > 1 ? argv[1] : "";
  int run = 0;
  for (const Case& c : cases()) {
    if (c.name.find(wanted) == std::string::npos) continue;
    const int before = failures;
    c.body();
    ++run;
    if (failures != before) std::cerr << "FAILED " << c.name << "\n";
  }
  std::cout << run << " native tests, " << failures << " failures\n";
  return failures == 0 && run > 0 ? 0 : 1;
}
