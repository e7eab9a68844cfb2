#include "translate.h"

#include <cctype>
#include <string_view>
#include <vector>

namespace minds::sim {
namespace {

bool part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Translator {
 public:
  explicit Translator(const std::string& text) : in_(text) {}

  std::string run(std::string& out) {
    while (at_ < in_.size() && failure_.empty()) step();
    for (const Kernel& k : kernels_) out_ += "\nCUDA_ENTRY(" + k.name + ", " + k.threads + ")";
    out = out_ + "\n";
    return failure_;
  }

 private:
  struct Kernel {
    std::string name, threads;
  };

  void step() {
    const char c = in_[at_];
    if (c == '#' && (at_ == 0 || in_[at_ - 1] == '\n')) {
      copy(in_.find('\n', at_));
    } else if (c == '"' || c == '\'') {
      copy(end_of_string(at_));
    } else if (part_of_name(c)) {
      word();
    } else {
      depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (c == ';' || c == '}') statement_ = out_.size() + 1;
      out_ += c;
      ++at_;
    }
  }

  void copy(size_t end) {
    end = std::min(end, in_.size());
    out_.append(in_, at_, end - at_);
    at_ = end;
  }

  size_t end_of_string(size_t at) const {
    const char quote = in_[at];
    for (++at; at < in_.size() && in_[at] != quote; ++at) at += in_[at] == '\\';
    return at + 1;
  }

  std::string next_word() {
    while (at_ < in_.size() && !part_of_name(in_[at_]) && in_[at_] != '(') ++at_;
    const size_t begin = at_;
    while (at_ < in_.size() && part_of_name(in_[at_])) ++at_;
    return in_.substr(begin, at_ - begin);
  }

  // At a parenthesis: what is inside, and goes behind it.
  std::string parentheses() {
    while (at_ < in_.size() && in_[at_] != '(') ++at_;
    const size_t begin = ++at_;
    for (int open = 1; at_ < in_.size() && open > 0; ++at_) open += in_[at_] == '(' ? 1 : in_[at_] == ')' ? -1 : 0;
    return in_.substr(begin, at_ - 1 - begin);
  }

  void word() {
    const size_t begin = at_;
    while (at_ < in_.size() && part_of_name(in_[at_])) ++at_;
    const std::string_view w(in_.data() + begin, at_ - begin);
    if (w == "__global__") {
      kernel();
    } else if (w == "extern" && follows("__shared__")) {
      dynamic_shared();
    } else {
      out_ += w;
    }
  }

  bool follows(std::string_view w) const {
    size_t at = at_;
    while (at < in_.size() && std::isspace(static_cast<unsigned char>(in_[at])) != 0) ++at;
    return in_.compare(at, w.size(), w) == 0;
  }

  // What is left out must not move the lines after it.
  void keep_lines(size_t begin) {
    for (size_t n = begin; n < at_; ++n) {
      if (in_[n] == '\n') out_ += '\n';
    }
  }

  void kernel() {
    const size_t begin = at_;
    const std::string before = out_.substr(std::min(statement_, out_.size()));
    if (before.find("extern \"C\"") == std::string::npos) {
      failure_ = "a kernel is not extern \"C\"";
      return;
    }
    Kernel k{"", "0"};
    for (;;) {
      const std::string w = next_word();
      if (w == "__launch_bounds__") {
        const std::string inside = parentheses();
        k.threads = inside.substr(0, inside.find(','));
        continue;
      }
      if (w == "__attribute__") {
        parentheses();
        continue;
      }
      if (w.empty()) break;
      k.name = w;
    }
    keep_lines(begin);
    kernels_.push_back(k);
    out_ += " void " + k.name;
  }

  void dynamic_shared() {
    const size_t begin = at_;
    const size_t end = in_.find(';', at_);
    if (end == std::string::npos || depth_ == 0) {
      failure_ = "an extern __shared__ array is declared in the function that uses it";
      return;
    }
    std::string alignment = "0";
    std::vector<std::string> words;
    while (at_ < end) {
      const std::string w = next_word();
      if (w == "__align__") {
        alignment = parentheses();
      } else if (!w.empty() && w != "__shared__") {
        words.push_back(w);
      }
      if (at_ < end && in_[at_] == '[') break;
      if (w.empty()) ++at_;
    }
    if (words.size() < 2 || in_[in_.find_last_not_of(" \n\t", end - 1)] != ']') {
      failure_ = "an extern __shared__ array is declared as `extern __shared__ TYPE NAME[];`";
      return;
    }
    at_ = end;
    keep_lines(begin);
    std::string type;
    for (size_t n = 0; n + 1 < words.size(); ++n) type += words[n] + " ";
    out_ += type + "* const " + words.back() + " = static_cast<" + type + "*>(cuda_dynamic_shared(" + alignment + "))";
  }

  const std::string& in_;
  size_t at_ = 0, statement_ = 0;
  int depth_ = 0;
  std::string out_, failure_;
  std::vector<Kernel> kernels_;
};

}  // namespace

std::string translate(const std::string& text, std::string& out) { return Translator(text).run(out); }

}  // namespace minds::sim
