// Databases on a server where only a file will do: they are refused by name, with what is right.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/replay/backup_file.hpp"
#include "broker/replay/lookup.hpp"
#include "broker/views/catalogue.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr const char* kServer = "postgresql://u:secret@127.0.0.1:1/leasehold";

}  // namespace

TEST_CASE("a copy is not restored onto a server, which has tools of its own") {
  // The error was: cannot open postgresql://….lock: No such file or directory.
  const TempDir dir;
  RecordedSite(dir.file("copy.db")).begin();
  const auto restored = restore_backup(dir.file("copy.db"), kServer);
  REQUIRE_FALSE(restored.has_value());
  CHECK(restored.error().code == ErrorCode::usage);
  CHECK(restored.error().message ==
        "postgresql://u@127.0.0.1:1/leasehold is on a server, and a copy is put back into a file: "
        "name a file; the server's own tools (pg_dump and pg_restore, or its replication) put a "
        "server back");
}

TEST_CASE("of a database nobody learns which brokers run") {
  // The error was: no broker answered.
  const TempDir dir;
  RecordedSite(dir.file("broker.db")).begin();
  Request brokers;
  brokers.command = "brokers";
  brokers.row = find_request("brokers");
  const auto answer = look_up(dir.file("broker.db"), brokers);
  REQUIRE_FALSE(answer.has_value());
  CHECK(answer.error().code == ErrorCode::usage);
  CHECK(answer.error().message ==
        "'brokers' asks brokers which of them leads: leave --db out (--broker says whom)");
}
