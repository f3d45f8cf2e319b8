// Keys of the database and of retention that are compared with each other.
#include <catch2/catch.hpp>

#include "broker/config/load.hpp"
#include "tests/unit/config/findings.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("a database in libpq's other form is refused at its line, without the password in it") {
  // Files of that name were made, and the password was in the log.
  const Loaded loaded = parse_broker_config(
      "[broker]\ndatabase = \"host=db user=u password=verysecret\"\n[[cluster]]\nname = \"a\"\n",
      "b.toml");
  REQUIRE(loaded.errors.size() == 1);
  CHECK(loaded.errors[0].line == 2);
  CHECK_THAT(all_of(loaded.errors),
             Catch::Contains("postgresql://USER@HOST/NAME") && !Catch::Contains("verysecret"));
}

TEST_CASE("clusters that may add more history than half its room in its time are told of numbers") {
  // The budget for an hour did not know [retention], and the noise of one cluster removed the
  // history of all.
  const auto notes = [](const std::string& more) {
    const Loaded loaded = parse_broker_config(
        "[[cluster]]\nname = \"a\"\n[[cluster]]\nname = \"b\"\n" + more, "b.toml");
    CHECK(loaded.ok());
    return all_of(loaded.notes);
  };
  const std::string day = "[retention]\nage = \"24h\"\nsize_mb = 960\n";
  CHECK(notes(day + "[limits]\nrecord_mb_per_hour = 10\n").empty());
  CHECK_THAT(
      notes(day + "[limits]\nrecord_mb_per_hour = 0\n"),
      Catch::Contains("= 0 is no limit") && Catch::Contains("would be: record_mb_per_hour = 10\n"));
  const std::string above = notes(day + "[limits]\nrecord_mb_per_hour = 11\n");
  CHECK_THAT(above, Catch::Contains("2 clusters may add 528 MB"));
  CHECK_THAT(above, Catch::Contains("record_mb_per_hour = 10, age = \"21h\", or size_mb = 1056"));
  CHECK_THAT(notes(day + "[limits]\nrecord_mb_per_hour = 1000\n"),
             Catch::Contains("would be: record_mb_per_hour = 10, or size_mb = 96000"));
  CHECK_THAT(notes("[retention]\nage = \"300d\"\n"), Catch::Contains("age = \"4h\""));
}

TEST_CASE("the default budgets of history are told of like those that somebody wrote") {
  // Nothing was said of them, though one cluster's noise removed everybody's history.
  const auto loaded = [](int clusters) {
    std::string text;
    for (int i = 0; i < clusters; ++i) {
      text += "[[cluster]]\nname = \"c" + std::to_string(i) + "\"\n";
    }
    return parse_broker_config(text, "b.toml");
  };
  const Loaded few = loaded(2);
  CHECK(few.ok());
  CHECK(few.warnings.empty());
  CHECK_THAT(all_of(few.notes), Catch::Contains("2 clusters may add 4915200 MB"));
  CHECK_THAT(all_of(few.notes), Catch::Contains("would be: age = \"4h\", or size_mb = 9830400\n"));
  // No single number is within its bounds.
  CHECK_THAT(all_of(loaded(30).notes),
             Catch::Contains("would be: record_mb_per_hour = 1 with size_mb = 576000\n"));
  CHECK(all_of(loaded(0).notes).empty());
}

TEST_CASE("how often readable tables are made is checked, and that there is a file for them") {
  const auto error_of = [](const std::string& lines) {
    return all_of(
        parse_broker_config("[broker]\n" + lines + "\n[[cluster]]\nname = \"a\"\n", "b.toml")
            .errors);
  };
  for (const char* right : {"1s", "1m", "24h", "off", ""}) {
    CHECK(error_of("tables = \"" + std::string(right) + "\"").empty());
  }
  for (const char* wrong : {"999ms", "25h", "never", "60"}) {
    INFO(wrong);
    CHECK_THAT(
        error_of("tables = \"" + std::string(wrong) + "\""),
        Catch::StartsWith("b.toml:2") && Catch::Contains("from 1s to 1d, as \"1m\", or \"off\""));
  }
  const std::string server = "database = \"postgresql://x/y\"\n";
  CHECK_THAT(error_of(server + "tables = \"1m\""),
             Catch::Contains("'readable_tables', which names it"));
  CHECK(error_of(server + "tables = \"off\"").empty());
  CHECK(error_of(server + "tables = \"1m\"\nreadable_tables = \"t.state\"").empty());
}
