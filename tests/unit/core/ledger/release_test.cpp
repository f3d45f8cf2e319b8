// A release as tables: idle slots of one side are asked for, something happens, and what each side
// then holds stays so until the next evaluation. Nothing else brings asked slots back, or more.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

void answer(Site& site, const std::string& cluster) {
  while (site.take_one(cluster)) {
  }
}

/// The orders that it was sent do not reach it.
void miss(Site& site, const std::string& cluster) {
  std::erase_if(site.agent(cluster).inbox, [](const wire::Message& message) {
    return std::holds_alternative<wire::Order>(message);
  });
}

void fill(Site& site, const std::string& cluster, int32_t used, uint32_t row = 0) {
  row_of(site, cluster, row).used = used;
}

void come_back(Site& site, const std::string& cluster) {
  site.hello(cluster);
  site.run_until_idle();
}

void order(Site& site, Command command, const std::string& cluster = "",
           const std::string& host = "") {
  site.step(ordered(command, cluster, host));
  site.run_until_idle();
}

/// Something that is done while the release waits for its answer, and how it ends once all have
/// answered and before the next evaluation.
struct ReleaseRow {
  const char* what;
  void (*happens)(Site&);
  int32_t east;
  int32_t west;
  int32_t on_way;
  const char* phase;
  Reason reason;
  int64_t flips;
};

void judge(Site site, const ReleaseRow& row) {
  INFO(row.what);
  const int64_t flips = site.group(kPool).flips;
  row.happens(site);
  site.run_until_idle();
  for (int again = 0; again < 2; ++again) {  // and nothing more comes of it by itself
    const SlotGroup& group = site.group(kPool);
    CHECK(held_by(group, kProvider) == row.east);
    CHECK(held_by(group, kConsumer) == row.west);
    CHECK(in_transfer(group) == row.on_way);
    CHECK(site.phase(kPool) == row.phase);
    CHECK(token(group.reason) == token(row.reason));
    CHECK(group.flips - flips == row.flips);
    site.now = site.now + 1;
    site.step(Tick{});
    site.run_until_idle();
  }
}

/// East's seven idle slots are asked for; west runs on the eighth.
Site to_consumer() {
  Site site = made(8);
  wait(site, kDelayMs);
  REQUIRE(site.phase(kPool) == "inactive");
  return site;
}

/// West holds eight and runs on three; its five idle ones are asked for.
Site to_provider() {
  Site site = borrowed();
  wait(site, kDelayMs);
  REQUIRE(site.phase(kPool) == "inactive");
  return site;
}

const std::vector<ReleaseRow> kToConsumer = {
    {"all comes", [](Site&) {}, 0, 8, 0, "active", Reason::provider_idle, 1},
    {"a part comes", [](Site& site) { fill(site, "east", 3); }, 3, 5, 0, "active",
     Reason::provider_idle, 1},
    {"nothing comes", [](Site& site) { fill(site, "east", 7); }, 7, 1, 0, "active",
     Reason::nothing_released, 0},
    {"what becomes idle after the answer stays",
     [](Site& site) {
       fill(site, "east", 3);
       answer(site, "east");
       site.use("east", kPool, 0, 0);
     },
     3, 5, 0, "active", Reason::provider_idle, 1},
    {"the loser is lost",
     [](Site& site) {
       site.lose("east");
       come_back(site, "east");
     },
     7, 1, 0, "active", Reason::report_missing, 0},
    {"the winner is lost before the answer",
     [](Site& site) {
       site.lose("west");
       answer(site, "east");
       come_back(site, "west");
     },
     7, 1, 0, "active", Reason::winner_lost, 1},
    {"the winner is lost after the answer",
     [](Site& site) {
       answer(site, "east");
       site.lose("west");
       come_back(site, "west");
     },
     0, 8, 0, "active", Reason::provider_idle, 1},
    {"nobody answers in time",
     [](Site& site) {
       miss(site, "east");
       wait(site, kTimeoutMs);
     },
     7, 1, 0, "active", Reason::transfer_timeout, 0},
    {"the winner does not answer in time",
     [](Site& site) {
       answer(site, "east");
       miss(site, "west");
       wait(site, kTimeoutMs);
     },
     0, 8, 0, "active", Reason::provider_idle, 1},
    {"all is frozen", [](Site& site) { order(site, Command::freeze); }, 7, 1, 0, "active",
     Reason::nothing_released, 0},
    {"all is frozen and thawed",
     [](Site& site) {
       order(site, Command::freeze);
       order(site, Command::thaw);
     },
     7, 1, 0, "active", Reason::nothing_released, 0},
    {"the winner drains", [](Site& site) { order(site, Command::drain, "west"); }, 7, 1, 0,
     "active", Reason::winner_lost, 1},
    {"the winner drains after the answer",
     [](Site& site) {
       answer(site, "east");
       order(site, Command::drain, "west");
     },
     7, 1, 0, "active", Reason::provider_idle, 1},
    {"the host is closed", [](Site& site) { order(site, Command::close, "east", "h0"); }, 7, 1, 0,
     "active", Reason::winner_lost, 1},
    {"the winner is forgotten",
     [](Site& site) {
       site.lose("west");
       order(site, Command::forget, "west");
     },
     8, 0, 0, "active", Reason::winner_lost, 1},
    {"the loser is forgotten",
     [](Site& site) {
       site.lose("east");
       order(site, Command::forget, "east");
     },
     7, 1, 0, "active", Reason::report_missing, 0},
    {"the broker starts before the answer",
     [](Site& site) {
       miss(site, "east");
       site.restart_broker();
       come_back(site, "east");
       come_back(site, "west");
     },
     7, 1, 0, "active", Reason::report_missing, 0},
    {"the broker starts after the answer",
     [](Site& site) {
       answer(site, "east");
       site.restart_broker();
       come_back(site, "east");
       come_back(site, "west");
     },
     0, 8, 0, "active", Reason::provider_idle, 1},
    {"another broker takes over before the answer",
     [](Site& site) {
       miss(site, "east");
       site.restart_broker(true);
       come_back(site, "east");
       come_back(site, "west");
     },
     7, 1, 0, "active", Reason::report_missing, 0},
};

const std::vector<ReleaseRow> kToProvider = {
    {"all comes", [](Site&) {}, 5, 3, 0, "active", Reason::consumer_idle, 1},
    {"a part comes", [](Site& site) { fill(site, "west", 6); }, 2, 6, 0, "active",
     Reason::consumer_idle, 1},
    {"nothing comes", [](Site& site) { fill(site, "west", 8); }, 0, 8, 0, "active",
     Reason::nothing_released, 0},
    {"more comes than was asked",
     [](Site& site) {
       fill(site, "west", 1);
       answer(site, "west");
     },
     5, 3, 0, "active", Reason::consumer_idle, 1},
    {"the loser is lost",
     [](Site& site) {
       site.lose("west");
       come_back(site, "west");
     },
     0, 8, 0, "active", Reason::report_missing, 0},
    {"the winner is lost before the answer",
     [](Site& site) {
       site.lose("east");
       answer(site, "west");
       come_back(site, "east");
     },
     0, 8, 0, "active", Reason::winner_lost, 1},
    {"nobody answers in time",
     [](Site& site) {
       miss(site, "west");
       wait(site, kTimeoutMs);
     },
     0, 8, 0, "active", Reason::transfer_timeout, 0},
    {"all is frozen", [](Site& site) { order(site, Command::freeze); }, 0, 8, 0, "active",
     Reason::nothing_released, 0},
    {"the loser drains", [](Site& site) { order(site, Command::drain, "west"); }, 5, 3, 0, "active",
     Reason::consumer_idle, 1},
    {"the loser is forgotten",
     [](Site& site) {
       site.lose("west");
       order(site, Command::forget, "west");
     },
     8, 0, 0, "active", Reason::report_missing, 0},
    {"the broker starts before the answer",
     [](Site& site) {
       miss(site, "west");
       site.restart_broker();
       come_back(site, "east");
       come_back(site, "west");
     },
     0, 8, 0, "active", Reason::report_missing, 0},
    {"the broker starts after the answer, and the winner is heard last",
     [](Site& site) {
       answer(site, "west");
       site.restart_broker();
       come_back(site, "west");
       come_back(site, "east");
     },
     5, 3, 0, "active", Reason::consumer_idle, 1},
    {"the broker starts after the answer, and the winner, heard first, states that it took nothing",
     [](Site& site) {
       answer(site, "west");
       site.restart_broker();
       come_back(site, "east");
       come_back(site, "west");
     },
     0, 8, 0, "active", Reason::consumer_idle, 1},
};

/// Three hosts of 4 that move as a whole: west runs on the first, the other two are asked for.
Site whole_to_consumer() {
  BrokerConfig config = one_pool(3, 4);
  config.policies.front().unit = LeaseUnit::host;
  Site site = connected(config, 3, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  wait(site, kDelayMs);
  REQUIRE(site.phase(kPool) == "inactive");
  return site;
}

const std::vector<ReleaseRow> kWhole = {
    {"both hosts come", [](Site&) {}, 0, 12, 0, "active", Reason::provider_idle, 1},
    {"one host comes", [](Site& site) { fill(site, "east", 1, 2); }, 4, 8, 0, "active",
     Reason::provider_idle, 1},
    {"one host comes, and the part of the other that is idle later stays",
     [](Site& site) {
       fill(site, "east", 1, 2);
       answer(site, "east");
       site.use("east", kPool, 2, 0);
     },
     4, 8, 0, "active", Reason::provider_idle, 1},
    {"parts of both come",
     [](Site& site) {
       fill(site, "east", 3, 1);
       fill(site, "east", 1, 2);
     },
     8, 4, 0, "active", Reason::nothing_released, 0},
    {"one host comes, and the winner is lost before that",
     [](Site& site) {
       fill(site, "east", 1, 2);
       site.lose("west");
       answer(site, "east");
       come_back(site, "west");
     },
     8, 4, 0, "active", Reason::winner_lost, 1},
    {"nobody answers in time",
     [](Site& site) {
       miss(site, "east");
       wait(site, kTimeoutMs);
     },
     8, 4, 0, "active", Reason::transfer_timeout, 0},
    {"one host came when the broker started",
     [](Site& site) {
       fill(site, "east", 1, 2);
       answer(site, "east");
       site.restart_broker();
       come_back(site, "east");
       come_back(site, "west");
     },
     4, 8, 0, "active", Reason::provider_idle, 1},
};

}  // namespace

TEST_CASE("a release to the consumer ends so, and nothing follows before the next evaluation") {
  for (const ReleaseRow& row : kToConsumer) judge(to_consumer(), row);
}

TEST_CASE("a release to the provider ends so, and nothing follows before the next evaluation") {
  for (const ReleaseRow& row : kToProvider) judge(to_provider(), row);
}

TEST_CASE("a release of whole hosts ends so, and no host is split") {
  for (const ReleaseRow& row : kWhole) judge(whole_to_consumer(), row);
}
