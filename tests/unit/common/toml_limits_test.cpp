#include "common/config/toml_limits.hpp"

#include <catch2/catch.hpp>

#include "common/config/file.hpp"

using namespace leasehold;

namespace {

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace

TEST_CASE("a key or header of thousands of parts is refused and overflows no stack") {
  const std::string parts = repeated("a.", 50'000) + "a";
  for (const std::string& text : {parts + " = 1\n", "[" + parts + "]\n", "[[" + parts + "]]\n",
                                  "x = {" + parts + " = 1}\n", repeated("'a'. ", 50'000) + "a=1"}) {
    const ConfigFile file = ConfigFile::parse("name = 'x'\n" + text, "a.toml");
    CHECK_FALSE(file.parsed());
    REQUIRE(file.errors().size() == 1);
    CHECK(file.errors()[0].line == 2);
    CHECK_THAT(file.errors()[0].message, Catch::Contains("more than 16 parts"));
  }
}

TEST_CASE("lists and tables are nested to 32 levels and no deeper") {
  const auto nested = [](int levels) {
    return "x = " + repeated("[", levels) + repeated("]", levels);
  };
  CHECK(ConfigFile::parse(nested(32), "a.toml").parsed());
  const ConfigFile deep = ConfigFile::parse(nested(33), "a.toml");
  REQUIRE(deep.errors().size() == 1);
  CHECK(deep.errors()[0].column == 5 + 32);
  CHECK_THAT(deep.errors()[0].message, Catch::Contains("deeper than 32"));
  CHECK_FALSE(check_toml_limits("x = " + repeated("{a=", 40) + "1" + repeated("}", 40)));
}

TEST_CASE("a character that is not ASCII stands in texts and comments alone") {
  for (const char* good :
       {"# K\u00f6ln\nx = 'K\u00f6ln'\n", "x = \"\"\"K\u00f6ln\n\"K\u00f6ln\"\"\"\"\n",
        "'K\u00f6ln' = 1", "x = ['\u00e9', \"\u00e9\" , {y.'\u00e9' = '\u00e9'}]",
        "\xEF\xBB\xBFx = 1"}) {
    INFO(good);
    CHECK(ConfigFile::parse(good, "a.toml").parsed());
  }
  for (const char* bad :
       {"K\u00f6ln = 1", "x = \u00a01", "[K\u00f6ln]", "x = 'a' \u00e9\n", "\xff",
        "x = 9\"\u00e9\"", "x = 0=\"\u00e9\"", "x = [0=\"\u00e9\"]", "x = {y = 1.\"\u00e9\"}",
        "x = 1979-05-27 0\"\u00e9\"", "x = 0[\"\u00e9\"]"}) {
    INFO(bad);
    const ConfigFile file = ConfigFile::parse(bad, "a.toml");
    REQUIRE(file.errors().size() == 1);
    CHECK_THAT(file.errors()[0].message, Catch::Contains("not ASCII"));
  }
  const ConfigFile file = ConfigFile::parse("x = 'K\u00f6ln' + \u00e9", "a.toml");
  CHECK(file.errors()[0].column == 14);  // characters, not bytes
}

TEST_CASE("no character beyond ASCII follows a backslash, nor a line that one continues") {
  for (const char* bad :
       {"x = \"\\\u00e9\"", "x = \"\"\"\\\u00e9\"\"\"", "x = \"\"\"a\\ \n  \u00e9\"\"\""}) {
    INFO(bad);
    const ConfigFile file = ConfigFile::parse(bad, "a.toml");
    REQUIRE(file.errors().size() == 1);
    CHECK_THAT(file.errors()[0].message, Catch::Contains("backslash"));
  }
  CHECK(ConfigFile::parse("x = \"\"\"a\\\n  b\u00e9\"\"\"\ny = '\\\u00e9'", "a.toml").parsed());
}

TEST_CASE("what only looks deep or like a long key is left to the parser") {
  const std::string dots = repeated(".", 100);
  for (const std::string& good :
       {"x = '" + dots + "'\n", "x = \"" + dots + "\\\"" + dots + "\"\n", "# " + dots + "\n",
        "x = '''\n" + dots + "'''''\ny = 1\n", "x = [" + repeated("1.5, ", 100) + "1.5]\n",
        repeated("[[a.b]]\nc.d = 1.5\n", 100), std::string("x = [\n[1],\n[2]\n]\n"),
        repeated("x", 100) + " = 1\n"}) {
    INFO(good);
    CHECK(ConfigFile::parse(good, "a.toml").parsed());
  }
  // A header that never closes is wrong in its own line.
  const ConfigFile file = ConfigFile::parse(repeated("[a\n", 100), "a.toml");
  REQUIRE(file.errors().size() == 1);
  CHECK(file.errors()[0].line == 1);
}

TEST_CASE("a configuration larger than 16 MiB is refused before it is parsed") {
  const Status large = check_toml_limits(std::string(kTomlBytesMax + 1, '#'));
  REQUIRE_FALSE(large);
  CHECK_THAT(large.error().message, Catch::Contains("16 MiB"));
}

TEST_CASE("text that breaks what toml++ asserts gives an error with its place") {
  for (const char* bad : {"[!gent]\n", "x = 1979-05-27Tc0:32:00\n", "[[[x]]]\n", "[\n"}) {
    INFO(bad);
    const ConfigFile file = ConfigFile::parse(bad, "a.toml");
    CHECK_FALSE(file.parsed());
    REQUIRE(file.errors().size() == 1);
    CHECK(file.errors()[0].line == 1);
  }
}

TEST_CASE("a device is no file to read: it might never end") {
  for (const char* device : {"/dev/zero", "/dev/null"}) {
    const Result<std::string> text = read_text_file(device);
    REQUIRE_FALSE(text);
    CHECK_THAT(text.error().message, Catch::Contains("device"));
  }
}
