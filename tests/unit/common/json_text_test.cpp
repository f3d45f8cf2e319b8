#include "common/text/json_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace leasehold;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

std::string nested(int levels) {
  const auto count = static_cast<size_t>(levels);
  return std::string(count, '[') + std::string(count, ']');
}

}  // namespace

TEST_CASE("JSON is nested to 64 levels and no deeper") {
  CHECK(parse_json<json>(nested(64)));
  CHECK(parse_json<ordered_json>(nested(64)));
  const Result<json> deep = parse_json<json>("{\"a\":\n " + nested(64) + "}");
  REQUIRE_FALSE(deep);
  CHECK(deep.error().line == 2);
  CHECK(deep.error().column == 1 + 64);
  CHECK(deep.error().message == "is nested deeper than 64 levels, which is the most that is read");
}

TEST_CASE("JSON nested 120,000 deep overflows no stack, whole or cut off") {
  for (const std::string& text :
       {nested(120'000), std::string(120'000, '['), "[1,\"]\\\"\"," + nested(120'000) + "]"}) {
    CHECK_FALSE(parse_json<json>(text));
    CHECK_FALSE(parse_json<ordered_json>(text));
    CHECK_FALSE(check_json_limits(text));
  }
  std::string objects;
  for (int i = 0; i < 50'000; ++i) objects += "{\"a\":";
  CHECK_FALSE(parse_json<json>(objects));
}

TEST_CASE("brackets in texts are no levels, and what is closed no longer counts") {
  const Result<json> text = parse_json<json>("[\"" + std::string(1'000, '[') + "\\\"[[\\\\\"]");
  REQUIRE(text);
  CHECK(text->at(0).get<std::string>().size() == 1'000 + 4);
  std::string wide = "[";
  for (int i = 0; i < 1'000; ++i) wide += "[{}],";
  CHECK(parse_json<json>(wide + "0]"));
}

TEST_CASE("what is no JSON is refused with its place and without what was read") {
  const struct {
    const char* text;
    int line;
    int column;
  } rows[] = {{"", 1, 1},         {"{\"a\":1,}", 1, 8}, {"{\n \"a\": tru}", 2, 10},
              {"[1] 2", 1, 5},    {"]]]]", 1, 1},       {"\"\x1b[31m\"", 1, 2},
              {"\"\xff\"", 1, 2}, {"[1e999]", 1, 6}};
  for (const auto& row : rows) {
    const Result<json> read = parse_json<json>(row.text);
    CAPTURE(row.text);
    REQUIRE_FALSE(read);
    CHECK(read.error().line == row.line);
    CHECK(read.error().column == row.column);
    CHECK_THAT(read.error().message, Catch::StartsWith("is not valid JSON: "));
    CHECK(read.error().message.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("a key that stands twice is refused where one would be lost") {
  CHECK_FALSE(parse_json<json>(R"({"a":1,"b":[{"c":1,"c":2}]})", JsonKeys::once));
  CHECK(parse_json<json>(R"({"a":1,"b":[{"a":1},{"a":2}]})", JsonKeys::once));
  CHECK(parse_json<ordered_json>(R"({"b":1,"a":2})", JsonKeys::once)->dump() == R"({"b":1,"a":2})");
  CHECK(parse_json<json>(R"({"a":1,"a":2})")->at("a") == 2);
}

TEST_CASE("a number of a million digits was repeated whole in what said that it is too large") {
  for (const std::string number : {"1e999", "-1e999"}) {
    CHECK(parse_json<json>("[" + number + "]").error().message ==
          "is not valid JSON: a number is beyond all that is read");
  }
  CHECK(parse_json<json>(std::string(1'000'000, '9')).error().message.size() < 100);
}
