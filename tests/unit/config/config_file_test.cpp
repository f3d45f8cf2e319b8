#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "common/config/file.hpp"

using namespace leasehold;

namespace {

struct Fault {
  int line;
  int column;
  const char* fragment;
};

void check_faults(const std::vector<Error>& errors, const std::vector<Fault>& expected) {
  REQUIRE(errors.size() == expected.size());
  for (size_t i = 0; i < errors.size(); ++i) {
    INFO(describe(errors[i]));
    CHECK(errors[i].file == "a.toml");
    CHECK(errors[i].line == expected[i].line);
    CHECK(errors[i].column == expected[i].column);
    CHECK(errors[i].code == ErrorCode::usage);
    CHECK_THAT(errors[i].message, Catch::Contains(expected[i].fragment));
  }
}

}  // namespace

TEST_CASE("a text with the character U+0000 is refused, wherever it stands") {
  const ConfigFile file = ConfigFile::parse("name = \"a\\u0000b\"\n", "a.toml");
  CHECK(file.root().text("name", "other") == "other");
  REQUIRE(file.errors().size() == 1);
  CHECK(file.errors()[0].line == 1);
  CHECK_THAT(file.errors()[0].message, Catch::Contains("holds the character U+0000"));
}

TEST_CASE("values are read with their types, and the fallback where they are absent") {
  ConfigFile file = ConfigFile::parse(
      "name = 'x'\nn = 5\nd = 1.5\nwhole = 2\non = true\nt = '1h30m'\nlist = ['a', 'b']\n"
      "one = 'a'\nns = [1, 4]\nkind = 'wave'\n[sub]\nname = 'y'\n[[row]]\nn = 1\n[[row]]\nn = 2\n"
      "[free]\n'big1@west' = 'w-big1'\na = 'b'\n",
      "a.toml");
  const ConfigTable root = file.root();
  CHECK(root.text("name") == "x");
  CHECK(root.text("absent", "fallback") == "fallback");
  CHECK(root.integer("n", 0) == 5);
  CHECK(root.decimal("d", 0, 0, 10) == 1.5);
  CHECK(root.decimal("whole", 0, 0, 10) == 2.0);
  CHECK(root.milli("d", 0) == 1500);
  CHECK(root.milli("whole", 0) == 2000);
  CHECK(root.flag("on", false));
  CHECK(root.duration_ms("t", 0) == 5'400'000);
  CHECK(root.texts("list") == std::vector<std::string>{"a", "b"});
  CHECK(root.text_or_texts("one") == std::vector<std::string>{"a"});
  CHECK(root.text_or_texts("list") == std::vector<std::string>{"a", "b"});
  CHECK(root.integers("ns") == std::vector<int64_t>{1, 4});
  CHECK(root.choice("kind", 0, {{"constant", 1}, {"wave", 2}}) == 2);
  CHECK(root.table("sub").required_text("name", "a name") == "y");
  const auto rows = root.tables("row");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].integer("n", 0) == 1);
  CHECK(rows[1].integer("n", 0) == 2);
  CHECK(rows[1].place() == Place{15, 1});
  CHECK(rows[1].place("n") == Place{16, 5});
  const ConfigTable names = root.table("free");
  REQUIRE(names.free_keys().size() == 2);
  CHECK(names.free_keys()[0].value == "big1@west");
  CHECK(names.text("big1@west") == "w-big1");
  CHECK_FALSE(root.table("absent").present());
  CHECK(root.table("absent").integer("n", 7) == 7);
  file.refuse_unknown_keys();
  CHECK(file.errors().empty());
}

TEST_CASE("all mistakes of a file are told at once, each at its line and column") {
  ConfigFile file = ConfigFile::parse(
      "name = 5\nn = 'x'\nrange = 99\nd = 'x'\nd2 = inf\non = 'yes'\nt = 10\nt2 = '10'\n"
      "t3 = '1s'\nlist = 'a'\nlist2 = ['a', 2]\nkind = 'wav'\nsub = 1\nrow = [1]\nm = 1.2345\n"
      "empty = ''\n",
      "a.toml");
  const ConfigTable root = file.root();
  CHECK(root.text("name", "f") == "f");
  CHECK(root.integer("n", 3) == 3);
  CHECK(root.integer("range", 3, {1, 10}) == 3);
  CHECK(root.decimal("d", 0.5, 0, 1) == 0.5);
  CHECK(root.decimal("d2", 0.5, 0, 1) == 0.5);
  CHECK(root.flag("on", true));
  CHECK(root.duration_ms("t", 9) == 9);
  CHECK(root.duration_ms("t2", 9) == 9);
  CHECK(root.duration_ms("t3", 9, {2000, 5000}) == 9);
  CHECK(root.texts("list").empty());
  CHECK(root.texts("list2") == std::vector<std::string>{"a"});
  CHECK(root.choice("kind", 1, {{"constant", 1}, {"wave", 2}}) == 1);
  CHECK_FALSE(root.table("sub").present());
  CHECK(root.tables("row").empty());
  CHECK(root.milli("m", 1) == 1);
  CHECK(root.required_text("empty", "the name").empty());
  CHECK(root.table("agent").required_text("cluster", "the cluster's name").empty());
  file.refuse_unknown_keys();
  const std::vector<Error> errors = file.errors();
  check_faults(errors, {{1, 1, "missing key 'cluster' in [agent]: the cluster's name"},
                        {1, 8, "'name' is a number; write a text in quotes"},
                        {2, 5, "'n' is a text; write a whole number"},
                        {3, 9, "'range' is 99; it must be from 1 to 10"},
                        {4, 5, "write a number as in 1.0"},
                        {5, 6, "from 0.0 to 1.0"},
                        {6, 6, "write true or false"},
                        {7, 5, "a duration with its unit"},
                        {8, 6, "'t2'"},
                        {9, 6, "it must be at least 2s and at most 5s"},
                        {10, 8, "a list of texts"},
                        {11, 15, "'list2[]' is a number"},
                        {12, 8, "\"constant\", \"wave\""},
                        {13, 7, "a table: [sub]"},
                        {14, 8, "a table: {…}"},
                        {15, 5, "three decimals"},
                        {16, 9, "'empty' is empty; write the name"}});
}

TEST_CASE("an unknown key is an error that names the nearest known one") {
  ConfigFile file = ConfigFile::parse(
      "zzz = 1\n[policy]\n  slot_per_host = 4\nname = 'x'\n[other]\na = 1\n", "a.toml");
  const ConfigTable policy = file.root().table("policy");
  policy.integer("slots_per_host", 0);
  policy.text("name");
  file.refuse_unknown_keys();
  check_faults(file.errors(),
               {{1, 1, "unknown key 'zzz'"},
                {3, 3, "unknown key 'slot_per_host' in [policy]; did you mean 'slots_per_host'?"},
                {5, 2, "unknown key 'other'"}});
}

TEST_CASE("a file that is no TOML or cannot be read gives one error and an empty root") {
  const ConfigFile broken = ConfigFile::parse("a = 1\na = 2\n", "a.toml");
  CHECK_FALSE(broken.parsed());
  CHECK(broken.root().integer("a", 7) == 7);
  REQUIRE(broken.errors().size() == 1);
  CHECK(broken.errors()[0].line == 2);
  for (const char* path : {"/nonexistent/x.toml", "/tmp"}) {
    const ConfigFile missing = ConfigFile::read(path);
    CHECK_FALSE(missing.parsed());
    REQUIRE(missing.errors().size() == 1);
    CHECK(missing.errors()[0].file == path);
    CHECK(missing.errors()[0].code == ErrorCode::usage);
  }
}

TEST_CASE("the nearest word is one a slip away, and none when all are far") {
  const std::vector<std::string> words{"reclaim_delay", "agent_timeout", "name"};
  CHECK(nearest("reclaim_dely", words) == "reclaim_delay");
  CHECK(nearest("agent-timeout", words) == "agent_timeout");
  CHECK(nearest("nmae", words) == "name");
  CHECK(nearest("enma", words) == std::nullopt);  // two mistakes in four letters
  CHECK(nearest("nam", words) == "name");
  CHECK(nearest("zzz", words) == std::nullopt);
  CHECK(nearest(std::string(1'000'000, 'x'), words) == std::nullopt);
}

TEST_CASE("relative paths start at the folder of the file that names them") {
  CHECK(relative_to("/etc/leasehold/broker.toml", "x.db") == "/etc/leasehold/x.db");
  CHECK(relative_to("/etc/leasehold/broker.toml", "../x.db") == "/etc/x.db");
  CHECK(relative_to("/etc/leasehold/broker.toml", "/var/x.db") == "/var/x.db");
  CHECK(relative_to("broker.toml", "x.db") == "x.db");
  CHECK(relative_to("/etc/broker.toml", "").empty());
}

TEST_CASE("no text crashes the reading of a configuration file") {
  CHECK(rc::check([](const std::string& text) {
    ConfigFile file = ConfigFile::parse(text, "a.toml");
    file.root().tables("a");
    file.refuse_unknown_keys();
    RC_ASSERT(file.parsed() || file.errors().size() == 1);
  }));
}
