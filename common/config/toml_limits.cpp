#include "common/config/toml_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace leasehold {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}
bool is_quote(char c) {
  return c == '"' || c == '\'';
}
/// True for a character that ends a value without quotes, as the parser sees it.
bool ends_value(char c) {
  return std::string_view("\n,]}#").find(c) != std::string_view::npos;
}
bool begins_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || is_quote(c);
}

/// Walks over the text and separates strings and comments from the rest.
class TomlWalk {
 public:
  explicit TomlWalk(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // a byte order mark
  }

  Status walk() {
    while (at_ < text_.size() && !left_to_parser_) {
      if (const Status good = take(text_[at_]); !good) return good;
    }
    return {};
  }

 private:
  Status take(char c) {
    if (is_quote(c)) return take_text(c);
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return {};
    }
    if (!is_ascii(c)) return not_ascii();
    if (in_value_ && !is_blank(c) && !ends_value(c) && c != '[' && c != '{') return take_bare();
    if (const Status good = c == '.' ? take_dot() : take_bracket(c); !good) return good;
    take_separator(c);
    ++at_;
    return {};
  }

  /// Passes a number, a date, a word or something invalid: the parser reads it up to the character
  /// that ends it.
  Status take_bare() {
    line_is_empty_ = false;
    while (at_ < text_.size() && !is_blank(text_[at_]) && !ends_value(text_[at_])) {
      if (!is_ascii(text_[at_])) return not_ascii();
      ++at_;
    }
    return {};
  }

  Status take_dot() {
    if (++parts_ <= kTomlKeyPartsMax) return {};
    return refused("a key has more than " + std::to_string(kTomlKeyPartsMax) + " parts");
  }

  Status take_bracket(char c) {
    if (c == '[' && depth_ == 0 && line_is_empty_) in_header_ = true;
    if (c == '[' || c == '{') {
      if (++depth_ > kTomlDepthMax) {
        return refused("lists and tables are nested deeper than " + std::to_string(kTomlDepthMax));
      }
      is_list_ = is_list_ << 1U | (c == '[' ? 1U : 0U);
      in_value_ = c == '[' && !in_header_;
    } else if ((c == ']' || c == '}') && depth_ > 0) {
      --depth_;
      is_list_ >>= 1U;
      in_value_ = !in_header_;
    }
    return {};
  }

  /// Tracks what separates keys from values.
  void take_separator(char c) {
    if (!is_blank(c) && !begins_key(c) && c != '.') parts_ = 1;
    if (c == '=') in_value_ = true;
    if (c == ',') in_value_ = (is_list_ & 1U) != 0;
    if (c != '\n') {
      line_is_empty_ = line_is_empty_ && is_blank(c);
      return;
    }
    // a header ends with its line; if it does not, the parser refuses it there
    left_to_parser_ = in_header_ && depth_ > 0;
    in_header_ = false;
    line_is_empty_ = true;
    if (depth_ == 0) in_value_ = false;
  }

  /// Passes a text. Three quotes open one of many lines; a text of one line ends with its line at
  /// the latest.
  Status take_text(char quote) {
    line_is_empty_ = false;
    const std::string three(3, quote);
    const bool many_lines = text_.substr(at_).starts_with(three);
    at_ += many_lines ? 3 : 1;
    while (at_ < text_.size() && (many_lines || text_[at_] != '\n')) {
      if (text_[at_] == '\\' && quote == '"') {
        if (const Status good = check_escape(); !good) return good;
        at_ += 2;
      } else if (text_[at_] != quote || (many_lines && !text_.substr(at_).starts_with(three))) {
        ++at_;
      } else {
        at_ += many_lines ? 3 : 1;
        // The last one or two characters of the text may be quotes too.
        for (int i = 0; many_lines && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) {
          ++at_;
        }
        return {};
      }
    }
    return {};
  }

  /// Checks a backslash: the parser looks for a blank after it, and after the blanks that follow.
  Status check_escape() const {
    size_t next = at_ + 1;
    while (next < text_.size() && (is_blank(text_[next]) || text_[next] == '\n')) ++next;
    if (next >= text_.size() || is_ascii(text_[next])) return {};
    return refused("only an ASCII character may follow a backslash and the blanks behind it");
  }

  tl::unexpected<Error> not_ascii() const {
    return refused(
        "not valid TOML: only texts in quotes and comments may hold characters that are "
        "not ASCII");
  }

  tl::unexpected<Error> refused(std::string message) const {
    int line = 1;
    int column = 1;
    for (const char c : text_.substr(0, at_)) {
      if (c == '\n') {
        ++line;
        column = 1;
      } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
        ++column;  // characters, not bytes
      }
    }
    return tl::unexpected<Error>(Error{ErrorCode::usage, std::move(message), {}, line, column});
  }

  std::string_view text_;
  size_t at_ = 0;
  int parts_ = 1;  // of the key
  int depth_ = 0;
  uint64_t is_list_ = 0;  // one bit for each open list or table, the innermost last
  bool in_value_ = false;
  bool line_is_empty_ = true;
  bool in_header_ = false;
  bool left_to_parser_ = false;
};

}  // namespace

Status check_toml_limits(std::string_view text) {
  if (text.size() > kTomlBytesMax) {
    return fail(ErrorCode::usage, "is larger than " + std::to_string(kTomlBytesMax >> 20U) +
                                      " MiB; a configuration must be smaller");
  }
  return TomlWalk(text).walk();
}

}  // namespace leasehold
