// KeyReference lists the keys of a program's configuration as Markdown, from the rows of their
// tables, for --describe-config.
//
// kind_of() says how files write a value, default_of() what it is if they do not. A type of another
// shape has overloads of its own, or KeyNotes::kind and ::usual.
#pragma once

#include <string>
#include <vector>

#include "common/config/keys/key.hpp"

namespace leasehold {

std::string in_code(std::string_view text);
std::string in_code_quoted(std::string_view text);

std::string kind_of(const KeyRow& row, const std::string& value);
std::string kind_of(const KeyRow& row, bool value);
std::string kind_of(const KeyRow& row, int32_t value);
std::string kind_of(const KeyRow& row, int64_t value);
std::string kind_of(const KeyRow& row, uint64_t value);
std::string kind_of(const KeyRow& row, double value);
std::string kind_of(const KeyRow& row, const std::vector<std::string>& value);
template <Tokened E>
std::string kind_of(const KeyRow&, const E&) {
  std::string words;
  for (const auto& [value, word] : kTokensOf<E>) {
    words += (words.empty() ? "" : ", ") + in_code_quoted(word);
  }
  return words;
}
template <class T>
std::string kind_of(const KeyRow&, const T&) {
  return "";  // KeyNotes::kind says it
}
template <class T>
std::string kind_of(const KeyRow& row, const std::optional<T>&) {
  return kind_of(row, T{});
}

std::string default_of(const KeyRow& row, const std::string& value);
std::string default_of(const KeyRow& row, bool value);
std::string default_of(const KeyRow& row, int32_t value);
std::string default_of(const KeyRow& row, int64_t value);
std::string default_of(const KeyRow& row, uint64_t value);
std::string default_of(const KeyRow& row, double value);
template <class T>
std::string default_of(const KeyRow&, const std::vector<T>&) {
  return "`[]`";
}
template <Tokened E>
std::string default_of(const KeyRow&, const E& value) {
  return in_code_quoted(token(value));
}
template <class T>
std::string default_of(const KeyRow&, const T&) {
  return "";  // KeyNotes::usual says it
}

class KeyReference {
 public:
  /// `more` returns sentences that a program adds to a row, each with ". " before it.
  explicit KeyReference(std::string head, std::string (*more)(const KeyRow& row) = nullptr)
      : text_(std::move(head)), more_(more) {}

  /// Adds a heading and the head of the table for the rows that follow.
  void section(const std::string& title, const std::string& about);
  /// Adds the rows whose members lie in one of the parts, which hold the defaults of a new object.
  template <class Keys, class... Parts>
  void add(const Keys& keys, const Parts&... plain) {
    for_each_value(
        keys,
        [&](const KeyRow& row, const auto& value) {
          add_row(row, kind_of(row, value), default_of(row, value));
        },
        plain...);
  }
  /// Adds a key that is no row of a table.
  void add_one(std::string_view name, const std::string& kind, const std::string& usual,
               const std::string& notes);
  std::string take() { return std::move(text_); }

 private:
  void add_row(const KeyRow& row, const std::string& kind, const std::string& usual);

  std::string text_;
  std::string (*more_)(const KeyRow& row);
};

}  // namespace leasehold
