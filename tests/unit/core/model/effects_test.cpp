// Effects: what a step asks of its shell, and that nothing is asked.
#include <catch2/catch.hpp>

#include "broker/core/model/effect.hpp"

using namespace leasehold;

TEST_CASE("effects are empty where there is no order, no configuration and no record") {
  struct Row {
    const char* what;
    void (*add)(Effects&);
    bool empty;
  };
  const Row row = GENERATE(values<Row>({
      {"nothing", [](Effects&) {}, true},
      {"an order", [](Effects& effects) { effects.orders.emplace_back(); }, false},
      {"a configuration", [](Effects& effects) { effects.configure(3); }, false},
      {"a record", [](Effects& effects) { effects.records.emplace_back(); }, false},
  }));
  INFO(row.what);
  Effects effects;
  row.add(effects);
  CHECK(effects.empty() == row.empty);
  effects.clear();
  CHECK(effects.empty());
}

TEST_CASE("a cluster is sent its configuration once, and again after that has been sent") {
  Effects effects;
  for (int i = 0; i < 2; ++i) effects.configure(3);
  CHECK(effects.configurations.size() == 1);
  effects.clear();
  effects.configure(3);
  CHECK(effects.configurations.size() == 1);
}
