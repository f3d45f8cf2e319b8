#include "broker/ports/agents/record_budget.hpp"

#include <algorithm>

namespace leasehold {

namespace {

constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kRowBytes = 200;    // of the history: its columns and its hash
constexpr int64_t kGroupBytes = 120;  // in the event, and its rows in the tables
constexpr int64_t kHostBytes = 60;
constexpr int64_t kFactsBytes = 120;
constexpr int64_t kWordBytes = 24;
constexpr int64_t kBucketBytes = 40;  // of demand
constexpr int64_t kIdleBytes = 5;     // a host with idle slots
constexpr int64_t kEndingBytes = 12;  // a class of what ends

int64_t bytes_of(const wire::StateBlock& block) {
  return kRowBytes + static_cast<int64_t>(block.groups.size()) * kGroupBytes +
         static_cast<int64_t>(block.hosts.size()) * kHostBytes;
}

int64_t length(const std::string& text) {
  return static_cast<int64_t>(text.size());
}

int64_t bytes_of(const StateReported& said) {
  int64_t bytes = bytes_of(said.state);
  if (said.ending) bytes += static_cast<int64_t>(said.ending->slots.size()) * kEndingBytes;
  if (said.idle_elsewhere) bytes += static_cast<int64_t>(said.idle_elsewhere->size()) * kIdleBytes;
  if (!said.demand) return bytes;
  for (const wire::DemandBucket& bucket : *said.demand) {
    bytes += kBucketBytes;
    for (const std::string& type : bucket.host_types) bytes += 1 + length(type);
  }
  return bytes;
}

int64_t bytes_of(const wire::HostFacts& host) {
  int64_t bytes = kFactsBytes + 2 * (length(host.name) + length(host.type) + length(host.model));
  for (const std::string& name : host.booleans) bytes += kWordBytes + 2 * length(name);
  for (const auto& [name, number] : host.numbers_milli) bytes += kWordBytes + 2 * length(name);
  return bytes;
}

}  // namespace

int64_t recorded_bytes(const Event& event) {
  if (const auto* hello = std::get_if<AgentHello>(&event)) return bytes_of(hello->state);
  if (const auto* said = std::get_if<StateReported>(&event)) return bytes_of(*said);
  int64_t bytes = kRowBytes;
  if (const auto* inventory = std::get_if<InventoryReported>(&event)) {
    for (const wire::HostFacts& host : inventory->hosts) bytes += bytes_of(host);
  }
  if (const auto* changed = std::get_if<InventoryChanged>(&event)) {
    for (const wire::HostFacts& host : changed->hosts) bytes += bytes_of(host);
    for (const std::string& name : changed->gone) bytes += kWordBytes + length(name);
  }
  if (const auto* ended = std::get_if<WorkEnded>(&event)) {
    for (const wire::EndedWork& work : ended->work) {
      bytes += 2 * kRowBytes + 2 * (length(work.job) + length(work.user));
    }
  }
  return bytes;
}

RecordBudget::Level& RecordBudget::level_of(const std::string& cluster, int64_t now_ms) {
  Level& level = levels_.try_emplace(cluster, Level{full(), now_ms}).first->second;
  const int64_t passed_ms = std::clamp<int64_t>(now_ms - level.at_ms, 0, kHourMs);
  // What is not yet a whole byte's time is kept for the next look.
  const int64_t gained = per_hour_ / 1000 * passed_ms / (kHourMs / 1000);
  if (gained > 0 || passed_ms == kHourMs) {
    level.bytes = std::min(full(), level.bytes + gained);
    level.at_ms = now_ms;
  }
  return level;
}

bool RecordBudget::has_left(const std::string& cluster, int64_t now_ms) {
  return per_hour_ == 0 || level_of(cluster, now_ms).bytes > 0;
}

void RecordBudget::spend(const std::string& cluster, int64_t bytes, int64_t now_ms) {
  if (per_hour_ != 0) level_of(cluster, now_ms).bytes -= bytes;
}

int64_t RecordBudget::left_again_ms(const std::string& cluster, int64_t now_ms) {
  if (has_left(cluster, now_ms)) return now_ms;
  const int64_t missing = 1 - level_of(cluster, now_ms).bytes;
  const int64_t per_second = std::max<int64_t>(1, per_hour_ / (kHourMs / 1000));
  return now_ms + missing * 1000 / per_second + 1;
}

bool RecordBudget::is_calm(const std::string& cluster, int64_t now_ms) {
  return per_hour_ == 0 || level_of(cluster, now_ms).bytes >= full() / 2;
}

}  // namespace leasehold
