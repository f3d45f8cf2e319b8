// Rows of leases are written as text, straight from the state. The same row is made here as a value
// of the JSON library, field by field: both have the same bytes for any state. The values of the
// fields come from LeaseFacts, which has tests of its own.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "broker/views/leases/lease_facts.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/request/request_json.hpp"
#include "broker/views/request/selection.hpp"
#include "broker/views/rows.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

using rows::cluster_name;

Json pending_of(const State& state, const SlotGroup& group, size_t member) {
  const Cluster& cluster = state.clusters[group.members[member].cluster];
  return cluster.contact == Contact::ok ? Json(cluster.pending) : Json(nullptr);
}

Json row_by_json(const State& state, LeaseRef lease) {
  const SlotGroup& group = state.slot_groups[lease.group];
  LeaseFacts facts(state);
  const Totals totals = facts.totals(lease);
  const auto [type, rule] = facts.kind(lease);
  const auto down = facts.slots_down(lease);
  Json row;
  row["id"] = lease_id(state, group, lease.member);
  row["policy"] = state.policies[group.policy].config.name;
  row["group"] = facts.group_name(lease);
  row["provider"] = cluster_name(state, group, kProvider);
  row["consumer"] = cluster_name(state, group, lease.member);
  row["type"] = type;
  row["rule"] = rule;
  row["phase"] = token(group.phase);
  row["epoch"] = group.epoch;
  row["slots"] = exported(group);
  row["in_transfer"] = facts.in_transfer(lease);
  row["moving"] = facts.in_transfer(lease) + facts.asked_for(lease);
  row["provider_slots"] = rows::slots(totals.provider_available, totals.provider_used);
  row["consumer_slots"] = rows::slots(totals.consumer_available, totals.consumer_used);
  row["slots_down"] = {{"provider", down.provider}, {"consumer", down.consumer}};
  row["pending"] = {{"provider", pending_of(state, group, kProvider)},
                    {"consumer", pending_of(state, group, lease.member)}};
  row["last_flip"] = rows::time(facts.last_flip(lease));
  row["next_evaluation"] = rows::time(facts.next_evaluation(lease));
  row["reason"] = std::string(token(facts.reason(lease)));
  row["flips"] = facts.flips(lease);
  row["mode"] = rows::mode_word(state);
  row["frozen"] = state.frozen;
  return row;
}

/// Names that need escaping, and names that no file would have.
const std::vector<std::string> kNames{"east",
                                      "west",
                                      "",
                                      "a\"b",
                                      "back\\slash",
                                      "tab\tline\nend\r\b\f",
                                      std::string("nul\0in it", 9),
                                      "\x1b[31m\x7f",
                                      "M\u00fcnchen",
                                      "\u2028\U0001F600/",
                                      "cut \xe2\x82",
                                      "\xff\xfe",
                                      "\xed\xa0\x80"};

/// A random state with everything that a row can show; step() would not produce it.
class Scene {
 public:
  explicit Scene(uint64_t seed) : chance_(seed) {
    state.frozen = flag();
    state.config.mode = flag() ? Mode::lease : Mode::observe;
    for (int i = 0; i < 6; ++i) add_cluster();
    for (int i = 0; i < 3; ++i) add_policy();
    for (int i = 0; i < 2; ++i) add_plan(i);
    for (int i = 0; i < 2; ++i) state.grids.push_back({1'000, {}, instant(), {}, {}, 0});
    for (int i = 0; i < 12; ++i) add_group();
  }

  State state;

  const std::string& name() { return kNames[below(kNames.size())]; }
  uint32_t below(size_t most) { return static_cast<uint32_t>(chance_() % most); }
  bool flag() { return below(2) == 0; }

 private:
  int32_t slots() { return static_cast<int32_t>(below(3) == 0 ? below(INT32_MAX / 64) : below(9)); }
  Instant instant() {
    const Instant some[] = {
        kNever, {INT64_MIN},     {0},
        {-1},   {INT64_MAX - 1}, {static_cast<int64_t>(chance_() % 253'402'300'799'999)}};
    return some[below(std::size(some))];
  }

  void add_cluster() {
    Cluster cluster;
    cluster.name = name();
    cluster.contact = flag() ? Contact::ok : Contact::lost;
    cluster.pending = static_cast<int64_t>(chance_());
    state.clusters.push_back(cluster);
  }
  void add_policy() {
    PolicyState policy;
    policy.config.name = name();
    policy.config.type = flag() ? LeaseType::shared : LeaseType::exclusive;
    policy.config.rule = flag() ? RuleKind::idle_comparison : RuleKind::demand_aware;
    state.policies.push_back(policy);
  }
  /// Adds what the ledger knows; the configuration may lack it, or have it in another order.
  void add_plan(int i) {
    ResourceGroupLedger ledger;
    ledger.name = std::to_string(i) + name();
    ledger.grid = below(3);
    ResourceGroup group;
    group.name = ledger.name;
    group.variants.resize(1);
    group.variants[0].policy = flag() ? PlanPolicy::ownership : PlanPolicy::hybrid;
    for (int c = 0; c < 4; ++c) {
      PlanConsumerLedger consumer;
      consumer.path = "/" + std::to_string(c) + name();
      consumer.reason = static_cast<Reason>(below(8));
      consumer.gained_at = instant();
      ledger.consumers.push_back(consumer);
      if (flag()) add_configured(group.variants[0], consumer.path);
    }
    for (int p = 0; p < 5; ++p) {
      ledger.pairs.push_back({below(4), below(4), slots(), {}, 0});
    }
    ledger.variant = below(4) == 0 ? 1 : 0;
    if (below(4) > 0) state.config.resource_groups.push_back(group);
    state.resource_groups.push_back(ledger);
  }
  void add_configured(Plan& plan, const std::string& path) {
    PlanConsumer consumer;
    consumer.path = path;
    if (flag()) consumer.policy = PlanPolicy::share_ratio;
    plan.consumers.push_back(consumer);
  }

  void add_group() {
    SlotGroup group;
    group.policy = below(state.policies.size());
    group.phase = static_cast<Phase>(below(5));
    group.reason = static_cast<Reason>(below(8));
    group.epoch = chance_();
    group.generation = chance_();
    group.grid = below(3);
    group.last_flip = instant();
    group.flips = static_cast<int64_t>(chance_());
    if (flag()) group.resource_group = below(state.resource_groups.size());
    const bool plan = group.resource_group != kNoIndex;
    const uint32_t index = static_cast<uint32_t>(state.slot_groups.size());
    if (plan) state.resource_groups[group.resource_group].slot_groups.push_back(index);
    for (uint32_t m = 0; m < (plan ? 4U : 2U); ++m) {
      Member member;
      member.cluster = below(state.clusters.size());
      if (plan && flag()) member.plan_consumer = below(4);
      group.members.push_back(member);
    }
    const uint32_t hosts = below(4);
    for (uint32_t h = 0; h < hosts; ++h) add_host(group);
    for (uint32_t t = below(4); t > 0; --t) add_transfer(group, t);
    state.slot_groups.push_back(std::move(group));
  }
  void add_host(SlotGroup& group) {
    group.hosts.push_back({0, slots(), slots(), slots(), slots(), 0});
    for (size_t m = 0; m < group.members.size(); ++m) {
      Holding holding;
      holding.held = slots();
      holding.due = slots();
      holding.used = slots();
      holding.up = flag();
      group.holdings.push_back(holding);
    }
  }
  void add_transfer(SlotGroup& group, uint64_t id) {
    Transfer transfer;
    transfer.id = id;
    transfer.from = static_cast<uint16_t>(below(group.members.size()));
    transfer.to = static_cast<uint16_t>(below(group.members.size()));
    transfer.step = flag() ? TransferStep::releasing : TransferStep::granting;
    transfer.lowering = flag() ? wire::Lowering::shrink : wire::Lowering::reclaim;
    transfer.inactive = flag();
    transfer.slots_wanted = slots();
    transfer.slots_released = slots();
    group.transfers.push_back(std::move(transfer));
  }

  std::mt19937_64 chance_;
};

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Filters look at more of a row than its JSON shows.
Json leases_by_json(const State& state, const RowFilter& filter) {
  Json list = Json::array();
  for_each_lease(state, [&](const LeaseRef& lease) {
    Json row = row_by_json(state, lease);
    Json asked = row;
    const bool of_plan = state.slot_groups[lease.group].resource_group != kNoIndex;
    if (of_plan) asked["path"] = rows::consumer(state, lease).path;
    if (filter.wants(asked)) list.push_back(std::move(row));
  });
  return list;
}

/// Makes one or several filters, by words that rows have and by others.
Request some_request(Scene& scene) {
  Request request = request_for("leases");
  const std::string patterns[] = {scene.name(), "*a*", "[!e]*", "active", "off*", "none", "zzz*"};
  for (const auto place : {&Request::cluster_like, &Request::provider_like, &Request::consumer_like,
                           &Request::policy_like, &Request::phase_like, &Request::reason_like}) {
    if (scene.below(4) == 0) request.*place = patterns[scene.below(std::size(patterns))];
  }
  return request;
}

}  // namespace

TEST_CASE("leases as text are what their rows are as JSON, of any state and filter") {
  CHECK(rc::check([](uint64_t seed) {
    Scene scene(seed);
    Request request = request_for("leases");
    const RowFilter all(request.row->list, request);
    RC_ASSERT(*answer_text(scene.state, {}, {}, request) ==
              text_of(leases_by_json(scene.state, all)));
    for (int i = 0; i < 5; ++i) {
      request = some_request(scene);
      const Json wanted = leases_by_json(scene.state, RowFilter(request.row->list, request));
      const auto got = answer_text(scene.state, {}, {}, request);
      if (got) RC_ASSERT(*got == text_of(wanted));
      if (!got) RC_ASSERT(wanted.empty());
    }
  }));
}

TEST_CASE("a page of leases, filtered too, is that of all their rows") {
  CHECK(rc::check([](uint64_t seed) {
    Scene scene(seed);
    const Request request = scene.flag() ? request_for("leases") : some_request(scene);
    const Json rows = leases_by_json(scene.state, RowFilter(request.row->list, request));
    RowSelection page{3, ""};
    for (std::optional<std::string> next = ""; next; page.after = next.value_or("")) {
      const auto wanted = select_from(rows, request, page);
      const auto got = answer_selected({scene.state, {}, {}, request}, page);
      if (!got) RC_ASSERT(rows.empty());
      if (!got) break;
      RC_ASSERT(got->json == wanted.json);
      RC_ASSERT(got->next == wanted.next);
      next = got->next;
    }
  }));
}

TEST_CASE("the words of a lease's row are those that its JSON has, where it shows them") {
  CHECK(rc::check([](uint64_t seed) {
    const Scene scene(seed);
    const RequestRow& leases = *find_request("leases");
    const auto one_word = [](const ListedRow& row, const char* path) {
      std::optional<std::string> found;
      row.each_word(path, [&](std::string_view word) { found = std::string(word); });
      return found;
    };
    leases.each_row(scene.state, [&](ListedRow& row) {
      const Json json = row.json();
      std::string text;
      row.append_to(text);
      RC_ASSERT(text == text_of(json));
      RC_ASSERT(row.key() == json["id"].get<std::string>());
      for (const FilterPath& each : leases.list->filters) {
        if (!json.contains(each.path)) continue;
        RC_ASSERT(one_word(row, each.path).value() == json[each.path].get<std::string>());
      }
      RC_ASSERT_FALSE(one_word(row, "epoch").has_value());
    });
  }));
}

TEST_CASE("what is taken in parts is, put together, the answer") {
  State state = site::state();
  for (int i = 0; i < 2'000; ++i) add_group(state, site::group({}));
  const Request request = request_for("leases");
  std::vector<std::string> parts;
  const TakePart take = [&](std::string&& part) { parts.push_back(std::move(part)); };
  const auto rest = answer_text(state, {}, {}, request, take);
  REQUIRE(rest.has_value());
  CHECK(parts.size() > 3);
  CHECK(parts.front().size() < 70'000);  // the first part comes soon
  std::string all;
  for (const std::string& part : parts) all += part;
  CHECK(all + *rest == *answer_text(state, {}, {}, request));
}

TEST_CASE("an answer that nothing is in is told before any part is taken") {
  const Request other = read_request({{"command", "leases"}, {"policy", "pol"}}, {}).request;
  bool taken = false;
  CHECK_FALSE(answer_text(site::state(), {}, {}, other, [&](std::string&&) { taken = true; }));
  CHECK_FALSE(taken);
}
