// --probe, --release --json and interrupts --json print JSON, whatever hosts and jobs are called.
#include "agent/io/by_hand/shown_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agent/io/by_hand/interrupts.hpp"

namespace leasehold::agent {
namespace {

using nlohmann::ordered_json;

TEST_CASE("--probe prints a host whose name is not UTF-8, and stays valid JSON") {
  const ordered_json found{{"hosts", {{{"host", "b\xFCro1"}, {"used", 2}}}}};
  for (const int indent : {2, -1}) {
    const std::string text = shown_json(found, indent);
    CHECK(ordered_json::parse(text)["hosts"][0]["host"] == "b\xEF\xBF\xBDro1");
  }
}

TEST_CASE("a name in UTF-8 is printed as it is") {
  CHECK(shown_json({{"host", "b\xC3\xBCro1"}}, -1) == "{\"host\":\"b\xC3\xBCro1\"}");
}

TEST_CASE("interrupts --json prints a job whose id is not UTF-8") {
  CHECK(ordered_json::parse(interrupts_json("4\xFF", std::nullopt))["interrupted"] == false);
}

}  // namespace
}  // namespace leasehold::agent
