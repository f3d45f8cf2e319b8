// Fields are the names or positions of each message's fields on the wire. Encoder and decoder both
// read these tables, so they cannot disagree. schema/wire/README.md says what they mean, and the
// golden vectors pin the names and their order. Used inside common/wire only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "common/wire/codec.hpp"
#include "common/wire/field.hpp"

namespace leasehold::wire {

template <>
struct Fields<Welcome> {
  static constexpr auto list =
      std::tuple(field("incarnation", &Welcome::incarnation), field("broker", &Welcome::broker),
                 field("program_version", &Welcome::program_version),
                 epoch_of("epoch", &Welcome::epoch), added("sent_ms", &Welcome::sent_ms));
};

template <>
struct Fields<ClockReading> {
  static constexpr auto list = std::tuple(
      field("wall_ms", &ClockReading::wall_ms), field("boottime_ms", &ClockReading::boottime_ms),
      field("heard_sent_ms", &ClockReading::heard_sent_ms),
      field("heard_boottime_ms", &ClockReading::heard_boottime_ms));
};

template <>
struct Fields<Fences> {
  static constexpr auto list =
      std::tuple(field("memory", &Fences::memory), field("swap", &Fences::swap),
                 field("resources", &Fences::resources));
};

template <>
struct Fields<Identity> {
  static constexpr auto list =
      std::tuple(field("machine", &Identity::machine), field("boot", &Identity::boot),
                 field("file", &Identity::file), field("process", &Identity::process));
};

template <>
struct Fields<Scheduling> {
  static constexpr auto list =
      std::tuple(field("policy", &Scheduling::policy), field("criteria", &Scheduling::criteria),
                 field("preemption_scope", &Scheduling::preemption_scope),
                 field("reclaim_optimization", &Scheduling::reclaim_optimization),
                 field("selective_reclaim", &Scheduling::selective_reclaim));
};

template <>
struct Fields<Hello> {
  static constexpr auto list = std::tuple(
      field("cluster", &Hello::cluster), field("incarnation", &Hello::incarnation),
      field("state_id", &Hello::state_id), field("boot", &Hello::boot),
      field("session", &Hello::session), field("has_state", &Hello::has_state),
      field("program_version", &Hello::program_version), field("workload", &Hello::workload),
      field("self_expiring", &Hello::self_expiring), field("fences", &Hello::fences),
      field("settle_ms", &Hello::settle_ms), field("groups", &Hello::state),
      added("lease_ms", &Hello::lease_ms), added("identity", &Hello::identity),
      added("wall_ms", &Hello::wall_ms), added("chooses", &Hello::chooses),
      added("scheduling", &Hello::scheduling), epoch_of("seen_epoch", &Hello::seen_epoch),
      added("seen_incarnation", &Hello::seen_incarnation), added("cautions", &Hello::cautions),
      added("clock", &Hello::clock));
};

template <>
struct Fields<Horizon> {
  static constexpr auto list =
      std::tuple(field("name", &Horizon::name), field("from_ms", &Horizon::from_ms),
                 field("until_ms", &Horizon::until_ms));
};

template <>
struct Fields<HostFacts> {
  static constexpr auto list = std::tuple(
      field("name", &HostFacts::name), field("type", &HostFacts::type),
      field("model", &HostFacts::model), field("slots", &HostFacts::slots),
      field("mem_mb", &HostFacts::mem_mb), field("swap_mb", &HostFacts::swap_mb),
      field("booleans", &HostFacts::booleans), field("numbers_milli", &HostFacts::numbers_milli),
      field("up", &HostFacts::up), added("division", &HostFacts::division),
      added("horizon", &HostFacts::horizon), added("not_up", &HostFacts::not_up));
};

template <>
struct Fields<Inventory> {
  static constexpr auto list =
      std::tuple(field("session", &Inventory::session), field("hosts", &Inventory::hosts));
};

template <>
struct Fields<Ending> {
  static constexpr auto list =
      std::tuple(field("slots", &Ending::slots), field("error_milli", &Ending::error_milli),
                 added("longest_limit_ms", &Ending::longest_limit_ms));
};

template <>
struct Fields<Report> {
  static constexpr auto list =
      std::tuple(field("session", &Report::session), field("number", &Report::number),
                 field("full", &Report::full), field("configuration", &Report::configuration),
                 field("pending", &Report::pending), field("running", &Report::running),
                 field("degraded", &Report::degraded), field("groups", &Report::state),
                 field("hosts", &Report::hosts), added("lease_ms", &Report::lease_ms),
                 added("demand", &Report::demand), added("ending", &Report::ending));
};

template <>
struct Fields<State> {
  static constexpr auto list =
      std::tuple(field("session", &State::session), field("configuration", &State::configuration),
                 field("groups", &State::state), added("number", &State::number));
};

template <>
struct Fields<UsedBy> {
  static constexpr auto list = std::tuple(
      field("session", &UsedBy::session), field("user", &UsedBy::user),
      field("account", &UsedBy::account), natural_up_to("slot_ms", &UsedBy::slot_ms, kSlotMsMost));
};

template <>
struct Fields<UsedSlots> {
  static constexpr auto list =
      std::tuple(field("number", &UsedSlots::number), field("generation", &UsedSlots::generation),
                 natural_up_to("since_ms", &UsedSlots::since_ms, kUsedUntilMsMost),
                 natural_up_to("until_ms", &UsedSlots::until_ms, kUsedUntilMsMost),
                 field("by", &UsedSlots::by),
                 natural_up_to("others_slot_ms", &UsedSlots::others_slot_ms, kSlotMsMost),
                 natural_up_to("unnamed_slot_ms", &UsedSlots::unnamed_slot_ms, kSlotMsMost));
};

template <>
struct Fields<Heartbeat> {
  static constexpr auto list = std::tuple(
      field("session", &Heartbeat::session), field("number", &Heartbeat::number),
      field("report", &Heartbeat::report), added("stopping", &Heartbeat::stopping),
      epoch_of("seen_epoch", &Heartbeat::seen_epoch),
      added("seen_incarnation", &Heartbeat::seen_incarnation), added("ended", &Heartbeat::ended),
      added("clock", &Heartbeat::clock), added("look_age_ms", &Heartbeat::look_age_ms),
      added("cluster", &Heartbeat::cluster), added("used", &Heartbeat::used));
};

template <>
struct Fields<HeartbeatAnswer> {
  static constexpr auto list = std::tuple(
      field("session", &HeartbeatAnswer::session), field("number", &HeartbeatAnswer::number),
      field("resync", &HeartbeatAnswer::resync), epoch_of("epoch", &HeartbeatAnswer::epoch),
      added("incarnation", &HeartbeatAnswer::incarnation), added("ended", &HeartbeatAnswer::ended),
      added("sent_ms", &HeartbeatAnswer::sent_ms), added("wake", &HeartbeatAnswer::wake),
      added("unused", &HeartbeatAnswer::unused), added("used", &HeartbeatAnswer::used));
};

template <>
struct Fields<ConfiguredHost> {
  static constexpr auto list =
      std::tuple(field("name", &ConfiguredHost::name), field("slots", &ConfiguredHost::slots),
                 field("draining", &ConfiguredHost::draining));
};

template <>
struct Fields<ConfiguredGroup> {
  static constexpr auto list = std::tuple(
      field("generation", &ConfiguredGroup::generation), field("lease", &ConfiguredGroup::lease),
      field("role", &ConfiguredGroup::role), field("peer", &ConfiguredGroup::peer),
      field("shared", &ConfiguredGroup::shared), field("draining", &ConfiguredGroup::draining),
      field("mem_mb", &ConfiguredGroup::mem_mb), field("swap_mb", &ConfiguredGroup::swap_mb),
      field("hosts", &ConfiguredGroup::hosts), added("grace_ms", &ConfiguredGroup::grace_ms));
};

template <>
struct Fields<ConfiguredResource> {
  static constexpr auto list = std::tuple(
      field("name", &ConfiguredResource::name), field("role", &ConfiguredResource::role),
      field("peer", &ConfiguredResource::peer), field("instances", &ConfiguredResource::instances));
};

template <>
struct Fields<Configuration> {
  static constexpr auto list = std::tuple(
      field("session", &Configuration::session), field("number", &Configuration::number),
      field("observe", &Configuration::observe),
      field("agent_timeout_ms", &Configuration::agent_timeout_ms),
      field("groups", &Configuration::groups), field("resources", &Configuration::resources),
      added("lease_ttl_ms", &Configuration::lease_ttl_ms), epoch_of("epoch", &Configuration::epoch),
      added("incarnation", &Configuration::incarnation),
      added("leader_ttl_ms", &Configuration::leader_ttl_ms));
};

template <>
struct Fields<OrderPart> {
  static constexpr auto list =
      std::tuple(field("generation", &OrderPart::generation), field("hosts", &OrderPart::hosts));
};

template <>
struct Fields<ReclaimSet> {
  static constexpr auto list = std::tuple(
      field("sum", &ReclaimSet::sum), field("grace_ms", &ReclaimSet::grace_ms),
      field("whole_hosts", &ReclaimSet::whole_hosts), field("hosts", &ReclaimSet::hosts));
};

template <>
struct Fields<Order> {
  static constexpr auto list = std::tuple(
      field("session", &Order::session), field("generation", &Order::generation),
      field("seq", &Order::seq), field("grace_ms", &Order::grace_ms), field("hosts", &Order::hosts),
      field("configuration", &Order::configuration), added("parts", &Order::parts),
      added("sets", &Order::sets), epoch_of("epoch", &Order::epoch),
      added("incarnation", &Order::incarnation), added("reason", &Order::reason));
};

template <>
struct Fields<Refusal> {
  static constexpr auto list =
      std::tuple(field("reason", &Refusal::reason), field("message", &Refusal::message),
                 field("version", &Refusal::version), added("sent_ms", &Refusal::sent_ms));
};

template <>
struct Columns<HostState> {
  static constexpr auto list =
      std::tuple(field("host", &HostState::host), field("limit", &HostState::limit),
                 field("used", &HostState::used), field("up", &HostState::up),
                 field("exported", &HostState::exported), added("division", &HostState::division));
};

/// The last column, the rows of its hosts, is written by hand: a StateBlock keeps them apart.
template <>
struct Columns<GroupState> {
  static constexpr auto list =
      std::tuple(field("generation", &GroupState::generation), field("seq", &GroupState::seq),
                 field("ever_used", &GroupState::ever_used), field("breach", &GroupState::breach));
};

template <>
struct Columns<HostUse> {
  static constexpr auto list = std::tuple(field("host", &HostUse::host),
                                          field("used", &HostUse::used), field("up", &HostUse::up));
};

template <>
struct Columns<DemandBucket> {
  static constexpr auto list = std::tuple(
      field("slots_per_host", &DemandBucket::slots_per_host), field("hosts", &DemandBucket::hosts),
      field("limit", &DemandBucket::limit), field("oldest_ms", &DemandBucket::oldest_ms),
      field("jobs", &DemandBucket::jobs), field("slots", &DemandBucket::slots),
      field("host_types", &DemandBucket::host_types), added("whole", &DemandBucket::whole));
};

template <>
struct Columns<EndingSlots> {
  static constexpr auto list =
      std::tuple(field("left", &EndingSlots::left), field("slots", &EndingSlots::slots));
};

template <>
struct Columns<EndedWork> {
  static constexpr auto list =
      std::tuple(field("number", &EndedWork::number), field("job", &EndedWork::job),
                 field("fate", &EndedWork::fate), field("generation", &EndedWork::generation),
                 field("reason", &EndedWork::reason), field("slots", &EndedWork::slots),
                 field("told_ms", &EndedWork::told_ms), field("ended_ms", &EndedWork::ended_ms),
                 field("exit_code", &EndedWork::exit_code), field("user", &EndedWork::user),
                 added("session", &EndedWork::session), added("account", &EndedWork::account));
};

template <>
struct Columns<OrderedHost> {
  static constexpr auto list =
      std::tuple(field("host", &OrderedHost::host), field("limit", &OrderedHost::limit),
                 field("lowering", &OrderedHost::lowering));
};

template <>
struct Columns<SetHost> {
  static constexpr auto list =
      std::tuple(field("generation", &SetHost::generation), field("host", &SetHost::host));
};

using NamedNumber = std::pair<std::string, int64_t>;
template <>
struct Columns<NamedNumber> {
  static constexpr auto list =
      std::tuple(field("name", &NamedNumber::first), field("milli", &NamedNumber::second));
};

template <class T>
concept MapValue = requires {
  Fields<T>::list;
};
template <class T>
concept RowValue = requires {
  Columns<T>::list;
};

template <class List>
inline constexpr int kCount = static_cast<int>(std::tuple_size_v<List>);
template <MapValue T>
inline constexpr int kFieldCount = kCount<std::remove_cv_t<decltype(Fields<T>::list)>>;
template <RowValue T>
inline constexpr int kColumnCount = kCount<std::remove_cv_t<decltype(Columns<T>::list)>>;
/// Counts the columns that every row has.
template <RowValue T>
inline constexpr int kColumnsLeast =
    std::apply([](const auto&... each) { return (int{!each.may_lack} + ...); }, Columns<T>::list);

/// Returns the type of a message by the position of its C++ type in Message.
template <class T, size_t I = 0>
constexpr MessageType message_type() {
  if constexpr (std::is_same_v<T, std::variant_alternative_t<I, Message>>) {
    return static_cast<MessageType>(I);
  } else {
    return message_type<T, I + 1>();
  }
}

}  // namespace leasehold::wire
