// The bytes of plans in events: bytes of an impossible plan are refused.
#include <catch2/catch.hpp>

#include "broker/record/event_codec.hpp"

using namespace leasehold;

TEST_CASE("a plan whose consumers, lists or windows name what is not there is refused") {
  const auto read = [](const std::function<void(ConfigLoaded&)>& change) {
    ConfigLoaded loaded;
    ResourceGroup& group = loaded.config.resource_groups.emplace_back();
    group.name = "compute";
    group.variants.resize(2);
    for (Plan& plan : group.variants) {
      plan.consumers.resize(2);
      plan.consumers[0].path = "/a";
      plan.consumers[1].path = "/a/b";
      plan.consumers[1].parent = 0;
    }
    loaded.windows.plans.push_back({"compute", {{{5}, 1}}});
    change(loaded);
    std::string bytes;
    encode_event(loaded, bytes);
    return decode_event(bytes).has_value();
  };
  const auto second = [](ConfigLoaded& loaded) -> Plan& {
    return loaded.config.resource_groups[0].variants[1];
  };
  CHECK(read([](ConfigLoaded&) {}));
  CHECK_FALSE(read([&](ConfigLoaded& c) { c.config.resource_groups[0].variants.clear(); }));
  CHECK_FALSE(read([&](ConfigLoaded& c) { second(c).consumers.pop_back(); }));
  CHECK_FALSE(read([&](ConfigLoaded& c) { second(c).consumers[1].path = "/a/c"; }));
  CHECK_FALSE(read([&](ConfigLoaded& c) { second(c).consumers[1].parent = kNoIndex; }));
  CHECK_FALSE(read([&](ConfigLoaded& c) {
    for (Plan& plan : c.config.resource_groups[0].variants) plan.consumers[0].parent = 1;
  }));
  CHECK_FALSE(read([&](ConfigLoaded& c) { second(c).consumers[0].lend_to = {{false, {2}, {}}}; }));
  CHECK_FALSE(read([&](ConfigLoaded& c) {
    second(c).consumers[0].borrow_from = {{false, {1, 9}, {}}};
  }));
  CHECK_FALSE(read([](ConfigLoaded& c) { c.windows.plans[0].periods[0].variant = 2; }));
  CHECK_FALSE(read([](ConfigLoaded& c) { c.config.resource_groups[0].week = {{0, 2}}; }));
  CHECK(read([](ConfigLoaded& c) { c.windows.plans[0].periods[0].variant = 0; }));
}
