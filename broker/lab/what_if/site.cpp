#include "broker/lab/what_if/site.hpp"

#include <algorithm>
#include <variant>

#include "broker/config/windows.hpp"
#include "broker/core/admission.hpp"

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

/// Work that ran on slots of others runs on its cluster's own idle ones as far as the record tells
/// of any; the rest waits as long as it ran there. Carried over it would wait to the end of the
/// record, for nothing tells when its cluster has a slot for it.
Want without_leases(const Want& recorded) {
  Want want;
  want.cluster = recorded.cluster;
  want.slots = recorded.slots;
  want.degraded = recorded.degraded;
  if (!recorded.elsewhere) return want;
  int64_t idle = 0;
  for (const int32_t slots : *recorded.elsewhere) idle += slots;
  want.slots -= std::min(idle, recorded.used);
  return want;
}

}  // namespace

Status EstimatedSite::begin(const State& recorded, const Moment& wants) {
  if (recorded.clusters.empty()) return {};
  own_state() = recorded;
  const Instant now = recorded.now;
  clusters_.put_slots(recorded);
  meter_.began(own_state());
  feed(BrokerStarted{1, false}, reached(now));
  started_ = true;
  ConfigLoaded loaded{recorded.config, {}, "what-if"};
  if (Status done = take_configuration(std::move(loaded), now); !done) return done;
  for (const Cluster& known : recorded.clusters) {
    if (known.contact == Contact::ok) take_hello(hello_of(known), now);
  }
  for (const Want& want : wants.wants) take_want(want, now);
  for (const HostWord& word : wants.hosts) clusters_.set_host(word);
  return {};
}

Status EstimatedSite::take(Moment moment) {
  answer_ms_ = moment.answer_ms;
  const bool restarted = starts(moment);
  for (Moment::Input& input : moment.inputs) {
    advance(input.now, !restarted);
    if (Status taken = take_input(input); !taken) return taken;
    carry_out(reached(input.now));
  }
  advance(moment.now, !restarted);
  for (const HostWord& word : moment.hosts) clusters_.set_host(word);
  for (const Want& want : moment.wants) {
    take_want(want, moment.now);
    carry_out(reached(moment.now));
  }
  return {};
}

Status EstimatedSite::take_input(Moment::Input& input) {
  const std::string* named = cluster_named(input.event);
  if (named != nullptr && find_cluster(state(), *named) == kNoIndex) {
    return fail(ErrorCode::corrupt, "an input of '" + *named + "' at " + format_utc(input.now) +
                                        ", a cluster that no configuration names");
  }
  Event& event = input.event;
  if (auto* loaded = std::get_if<ConfigLoaded>(&event)) {
    return take_configuration(std::move(*loaded), input.now);
  }
  if (auto* hello = std::get_if<AgentHello>(&event)) {
    take_hello(std::move(*hello), input.now);
  } else if (auto* command = std::get_if<OperatorCommand>(&event)) {
    take_command(std::move(*command), input.now);
  } else if (std::holds_alternative<BrokerStarted>(event)) {
    started_ = true;
    feed(event, reached(input.now));
  } else if (std::holds_alternative<AgentLost>(event) ||
             std::holds_alternative<InventoryReported>(event) ||
             std::holds_alternative<InventoryChanged>(event)) {
    feed(event, reached(input.now));
    if (named != nullptr) take_hosts(find_cluster(state(), *named), input.now);
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
  load(std::move(loaded), reached(now));
  if (nobody_lends_) drain_imports(now);
  carry_out(reached(now));
  return {};
}

/// The agent's hello states the slots that it has here, not the recorded ones.
void EstimatedSite::take_hello(AgentHello hello, Instant now) {
  const uint32_t cluster = find_cluster(state(), hello.cluster);
  clusters_.at(cluster);
  hello.state.clear();
  clusters_.state_sides(cluster, hello.state, true);
  hello.has_state = true;
  hello.chooses = false;  // hosts are named to it
  feed(hello, reached(now));
  carry_out(reached(now));
}

/// An operator's drain of all that is borrowed keeps leases, and lends nothing on them.
void EstimatedSite::drain_imports(Instant now) {
  OperatorCommand drain;
  drain.command = Command::drain;
  drain.by = "what-if";
  drain.half = DrainSide::imports;
  for (const ClusterConfig& cluster : state().config.clusters) {
    drain.cluster = cluster.name;
    feed(drain, reached(now));
  }
}

void EstimatedSite::take_command(OperatorCommand command, Instant now) {
  if (nobody_lends_ && (command.command == Command::drain || command.command == Command::resume)) {
    if (command.half == DrainSide::imports) return;
    command.half = DrainSide::exports;
  }
  if (check_command(state(), command)) {
    ++orders_left_out_;
    return;
  }
  if (command.command == Command::forget) {
    clusters_.at(find_cluster(state(), command.cluster)).forget_leased();
  }
  feed(command, reached(now));
}

void EstimatedSite::take_want(const Want& want, Instant now) {
  const uint32_t cluster = find_cluster(state(), want.cluster);
  if (cluster == kNoIndex) return;
  const bool keeps_none = nobody_lends_ && !clusters_.provides(cluster);
  clusters_.want(cluster, keeps_none ? without_leases(want) : want, now);
  report(cluster, reached(now));
}

void EstimatedSite::take_hosts(uint32_t cluster, Instant now) {
  clusters_.follow_hosts(cluster);
  carry_out(now);
  report(cluster, reached(now));
}

void EstimatedSite::stepped() {
  std::vector<uint32_t> flipped;
  for (const Record& row : records()) count_row(row, flipped);
  for (const uint32_t group : state().dirty_groups) clusters_.follow(group);
  meter_.changed(own_state(), state().now);
}

void EstimatedSite::count_row(const Record& row, std::vector<uint32_t>& flipped) {
  if (row.kind == RecordKind::consumer && row.slots != 0) {
    const bool known = std::find(flipped.begin(), flipped.end(), row.plan) != flipped.end();
    if (known || row.plan == kNoIndex) return;
    flipped.push_back(row.plan);
    return meter_.plan_flip(state(), row.plan, state().now);
  }
  if (row.group == kNoIndex) return;
  const bool flip = row.kind == RecordKind::flip;
  if (flip || row.kind == RecordKind::transfer_granted) {
    meter_.moved(state(), row.group, row.slots, flip, state().now);
  }
}

/// A cluster that got a member of a slot group since reports, once all orders are carried out.
bool EstimatedSite::follow(Instant now) {
  if (has_orders()) return false;
  const std::optional<uint32_t> cluster = clusters_.take_joined();
  if (cluster) report(*cluster, now);
  return cluster.has_value();
}

bool EstimatedSite::take_order(const CoreOrder& order, Instant now) {
  const uint32_t place = clusters_.place_of(order.cluster, order.generation);
  if (place == kNoIndex) return false;
  EstimatedCluster& cluster = clusters_.at(order.cluster);
  if (!cluster.side(place).is_newer(order.seq)) return false;
  cluster.pass(now);
  cluster.take(place, order.hosts, order.seq, order.grace_ms, run_time_ms_, now);
  if (answer_ms_ > 0) cluster.answer_at(place, now + answer_ms_);
  set_timer(order.cluster, place);
  answer(order.cluster, now);
  return false;  // it starts its work itself
}

void EstimatedSite::set_timer(uint32_t cluster, uint32_t place) {
  const EstimatedCluster::Side& side = clusters_.at(cluster).side(place);
  const Instant at = std::min(side.answer_at, side.deadline);
  if (at != kNever) timers_.push({at, cluster, place});
}

void EstimatedSite::run_timer() {
  const Timer timer = timers_.top();
  timers_.pop();
  EstimatedCluster& cluster = clusters_.at(timer.cluster);
  const EstimatedCluster::Side& side = cluster.side(timer.place);
  if (side.group == kNoIndex || std::min(side.answer_at, side.deadline) > timer.at) return;
  cluster.pass(timer.at);
  if (side.deadline <= timer.at) cluster.end_work(timer.place, timer.at);
  if (side.answer_at <= timer.at) cluster.answer_at(timer.place, kNever);
  set_timer(timer.cluster, timer.place);
  answer(timer.cluster, timer.at);
  carry_out(timer.at);
}

/// All deadlines before T are met before an input at T; nothing is while no broker runs.
void EstimatedSite::advance(Instant until, bool broker_runs) {
  while (true) {
    const Instant deadline = broker_runs && started_ ? next() : kNever;
    const Instant timer = timers_.empty() ? kNever : timers_.top().at;
    if (std::min(deadline, timer) >= until) return;
    if (timer <= deadline) {
      run_timer();
      continue;
    }
    tick(reached(deadline));
  }
}

void EstimatedSite::answer(uint32_t cluster, Instant now) {
  report(cluster, now);
  clusters_.at(cluster).start_what_fits();
  report(cluster, now);
}

void EstimatedSite::report(uint32_t cluster, Instant now) {
  const Cluster& known = state().clusters[cluster];
  if (!clusters_.has(cluster)) return;
  meter_.waits(state(), cluster, clusters_.at(cluster).pending(), now);
  if (known.contact != Contact::ok) return;
  auto& report = std::get<StateReported>(report_);
  report.cluster = known.name;
  report.session = known.session;
  clusters_.report(cluster, report);
  feed_report(report_, reached(now));
}

SiteOutcome EstimatedSite::finish(Instant to) {
  advance(to, true);
  return meter_.outcome(state());
}

}  // namespace leasehold
