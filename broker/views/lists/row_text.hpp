// RowText: the JSON of one row, written field by field into memory that the next row uses again. It
// is for lists of very many rows: a value of the JSON library takes ten times as long.
#pragma once

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "broker/views/lists/fields.hpp"

namespace leasehold {

/// A value of a field in such a list: text, a whole number, a flag or null. A text is not kept: it
/// must last until the value of the next field is made.
struct Scalar {
  enum class Kind : uint8_t { null, flag, number, unsigned_number, text };
  Kind kind;
  int64_t number = 0;
  std::string_view text = {};

  constexpr Scalar(std::nullptr_t) : kind(Kind::null) {}
  constexpr Scalar(bool value) : kind(Kind::flag), number(value ? 1 : 0) {}
  constexpr Scalar(int32_t value) : kind(Kind::number), number(value) {}
  constexpr Scalar(int64_t value) : kind(Kind::number), number(value) {}
  constexpr Scalar(uint64_t value)
      : kind(Kind::unsigned_number), number(static_cast<int64_t>(value)) {}
  constexpr Scalar(std::string_view value) : kind(Kind::text), text(value) {}
  constexpr Scalar(const char* value) : Scalar(std::string_view(value)) {}
  Scalar(std::string&&) = delete;  // it would be gone
};
Json value_json(const Scalar& value);

class RowText {
 public:
  template <class Row, size_t N>
  explicit RowText(const Field<Row, Scalar> (&fields)[N]) {
    for (const Field<Row, Scalar>& field : fields) add_key(field.name);
  }

  /// Returns the JSON of the row, until the next one is written. Contract: the fields are those
  /// that it was made with.
  template <class Row, size_t N>
  std::string_view write(const Field<Row, Scalar> (&fields)[N], const Row& row) {
    size_ = 0;
    for (size_t i = 0; i < N; ++i) {
      put(keys_[i]);
      put_value(fields[i].value(row));
    }
    put(object_.empty() ? "}" : "}}");
    return {bytes_.data(), size_};
  }

 private:
  void add_key(std::string_view name);
  void put_value(const Scalar& value);
  /// Invalid UTF-8 becomes U+FFFD.
  void put_text(std::string_view text);

  char* room(size_t bytes) {
    if (bytes_.size() - size_ < bytes) bytes_.resize(2 * bytes_.size() + bytes);
    return bytes_.data() + size_;
  }
  void put(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }

  std::vector<std::string> keys_;  // of each field, with the braces and the comma before it
  std::string object_;             // in which the last field is
  std::vector<char> bytes_ = std::vector<char>(1024);
  size_t size_ = 0;
};

}  // namespace leasehold
