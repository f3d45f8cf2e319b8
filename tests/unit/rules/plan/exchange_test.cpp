// Hosts exchanged slot for slot: all that is lacking or nothing, and nobody is due more or less.
#include "broker/rules/plan/moves/exchange.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

constexpr uint32_t kFirst = 1;
constexpr uint32_t kSecond = 2;

ExchangeHost spare(int64_t slots) {
  return {slots, {}, false, 0};
}

ExchangeHost of_others(std::vector<HostHolding> others) {
  return {0, std::move(others), false, 0};
}

bool everywhere(uint32_t, uint32_t) {
  return true;
}

}  // namespace

TEST_CASE("who lacks slots of hosts gives as many of others, of the last host first") {
  const std::vector<ExchangeHost> hosts{of_others({{kFirst, 4}}), spare(2), spare(2), spare(1)};
  const std::vector<LackedSlots> lacking{{0, 4}};
  const std::vector<HostsExchanged> made = exchange_hosts(hosts, lacking, everywhere);
  CHECK(made ==
        std::vector<HostsExchanged>{{kFirst, 0, 3, 1}, {kFirst, 0, 2, 2}, {kFirst, 0, 1, 1}});
  CHECK(exchange_hosts(hosts, lacking, everywhere) == made);
}

TEST_CASE("who loses first gives what is lacking before others do") {
  const std::vector<ExchangeHost> hosts{of_others({{kSecond, 1}, {kFirst, 3}}), spare(4)};
  CHECK(exchange_hosts(hosts, std::vector<LackedSlots>{{0, 3}}, everywhere) ==
        std::vector<HostsExchanged>{{kSecond, 0, 1, 1}, {kFirst, 0, 1, 2}});
}

TEST_CASE("nothing is exchanged where not all that is lacking can be had") {
  const std::vector<ExchangeHost> hosts{of_others({{kFirst, 4}}), spare(3)};
  CHECK(exchange_hosts(hosts, std::vector<LackedSlots>{{0, 4}}, everywhere).empty());
  const std::vector<ExchangeHost> few{of_others({{kFirst, 2}}), spare(4)};
  CHECK(exchange_hosts(few, std::vector<LackedSlots>{{0, 4}}, everywhere).empty());
}

TEST_CASE("nobody is given a host that it cannot use") {
  const std::vector<ExchangeHost> hosts{of_others({{kFirst, 2}, {kSecond, 2}}), spare(2)};
  const CanUse second_only = [](uint32_t consumer, uint32_t) { return consumer == kSecond; };
  CHECK(exchange_hosts(hosts, std::vector<LackedSlots>{{0, 2}}, second_only) ==
        std::vector<HostsExchanged>{{kSecond, 0, 1, 2}});
}

TEST_CASE("a host that goes whole is exchanged for one of its size of which as much is due") {
  const auto whole = [](int64_t slots, std::vector<HostHolding> others, int64_t size) {
    return ExchangeHost{slots, std::move(others), true, size};
  };
  const std::vector<ExchangeHost> hosts{whole(0, {{kFirst, 4}}, 4), whole(4, {}, 4),
                                        whole(3, {}, 4), whole(4, {}, 8)};
  CHECK(exchange_hosts(hosts, std::vector<LackedSlots>{{0, 4}}, everywhere) ==
        std::vector<HostsExchanged>{{kFirst, 0, 1, 4}});
  const std::vector<ExchangeHost> none_alike{whole(0, {{kFirst, 4}}, 4), whole(3, {}, 4),
                                             whole(4, {}, 8), spare(4)};
  CHECK(exchange_hosts(none_alike, std::vector<LackedSlots>{{0, 4}}, everywhere).empty());
}
