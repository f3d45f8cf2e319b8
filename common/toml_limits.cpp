#include "common/toml_limits.hpp"

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
bool begins_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || is_quote(c);
}

/// Walks over the text, telling strings and comments from the rest.
class TomlWalk {
 public:
  explicit TomlWalk(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // a byte order mark
  }

  Status walk() {
    while (at_ < text_.size() && !left_to_parser_) {
      const char c = text_[at_];
      if (is_quote(c) && may_open_) {
        may_open_ = false;
        if (const Status good = pass_text(c); !good) return good;
      } else if (c == '#') {
        pass_until('\n');
      } else if (const Status good = take(c); !good) {
        return good;
      }
    }
    return {};
  }

 private:
  Status take(char c) {
    if (!is_ascii(c)) {
      return refused(
          "not valid TOML: only texts in quotes and comments may hold characters that are "
          "not ASCII");
    }
    if (c == '.') {
      if (++dots_ >= kTomlKeyPartsMax) {
        return refused("a key has more than " + std::to_string(kTomlKeyPartsMax) + " parts");
      }
    } else if (!is_blank(c) && !begins_key(c)) {
      dots_ = 0;
    }
    if (c == '[' && depth_ == 0 && line_is_empty_) in_header_ = true;
    if ((c == '[' || c == '{') && ++depth_ > kTomlDepthMax) {
      return refused("lists and tables are nested deeper than " + std::to_string(kTomlDepthMax));
    }
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == '\n') {
      // A header ends with its line, or is wrong there.
      left_to_parser_ = in_header_ && depth_ > 0;
      in_header_ = false;
      line_is_empty_ = true;
    } else if (!is_blank(c)) {
      line_is_empty_ = false;
    }
    if (!is_blank(c)) may_open_ = std::string_view("\n=,.[{").find(c) != std::string_view::npos;
    ++at_;
    return {};
  }

  /// Three quotes open a text of many lines; a text of one line ends with it at the latest.
  Status pass_text(char quote) {
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
        // Its last one or two characters may be quotes too.
        for (int i = 0; many_lines && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) {
          ++at_;
        }
        return {};
      }
    }
    return {};
  }

  /// The parser asks what follows a backslash, and the blanks behind it, whether it is a blank.
  Status check_escape() const {
    size_t next = at_ + 1;
    while (next < text_.size() && (is_blank(text_[next]) || text_[next] == '\n')) ++next;
    if (next >= text_.size() || is_ascii(text_[next])) return {};
    return refused("only an ASCII character may follow a backslash and the blanks behind it");
  }

  void pass_until(char end) {
    while (at_ < text_.size() && text_[at_] != end) ++at_;
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
  int dots_ = 0;
  int depth_ = 0;
  bool may_open_ = true;  // a text may begin here: the quote of 9" opens none
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
