// Each trouble of a broker is logged once, and once that it is over.
#include "broker/daemon/leadership/troubles.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/said.hpp"

namespace leasehold {
namespace {

struct Logged {
  explicit Logged(bool alone) : troubles(bulletin, alone) {}
  std::string published() const { return bulletin->read().trouble; }

  std::shared_ptr<Bulletin> bulletin = std::make_shared<Bulletin>();
  Troubles troubles;
};

TEST_CASE("a broker among several logs a silent database once, and that it answers again") {
  Logged here(false);
  const agent::test::Said said;
  for (int tries = 0; tries < 3; ++tries) here.troubles.of_database("no route");
  CHECK(said.count("database-unavailable") == 1);
  CHECK(here.published() == "no route");
  CHECK(here.troubles.of_leading().of_database == "no route");
  for (int tries = 0; tries < 3; ++tries) here.troubles.of_database("");
  CHECK(said.count("database-recovered") == 1);
  CHECK(here.troubles.of_leading().of_database.empty());
}

TEST_CASE("a broker that is alone logs each attempt to open its database") {
  Logged here(true);
  const agent::test::Said said;
  for (int tries = 0; tries < 3; ++tries) here.troubles.of_database("disk full");
  CHECK(said.count("database-unavailable") == 3);
}

TEST_CASE("why a broker cannot take over is logged once, and is no trouble of the database") {
  Logged here(false);
  const agent::test::Said said;
  for (int tries = 0; tries < 3; ++tries) here.troubles.of_take_over("another site's file");
  CHECK(said.count("take-over-failed") == 1);
  CHECK(here.published().empty());  // another broker may lead
  CHECK(here.troubles.of_leading().of_take_over == "another site's file");
  here.troubles.of_take_over("");
  here.troubles.of_take_over("another site's file");
  CHECK(said.count("take-over-failed") == 2);
}

TEST_CASE(
    "rows of other brokers that cannot be read are logged once, whatever the reason becomes") {
  Logged here(false);
  const agent::test::Said said;
  here.troubles.of_others("");
  here.troubles.of_others("no route");
  here.troubles.of_others("refused");
  here.troubles.of_others("");
  CHECK(said.count("other-brokers-not-known") == 1);
  CHECK(said.count("other-brokers-known-again") == 1);
}

TEST_CASE("another store's compaction has not failed yet") {
  Logged here(true);
  const agent::test::Said said;
  here.troubles.of_compaction("disk full");
  here.troubles.of_compaction("disk full");
  CHECK(said.count("compaction-failed") == 1);
  here.troubles.forget_compaction();
  here.troubles.of_compaction("");
  CHECK(said.count("compaction-recovered") == 0);
}

}  // namespace
}  // namespace leasehold
