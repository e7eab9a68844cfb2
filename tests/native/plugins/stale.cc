// A plug-in of another build: it does not know the caller's stamp.
#include <cstdint>

extern "C" __attribute__((visibility("default"))) const void* minds_plugin(uint32_t) { return nullptr; }
