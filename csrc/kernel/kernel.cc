#include "kernel/kernel.h"

#include <stdexcept>

namespace minds {

const Attrs::Value& Attrs::at(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::out_of_range("no attribute '" + std::string(name) + "'");
  return found->second;
}

bool Attrs::has(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && !std::holds_alternative<std::monostate>(found->second);
}

int64_t Attrs::i64(std::string_view name) const {
  const Value& v = at(name);
  if (const bool* b = std::get_if<bool>(&v)) return *b;
  return std::get<int64_t>(v);
}

int64_t Attrs::i64(std::string_view name, int64_t otherwise) const {
  return has(name) ? i64(name) : otherwise;
}

double Attrs::f64(std::string_view name) const {
  const Value& v = at(name);
  if (const int64_t* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
  if (const bool* b = std::get_if<bool>(&v)) return *b;
  return std::get<double>(v);
}

bool Attrs::boolean(std::string_view name) const {
  const Value& v = at(name);
  if (const int64_t* i = std::get_if<int64_t>(&v)) return *i != 0;
  return std::get<bool>(v);
}

const std::string& Attrs::str(std::string_view name) const { return std::get<std::string>(at(name)); }

DType Attrs::dtype(std::string_view name) const { return std::get<DType>(at(name)); }

const std::vector<int64_t>& Attrs::ints(std::string_view name) const {
  const Value& v = at(name);
  static const std::vector<int64_t> none;  // an empty tuple has no element type
  if (const auto* d = std::get_if<std::vector<double>>(&v); d && d->empty()) return none;
  return std::get<std::vector<int64_t>>(v);
}

const std::vector<double>& Attrs::floats(std::string_view name) const {
  const Value& v = at(name);
  static const std::vector<double> none;
  if (const auto* i = std::get_if<std::vector<int64_t>>(&v); i && i->empty()) return none;
  return std::get<std::vector<double>>(v);
}

}  // namespace minds
