// Tokens are the words of an enum, in one table beside it, for both ways: token() writes them,
// from_token() reads them. Words that people, files, peers and the database use are spelt there
// alone.
//
//   enum class Shape : uint8_t { constant = 0, wave = 1 };
//   constexpr auto tokens_of(Shape) {
//     using enum Shape;
//     return tokens<Shape>({{constant, "constant"}, {wave, "wave"}});
//   }
//
// Values count from 0 without a gap; a value that is left out or out of order does not compile. A
// token may be "", for a value that says nothing.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace leasehold {

template <class E>
struct Token {
  E value;
  const char* token;
};

template <class E, size_t N>
constexpr std::array<Token<E>, N> tokens(const Token<E> (&rows)[N]) {
  return std::to_array(rows);
}

/// An enum that has its table beside it.
template <class E>
concept Tokened = std::is_enum_v<E> && requires(E value) {
  tokens_of(value);
};

namespace token_table {

/// True if the enum has an enumerator of that value: otherwise the compiler writes it as a number.
template <auto V>
constexpr bool named() {
  const std::string_view function = __PRETTY_FUNCTION__;
  return function[function.rfind("V = ") + 4] != '(';
}

template <class E, size_t N>
constexpr bool in_order(const std::array<Token<E>, N>& rows) {
  for (size_t i = 0; i < N; ++i) {
    if (static_cast<size_t>(rows[i].value) != i) return false;
  }
  return true;
}

template <class E, size_t N>
constexpr bool differ(const std::array<Token<E>, N>& rows) {
  for (size_t i = 0; i < N; ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (std::string_view(rows[i].token) == rows[k].token) return false;
    }
  }
  return true;
}

template <Tokened E>
struct Checked {
  static constexpr auto rows = tokens_of(E{});
  static_assert(in_order(rows), "a row a value, in their order, from 0");
  static_assert(!named<static_cast<E>(rows.size())>(), "a value has no token");
  static_assert(differ(rows), "two values have the same token");
};

}  // namespace token_table

/// Every value with its token, in the order of the values.
template <Tokened E>
inline constexpr auto& kTokensOf = token_table::Checked<E>::rows;

template <Tokened E>
constexpr const char* token(E value) {
  return kTokensOf<E>[static_cast<size_t>(value)].token;
}

/// Returns nullopt if no value has this token.
template <Tokened E>
constexpr std::optional<E> from_token(std::string_view text) {
  for (const Token<E>& row : kTokensOf<E>) {
    if (text == row.token) return row.value;
  }
  return std::nullopt;
}

/// Lists the tokens for errors: "exclusive or shared", "constant, wave or bursts".
template <Tokened E>
std::string any_token() {
  std::string text;
  for (size_t i = 0; i < kTokensOf<E>.size(); ++i) {
    const std::string_view word = kTokensOf<E>[i].token;
    if (word.empty()) continue;
    if (!text.empty()) text += i + 1 == kTokensOf<E>.size() ? " or " : ", ";
    text += word;
  }
  return text;
}

}  // namespace leasehold
