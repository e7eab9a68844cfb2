// Lines of the user's: who made what a device holds, and which call launched what failed there later.
#include <Python.h>
#include <frameobject.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "python/bindings.h"

namespace minds::python {
namespace {

struct Site {
  PyCodeObject* code;  // kept for ever: a program has few lines
  int line;
};

// Under the interpreter lock.
struct Sites {
  std::string library;  // the folder whose frames are not the user's
  std::unordered_map<PyCodeObject*, bool> is_library;
  std::vector<Site> by_number{{nullptr, 0}};
  std::map<std::pair<PyCodeObject*, int>, uint16_t> numbers;
};

Sites& sites() {
  static auto& all = *new Sites;
  return all;
}

bool is_library(PyCodeObject* code) {
  Sites& s = sites();
  const auto known = s.is_library.find(code);
  if (known != s.is_library.end()) return known->second;
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (file == nullptr) PyErr_Clear();
  const bool ours = file != nullptr && !s.library.empty() && std::string_view(file).starts_with(s.library);
  Py_INCREF(code);  // another one never gets its address
  s.is_library.emplace(code, ours);
  return ours;
}

uint16_t number_of(PyCodeObject* code, int line) {
  Sites& s = sites();
  const auto [entry, added] = s.numbers.try_emplace({code, line}, static_cast<uint16_t>(s.by_number.size()));
  if (!added) return entry->second;
  if (s.by_number.size() > UINT16_MAX) {
    s.numbers.erase(entry);
    return 0;
  }
  s.by_number.push_back({code, line});
  return entry->second;
}

}  // namespace

uint16_t user_site() {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  uint16_t found = 0;
  while (frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const bool ours = is_library(code);
    if (!ours) found = number_of(code, PyFrame_GetLineNumber(frame));
    Py_DECREF(code);
    PyFrameObject* outer = ours ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = outer;
  }
  return found;
}

py::object site_of(uint16_t number) {
  if (number == 0 || number >= sites().by_number.size()) return py::none();
  const Site& s = sites().by_number[number];
  const auto code = py::handle(reinterpret_cast<PyObject*>(s.code));
  return py::make_tuple(code.attr("co_filename"), s.line, code.attr("co_name"));
}

void bind_sites(py::module_& m) {
  m.def(
      "set_library", [](const std::string& folder) { sites().library = folder; }, py::arg("folder"),
      "Frames of files in this folder are not the user's lines.");
}

}  // namespace minds::python
