#include "broker/config/lsf/file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "broker/config/lsf/lines.hpp"
#include "broker/config/lsf/time.hpp"

namespace leasehold {

namespace {

constexpr size_t kFilesMax = 200;  // an include of includes of includes must end somewhere
constexpr size_t kBytesMax = size_t{16} << 20;  // of all: each character knows its place
constexpr size_t kConditionalsMax = 64;  // of #if within #if: each knows every minute of the week

/// The part of the week that the lines between `#if` and `#endif` hold for.
struct Conditional {
  WeekSet outer;
  WeekSet taken;  // by the branches so far
  WeekSet now;
  bool has_else = false;
  Spot spot;
};

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string file_identity(const std::string& path) {
  std::error_code code;
  const auto canonical = std::filesystem::weakly_canonical(path, code);
  return code ? path : canonical.string();
}

class LsfReader {
 public:
  explicit LsfReader(Findings& findings) : findings_(findings) {}

  void read(const std::string& path, const Spot* included_at, Pipes pipes = Pipes::refused) {
    const std::string identity = file_identity(path);
    if (std::find(open_files_.begin(), open_files_.end(), identity) != open_files_.end()) {
      findings_.error(*included_at, in_quotes(path) + " includes itself; take this #INCLUDE out");
      return;
    }
    if (++files_ > kFilesMax) {
      if (files_ == kFilesMax + 1) {
        findings_.error(*included_at, "more than " + std::to_string(kFilesMax) + " files included");
      }
      return;
    }
    const Result<std::string> text = read_text_file(path, kBytesMax, pipes);
    if (text && (bytes_ += text->size()) > kBytesMax) {
      return findings_.error(included_at != nullptr ? *included_at : Spot{path, {}},
                             "the files are larger than " + std::to_string(kBytesMax >> 20U) +
                                 " MiB together, which is the most that is read");
    }
    if (!text) {
      findings_.error(included_at != nullptr ? *included_at : Spot{path, {}},
                      included_at != nullptr ? in_quotes(path) + " " + text.error().message
                                             : text.error().message);
      return;
    }
    open_files_.push_back(identity);
    take_lines(*text, path);
    open_files_.pop_back();
  }

  std::vector<LsfSection> finish() {
    if (in_section_) {
      findings_.error(section_.spot, "section " + section_.name + " is not ended; add 'End " +
                                         section_.name + "'");
    }
    return std::move(sections_);
  }

 private:
  void take_lines(std::string_view text, const std::string& file) {
    const size_t conditionals_before = conditionals_.size();
    for (const LsfLine& line : lsf_lines(text)) take_line(line, file, conditionals_before);
    beyond_ = 0;
    while (conditionals_.size() > conditionals_before) {
      findings_.error(conditionals_.back().spot, "#if without its #endif in this file");
      conditionals_.pop_back();
    }
  }

  void take_line(const LsfLine& line, const std::string& file, size_t conditionals_before) {
    switch (line.kind) {
      case LsfLineKind::content:
        return take_content(line, file);
      case LsfLineKind::include:
        return take_include(line, file);
      case LsfLineKind::if_time:
      case LsfLineKind::elif_time:
      case LsfLineKind::else_time:
      case LsfLineKind::end_time:
        return take_directive(line, file, conditionals_before);
    }
  }

  void take_include(const LsfLine& line, const std::string& file) {
    const Spot spot{file, line.begin};
    const std::string& text = line.text;
    const size_t open = text.find('"');
    const size_t close = open == std::string::npos ? open : text.find('"', open + 1);
    if (close == std::string::npos || close == open + 1) {
      return findings_.error(spot, "write #INCLUDE \"path\" with the path in quotes");
    }
    const std::string path = text.substr(open + 1, close - open - 1);
    if (std::any_of(path.begin(), path.end(), is_control)) {
      return findings_.error(spot, "the path has a control character; name a file without");
    }
    read(relative_to(file, path), &spot);
  }

  void take_directive(const LsfLine& line, const std::string& file, size_t conditionals_before) {
    const Spot spot{file, line.begin};
    if (in_section_ && !section_.directive) section_.directive = spot;
    if (passes_beyond(line.kind, spot)) return;
    if (line.kind == LsfLineKind::if_time) {
      const WeekSet outer = conditionals_.empty() ? WeekSet().set() : conditionals_.back().now;
      const WeekSet week = week_of(line, file);
      conditionals_.push_back({outer, week, outer & week, false, spot});
      return;
    }
    if (conditionals_.size() <= conditionals_before) {
      return findings_.error(spot, "this has no #if before it in this file");
    }
    if (line.kind == LsfLineKind::end_time) {
      conditionals_.pop_back();
    } else {
      take_branch(line, file, spot);
    }
  }

  /// Reports an #if that is nested too deep, once, then passes over all directives up to its
  /// #endif.
  bool passes_beyond(LsfLineKind kind, const Spot& spot) {
    const bool opens = kind == LsfLineKind::if_time;
    if (beyond_ == 0 && !(opens && conditionals_.size() >= kConditionalsMax)) return false;
    if (beyond_ == 0) {
      findings_.error(spot,
                      "more than " + std::to_string(kConditionalsMax) + " nested #if; nest fewer");
    }
    if (opens) ++beyond_;
    if (kind == LsfLineKind::end_time) --beyond_;
    return true;
  }

  void take_branch(const LsfLine& line, const std::string& file, const Spot& spot) {
    Conditional& conditional = conditionals_.back();
    if (conditional.has_else) {
      return findings_.error(spot, "after the #else of this #if only #endif may follow");
    }
    const WeekSet rest = conditional.outer & ~conditional.taken;
    conditional.has_else = line.kind == LsfLineKind::else_time;
    const WeekSet week = conditional.has_else ? WeekSet().set() : week_of(line, file);
    conditional.now = rest & week;
    conditional.taken |= week;
  }

  /// Gives the whole week where the expression is wrong, so that its error is reported once.
  WeekSet week_of(const LsfLine& line, const std::string& file) {
    const Result<WeekSet> week = parse_lsf_time(line.text);
    if (week) return *week;
    const auto at = static_cast<size_t>(week.error().column - 1);
    findings_.error({file, line.place(at)}, week.error().message);
    return WeekSet().set();
  }

  void take_content(const LsfLine& line, const std::string& file) {
    const std::vector<std::string> words = words_of(line.text);
    const std::string keyword = upper_case(words.front());
    const bool assigns = words.size() > 1 && words[1].starts_with('=');
    if (keyword == "BEGIN" && !assigns) return begin(line, file, words);
    if (keyword == "END" && !assigns) return end(line, file, words);
    if (!in_section_) {
      return findings_.error({file, line.begin}, "expected 'Begin SECTION' before this line");
    }
    take_entry(line, file);
  }

  static std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    size_t at = 0;
    while (at < text.size()) {
      const size_t end = std::min(text.find_first_of(" \t", at), text.size());
      if (end > at) words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return words;
  }

  void begin(const LsfLine& line, const std::string& file, const std::vector<std::string>& words) {
    const Spot spot{file, line.begin};
    if (words.size() != 2) return findings_.error(spot, "write 'Begin SECTION' with one name");
    if (in_section_) {
      findings_.error(spot, "section " + section_.name + " of " + spot_text(section_.spot) +
                                " is not ended; add 'End " + section_.name + "' before this");
    }
    section_ = {};
    section_.name = words[1];
    section_.spot = spot;
    section_.timed = !conditionals_.empty();
    section_.week = section_.timed ? conditionals_.back().now : WeekSet().set();
    conditionals_at_begin_ = conditionals_.size();
    in_section_ = true;
  }

  void end(const LsfLine& line, const std::string& file, const std::vector<std::string>& words) {
    const Spot spot{file, line.begin};
    if (!in_section_) return findings_.error(spot, "'End' without its 'Begin'");
    if (words.size() != 2 || !section_.is(words[1])) {
      findings_.error(spot, "expected 'End " + section_.name + "' for the section of " +
                                spot_text(section_.spot));
    }
    sections_.push_back(std::move(section_));
    section_ = {};
    in_section_ = false;
  }

  void take_entry(const LsfLine& line, const std::string& file) {
    const size_t equals = line.text.find('=');
    std::string key = line.text.substr(0, equals);
    key.erase(key.find_last_not_of(" \t") + 1);
    const bool is_key = equals != std::string::npos && !key.empty() &&
                        key.find_first_of(" \t\"()[],") == std::string::npos;
    if (!is_key) return section_.others.push_back({file, line.begin});
    const size_t begin = line.text.find_first_not_of(" \t", equals + 1);
    if (begin == std::string::npos) return section_.blanks.push_back({file, line.begin});
    LsfEntry entry;
    entry.key = upper_case(key);
    entry.value = line.text.substr(begin);
    entry.spot = {file, line.begin};
    for (size_t i = begin; i <= line.text.size(); ++i) entry.places.push_back(line.place(i));
    entry.timed = conditionals_.size() > conditionals_at_begin_;
    section_.entries.push_back(std::move(entry));
  }

  Findings& findings_;
  std::vector<std::string> open_files_;
  size_t files_ = 0;
  size_t bytes_ = 0;
  std::vector<Conditional> conditionals_;
  size_t beyond_ = 0;  // #if that are open above kConditionalsMax
  std::vector<LsfSection> sections_;
  LsfSection section_;
  bool in_section_ = false;
  size_t conditionals_at_begin_ = 0;
};

}  // namespace

bool LsfSection::is(std::string_view keyword) const {
  return upper_case(name) == upper_case(keyword);
}

std::vector<LsfSection> read_lsf_file(const std::string& path, Findings& findings, Pipes pipes) {
  LsfReader reader(findings);
  reader.read(path, nullptr, pipes);
  return reader.finish();
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return result;
}

}  // namespace leasehold
