#include "tests/unit/purity/scan.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace leasehold {

namespace {

constexpr std::array kStandardHeaders{
    "algorithm",        "array",        "bit",     "cctype",      "charconv",      "compare",
    "concepts",         "cstddef",      "cstdint", "cstring",     "deque",         "functional",
    "initializer_list", "iterator",     "limits",  "map",         "memory",        "numeric",
    "optional",         "queue",        "ranges",  "set",         "span",          "string",
    "string_view",      "system_error", "tuple",   "type_traits", "unordered_map", "unordered_set",
    "utility",          "variant",      "vector",
};

/// Values of common/, and how they lie in memory (prefetch, large_pages: nothing that is computed
/// differs by them); not its outlets (channel, log, clock, random, notify, config files, codec).
constexpr std::array kCommonHeaders{
    "common/prefetch.hpp",         "common/bounds.hpp",       "common/bytes.hpp",
    "common/canary.hpp",           "common/check.hpp",        "common/index.hpp",
    "common/time/instant.hpp",     "common/large_pages.hpp",  "common/reason.hpp",
    "common/result.hpp",           "common/tokens.hpp",       "common/wire/demand.hpp",
    "common/text/replace_all.hpp", "common/wire/horizon.hpp", "common/wire/message.hpp",
};

struct PureFolder {
  std::string_view folder;
  std::array<std::string_view, 2> may_include;  // "": none
};
constexpr std::array<PureFolder, 3> kFolders{{
    {"broker/core", {"broker/core/", "broker/rules/"}},
    {"broker/rules", {"broker/rules/", ""}},
    {"agent/core", {"agent/core/", ""}},
}};

/// Words of time, chance, threads, files, sockets and the process; and of inexact numbers.
constexpr std::array kForbiddenWords{
    "chrono",        "system_clock", "steady_clock",  "high_resolution_clock",
    "clock_gettime", "gettimeofday", "time",          "rand",
    "srand",         "random",       "random_device", "mt19937",
    "thread",        "jthread",      "async",         "mutex",
    "atomic",        "thread_local", "fopen",         "ifstream",
    "ofstream",      "fstream",      "cout",          "cerr",
    "cin",           "printf",       "fprintf",       "puts",
    "getenv",        "socket",       "system",        "sleep",
    "usleep",        "double",       "float",
};

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Returns the end of the comment, text or character that opens at `i`; `i` if none opens there.
size_t end_of_hidden(std::string_view text, size_t i) {
  if (text.substr(i, 2) == "//") return std::min(text.find('\n', i), text.size());
  if (text.substr(i, 2) == "/*") return std::min(text.find("*/", i + 2), text.size() - 2) + 2;
  const bool between_digits = i > 0 && is_word_char(text[i - 1]);  // 10'000
  if (text[i] != '"' && (text[i] != '\'' || between_digits)) return i;
  size_t end = i + 1;
  while (end < text.size() && text[end] != text[i] && text[end] != '\n') {
    end += text[end] == '\\' ? 2u : 1u;
  }
  return std::min(end + 1, text.size());
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Returns what this line includes, with its brackets or quotes; "": it includes nothing.
std::string included_by(const std::string& line) {
  std::istringstream words(line);
  std::string first;
  std::string rest;
  words >> first;
  if (first == "#") {
    words >> rest;
    first += rest;
  }
  if (first.rfind("#include", 0) != 0) return "";
  std::getline(words, rest);
  std::string name = first.substr(8) + rest;
  const size_t open = name.find_first_of("<\"");
  if (open == std::string::npos) return "(a macro)";
  const size_t close = name.find_first_of(">\"", open + 1);
  return name.substr(open, close == std::string::npos ? close : close + 1 - open);
}

bool may_include(std::string_view folder, const std::string& included) {
  if (included.size() < 3) return false;
  const std::string name = included.substr(1, included.size() - 2);
  if (included.front() == '<') return contains(kStandardHeaders, name);
  if (contains(kCommonHeaders, name)) return true;
  for (const PureFolder& pure : kFolders) {
    if (pure.folder != folder) continue;
    for (const std::string_view own : pure.may_include) {
      if (!own.empty() && name.rfind(own, 0) == 0) return true;
    }
  }
  return false;
}

std::vector<std::string> forbidden_words(const std::string& line) {
  std::vector<std::string> found;
  for (size_t i = 0; i < line.size();) {
    size_t end = i;
    while (end < line.size() && is_word_char(line[end])) ++end;
    const std::string word = line.substr(i, end - i);
    if (contains(kForbiddenWords, word)) found.push_back(word);
    i = end + 1;
  }
  return found;
}

}  // namespace

std::string without_comments_and_texts(std::string_view text) {
  std::string kept;
  for (size_t i = 0; i < text.size();) {
    const size_t end = end_of_hidden(text, i);
    if (end == i) {
      kept += text[i++];
      continue;
    }
    for (; i < end; ++i) kept += text[i] == '\n' ? '\n' : ' ';
  }
  return kept;
}

std::vector<std::string> impurities(std::string_view folder, std::string_view text) {
  std::vector<std::string> faults;
  const auto whole = lines_of(text);
  const auto code = lines_of(without_comments_and_texts(text));
  for (size_t i = 0; i < code.size(); ++i) {
    const std::string place = "line " + std::to_string(i + 1) + ": ";
    if (code[i].find("#") != std::string::npos) {  // not within a comment
      const std::string included = included_by(whole[i]);
      if (!included.empty() && !may_include(folder, included)) {
        faults.push_back(place + "#include " + included + ": not for a pure folder");
      }
      if (!included.empty()) continue;
    }
    for (const std::string& word : forbidden_words(code[i])) {
      faults.push_back(place + word + ": not for a pure folder");
    }
  }
  return faults;
}

}  // namespace leasehold
