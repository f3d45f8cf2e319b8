// Checks that leasectl makes before it opens a database.
#include "broker/ctl/invocation.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/request/request_json.hpp"

using namespace leasehold;

TEST_CASE("--at of a database refuses an instant in the future") {
  ctl::CommandLine line;
  line.db = "/nonexistent/leasehold.db";
  ctl::Invocation invocation(std::move(line));
  Request leases = request_for("leases");
  leases.at = *parse_time("9999-01-01T00:00:00Z", Instant{});
  const Result<Json> ahead = invocation.ask(leases);
  REQUIRE_FALSE(ahead);
  CHECK(ahead.error().code == ErrorCode::usage);
  CHECK_THAT(ahead.error().message,
             Catch::StartsWith("--at: 9999-01-01T00:00:00.000Z is in the future"));
}
