#include "agent/io/settings/keys.hpp"

#include "agent/core/work/signals.hpp"
#include "common/channel/endpoint.hpp"
#include "common/files/kept_file.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

/// One name: a type that is meant for two partitions is written twice.
std::string fault_of_several(const std::string& name, std::string_view separators) {
  if (name.find_first_of(separators) == std::string::npos) return "";
  return "'" + name + "' is more than one name; write a [[session_type]] for each";
}

}  // namespace

std::string endpoint_fault(const std::string& endpoint) {
  const auto parsed = parse_endpoint(endpoint);
  return parsed ? "" : parsed.error().message;
}

std::string log_level_fault(const std::string& level) {
  if (level.empty()) return "";
  const auto parsed = parse_log_level(level);
  return parsed ? "" : parsed.error().message;
}

std::string metrics_file_fault(const std::string& path) {
  if (path.empty()) return "";
  if (!path.ends_with(".prom")) {
    return "'metrics_file' is '" + path +
           "', which node_exporter does not read; a name that ends with .prom would be right";
  }
  const std::string fault = kept_name_fault(path);
  return fault.empty() ? "" : "'metrics_file' " + fault;
}

std::string curve_key_fault(const std::string& key) {
  if (is_curve_key(key)) return "";
  return "'" + key + "' is no CURVE key; it has 40 characters of Z85";
}

std::string host_rule_fault(const std::string& rule) {
  if (rule.find("{host}") != std::string::npos) return "";
  return "the rule must contain {host}, as in \"imp-{host}\"";
}

std::string signal_fault(const std::string& signal) {
  const std::string name = signal_name(signal);
  if (name == kNoSignal || is_warning_signal(name)) return "";
  return "'" + name +
         "' is no signal that a job could be warned by; right would be \"none\", \"URG\" or "
         "\"WINCH\"";
}

std::string partition_fault(const std::string& names) {
  return fault_of_several(names, ", \t");
}

std::string comment_fault(const std::string& words) {
  return fault_of_several(words, "; \t");
}

}  // namespace leasehold::agent
