// RowText: the JSON of one row, written field by field into memory that the next row uses again. It
// is for lists of very many rows: a value of the JSON library takes ten times as long. It knows
// nothing of what a field means, and trusts its caller to open and close what it writes.
#pragma once

#include <charconv>
#include <concepts>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace leasehold {

/// Returns the text as JSON has it between quotes; invalid UTF-8 becomes U+FFFD.
std::string json_escaped(std::string_view text);

class RowText {
 public:
  std::string_view text() const { return {bytes_.data(), size_}; }

  /// Begins a row.
  void begin() {
    size_ = 0;
    open();
  }
  void open() { put("{"); }
  void close() { put("}"); }

  /// Writes a key; the caller writes its value next.
  template <size_t N>
  void key(const char (&name)[N]) {
    char* at = room(N + 3);
    if (at[-1] != '{') *at++ = ',';
    *at++ = '"';
    std::memcpy(at, name, N - 1);
    at += N - 1;
    *at++ = '"';
    *at++ = ':';
    size_ = static_cast<size_t>(at - bytes_.data());
  }
  /// Writes one text; its parts are json_escaped() already.
  void text(std::initializer_list<std::string_view> parts) {
    put("\"");
    for (const std::string_view part : parts) put(part);
    put("\"");
  }
  void number(std::integral auto value) {
    constexpr size_t kDigitsMost = 20;
    char* at = room(kDigitsMost);
    size_ = static_cast<size_t>(std::to_chars(at, at + kDigitsMost, value).ptr - bytes_.data());
  }
  void flag(bool value) { put(value ? "true" : "false"); }
  void null() { put("null"); }

 private:
  char* room(size_t bytes) {
    if (bytes_.size() - size_ < bytes) bytes_.resize(2 * bytes_.size() + bytes);
    return bytes_.data() + size_;
  }
  void put(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }

  std::vector<char> bytes_ = std::vector<char>(1024);
  size_t size_ = 0;
};

}  // namespace leasehold
