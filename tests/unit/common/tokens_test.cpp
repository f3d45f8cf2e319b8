#include "common/tokens.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

using namespace leasehold;

namespace elsewhere {

enum class Colour : uint8_t { none = 0, red = 1, dark_blue = 2, green = 3 };
constexpr auto tokens_of(Colour) {
  using enum Colour;
  return tokens<Colour>({{none, ""}, {red, "red"}, {dark_blue, "dark-blue"}, {green, "green"}});
}

enum class Plain { one };

}  // namespace elsewhere

using elsewhere::Colour;

TEST_CASE("one table tells an enum's words both ways, in any namespace") {
  for (const auto& [value, word] : kTokensOf<Colour>) {
    CHECK(token(value) == std::string(word));
    CHECK(from_token<Colour>(word) == value);
  }
  static_assert(from_token<Colour>("dark-blue") == Colour::dark_blue);
  CHECK_FALSE(from_token<Colour>("blue"));
  CHECK_FALSE(from_token<Colour>("Red"));
  CHECK(any_token<Colour>() == "red, dark-blue or green");
}

TEST_CASE("a table of tokens that lacks a value, or has them in another order, is none") {
  using token_table::differ;
  using token_table::in_order;
  using token_table::named;
  static_assert(Tokened<Colour> && !Tokened<elsewhere::Plain>);
  STATIC_REQUIRE(named<Colour::green>());
  STATIC_REQUIRE_FALSE(named<static_cast<Colour>(4)>());
  using enum Colour;
  STATIC_REQUIRE_FALSE(in_order(tokens<Colour>({{none, ""}, {dark_blue, "b"}, {red, "r"}})));
  STATIC_REQUIRE_FALSE(differ(tokens<Colour>({{none, ""}, {red, "r"}, {dark_blue, "r"}})));
}
