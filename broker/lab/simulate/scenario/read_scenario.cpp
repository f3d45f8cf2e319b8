#include "broker/lab/simulate/scenario/read_scenario.hpp"

#include <algorithm>

#include "broker/config/load.hpp"
#include "broker/config/plan/elsewhere.hpp"
#include "common/bounds.hpp"
#include "common/config/file.hpp"

namespace leasehold {
namespace {

constexpr IntRange kDelayRange{1, int64_t{1} << 42};
constexpr int64_t kHostsMax = 4096;  // of a cluster or a policy

std::optional<uint32_t> find(const Scenario& scenario, const std::string& name) {
  for (uint32_t i = 0; i < scenario.clusters.size(); ++i) {
    if (scenario.clusters[i].name == name) return i;
  }
  return std::nullopt;
}

std::string no_such_cluster(const Scenario& scenario, const std::string& name) {
  std::vector<std::string> names;
  for (const ScenarioCluster& cluster : scenario.clusters) names.push_back(cluster.name);
  return "no [[cluster]] is named '" + name + "'" + did_you_mean(name, names);
}

int32_t required_slots(const ConfigTable& table, int64_t least) {
  if (!table.has("slots")) table.error("slots", "slots is missing; write slots = N");
  return static_cast<int32_t>(table.integer("slots", least, {least, kSlotsMax}));
}

/// Reads the number of hosts that the slots lie on.
int32_t read_hosts(const ConfigTable& table, int32_t slots) {
  const auto hosts = static_cast<int32_t>(table.integer("hosts", 1, {1, kHostsMax}));
  if (slots % hosts != 0) {
    table.error("hosts", std::to_string(slots) + " slots cannot be spread evenly over " +
                             std::to_string(hosts) + " hosts; make slots a multiple of hosts");
    return 1;
  }
  return hosts;
}

/// Returns "isolated, idle-comparison, …"; `last` stands before the last one.
std::string rule_names(const std::string& last) {
  std::string names;
  for (size_t i = 0; i < kSimulationRules.size(); ++i) {
    if (i > 0) names += i + 1 == kSimulationRules.size() ? " " + last + " " : ", ";
    names += kSimulationRules[i].name;
  }
  return names;
}

void read_rules(const ConfigTable& table, Scenario& scenario) {
  for (const Placed<std::string>& name : table.placed_texts("compare")) {
    const SimulationRule* rule = find_simulation_rule(name.value);
    const auto& known = scenario.compare;
    if (rule == nullptr) {
      table.error(name.place,
                  "rule '" + name.value + "' is not known; there are " + rule_names("and"));
    } else if (std::find(known.begin(), known.end(), *rule) != known.end()) {
      table.error(name.place, "rule '" + name.value + "' is listed twice; once is enough");
    } else {
      scenario.compare.push_back(*rule);
    }
  }
  if (!table.has("compare")) {
    scenario.compare = usual_comparison(table.has("plan"));
  } else if (table.kind("compare") == ConfigKind::list && table.texts("compare").empty()) {
    table.error("compare", "compare names no rule; name " + rule_names("or"));
  }
}

/// Reads the file of the rule `plan`, which must come together, and `start` for the file's windows.
void read_plan_file(const ConfigTable& table, Scenario& scenario) {
  scenario.plan = table.text("plan");
  const std::string start = table.text("start");
  if (!start.empty()) {
    const Result<Instant> at = parse_time(start, {});
    if (!at || start.front() == '-') {
      table.error("start", "'start' is no time with its zone; write \"2026-11-21T00:00:00Z\"");
    } else {
      scenario.start = *at;
    }
  }
  const bool wanted = scenario.compares(&SimulationRule::planned);
  if (wanted && scenario.plan.empty()) {
    table.error("compare",
                "rule 'plan' needs a resource plan; name its file: plan = \"plan.toml\"");
  } else if (!wanted && table.has("plan")) {
    table.error("plan", "only the rule 'plan' uses a plan; add it to compare, or leave 'plan' out");
  } else if (!wanted && table.has("start")) {
    table.error("start", "only the windows of a plan need a time of day; leave 'start' out");
  }
  if (!scenario.plan.empty()) scenario.plan = relative_to(scenario.file, scenario.plan);
}

void read_simulation(const ConfigTable& table, Scenario& scenario) {
  if (table.has("until")) scenario.until_ms = table.duration_ms("until", 0);
  scenario.reclaim_delay_ms = table.duration_ms("reclaim_delay", 600'000, kDelayRange);
  if (table.has("min_hold")) {
    scenario.min_hold_ms = table.duration_ms("min_hold", 0, {0, kDelayRange.max});
  }
  if (table.has("use_by")) {
    scenario.use_by_ms = table.duration_ms("use_by", 0, {1, kDelayRange.max});
  }
  scenario.transfer_time_ms = table.duration_ms("transfer_time", 0, {0, kDelayRange.max});
  if (table.has("seeds")) scenario.seeds = table.integer("seeds", 2, {2, kSeedsMax});
  scenario.backfill = table.choice<Backfill>("backfill", scenario.backfill);
  scenario.block_ms = table.duration_ms("block", scenario.block_ms, kDelayRange);
  read_rules(table, scenario);
  read_plan_file(table, scenario);
}

void read_cluster(const ConfigTable& table, Scenario& scenario) {
  ScenarioCluster cluster;
  cluster.name = table.required_text("name", "the name of the cluster");
  cluster.slots = required_slots(table, 0);
  cluster.hosts = read_hosts(table, cluster.slots);
  cluster.trace = table.text("trace");
  if (!cluster.trace.empty()) cluster.trace = relative_to(scenario.file, cluster.trace);
  cluster.load = table.decimal("load", 1.0, 1e-6, 1e6);
  cluster.jobs_max = table.integer("jobs", INT64_MAX, {1, INT64_MAX});
  if (find(scenario, cluster.name)) {
    table.error("name", "cluster '" + cluster.name + "' is defined twice; names must differ");
  }
  scenario.clusters.push_back(std::move(cluster));
}

/// A resource group's slots are shared by the plan, so a distribution is needed only if a lease's
/// rule is compared too.
bool needs_distribution(const Scenario& scenario, const ScenarioPolicy& policy) {
  return !policy.in_plan || scenario.compares(&SimulationRule::leased);
}

/// The provider's own share is ignored, as LSF does (LSF, "lsb.resources").
void read_distribution(const ConfigTable& table, const Scenario& scenario, ScenarioPolicy& policy,
                       const std::string& provider) {
  for (const ConfigTable& share : table.tables("distribution")) {
    const std::string name = share.required_text("cluster", "the name of a consumer");
    const int64_t shares = share.integer("shares", 1, {1, 1'000'000'000});
    if (!find(scenario, name)) share.error("cluster", no_such_cluster(scenario, name));
    const auto same = [&name](const Share& s) { return s.cluster == name; };
    if (std::any_of(policy.distribution.begin(), policy.distribution.end(), same)) {
      share.error("cluster", "cluster '" + name + "' is listed twice in the distribution");
    } else if (name != provider) {
      policy.distribution.push_back({name, shares});
    }
  }
  if (policy.distribution.empty()) {
    if (needs_distribution(scenario, policy)) {
      table.error(
          "distribution",
          std::string("the policy names no consumer") +
              (policy.in_plan || scenario.plan.empty() ? "" : " and is in no group of the plan") +
              "; write distribution = [{ cluster = \"…\", shares = 1 }]");
    }
  } else if (policy.type == LeaseType::shared && policy.distribution.size() > 1) {
    table.error("distribution", "a shared policy by hosts has exactly one consumer");
  }
}

void read_provider_first(const ConfigTable& table, const Scenario& scenario,
                         ScenarioPolicy& policy) {
  policy.provider_first = table.flag("provider_first", false);
  policy.reclaim_grace_ms = table.duration_ms("reclaim_grace", 0, {0, kDelayRange.max});
  if (table.has("provider_first") && !scenario.compares(&SimulationRule::by_demand)) {
    table.error("provider_first",
                "only the rule 'demand-aware' knows provider_first; add it to compare, or leave "
                "'provider_first' out");
  } else if (table.has("reclaim_grace") && !policy.provider_first) {
    table.error("reclaim_grace",
                "nothing is reclaimed from a lease but with provider_first; set it, or leave "
                "'reclaim_grace' out");
  }
}

void read_policy(const ConfigTable& table, const Loaded& plan, Scenario& scenario) {
  ScenarioPolicy policy;
  policy.name = table.required_text("name", "the name of the policy, and of its hosts");
  const std::string provider = table.required_text("provider", "the cluster that exports");
  policy.provider = find(scenario, provider).value_or(0);
  if (!provider.empty() && !find(scenario, provider)) {
    table.error("provider", no_such_cluster(scenario, provider));
  }
  policy.slots = required_slots(table, 1);
  policy.hosts = read_hosts(table, policy.slots);
  policy.type = table.choice<LeaseType>("type", policy.type);
  if (table.has("rule") && policy.type == LeaseType::shared) {
    table.choice<int>("rule", 0, {{"idle-comparison", 0}});
  } else if (table.has("rule")) {
    table.error("rule", "an exclusive policy has no rule; leave it out or set type = \"shared\"");
  }
  read_provider_first(table, scenario, policy);
  policy.initial_slots = static_cast<int32_t>(table.integer("initial_slots", 1, {1, kSlotsMax}));
  policy.source = {scenario.file, table.place().line};
  policy.in_plan = plan_names(plan, policy.name);
  read_distribution(table, scenario, policy, provider);
  const auto same = [&policy](const ScenarioPolicy& p) { return p.name == policy.name; };
  if (std::any_of(scenario.policies.begin(), scenario.policies.end(), same)) {
    table.error("name", "policy '" + policy.name + "' is defined twice; names must differ");
  }
  scenario.policies.push_back(std::move(policy));
}

void check_whole(const ConfigTable& root, const Scenario& scenario) {
  if (scenario.clusters.empty()) {
    root.error("cluster", "there is no [[cluster]]; at least one is needed");
  } else if (std::all_of(scenario.clusters.begin(), scenario.clusters.end(),
                         [](const ScenarioCluster& c) { return c.trace.empty(); })) {
    root.error("cluster", "no cluster has a trace; without jobs there is nothing to simulate");
  } else if (all_slots(scenario) > kSlotsMax) {
    root.error("cluster", "there are more than 1,000,000,000 slots in all");
  }
}

/// Checks the plan against the scenario's clusters and policies, as a broker does against its own.
void take_plan(const Loaded& plan, Scenario& scenario, std::vector<Error>& errors) {
  if (scenario.plan.empty()) return;
  NamesElsewhere names;
  for (const ScenarioCluster& cluster : scenario.clusters) names.clusters.push_back(cluster.name);
  for (const ScenarioPolicy& policy : scenario.policies) names.policies.push_back(policy.name);
  scenario.groups = resource_groups_of(plan, scenario.plan, names, errors);
}

}  // namespace

Result<Scenario> read_scenario(const std::string& path) {
  ConfigFile file = ConfigFile::read(path, Pipes::allowed);
  Scenario scenario;
  scenario.file = path;
  std::vector<Error> errors;
  if (file.parsed()) {
    const ConfigTable root = file.root();
    read_simulation(root.table("simulation"), scenario);
    Loaded plan;  // alone, or a whole broker configuration, of which only the plan counts
    if (!scenario.plan.empty()) plan = load_broker_config(scenario.plan);
    for (const ConfigTable& table : root.tables("cluster")) read_cluster(table, scenario);
    for (const ConfigTable& table : root.tables("export_policy")) {
      read_policy(table, plan, scenario);
    }
    check_whole(root, scenario);
    file.refuse_unknown_keys();
    errors = file.errors();
    take_plan(plan, scenario, errors);
  } else {
    errors = file.errors();
  }
  if (!errors.empty()) return tl::unexpected(joined(errors));
  return scenario;
}

}  // namespace leasehold
