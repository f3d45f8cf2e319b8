#include "common/text/json_indent.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace leasehold;
using Json = nlohmann::ordered_json;

namespace {

/// Any value, of so many levels.
Json some_json(int levels) {
  const int kind = *rc::gen::inRange(0, levels > 0 ? 8 : 6);
  if (kind == 0) return nullptr;
  if (kind == 1) return *rc::gen::arbitrary<bool>();
  if (kind == 2) return *rc::gen::arbitrary<int64_t>();
  if (kind == 3) return *rc::gen::inRange(0, 1'000'000) / 8.0;
  if (kind < 6) {
    return *rc::gen::container<std::string>(rc::gen::element<char>(
        'a', '"', '\\', '{', '}', '[', ']', ',', ':', '\n', '\t', '\x01', '\x7f', ' '));
  }
  Json value = kind == 6 ? Json::array() : Json::object();
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    if (kind == 6) value.push_back(some_json(levels - 1));
    if (kind == 7) value["key \"" + std::to_string(i)] = some_json(levels - 1);
  }
  return value;
}

}  // namespace

TEST_CASE("JSON indented as text is as its tree is printed") {
  CHECK(rc::check([] {
    const Json value = some_json(4);
    const std::string text = value.dump();
    RC_ASSERT(is_json(text));
    RC_ASSERT(indented(text) == value.dump(2));
  }));
}

TEST_CASE("what is passed on is JSON, within the limits") {
  CHECK(is_json(R"([{"a":1},null])"));
  for (const char* text : {"", "[1,]", "{\"a\":}", "[1] 2", "\"\xff\"", "[\"\n\"]"}) {
    CHECK_FALSE(is_json(text));
  }
  CHECK_FALSE(is_json(std::string(100, '[') + std::string(100, ']')));
}

TEST_CASE("JSON that came with blanks between its tokens is indented as without them") {
  for (const char* text : {"[ \"a, {b\" , 1 ]", "{ \"key\" :\t[ true,\n null ] }", " [1] "}) {
    REQUIRE(is_json(text));
    CHECK(indented(text) == Json::parse(text).dump(2));
  }
}
