// ConfigFile is a TOML file whose every value has a line and a column. Broker and agent share this
// reading; what the keys mean is theirs. toml++ parses the file and stays behind the .cpp.
//
// Contract: no exception leaves it. A getter never fails: where the value is missing it gives the
// fallback, where it is wrong it adds an error with file, line, column and what would be right, and
// gives the fallback too, so that one run finds every mistake. Each getter makes its key known;
// refuse_unknown_keys() at the end reports the keys that nobody asked for, with the nearest known
// one. Errors have the code `usage` (exit 2).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/files/regular_file.hpp"
#include "common/result.hpp"

namespace leasehold {

class ConfigTable;
struct ConfigDocument;  // the parsed file with the errors found so far; in the .cpp

enum class ConfigKind : uint8_t { absent, text, integer, decimal, flag, list, table, time };

struct IntRange {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
};

/// A value of a list with its place.
template <class T>
struct Placed {
  T value;
  Place place;
};

class ConfigFile {
 public:
  /// A file that cannot be read or is not TOML gives an empty root and one error.
  static ConfigFile read(const std::string& path, Pipes pipes = Pipes::refused);
  static ConfigFile parse(std::string_view text, const std::string& name);

  ConfigTable root() const;
  const std::string& name() const;
  /// Returns false if the text could not be read as TOML; errors() then says why, and the root is
  /// empty.
  bool parsed() const;

  /// Call it at the end, after the last getter. Keys of tables that no getter opened are not
  /// checked.
  void refuse_unknown_keys();

  /// Returns the errors sorted by line.
  std::vector<Error> errors() const;
  std::vector<Error> warnings() const;

 private:
  explicit ConfigFile(std::shared_ptr<ConfigDocument> document);
  std::shared_ptr<ConfigDocument> document_;
};

/// One table of a ConfigFile; a light handle that may be copied. A table that is absent answers
/// every getter with its fallback.
class ConfigTable {
 public:
  bool present() const;
  const std::string& file() const;
  Place place() const;
  /// Returns the place of the value under `key`, or of the table if the key is absent.
  Place place(std::string_view key) const;
  ConfigKind kind(std::string_view key) const;  // makes the key known
  bool has(std::string_view key) const { return kind(key) != ConfigKind::absent; }

  std::string text(std::string_view key, std::string_view fallback = "") const;
  /// Adds an error if the value is absent or "". `wanted` ends its sentence: "the name of the
  /// cluster".
  std::string required_text(std::string_view key, std::string_view wanted) const;
  int64_t integer(std::string_view key, int64_t fallback, IntRange range = {}) const;
  /// Accepts 1 for 1.0, but never infinity or not-a-number.
  double decimal(std::string_view key, double fallback, double min, double max) const;
  /// Reads a number in thousandths, exact to three decimals: 1.5 -> 1500. More decimals are
  /// refused.
  int64_t milli(std::string_view key, int64_t fallback) const;
  bool flag(std::string_view key, bool fallback) const;
  /// Reads a duration by parse_duration_ms: "1h30m". A bare number is an error.
  int64_t duration_ms(std::string_view key, int64_t fallback,
                      IntRange range = {0, INT64_MAX}) const;

  std::vector<std::string> texts(std::string_view key) const;
  std::vector<Placed<std::string>> placed_texts(std::string_view key) const;
  /// Accepts "x" for ["x"].
  std::vector<std::string> text_or_texts(std::string_view key) const;
  std::vector<int64_t> integers(std::string_view key, IntRange range = {}) const;

  /// Returns the value of the word, or adds an error that lists `words` and returns `fallback`.
  template <class E>
  E choice(std::string_view key, E fallback,
           std::initializer_list<std::pair<std::string_view, E>> words) const {
    std::vector<std::string_view> names;
    for (const auto& word : words) names.push_back(word.first);
    const std::optional<size_t> index = choice_index(key, names);
    return index ? (words.begin() + *index)->second : fallback;
  }
  /// Returns the value of the enum's token, or adds an error that lists them and returns
  /// `fallback`.
  template <Tokened E>
  E choice(std::string_view key, E fallback) const {
    std::vector<std::string_view> words;
    for (const Token<E>& row : kTokensOf<E>) words.push_back(row.token);
    const std::optional<size_t> index = choice_index(key, words);
    return index ? kTokensOf<E>[*index].value : fallback;
  }

  ConfigTable table(std::string_view key) const;
  /// Returns the tables of [[key]] or key = [{…}, {…}], in file order.
  std::vector<ConfigTable> tables(std::string_view key) const;
  /// Every key of a table whose keys are free (a map of names), in file order. All become known.
  std::vector<Placed<std::string>> free_keys() const;

  /// Adds an error (or warning) at the key's value, or at the table if the key is absent.
  void error(std::string_view key, std::string message) const;
  void error(Place place, std::string message) const;
  void warn(std::string_view key, std::string message) const;
  void warn(Place place, std::string message) const;

 private:
  friend class ConfigFile;
  ConfigTable(std::shared_ptr<ConfigDocument> document, size_t index);
  std::optional<size_t> choice_index(std::string_view key,
                                     std::span<const std::string_view> words) const;

  std::shared_ptr<ConfigDocument> document_;
  size_t index_;  // into the document's opened tables
};

/// Returns the candidate that `word` was probably meant to be, by edit distance, or nullopt if none
/// is near.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
/// Returns "; did you mean 'slots_per_host'?", or "" if no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// A larger text file is refused: it would be no configuration, and memory is shared.
inline constexpr size_t kTextFileBytesMax = size_t{64} << 20;
/// Reads a whole text file. The error names the file: it is absent, no regular file
/// (regular_file.hpp) or too large.
Result<std::string> read_text_file(const std::string& path, size_t bytes_max = kTextFileBytesMax,
                                   Pipes pipes = Pipes::refused);
/// Resolves `path` from the folder of the configuration file `file`; absolute paths stay.
std::string relative_to(const std::string& file, const std::string& path);

}  // namespace leasehold
