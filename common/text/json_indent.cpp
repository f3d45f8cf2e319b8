#include "common/text/json_indent.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/text/json_text.hpp"

namespace leasehold {

namespace {

constexpr size_t kStep = 2;

constexpr std::string_view kBlanks = " \t\r\n";

/// Returns the position after the text that opens at `at`.
size_t after_text(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
  return std::min(at + 1, json.size());
}

/// Returns the position after a value without inner values: the next character of the grammar.
size_t after_word(std::string_view json, size_t at) {
  return std::min(json.find_first_of(",]} \t\r\n", at), json.size());
}

void break_line(std::string& out, size_t depth) {
  out += '\n';
  out.append(depth * kStep, ' ');
}

}  // namespace

bool is_json(std::string_view text) {
  nlohmann::detail::json_sax_acceptor<nlohmann::json> tokens;
  return check_json_limits(text).has_value() && nlohmann::json::sax_parse(text, &tokens);
}

std::string indented(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 2);
  size_t depth = 0;
  for (size_t at = 0; at < json.size();) {
    const char c = json[at];
    const bool opens = c == '{' || c == '[';
    if (kBlanks.find(c) != kBlanks.npos) {
      ++at;
    } else if (opens && (json[at + 1] == '}' || json[at + 1] == ']')) {
      out += json.substr(at, 2);
      at += 2;
    } else if (opens) {
      out += c;
      break_line(out, ++depth);
      ++at;
    } else if (c == '}' || c == ']') {
      break_line(out, --depth);
      out += c;
      ++at;
    } else if (c == ',') {
      out += c;
      break_line(out, depth);
      ++at;
    } else if (c == ':') {
      out += ": ";
      ++at;
    } else {
      const size_t end = c == '"' ? after_text(json, at) : after_word(json, at);
      out += json.substr(at, end - at);
      at = end;
    }
  }
  return out;
}

}  // namespace leasehold
