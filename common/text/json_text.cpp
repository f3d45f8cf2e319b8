#include "common/text/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace leasehold {

namespace {

/// Makes the error with the line and column of a byte, for people: in characters, not bytes.
tl::unexpected<Error> refused(std::string_view text, size_t at, std::string message) {
  Error error{ErrorCode::usage, std::move(message), {}, 1, 1};
  for (const char c : text.substr(0, at)) {
    if (c == '\n') {
      ++error.line;
      error.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++error.column;
    }
  }
  return tl::unexpected<Error>(std::move(error));
}

/// Returns the position after the text that opens at `at`, or the end.
size_t after_text(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
  return std::min(at + 1, text.size());
}

/// Returns the library's description of what is wrong without its name, its own position and what
/// it read, which may be anything.
std::string words_of(const nlohmann::detail::exception& thrown) {
  constexpr int kNumberOverflow = 406;
  if (thrown.id == kNumberOverflow) return "is not valid JSON: a number is beyond all that is read";
  const std::string words = thrown.what();
  const size_t colon = words.find(": ");
  const size_t begin = colon == words.npos ? 0 : colon + 2;
  const size_t end = std::min(words.find("; last read"), words.size());
  return "is not valid JSON: " + words.substr(begin, end - begin);
}

/// Builds trees with the library's own builder and counts keys beside it, because the builder keeps
/// the last of two equal ones. (The library's callbacks for each value take three times as long.)
template <class Json>
struct Builder : nlohmann::detail::json_sax_dom_parser<Json> {
  using Base = nlohmann::detail::json_sax_dom_parser<Json>;
  explicit Builder(Json& into) : Base(into, false) {}

  bool key(std::string& name) {
    ++keys;
    return Base::key(name);
  }
  bool parse_error(size_t position, const std::string& /*last*/,
                   const nlohmann::detail::exception& thrown) {
    at = position > 0 ? position - 1 : 0;
    problem = words_of(thrown);
    return false;
  }

  size_t keys = 0;
  size_t at = 0;
  std::string problem;
};

/// Recurses at each level; check_json_limits() has bounded the depth.
template <class Json>
size_t keys_of(const Json& value) {
  if (!value.is_structured()) return 0;
  size_t keys = value.is_object() ? value.size() : 0;
  for (const Json& child : value) keys += keys_of(child);
  return keys;
}

}  // namespace

/// The parser agrees with this walk up to the first syntax error, where it stops.
Status check_json_limits(std::string_view text) {
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = after_text(text, at);
      continue;
    }
    if ((c == '[' || c == '{') && ++depth > kJsonDepthMax) {
      return refused(text, at,
                     "is nested deeper than " + std::to_string(kJsonDepthMax) +
                         " levels, which is the most that is read");
    }
    if (c == ']' || c == '}') --depth;
    ++at;
  }
  return {};
}

template <class Json>
Result<Json> parse_json(std::string_view text, JsonKeys keys) {
  if (const Status good = check_json_limits(text); !good) return tl::unexpected(good.error());
  Json tree;
  Builder<Json> builder(tree);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return refused(text, builder.at, std::move(builder.problem));
  }
  if (keys == JsonKeys::once && builder.keys != keys_of(tree)) {
    return refused(text, text.size(), "has a key twice in one object; once is right");
  }
  return tree;
}

template Result<nlohmann::json> parse_json(std::string_view text, JsonKeys keys);
template Result<nlohmann::ordered_json> parse_json(std::string_view text, JsonKeys keys);

}  // namespace leasehold
