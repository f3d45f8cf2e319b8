// Both ways to read an answer, as a value and as text, agree.
#include "broker/ctl/client/answer_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace leasehold;

namespace {

struct Read {
  bool as_value = false;
  std::string as_text;  // "": it is no answer
  bool nobody = false;
};

Read read(const std::string& answer) {
  std::optional<NobodyLeads> nobody;
  std::optional<NobodyLeads> nobody_of_text;
  const Result<Json> value = ctl::read_answer(answer, nobody);
  const Result<std::string> text = ctl::read_answer_text(answer, nobody_of_text);
  CHECK(nobody.has_value() == nobody_of_text.has_value());
  return {value.has_value(), text.value_or(""), nobody_of_text.has_value()};
}

}  // namespace

TEST_CASE("the result of an answer is shown as it came") {
  const Read said = read(R"({"ok":true,"as_of":{"event":1},"result":[{"id":"a"}]})");
  CHECK(said.as_value);
  CHECK(said.as_text == R"([{"id":"a"}])");
  CHECK(read(R"({"ok":true,"result":[7],"as_of":{"event":1}})").as_text == "[7]");
}

TEST_CASE("with --json the result of an answer was printed whose beginning is no JSON") {
  const Read said = read(R"({"ok":true,"as_of":{"event":1,"time":"2"x":026"},"result":[]})");
  CHECK_FALSE(said.as_value);
  CHECK(said.as_text.empty());
}

TEST_CASE("that nobody leads was passed over where it stood behind as_of") {
  const Read said =
      read(R"({"ok":true,"as_of":{"event":1},"nobody_leads":)"
           R"({"since":"2026-11-22T17:05:00.000Z","why":"w","help":"h"},"result":[]})");
  CHECK(said.nobody);
  CHECK(said.as_text == "[]");
}
