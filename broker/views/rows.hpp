// Rows: small values that several views, the metrics and the ports share.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"
#include "common/time/instant.hpp"

namespace leasehold::rows {

/// Returns null for "never yet" and for "never".
inline Json time(Instant at) {
  if (at.ms == INT64_MIN || at == kNever) return nullptr;
  return format_utc(at);
}

Json or_null(const auto& optional) {
  return optional ? Json(*optional) : Json(nullptr);
}

/// Returns "broker.toml:42". A simulated policy is in no file that the broker knows of.
inline std::string source_text(const Source& source) {
  if (source.file.empty()) return "configuration";
  return source.line > 0 ? source.file + ":" + std::to_string(source.line) : source.file;
}

/// Returns the mode as the configuration writes it.
inline const char* mode_word(const State& state) {
  return token(state.config.mode);
}

inline Json slots(int32_t available, int32_t used) {
  return {{"available", available}, {"used", used}, {"idle", std::max(0, available - used)}};
}

inline Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(std::string(text));
}

inline const std::string& cluster_name(const State& state, const SlotGroup& group, size_t member) {
  return state.clusters[group.members[member].cluster].name;
}

inline const wire::HostFacts& facts(const State& state, const SlotGroup& group, size_t host) {
  const Cluster& provider = state.clusters[group.members[kProvider].cluster];
  return provider.hosts[group.hosts[host].host].facts;
}

/// Returns "big1@east".
inline std::string host_at(const State& state, const SlotGroup& group, size_t host) {
  return facts(state, group, host).name + "@" + cluster_name(state, group, kProvider);
}

/// Returns the plan's consumer that the member belongs to. Contract: the lease is of a plan.
inline const PlanConsumerLedger& consumer(const State& state, const LeaseRef& lease) {
  const SlotGroup& group = state.slot_groups[lease.group];
  return state.resource_groups[group.resource_group]
      .consumers[group.members[lease.member].plan_consumer];
}

/// Returns "1 slot", "3 slots".
inline std::string count_of(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace leasehold::rows
