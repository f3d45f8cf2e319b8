// Selection back to text, in one normal form.
#include <algorithm>

#include "broker/rules/select/words.hpp"

namespace leasehold {

namespace {

using Kind = Selection::Kind;
using Step = Selection::Step;
using Subject = Selection::Subject;

/// The tightness with which a text binds: what is looser than its surroundings gets parentheses.
enum class Binding : uint8_t { either, both, comparison, name };

struct Piece {
  std::string text;
  Binding binding = Binding::name;
};

std::string within(Piece piece, Binding surroundings) {
  if (piece.binding >= surroundings) return std::move(piece.text);
  return "(" + std::move(piece.text) + ")";
}

std::string number_text(int64_t milli) {
  // Unsigned: the negation of INT64_MIN does not fit.
  const auto magnitude =
      milli < 0 ? 0 - static_cast<uint64_t>(milli) : static_cast<uint64_t>(milli);
  std::string text = (milli < 0 ? "-" : "") + std::to_string(magnitude / 1000);
  const uint64_t rest = magnitude % 1000;
  if (rest == 0) return text;
  std::string decimals = std::to_string(1000 + rest).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return text + "." + decimals;
}

std::string word_text(const std::string& word) {
  const bool bare = !word.empty() && std::all_of(word.begin(), word.end(), is_word_char);
  if (bare) return word;
  const char quote = word.find('"') == std::string::npos ? '"' : '\'';
  return quote + word + quote;
}

std::string name_of(const Step& step, const std::vector<std::string>& resources) {
  if (step.subject == Subject::resource) return resources[step.resource];
  return std::string(subject_name(step.subject));
}

Piece take_last(std::vector<Piece>& pieces) {
  Piece last = std::move(pieces.back());
  pieces.pop_back();
  return last;
}

/// Appends to the left side: a long chain is written in one go, not copied at each link.
Piece join(std::vector<Piece>& pieces, Binding binding, const char* word) {
  Piece right = take_last(pieces);
  std::string text = within(take_last(pieces), binding);
  // Both operators associate to the left: on the right side an equal one needs parentheses.
  const auto tighter = static_cast<Binding>(static_cast<uint8_t>(binding) + 1);
  text += word;
  text += within(std::move(right), tighter);
  return {std::move(text), binding};
}

Piece comparison(const Step& step, const std::vector<std::string>& resources) {
  const std::string value =
      step.kind == Kind::compare_text ? word_text(step.word) : number_text(step.number_milli);
  return {name_of(step, resources) + std::string(operator_word(step.op)) + value,
          Binding::comparison};
}

Piece piece_of(const Step& step, const std::vector<std::string>& resources,
               std::vector<Piece>& pieces) {
  switch (step.kind) {
    case Kind::present:
      return {name_of(step, resources), Binding::name};
    case Kind::compare_text:
    case Kind::compare_number:
      return comparison(step, resources);
    case Kind::negate:
      return {"!" + within(take_last(pieces), Binding::name), Binding::name};
    case Kind::both:
      return join(pieces, Binding::both, " && ");
    case Kind::either:
      break;
  }
  return join(pieces, Binding::either, " || ");
}

}  // namespace

std::string Selection::text() const {
  std::vector<Piece> pieces;
  for (const Step& step : steps_) pieces.push_back(piece_of(step, resources_, pieces));
  if (pieces.empty()) return "";
  return pieces.back().text;
}

}  // namespace leasehold
