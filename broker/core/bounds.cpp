#include "broker/core/bounds.hpp"

#include <algorithm>

namespace leasehold {

namespace {

constexpr int64_t kLongestMs = int64_t{10} * 365 * 24 * 3600 * 1000;
constexpr int64_t kMebibytesMax = int64_t{1} << 40;
constexpr int64_t kMilliMax = 1'000'000'000'000'000;
constexpr uint64_t kNumberMax = uint64_t{1} << 62;  // counters: + 1 is a number too

std::optional<std::string> out_of(const std::string& what, int64_t value, int64_t least,
                                  int64_t most) {
  if (value >= least && value <= most) return std::nullopt;
  return what + " is " + std::to_string(value) + "; " + std::to_string(least) + " to " +
         std::to_string(most) + " can be right";
}

std::optional<std::string> above(const std::string& what, uint64_t value) {
  if (value <= kNumberMax) return std::nullopt;
  return what + " is " + std::to_string(value) + "; at most " + std::to_string(kNumberMax) +
         " can be right";
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
    return "exported " + std::to_string(host.exported) + "; -1 says that nothing is stated";
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
  return std::nullopt;
}

std::optional<std::string> fault_of(const wire::Report& report) {
  if (report.pending < 0 || report.running < 0) return "pending and running cannot be negative";
  if (auto fault = out_of("pending", report.pending, 0, kSlotsMax)) return fault;
  if (auto fault = out_of("running", report.running, 0, kSlotsMax)) return fault;
  if (auto fault = above("number", report.number)) return fault;
  for (const wire::HostUse& host : report.hosts) {
    if (auto fault = out_of("used of host " + std::to_string(host.host), host.used, 0, kSlotsMax)) {
      return fault;
    }
  }
  return fault_of_lease_ms(report.lease_ms);
}

std::optional<std::string> fault_of(const wire::Hello& hello) {
  if (auto fault = above("boot", hello.boot)) return fault;
  if (auto fault = out_of("settle_ms", hello.settle_ms, 0, kLongestMs)) return fault;
  return fault_of_lease_ms(hello.lease_ms);
}

std::optional<std::string> fault_of(const wire::StateBlock& block) {
  int64_t limits = 0;
  for (const wire::HostState& host : block.hosts) limits += host.limit;
  for (const wire::GroupState& group : block.groups) {
    if (auto fault = out_of("breach", group.breach, 0, kSlotsMax)) return fault;
  }
  return out_of("what all limits add up to", limits, 0, kSlotsMax);
}

std::optional<std::string> fault_of_lease_ms(int64_t lease_ms) {
  return out_of("lease_ms", lease_ms, 0, kLongestMs);
}

}  // namespace leasehold
