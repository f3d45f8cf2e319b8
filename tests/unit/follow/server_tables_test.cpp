// Readable tables of a database on a server, as leasectl makes them.
#include <catch2/catch.hpp>

#include "broker/follow/make_tables.hpp"

using namespace leasehold;

TEST_CASE("readable tables of a server need a file's name: none lies beside it") {
  // The error was: cannot make postgresql://….state.new-1: No such file or directory.
  const auto made = make_tables({"postgresql://u:secret@127.0.0.1:1/leasehold", ""});
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code == ErrorCode::usage);
  CHECK(made.error().message.find("name the file for its tables") != std::string::npos);
  CHECK(made.error().message.find("secret") == std::string::npos);
}
