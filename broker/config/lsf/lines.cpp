#include "broker/config/lsf/lines.hpp"

#include <array>
#include <optional>
#include <utility>

namespace leasehold {

namespace {

constexpr std::array<std::pair<std::string_view, LsfLineKind>, 5> kDirectives{{
    {"include", LsfLineKind::include},
    {"if", LsfLineKind::if_time},
    {"elif", LsfLineKind::elif_time},
    {"else", LsfLineKind::else_time},
    {"endif", LsfLineKind::end_time},
}};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char lower(char c) {
  return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/// Gives where the comment of a line begins, or the line's length if it has none.
size_t comment_begin(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || is_blank(line[i - 1]))) return i;
  }
  return line.size();
}

void append(LsfLine& line, std::string_view text, int number) {
  for (size_t i = 0; i < text.size(); ++i) {
    line.text.push_back(is_blank(text[i]) ? ' ' : text[i]);
    line.places.push_back({number, static_cast<int>(i) + 1});
  }
}

void trim(LsfLine& line) {
  while (!line.text.empty() && line.text.back() == ' ') {
    line.text.pop_back();
    line.places.pop_back();
  }
  const size_t lead = line.text.find_first_not_of(' ');
  if (lead == std::string::npos || lead == 0) return;
  line.text.erase(0, lead);
  line.places.erase(line.places.begin(), line.places.begin() + static_cast<std::ptrdiff_t>(lead));
}

/// `#` and the word of a directive right behind it; everything else after `#` is a comment.
std::optional<LsfLine> directive_of(std::string_view physical, int number) {
  size_t hash = 0;
  while (hash < physical.size() && is_blank(physical[hash])) ++hash;
  if (hash == physical.size() || physical[hash] != '#') return std::nullopt;
  std::string word;
  size_t at = hash + 1;
  for (; at < physical.size() && is_letter(physical[at]); ++at) word.push_back(lower(physical[at]));
  for (const auto& [name, kind] : kDirectives) {
    if (name != word) continue;
    LsfLine line;
    line.kind = kind;
    line.begin = {number, static_cast<int>(hash) + 1};
    append(line, physical, number);
    line.text.erase(0, at);
    line.places.erase(line.places.begin(), line.places.begin() + static_cast<std::ptrdiff_t>(at));
    trim(line);
    return line;
  }
  return std::nullopt;
}

class LineCutter {
 public:
  void take(std::string_view physical, int number) {
    if (!joining_) {
      if (auto directive = directive_of(physical, number)) {
        lines_.push_back(std::move(*directive));
        return;
      }
    }
    std::string_view content = physical.substr(0, comment_begin(physical));
    while (!content.empty() && is_blank(content.back())) content.remove_suffix(1);
    joining_ = content.ends_with('\\');
    if (joining_) content.remove_suffix(1);
    append(current_, content, number);
    if (joining_) {
      append(current_, " ", number);
    } else {
      close();
    }
  }

  std::vector<LsfLine> finish() {
    close();
    return std::move(lines_);
  }

 private:
  void close() {
    trim(current_);
    if (!current_.text.empty()) {
      current_.begin = current_.places.front();
      lines_.push_back(std::move(current_));
    }
    current_ = {};
  }

  std::vector<LsfLine> lines_;
  LsfLine current_;
  bool joining_ = false;
};

}  // namespace

std::vector<LsfLine> lsf_lines(std::string_view text) {
  LineCutter cutter;
  int number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    cutter.take(text.substr(0, end), ++number);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return cutter.finish();
}

}  // namespace leasehold
