// Faults of the brokers of a list, found in their own rows.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/clusters/leader_view.hpp"

using namespace leasehold;

namespace {

Json row_of_broker(BrokerRole role, const std::string& name, const std::string& endpoint,
                   const std::string& cannot_lead = "") {
  LeaderView leader_view;
  leader_view.role = role;
  leader_view.name = name;
  leader_view.endpoint = endpoint;
  leader_view.cannot_lead = cannot_lead;
  return broker_row(leader_view, 0, Instant{});
}

}  // namespace

TEST_CASE("of brokers, one that could not take over and two of one name need a person") {
  struct Case {
    const char* what;
    Json second;
    size_t faults;
  };
  const Json leader = row_of_broker(BrokerRole::leader, "hub-a", "tcp://a:7441");
  Json older = row_of_broker(BrokerRole::standby, "hub-b", "tcp://b:7441");
  older.erase("cannot_lead");
  const Case cases[] = {
      {"one stands by", row_of_broker(BrokerRole::standby, "hub-b", "tcp://b:7441"), 0},
      {"of an older version", older, 0},
      {"it could not lead", row_of_broker(BrokerRole::standby, "hub-b", "tcp://b:7441", "the disk"),
       1},
      {"it has the leader's name", row_of_broker(BrokerRole::standby, "hub-a", "tcp://b:7441"), 1},
      {"both", row_of_broker(BrokerRole::standby, "hub-a", "tcp://b:7441", "the disk"), 2},
      {"the leader is asked by two of its names", leader, 0},
      {"it does not answer",
       {{"name", ""}, {"endpoint", "tcp://b:7441"}, {"role", "unreachable"}},
       0},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    const Json rows = Json::array({leader, one.second});
    CHECK(broker_faults(rows).size() == one.faults);
    CHECK(find_request("brokers")->needs_person(rows) == (one.faults > 0));
  }
}

TEST_CASE("brokers that did not answer have no name, and it is not one name") {
  const Json silent{{"name", ""}, {"endpoint", "tcp://a:7441"}, {"role", "unreachable"}};
  Json other = silent;
  other["endpoint"] = "tcp://b:7441";
  CHECK(broker_faults(Json::array({silent, other})).empty());
}
