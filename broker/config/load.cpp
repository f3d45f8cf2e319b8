#include "broker/config/load.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "broker/config/check/check.hpp"
#include "broker/config/keys/daemon.hpp"
#include "broker/config/plan/check.hpp"
#include "broker/config/plan/variants.hpp"
#include "broker/config/read/daemon.hpp"
#include "broker/config/read/policies.hpp"
#include "broker/config/read/security.hpp"

namespace leasehold {

namespace {

void append(std::vector<Error>& to, std::vector<Error> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Puts the configuration's own file first, and each file in the order of its lines.
void put_in_order(std::vector<Error>& errors, const std::string& main_file) {
  std::stable_sort(errors.begin(), errors.end(), [&](const Error& a, const Error& b) {
    return std::tuple(a.file != main_file, a.file, a.line, a.column) <
           std::tuple(b.file != main_file, b.file, b.line, b.column);
  });
}

/// Returns the place of each provider's reclaim_delay, in [broker] if nowhere else.
std::map<std::string, Spot> delays_of(const Drafts& drafts, const Written& broker) {
  const KeyRef key(&BrokerConfig::reclaim_delay_ms);
  std::map<std::string, Spot> delays;
  for (const ClusterDraft& draft : drafts.clusters) {
    if (draft.delay_spot) {
      delays[draft.cluster.name] = *draft.delay_spot;
    } else if (broker.has(key)) {
      delays[draft.cluster.name] = broker.at(key);
    }
  }
  return delays;
}

void take_drafts(Drafts drafts, const Written& broker, Loaded& loaded) {
  loaded.written.delays = delays_of(drafts, broker);
  BrokerConfig& core = loaded.core;
  for (auto& draft : drafts.clusters) core.clusters.push_back(std::move(draft.cluster));
  for (auto& draft : drafts.policies) {
    loaded.written.policies[draft.policy.name] = std::move(draft.written);
    core.policies.push_back(std::move(draft.policy));
  }
  for (auto& draft : drafts.resources) core.resources.push_back(std::move(draft.resource));
}

void take_groups(const ResourcePlans& plans, BrokerConfig& core, Findings& findings) {
  for (const PlanTree& tree : plans.trees()) {
    core.resource_groups.push_back(resource_group_of(tree, findings));
  }
}

/// Reads groups and consumers of this file, then of the one that [broker] plan names.
std::shared_ptr<const PlanDraft> read_plans(const ConfigFile& file, Loaded& loaded) {
  auto draft = std::make_shared<PlanDraft>();
  read_plan(file.root(), file.name(), *draft);
  if (loaded.daemon.plan_file.empty()) return draft;
  ConfigFile more = ConfigFile::read(loaded.daemon.plan_file);
  read_plan(more.root(), more.name(), *draft);
  more.refuse_unknown_keys();
  append(loaded.errors, more.errors());
  append(loaded.warnings, more.warnings());
  return draft;
}

void read_all(ConfigFile& file, Loaded& loaded) {
  Drafts drafts;
  Findings findings;
  const ConfigTable root = file.root();
  const Written broker = read_daemon(root, file.name(), loaded.core, loaded.daemon);
  read_policies(root, file.name(), loaded.core.reclaim_delay_ms, drafts, findings);
  auto plan = read_plans(file, loaded);
  file.refuse_unknown_keys();
  take_group_policies(*plan, drafts);
  auto trees = plan_trees(*plan, findings);
  check_plan_draft(trees, findings);
  check_plan_members(trees, drafts, findings);
  check_drafts(drafts, findings);
  check_keys(drafts, loaded.daemon, findings);
  loaded.plans = ResourcePlans(std::move(plan), std::move(trees));
  if (drafts.clusters.empty() && loaded.plans.empty()) {
    findings.warn({file.name(), {}}, "no [[cluster]] is named: no agent may connect");
  }
  check_record_room(file.name(), drafts.clusters.size(), loaded.daemon, findings);
  take_drafts(std::move(drafts), broker, loaded);
  if (loaded.errors.empty() && findings.errors.empty() && file.errors().empty()) {
    take_groups(loaded.plans, loaded.core, findings);
  }
  append(loaded.errors, std::move(findings.errors));
  append(loaded.warnings, std::move(findings.warnings));
  loaded.notes = std::move(findings.notes);
}

Loaded load(ConfigFile file) {
  Loaded loaded;
  if (file.parsed()) read_all(file, loaded);
  append(loaded.errors, file.errors());
  append(loaded.warnings, file.warnings());
  put_in_order(loaded.errors, file.name());
  put_in_order(loaded.warnings, file.name());
  put_in_order(loaded.notes, file.name());
  return loaded;
}

}  // namespace

Loaded load_broker_config(const std::string& file, Pipes pipes) {
  return load(ConfigFile::read(file, pipes));
}

Loaded parse_broker_config(std::string_view text, const std::string& filename) {
  return load(ConfigFile::parse(text, filename));
}

}  // namespace leasehold
