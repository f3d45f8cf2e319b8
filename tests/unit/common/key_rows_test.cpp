// Keys as rows of a table: what is read by them, and what the reference says of them.
#include <catch2/catch.hpp>

#include "common/config/keys/reader.hpp"
#include "common/config/keys/reference.hpp"

namespace leasehold {
namespace {

enum class Colour : uint8_t { red, green };
constexpr auto tokens_of(Colour) {
  using enum Colour;
  return tokens<Colour>({{red, "red"}, {green, "green"}});
}

struct Things {
  std::string name;
  std::string file = "/usual";
  std::vector<std::string> words;
  std::vector<std::string> needed;
  Colour colour = Colour::red;
  bool on = false;
  int32_t count = 3;
  int64_t wait_ms = 5'000;
  int64_t speed_milli = 1'000;
  int64_t busy_ppm = 600'000;
  int64_t share_ppm = 1'000'000;
  double load = 1.0;
  uint64_t seed = 1;
  std::optional<uint64_t> chance{};
  std::optional<int64_t> limit{};
  int64_t other = 0;
  bool operator==(const Things&) const = default;
};

std::string word_fault(const std::string& word) {
  return word == "bad" ? "'bad' is bad; write good" : "";
}

constexpr auto kThingKeys = std::make_tuple(
    key("name", &Things::name,
        {.help = "of it", .wanted = "the name of the thing", .fault = word_fault}),
    key("file", &Things::file, {.help = "where", .path = true}),
    key("words", &Things::words, {.help = "said", .fault = word_fault, .or_one = true}),
    key("needed", &Things::needed, {.help = "must be", .wanted = "some texts"}),
    key("colour", &Things::colour, {.help = "of it"}), key("on", &Things::on, {.help = "or off"}),
    key("count", &Things::count, {.help = "of them", .range = {1, 10}}),
    key("wait", &Things::wait_ms,
        {.help = "for it", .unit = Unit::milliseconds, .range = {1, INT64_MAX}, .at_start = true}),
    key("speed", &Things::speed_milli,
        {.help = "of it", .unit = Unit::rounded_thousandths, .range = {1, 2'500}}),
    key("busy", &Things::busy_ppm,
        {.help = "share", .unit = Unit::rounded_millionths, .range = {1'000, 5'000'000}}),
    key("share", &Things::share_ppm,
        {.help = "part", .unit = Unit::millionths, .range = {1'000, 1'000'000}}),
    key("load", &Things::load, {.help = "of it", .range = {1, 1'000'000}}),
    key("seed", &Things::seed, {.help = "of chance", .range = {0, INT64_MAX}}),
    key("chance", &Things::chance, {.help = "likewise", .range = {0, INT64_MAX}, .usual = "none"}),
    key("limit", &Things::limit, {.help = "most", .range = {0, 9}, .usual = "none"}),
    key("other", &Things::other,
        {.help = "below", .usual = "nothing", .kind = "table", .by_hand = true}));

struct Read {
  Things things;
  std::vector<Error> errors;
};

Read read(const std::string& text) {
  ConfigFile file = ConfigFile::parse(text, "/etc/site/things.toml");
  Read made;
  read_keys(file.root(), kThingKeys, made.things);
  file.refuse_unknown_keys();
  made.errors = file.errors();
  return made;
}

constexpr const char* kLeast = "name = \"n\"\nneeded = [\"a\"]\n";

TEST_CASE("what a file says is read into the members of its rows") {
  const Read made = read(R"(name = "n"
file = "sub/x"
words = "one"
needed = ["a", "b"]
colour = "green"
on = true
count = 10
wait = "1h"
speed = 1.2346
busy = 2
share = 0.25
load = 0.0015
seed = 7
chance = 0
limit = 0
other = {}
)");
  for (const Error& error : made.errors) FAIL_CHECK(describe(error));
  Things wanted;
  wanted.name = "n";
  wanted.file = "/etc/site/sub/x";
  wanted.words = {"one"};
  wanted.needed = {"a", "b"};
  wanted.colour = Colour::green;
  wanted.on = true;
  wanted.count = 10;
  wanted.wait_ms = 3'600'000;
  wanted.speed_milli = 1'235;
  wanted.busy_ppm = 2'000'000;
  wanted.share_ppm = 250'000;
  wanted.load = 0.0015;
  wanted.seed = 7;
  wanted.chance = 0;
  wanted.limit = 0;
  CHECK(made.things == wanted);
}

TEST_CASE("what is left out stays as it was") {
  Things wanted;
  wanted.name = "n";
  wanted.needed = {"a"};
  CHECK(read(kLeast).things == wanted);
  CHECK(read(kLeast).errors.empty());
}

TEST_CASE("a wrong value is told at its place and leaves the member as it was") {
  const struct {
    const char* line;
    const char* says;
  } rows[] = {
      {"count = 11", "3:9: 'count' is 11; it must be from 1 to 10"},
      {"count = \"x\"", "3:9: 'count' is a text; write a whole number"},
      {"wait = 5", "3:8: 'wait' is a number; write a duration"},
      {"wait = \"0s\"", "3:8: 'wait' is 0s; it must be at least 1ms"},
      {"speed = 2.6", "3:9: 'speed' must be a number from 0.001 to 2.5"},
      {"busy = 0", "3:8: 'busy' must be a number from 0.001 to 5.0"},
      {"share = 1.5", "3:9: 'share' must be a part from 0.001 to 1.0"},
      {"load = true", "3:8: 'load' is true or false"},
      {"seed = -1", "3:8: 'seed' is -1; it must be at least 0"},
      {"chance = -1", "3:10: 'chance' is -1; it must be at least 0"},
      {"limit = 10", "3:9: 'limit' is 10; it must be from 0 to 9"},
      {"colour = \"blue\"", "3:10: 'colour' is \"blue\"; it must be one of \"red\", \"green\""},
      {"on = 1", "3:6: 'on' is a number; write true or false"},
      {"words = 5", "3:9: 'words' is a number; write a list of texts"},
      {"coumt = 5", "3:1: unknown key 'coumt'; did you mean 'count'?"},
  };
  const Things plain = read(kLeast).things;
  for (const auto& row : rows) {
    INFO(row.line);
    const Read made = read(std::string(kLeast) + row.line + "\n");
    REQUIRE(made.errors.size() == 1);
    CHECK_THAT(describe(made.errors[0]), Catch::Contains(row.says));
    CHECK(made.things == plain);
  }
}

TEST_CASE("what must be written and what is wrong with a text are told by their rows") {
  const Read none = read("");
  REQUIRE(none.errors.size() == 2);
  CHECK_THAT(none.errors[0].message, Catch::Contains("'name': the name of the thing"));
  CHECK_THAT(none.errors[1].message,
             Catch::Contains("'needed' is missing or empty; write some texts"));
  const Read bad =
      read("name = \"bad\"\nneeded = [\"bad\"]\nwords = [\"good\", \"bad\", \"bad\"]\n");
  REQUIRE(bad.errors.size() == 3);
  for (const Error& error : bad.errors) CHECK(error.message == "'bad' is bad; write good");
  CHECK(bad.errors[0].line == 1);
  CHECK(bad.errors[2].line == 3);
}

TEST_CASE("the reference says of each key what it is, its range and its default") {
  KeyReference reference("# Things\n");
  reference.section("[things]", "About them.");
  reference.add(kThingKeys, Things{});
  reference.add_one("made", "", "`1`", "of no row");
  CHECK(reference.take() == R"(# Things

## [things]

About them.

| Key | Is | Default | |
|---|---|---|---|
| `name` | text | required | of it |
| `file` | path | `"/usual"` | where |
| `words` | text, or list of texts | `[]` | said |
| `needed` | list of texts | required | must be |
| `colour` | `"red"`, `"green"` | `"red"` | of it |
| `on` | `true` or `false` | `false` | or off |
| `count` | number, 1 … 10 | `3` | of them |
| `wait` | duration, at least 1ms | `"5s"` | for it. Changes with the next start only |
| `speed` | decimal number, 0.001 … 2.5 | `1.0` | of it |
| `busy` | decimal number, 0.001 … 5.0 | `0.6` | share |
| `share` | a part, 0.001 … 1.0 | `1.0` | part |
| `load` | decimal number, 0.001 … 1000.0 | `1.0` | of it |
| `seed` | number, at least 0 | `1` | of chance |
| `chance` | number, at least 0 | none | likewise |
| `limit` | number, 0 … 9 | none | most |
| `other` | table | nothing | below |
| `made` |  | `1` | of no row |
)");
}

}  // namespace
}  // namespace leasehold
