#include "broker/config/toml_text.hpp"

#include <array>
#include <cstdio>

#include "broker/config/week.hpp"

namespace leasehold {

namespace {

std::string line(const char* key, const std::string& value) {
  constexpr size_t kKeyWidth = 14;
  std::string padded(key);
  if (padded.size() < kKeyWidth) padded.resize(kKeyWidth, ' ');
  return padded + " = " + value + "\n";
}

template <class List, class Text>
std::string list(const List& values, Text text) {
  std::string joined;
  for (const auto& value : values) joined += (joined.empty() ? "" : ", ") + text(value);
  return "[" + joined + "]";
}

std::string distribution(const Shares& shares) {
  return list(shares, [](const Share& share) {
    return "{ cluster = " + toml_quoted(share.cluster) +
           ", shares = " + std::to_string(share.shares) + " }";
  });
}

std::string window(const WeekWindow& window) {
  std::string days;
  if (!window.days.empty()) {
    days = "days = " + list(window.days, [](uint8_t day) { return toml_quoted(day_text(day)); }) +
           ", ";
  }
  return "{ " + days + "from = " + toml_quoted(clock_text(window.from_min)) +
         ", to = " + toml_quoted(clock_text(window.to_min)) + " }";
}

std::string choice(const ExportPolicy& policy) {
  if (policy.select.empty()) {
    return line("hosts", list(policy.hosts, toml_quoted)) +
           line("slots_per_host", std::to_string(policy.slots_per_host));
  }
  return line("select", toml_quoted(policy.select)) + line("nhosts", std::to_string(policy.nhosts));
}

}  // namespace

std::string toml_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(byte));
      quoted += escaped.data();
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string toml_cluster(const ClusterConfig& cluster, bool with_delay) {
  std::string text = "[[cluster]]\n" + line("name", toml_quoted(cluster.name));
  if (with_delay) {
    text += line("reclaim_delay", toml_quoted(format_duration(cluster.reclaim_delay_ms)));
  }
  return text;
}

std::string toml_policy(const ExportPolicy& policy) {
  std::string text = "[[export_policy]]\n" + line("name", toml_quoted(policy.name)) +
                     line("provider", toml_quoted(policy.provider)) + choice(policy) +
                     line("distribution", distribution(policy.distribution));
  if (policy.type == LeaseType::shared) {
    text += line("type", "\"shared\"") + line("rule", toml_quoted(token(policy.rule)));
  }
  if (policy.mem_mb > 0) text += line("mem_mb", std::to_string(policy.mem_mb));
  if (policy.swap_mb > 0) text += line("swap_mb", std::to_string(policy.swap_mb));
  if (!policy.windows.empty()) {
    text += line("window", list(policy.windows, window));
  }
  if (policy.timezone != "UTC") text += line("timezone", toml_quoted(policy.timezone));
  return text;
}

std::string toml_resource(const SharedResource& resource) {
  return "[[shared_resource]]\n" + line("name", toml_quoted(resource.name)) +
         line("provider", toml_quoted(resource.provider)) +
         line("instances", std::to_string(resource.instances)) +
         line("distribution", distribution(resource.distribution));
}

}  // namespace leasehold
