// EstimatedSite: takes the inputs of a history.
#include <algorithm>

#include "broker/config/windows.hpp"
#include "broker/core/admission.hpp"
#include "broker/what_if/site.hpp"

namespace leasehold {

namespace {

/// Returns the cluster that an input is about; nullptr: there is none.
const std::string* cluster_named(const Event& event) {
  return std::visit(
      [](const auto& input) -> const std::string* {
        if constexpr (requires { input.cluster; }) {
          return input.cluster.empty() ? nullptr : &input.cluster;
        }
        return nullptr;
      },
      event);
}

bool starts(const Moment& moment) {
  return std::any_of(moment.inputs.begin(), moment.inputs.end(), [](const Moment::Input& input) {
    return std::holds_alternative<BrokerStarted>(input.event);
  });
}

}  // namespace

/// Gives the agents here the slots that clusters had then.
void EstimatedSite::put_slots(const State& recorded) {
  for (uint32_t g = 0; g < recorded.slot_groups.size(); ++g) {
    follow_group(g);
    const SlotGroup& group = recorded.slot_groups[g];
    if (group.phase == Phase::closed) continue;
    for (uint32_t m = 0; m < group.members.size(); ++m) {
      EstimatedCluster& cluster = cluster_at(group.members[m].cluster);
      for (uint32_t row = 0; row < group.hosts.size(); ++row) {
        const Holding& holding = group.at(row, m);
        cluster.put(sides_[g][m], row, holding.held, std::min(holding.used, holding.held),
                    group.members[m].seq);
      }
    }
  }
}

namespace {

AgentHello hello_of(const Cluster& known) {
  AgentHello hello;
  hello.cluster = known.name;
  hello.state_id = known.state_id;
  hello.boot = known.boot;
  hello.session = known.session;
  hello.self_expiring = known.self_expiring;
  hello.fences = known.fences;
  hello.program_version = known.program_version;
  hello.identity = known.identity;
  hello.lease_ms = known.lease_bound_ms;
  return hello;
}

}  // namespace

Status EstimatedSite::begin(const State& recorded, const Moment& wants) {
  if (recorded.clusters.empty()) return {};
  state_ = recorded;
  const Instant now = state_.now;
  put_slots(recorded);
  meter_.began(state_);
  feed(BrokerStarted{1, false}, now);
  started_ = true;
  ConfigLoaded loaded{recorded.config, {}, "what-if"};
  if (Status done = take_configuration(std::move(loaded), now); !done) return done;
  for (const Cluster& known : recorded.clusters) {
    if (known.contact == Contact::ok) take_hello(hello_of(known), now);
  }
  for (const Want& want : wants.wants) take_want(want, now);
  for (const HostWord& word : wants.hosts) take_host(word);
  return {};
}

Status EstimatedSite::take(Moment moment) {
  answer_ms_ = moment.answer_ms;
  const bool restarted = starts(moment);
  for (Moment::Input& input : moment.inputs) {
    advance(input.now, !restarted);
    if (Status taken = take_input(input); !taken) return taken;
    carry_out(std::max(input.now, state_.now));
  }
  advance(moment.now, !restarted);
  for (const HostWord& word : moment.hosts) take_host(word);
  for (const Want& want : moment.wants) {
    take_want(want, moment.now);
    carry_out(std::max(moment.now, state_.now));
  }
  return {};
}

Status EstimatedSite::take_input(Moment::Input& input) {
  const std::string* named = cluster_named(input.event);
  if (named != nullptr && find_cluster(state_, *named) == kNoIndex) {
    return fail(ErrorCode::corrupt, "an input of '" + *named + "' at " + format_utc(input.now) +
                                        ", a cluster that no configuration names");
  }
  Event& event = input.event;
  if (auto* loaded = std::get_if<ConfigLoaded>(&event)) {
    return take_configuration(std::move(*loaded), input.now);
  }
  if (auto* hello = std::get_if<AgentHello>(&event)) {
    take_hello(std::move(*hello), input.now);
  } else if (const auto* command = std::get_if<OperatorCommand>(&event)) {
    take_command(*command, input.now);
  } else if (std::holds_alternative<BrokerStarted>(event)) {
    started_ = true;
    feed(event, input.now);
  } else if (std::holds_alternative<AgentLost>(event) ||
             std::holds_alternative<InventoryReported>(event) ||
             std::holds_alternative<InventoryChanged>(event)) {
    feed(event, input.now);
    if (named != nullptr) take_up(find_cluster(state_, *named), input.now);
  }
  // Ticks and windows are made here; other inputs change no lease.
  return {};
}

Status EstimatedSite::take_configuration(ConfigLoaded loaded, Instant now) {
  Result<BrokerConfig> changed = change_(loaded.config);
  if (!changed) return tl::unexpected(changed.error());
  loaded.config = std::move(*changed);
  if (Status known = check_timezones(loaded.config); !known) {
    known.error().message =
        "the configuration of " + format_utc(now) + ": " + known.error().message;
    return known;
  }
  loaded.windows = resolve_windows(loaded.config, std::max(now, state_.now));
  feed(loaded, now);
  carry_out(std::max(now, state_.now));
  return {};
}

/// The agent's hello states the slots that it has here, not the recorded ones.
void EstimatedSite::take_hello(AgentHello hello, Instant now) {
  const uint32_t cluster = find_cluster(state_, hello.cluster);
  cluster_at(cluster);
  hello.state.clear();
  state_sides(cluster, hello.state, true);
  hello.has_state = true;
  hello.chooses = false;  // hosts are named to it
  feed(hello, now);
  carry_out(std::max(now, state_.now));
}

void EstimatedSite::take_command(const OperatorCommand& command, Instant now) {
  if (check_command(state_, command)) {
    ++orders_left_out_;
    return;
  }
  if (command.command == Command::forget) {
    cluster_at(find_cluster(state_, command.cluster)).forget_leased();
  }
  feed(command, now);
}

void EstimatedSite::take_want(const Want& want, Instant now) {
  const uint32_t cluster = find_cluster(state_, want.cluster);
  if (cluster == kNoIndex) return;
  cluster_at(cluster).want(want, now);
  degraded_[cluster] = want.degraded;
  ending_[cluster] = want.ending;
  report(cluster, std::max(now, state_.now));
}

void EstimatedSite::take_host(const HostWord& word) {
  const uint32_t cluster = find_cluster(state_, word.cluster);
  const uint32_t provider = find_cluster(state_, word.provider);
  if (cluster == kNoIndex || provider == kNoIndex) return;
  for (const uint32_t index : state_.clusters[cluster].slot_groups) {
    const SlotGroup& group = state_.slot_groups[index];
    if (group.phase == Phase::closed || group.members[kProvider].cluster != provider) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (group.hosts[row].host != word.host) continue;
      const uint32_t place = place_of(cluster, group.generation);
      if (place != kNoIndex) cluster_at(cluster).set_up(place, row, word.up);
    }
  }
}

/// A host that the cluster reports down is down for the cluster itself, too.
void EstimatedSite::take_up(uint32_t cluster, Instant now) {
  for (const uint32_t index : state_.clusters[cluster].slot_groups) {
    const SlotGroup& group = state_.slot_groups[index];
    const uint32_t place = place_of(cluster, group.generation);
    if (place == kNoIndex || group.members[kProvider].cluster != cluster) continue;
    for (uint32_t m = 0; m < group.members.size(); ++m) follow_kinds(index, m);
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Host& host = state_.clusters[cluster].hosts[group.hosts[row].host];
      cluster_at(cluster).set_up(place, row, host.present && host.facts.up);
    }
  }
  carry_out(now);
  report(cluster, std::max(now, state_.now));
}

}  // namespace leasehold
