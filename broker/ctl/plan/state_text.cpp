#include "broker/ctl/plan/state_text.hpp"

#include <nlohmann/json.hpp>

namespace leasehold::ctl {

namespace {

using Sax = nlohmann::json_sax<nlohmann::json>;
using Kind = PlacedJson::Kind;

constexpr size_t kDeepest = 20;

/// Walks through the text one token at a time, in step with the parser, which knows no places.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  /// Returns the place of the next token and moves behind it.
  Place next() {
    while (at_ < text_.size() && is_between(text_[at_])) step();
    const Place place{line_, column_};
    pass_token();
    return place;
  }

 private:
  static bool is_between(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':';
  }

  void step() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else {
      // Counts characters, not bytes.
      column_ += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    }
  }

  void pass_token() {
    if (at_ >= text_.size()) return;
    if (text_[at_] == '"') return pass_string();
    if (std::string_view("{}[]").find(text_[at_]) != std::string_view::npos) return step();
    while (at_ < text_.size() && !is_between(text_[at_]) && text_[at_] != '}' &&
           text_[at_] != ']') {
      step();
    }
  }

  void pass_string() {
    step();
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') step();
      if (at_ < text_.size()) step();
    }
    if (at_ < text_.size()) step();
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
};

Place place_in_text(std::string_view text, size_t offset) {
  Place place{1, 1};
  for (const char c : text.substr(0, offset)) {
    const bool new_line = c == '\n';
    place.line += new_line ? 1 : 0;
    if (new_line) {
      place.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++place.column;
    }
  }
  return place;
}

class Builder : public Sax {
 public:
  Builder(std::string_view text, std::string file)
      : text_(text), cursor_(text), error_{ErrorCode::usage, "", std::move(file), 0, 0} {}

  PlacedJson root;
  const Error& error() const { return error_; }

  bool null() override { return add(Kind::null); }
  bool boolean(bool) override { return add(Kind::flag); }
  bool number_integer(number_integer_t value) override {
    const bool fits = add(Kind::integer);
    last_->integer = value;
    return fits;
  }
  bool number_unsigned(number_unsigned_t value) override {
    const bool huge = value > static_cast<number_unsigned_t>(INT64_MAX);
    return number_integer(huge ? INT64_MAX : static_cast<number_integer_t>(value));
  }
  bool number_float(number_float_t, const string_t&) override { return add(Kind::decimal); }
  bool string(string_t& value) override {
    const bool fits = add(Kind::text);
    last_->text = value;
    return fits;
  }
  bool binary(binary_t&) override { return false; }  // text has no binary values
  bool start_object(std::size_t) override { return open(Kind::object); }
  bool start_array(std::size_t) override { return open(Kind::list); }
  bool key(string_t& name) override {
    open_.back()->keys.push_back({name, cursor_.next()});
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& thrown) override {
    const std::string words = thrown.what();
    const size_t reason = words.find("; last read");
    const size_t begin = words.find(": ") == std::string::npos ? 0 : words.find(": ") + 2;
    fail(place_in_text(text_, position > 0 ? position - 1 : 0),
         "not valid JSON: " +
             words.substr(begin, reason == std::string::npos ? reason : reason - begin));
    return false;
  }

 private:
  void fail(Place place, std::string message) {
    error_.message = std::move(message);
    error_.line = place.line;
    error_.column = place.column;
  }

  bool add(Kind kind) {
    PlacedJson value;
    value.kind = kind;
    value.place = cursor_.next();
    if (open_.empty()) {
      root = std::move(value);
      last_ = &root;
    } else {
      open_.back()->values.push_back(std::move(value));
      last_ = &open_.back()->values.back();
    }
    return true;
  }

  /// The pointers stay valid: an open value is the last one of its parent, and nothing is added
  /// beside it.
  bool open(Kind kind) {
    add(kind);
    open_.push_back(last_);
    if (open_.size() <= kDeepest) return true;
    fail(last_->place, "is nested too deeply for a state");
    return false;
  }

  bool close() {
    cursor_.next();
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  Cursor cursor_;
  Error error_;
  PlacedJson* last_ = nullptr;
  std::vector<PlacedJson*> open_;
};

}  // namespace

Result<PlacedJson> parse_placed_json(std::string_view text, const std::string& file) {
  Builder builder(text, file);
  const bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  if (!parsed) return tl::unexpected(builder.error());
  return std::move(builder.root);
}

const char* words_of(PlacedJson::Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::flag:
      return "true or false";
    case Kind::integer:
      return "a number";
    case Kind::decimal:
      return "a decimal number";
    case Kind::text:
      return "a text";
    case Kind::list:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return "nothing";
}

}  // namespace leasehold::ctl
