#include "broker/core/bounds.hpp"

#include <algorithm>

namespace leasehold {

namespace {

constexpr int64_t kMilliMax = 1'000'000'000'000'000;
/// Limit of each text that an agent states about itself for people: each is kept with its cluster.
constexpr size_t kWordsBytesMax = 256;

std::optional<std::string> too_long(const char* what, const std::string& text) {
  if (text.size() <= kWordsBytesMax) return std::nullopt;
  return std::string(what) + " is " + std::to_string(text.size()) + " bytes long; at most " +
         std::to_string(kWordsBytesMax) + " can be right";
}

/// Texts of a hello but the cluster's name, which is one that the configuration knows.
std::optional<std::string> fault_of_words(const wire::Hello& hello) {
  const std::pair<const char*, const std::string*> texts[] = {
      {"program_version", &hello.program_version},
      {"workload", &hello.workload},
      {"machine", &hello.identity.machine},
      {"boot identity", &hello.identity.boot},
      {"scheduling policy", &hello.scheduling.policy},
      {"scheduling criteria", &hello.scheduling.criteria},
      {"preemption_scope", &hello.scheduling.preemption_scope},
      {"reclaim_optimization", &hello.scheduling.reclaim_optimization}};
  for (const auto& [what, text] : texts) {
    if (auto fault = too_long(what, *text)) return fault;
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_types(const std::vector<std::string>& types) {
  if (types.size() > wire::kHostTypesMax) {
    return std::to_string(types.size()) + " host_types; at most " +
           std::to_string(wire::kHostTypesMax) + " can be right, none means any";
  }
  for (const std::string& type : types) {
    if (!type.empty() && type.size() <= wire::kHostTypeBytesMax) continue;
    return "a host type of " + std::to_string(type.size()) + " bytes; 1 to " +
           std::to_string(wire::kHostTypeBytesMax) + " can be right";
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_bucket(const wire::DemandBucket& bucket) {
  const std::pair<const char*, int64_t> counts[] = {{"slots_per_host", bucket.slots_per_host},
                                                    {"hosts", bucket.hosts},
                                                    {"jobs", bucket.jobs},
                                                    {"slots", bucket.slots}};
  for (const auto& [what, count] : counts) {
    if (auto fault = out_of(what, count, 1, kSlotsMax)) return fault;
  }
  if (auto fault = out_of("oldest_ms", bucket.oldest_ms, 0, kYear9999Ms)) return fault;
  return fault_of_types(bucket.host_types);
}

std::optional<std::string> fault_of_horizon(const wire::Horizon& horizon) {
  if (auto fault = too_long("the name of a reservation", horizon.name)) return fault;
  if (auto fault = out_of("horizon: from_ms", horizon.from_ms, 0, kYear9999Ms)) return fault;
  return out_of("horizon: until_ms", horizon.until_ms, horizon.from_ms, kYear9999Ms);
}

}  // namespace

std::optional<std::string> fault_of(const wire::HostState& host) {
  if (host.used < 0 || host.limit < 0) {
    return "limit " + std::to_string(host.limit) + ", used " + std::to_string(host.used) +
           "; neither can be negative";
  }
  if (host.used > host.limit) {
    return "used " + std::to_string(host.used) + " is above its limit " +
           std::to_string(host.limit);
  }
  if (host.limit > kSlotsMax || host.exported > kSlotsMax) {
    return "limit " + std::to_string(host.limit) + ", exported " + std::to_string(host.exported) +
           "; at most " + std::to_string(kSlotsMax) + " can be right";
  }
  if (host.exported < -1) {
    return "exported " + std::to_string(host.exported) +
           "; must be 0 or more, or -1 for not stated";
  }
  return std::nullopt;
}

std::optional<std::string> fault_of(const wire::HostFacts& host) {
  if (host.slots < 0 || host.mem_mb < 0 || host.swap_mb < 0) {
    return "slots, memory and swap cannot be negative";
  }
  const int64_t most_mb = std::max(host.mem_mb, host.swap_mb);
  if (auto fault = out_of("memory or swap", most_mb, 0, kMebibytesMax)) return fault;
  for (const auto& [name, milli] : host.numbers_milli) {
    if (auto fault = out_of("resource " + name, milli, -kMilliMax, kMilliMax)) return fault;
  }
  return host.horizon ? fault_of_horizon(*host.horizon) : std::nullopt;
}

std::optional<std::string> fault_of(const wire::Report& report) {
  if (report.pending < 0 || report.running < 0) return "pending and running cannot be negative";
  if (auto fault = out_of("pending", report.pending, 0, kSlotsMax)) return fault;
  if (auto fault = out_of("running", report.running, 0, kSlotsMax)) return fault;
  if (auto fault = above("number", report.number)) return fault;
  for (const wire::HostUse& host : report.hosts) {
    if (host.used >= 0 && host.used <= kSlotsMax) continue;
    return out_of("used of host " + std::to_string(host.host), host.used, 0, kSlotsMax);
  }
  if (report.demand) {
    if (auto fault = fault_of(*report.demand)) return fault;
  }
  if (report.ending) {
    if (auto fault = fault_of(*report.ending)) return fault;
  }
  return fault_of_lease_ms(report.lease_ms);
}

std::optional<std::string> fault_of(const wire::Demand& demand) {
  if (demand.size() > wire::kDemandBucketsMax) {
    return "demand has " + std::to_string(demand.size()) + " buckets; at most " +
           std::to_string(wire::kDemandBucketsMax) + " can be right";
  }
  int64_t slots = 0;
  int64_t jobs = 0;
  for (const wire::DemandBucket& bucket : demand) {
    if (auto fault = fault_of_bucket(bucket)) return "demand: " + *fault;
    slots += bucket.slots;
    jobs += bucket.jobs;
  }
  if (auto fault = out_of("slots of all demand", slots, 0, kSlotsMax)) return fault;
  return out_of("jobs of all demand", jobs, 0, kSlotsMax);
}

std::optional<std::string> fault_of(const wire::Ending& ending) {
  int64_t slots = 0;
  int previous = -1;
  for (const wire::EndingSlots& row : ending.slots) {
    const int left = static_cast<int>(row.left);
    if (left <= previous) {
      return std::string("ending: ") + token(row.left) +
             " is listed again or out of order; each class once, the shortest first";
    }
    previous = left;
    if (auto fault = out_of("ending: slots", row.slots, 1, kSlotsMax)) return fault;
    slots += row.slots;
  }
  if (auto fault = out_of("slots of all that ends", slots, 0, kSlotsMax)) return fault;
  if (auto fault = out_of("ending: error_milli", ending.error_milli, -1, 1000)) return fault;
  return out_of("ending: longest_limit_ms", ending.longest_limit_ms.value_or(0), wire::kNoTimeLimit,
                kLongestMs);
}

std::optional<std::string> fault_of(const wire::Hello& hello) {
  if (auto fault = above("boot", hello.boot)) return fault;
  if (auto fault = out_of("settle_ms", hello.settle_ms, 0, kLongestMs)) return fault;
  if (auto fault = fault_of_words(hello)) return fault;
  return fault_of_lease_ms(hello.lease_ms);
}

std::optional<std::string> fault_of(const wire::StateBlock& block) {
  int64_t limits = 0;
  int64_t exported = 0;
  for (const wire::HostState& host : block.hosts) {
    limits += host.limit;
    exported += std::max(0, host.exported);
  }
  for (const wire::GroupState& group : block.groups) {
    if (auto fault = out_of("breach", group.breach, 0, kSlotsMax)) return fault;
  }
  if (auto fault = out_of("what all exports add up to", exported, 0, kSlotsMax)) return fault;
  return out_of("what all limits add up to", limits, 0, kSlotsMax);
}

std::optional<std::string> fault_of_lease_ms(int64_t lease_ms) {
  return out_of("lease_ms", lease_ms, 0, kLongestMs);
}

}  // namespace leasehold
