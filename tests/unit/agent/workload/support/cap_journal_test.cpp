// A journal is kept beside the fences of workload managers that keep only a number.
#include "agent/workload/support/cap_journal.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/pipes.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

HostCap cap(const char* host, int32_t slots) {
  return {host, true, slots, 0, 100, 50, {{7, 2, slots, 0}, {9, 0, 1, 3}}, 30'000};
}

TEST_CASE("caps are found again by the next agent as they were put, sorted by host") {
  const Scratch scratch;
  const std::string path = scratch.file("agent.db.fences");
  CapJournal journal = CapJournal::open(path).value();
  CHECK(journal.caps().empty());
  REQUIRE(journal.put(std::vector<HostCap>{cap("b", 3), cap("a", 2)}));
  REQUIRE(journal.put(std::vector<HostCap>{cap("b", 4)}));
  const CapJournal again = CapJournal::open(path).value();
  CHECK(again.caps() == std::vector<HostCap>{cap("a", 2), cap("b", 4)});
  REQUIRE(again.find("b"));
  CHECK(again.find("b")->slots == 4);
  CHECK(again.find("c") == nullptr);
}

TEST_CASE("a cap without parts is taken out, and nothing is written where nothing changes") {
  const Scratch scratch;
  const std::string path = scratch.file("fences");
  CapJournal journal = CapJournal::open(path).value();
  REQUIRE(journal.put(std::vector<HostCap>{cap("a", 2)}));
  std::filesystem::remove(path);
  REQUIRE(journal.put(std::vector<HostCap>{cap("a", 2)}));
  CHECK_FALSE(std::filesystem::exists(path));
  REQUIRE(journal.put(std::vector<HostCap>{{"a", true, 0, 0, 0, 0, {}, 0}}));
  CHECK(journal.caps().empty());
  CHECK(CapJournal::open(path).value().caps().empty());
}

TEST_CASE("a journal that is damaged or of a later version is refused, and left as it is") {
  const Scratch scratch;
  const std::string path = scratch.file("fences");
  const std::string text = GENERATE("{\"version\":2,\"caps\":[]}", "{\"version\":1,\"caps\":[{",
                                    "{\"version\":1,\"caps\":[{\"host\":3}]}", "");
  std::ofstream(path) << text;
  const auto journal = CapJournal::open(path);
  REQUIRE_FALSE(journal);
  CHECK(journal.error().message.find(path) != std::string::npos);
}

TEST_CASE("a journal that cannot be written keeps what it had, and says so") {
  const Scratch scratch;
  CapJournal journal = CapJournal::open(scratch.file("none/fences")).value();
  const Status put = journal.put(std::vector<HostCap>{cap("a", 2)});
  REQUIRE_FALSE(put);
  CHECK(put.error().message.find("cannot be written") != std::string::npos);
  CHECK(journal.caps().empty());
  CapJournal looked = CapJournal::open(scratch.file("fences"), true).value();
  CHECK_FALSE(looked.put(std::vector<HostCap>{cap("a", 2)}));
}

TEST_CASE("a pipe in the place of a journal, or of the one to come, is refused at once") {
  const Scratch scratch;
  const auto journal = CapJournal::open(leasehold::test::make_pipe(scratch.file("pipe")));
  REQUIRE_FALSE(journal);
  CHECK_THAT(journal.error().message, Catch::Contains("is a pipe: a regular file is wanted"));
  leasehold::test::make_pipe(scratch.file("fences.new"));
  CapJournal whole = CapJournal::open(scratch.file("fences")).value();
  const Status put = whole.put(std::vector<HostCap>{cap("a", 2)});
  REQUIRE_FALSE(put);
  CHECK_THAT(put.error().message, Catch::Contains("fences.new: is a pipe"));
}

}  // namespace
}  // namespace leasehold::agent
