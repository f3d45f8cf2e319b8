// Selection from text: recursive descent over the grammar of select.hpp, writing postfix steps.
#include <algorithm>
#include <limits>
#include <optional>

#include "broker/rules/select/words.hpp"

namespace leasehold {

namespace {

/// Parentheses and `!` inside each other. Evaluation keeps at most two values a level waiting, in a
/// stack of 64 bits.
constexpr int kDepthMax = 30;
constexpr size_t kLengthMax = 8192;

std::string with_quotes(std::string_view word) {
  return "'" + std::string(word) + "'";
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Returns thousandths, or puts the reason why not into `why`.
std::optional<int64_t> number_milli(std::string_view word, std::string& why) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  const size_t point = word.find('.');
  const std::string_view whole = word.substr(0, point);
  const std::string_view decimals = point == std::string_view::npos ? "" : word.substr(point + 1);
  const auto digits_only = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
  };
  if (!digits_only(whole) || (point != std::string_view::npos && !digits_only(decimals))) {
    why = "is not a number; write digits alone, as in 8000 or 1.5 (memory and swap in MB)";
    return std::nullopt;
  }
  if (decimals.size() > 3) {
    why = "has more than three decimals";
    return std::nullopt;
  }
  std::string digits(whole);
  digits.append(decimals).append(3 - decimals.size(), '0');
  int64_t value = 0;
  for (const char digit : digits) {
    const int64_t unit = digit - '0';
    if (value > (std::numeric_limits<int64_t>::max() - unit) / 10) {
      why = "is too large";
      return std::nullopt;
    }
    value = value * 10 + unit;
  }
  return negative ? -value : value;
}

std::optional<Selection::Subject> subject_named(std::string_view name) {
  for (const auto& [word, subject] : kSubjects) {
    if (word == name) return subject;
  }
  return std::nullopt;
}

bool is_text_subject(Selection::Subject subject) {
  return subject == Selection::Subject::type || subject == Selection::Subject::model;
}

}  // namespace

class SelectionParser {
 public:
  explicit SelectionParser(std::string_view text) : text_(text) {}

  Result<Selection> parse() {
    if (text_.size() > kLengthMax) {
      return failed(0, "longer than " + std::to_string(kLengthMax) + " characters");
    }
    const bool wrapped = take_wrapper();
    if (!parse_either(0) || !finish(wrapped)) return tl::unexpected<Error>(error_);
    // It has blanks round each operator; it must be as readable as what was written.
    if (selection_.text().size() > kLengthMax) {
      return failed(0, "longer than " + std::to_string(kLengthMax) +
                           " characters, written with blanks round && and ||");
    }
    return std::move(selection_);
  }

 private:
  using Kind = Selection::Kind;
  using Operator = Selection::Operator;
  using Step = Selection::Step;
  using Subject = Selection::Subject;

  tl::unexpected<Error> failed(size_t at, std::string message) {
    refuse(at, std::move(message));
    return tl::unexpected<Error>(error_);
  }

  /// Returns false always, so that callers can return it.
  bool refuse(size_t at, std::string message) {
    error_ = {ErrorCode::usage, std::move(message), {}, 0, static_cast<int>(at) + 1};
    return false;
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool take(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view take_word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool take_wrapper() {
    const size_t begin = at_;
    if (take("select") && take("[")) return true;
    at_ = begin;
    return false;
  }

  bool finish(bool wrapped) {
    if (wrapped && !take("]")) return refuse(at_, "']' of select[...] is missing here");
    skip_space();
    if (at_ == text_.size()) return true;
    if (wrapped) return refuse(at_, "only select[...] is used here; leave out what follows it");
    return refuse(at_, unexpected_here());
  }

  std::string unexpected_here() const {
    const char c = text_[at_];
    if (c == '&') return "write && for 'and'";
    if (c == '|') return "write || for 'or'";
    if (c == ')') return "')' without its '('";
    if (c == '[') return "only select[...] is used here, not other sections";
    return "expected && or || or the end here";
  }

  bool parse_either(int depth) {
    if (!parse_both(depth)) return false;
    while (take("||")) {
      if (!parse_both(depth)) return false;
      push_join(Kind::either);
    }
    return true;
  }

  bool parse_both(int depth) {
    if (!parse_unary(depth)) return false;
    while (take("&&")) {
      if (!parse_unary(depth)) return false;
      push_join(Kind::both);
    }
    return true;
  }

  bool parse_unary(int depth) {
    skip_space();
    if (depth >= kDepthMax) {
      return refuse(at_, "parentheses and '!' are nested deeper than " + std::to_string(kDepthMax));
    }
    if (take("!")) return parse_negation(depth);
    const size_t begin = at_;
    if (!take("(")) return parse_comparison();
    if (!parse_either(depth + 1)) return false;
    if (take(")")) return true;
    if (at_ < text_.size() && text_[at_] != ']') return refuse(at_, unexpected_here());
    return refuse(begin, "'(' without its ')'");
  }

  bool parse_negation(int depth) {
    skip_space();
    const size_t begin = at_;
    if (!parse_unary(depth + 1)) return false;
    const bool compares = text_[begin] != '(' && text_[begin] != '!' &&
                          selection_.steps_.back().kind != Kind::present;
    if (!compares) {
      push_join(Kind::negate);
      return true;
    }
    return refuse(begin, "'!' before a comparison: write !(...) round the whole of it");
  }

  bool parse_comparison() {
    const size_t begin = at_;
    const std::string_view name = take_word();
    if (name.empty()) return refuse(begin, missing_name(begin));
    if (!is_letter(name.front())) {
      return refuse(begin,
                    with_quotes(name) + " cannot be a name; the name of a resource stands first");
    }
    const size_t op_at = (skip_space(), at_);
    const std::optional<Operator> op = take_operator();
    if (op) return parse_value(begin, name, *op);
    if (op_at < text_.size() && text_[op_at] == '=') return refuse(op_at, "write == for 'equal'");
    if (op_at < text_.size() && text_[op_at] == '(') {
      return refuse(begin, "functions as " + with_quotes(name) + " are not supported");
    }
    return push_present(begin, name);
  }

  std::string missing_name(size_t at) const {
    if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      return "the requirement is empty; type==any takes every host";
    }
    if (at >= text_.size() || text_[at] == ']') return "a comparison or a resource is missing here";
    return std::string("expected the name of a resource, not '") + text_[at] + "'";
  }

  std::optional<Operator> take_operator() {
    for (const auto& [word, op] : kOperators) {
      if (take(word)) return op;
    }
    return std::nullopt;
  }

  bool push_present(size_t begin, std::string_view name) {
    Step step;
    if (!name_step(step, name)) {
      return refuse(begin, with_quotes(name) + " wants a comparison, as in " + std::string(name) +
                               "==LINUX64");
    }
    return push(std::move(step));
  }

  /// Returns false for a text subject.
  bool name_step(Step& step, std::string_view name) {
    step.subject = subject_named(name).value_or(Subject::resource);
    if (step.subject == Subject::resource) step.resource = resource_number(name);
    return !is_text_subject(step.subject);
  }

  bool parse_value(size_t name_at, std::string_view name, Operator op) {
    skip_space();
    const size_t begin = at_;
    bool in_quotes = false;
    const std::optional<std::string> word = take_value(in_quotes);
    if (!word) return false;
    Step step;
    step.op = op;
    if (!name_step(step, name)) return push_text(std::move(step), name_at, begin, *word);
    std::string why;
    if (in_quotes) why = "is a text; " + with_quotes(name) + " is a number";
    const auto milli = in_quotes ? std::nullopt : number_milli(*word, why);
    if (!milli) return refuse(begin, with_quotes(*word) + " " + why);
    step.kind = Kind::compare_number;
    step.number_milli = *milli;
    return push(std::move(step));
  }

  bool push_text(Step step, size_t name_at, size_t value_at, const std::string& word) {
    if (step.op != Operator::equal && step.op != Operator::not_equal) {
      return refuse(name_at, "type and model can only be compared with == and !=");
    }
    if (step.subject == Subject::type && word == "local") {
      return refuse(value_at, "'local' is the type of a submitting host; an export has none");
    }
    step.kind = Kind::compare_text;
    step.word = word;
    return push(std::move(step));
  }

  std::optional<std::string> take_value(bool& in_quotes) {
    const size_t begin = at_;
    if (begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'')) {
      in_quotes = true;
      const size_t end = text_.find(text_[begin], begin + 1);
      if (end == std::string_view::npos) {
        refuse(begin, "the quotes that open here do not close");
        return std::nullopt;
      }
      at_ = end + 1;
      return std::string(text_.substr(begin + 1, end - begin - 1));
    }
    const std::string_view word = take_word();
    if (!word.empty()) return std::string(word);
    refuse(begin, "a value is missing here");
    return std::nullopt;
  }

  uint32_t resource_number(std::string_view name) {
    auto& names = selection_.resources_;
    const auto found = std::find(names.begin(), names.end(), name);
    const auto number = static_cast<uint32_t>(found - names.begin());
    if (found == names.end()) names.emplace_back(name);
    return number;
  }

  void push_join(Kind kind) {
    Step step;
    step.kind = kind;
    push(std::move(step));
  }

  bool push(Step step) {
    selection_.steps_.push_back(std::move(step));
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  Selection selection_;
  Error error_;
};

Result<Selection> Selection::parse(std::string_view text) {
  return SelectionParser(text).parse();
}

}  // namespace leasehold
