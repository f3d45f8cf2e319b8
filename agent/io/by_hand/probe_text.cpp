#include "agent/io/by_hand/probe_text.hpp"

#include <spdlog/fmt/fmt.h>

namespace leasehold::agent {

namespace {

using nlohmann::ordered_json;

std::string slots_text(const ordered_json& host) {
  return host.contains("slots") ? host["slots"].dump() : "-";
}

/// A host of another cluster is one that this cluster may borrow slots of.
std::string hosts_text(const ordered_json& hosts) {
  if (hosts.empty()) return "The workload manager knows no hosts.\n";
  std::string text = fmt::format("{:<24} {:>6} {:>6}  {:<5} {:<9} {}\n", "HOST", "SLOTS", "USED",
                                 "STATE", "WHOSE", "MAY BE SPLIT BETWEEN CLUSTERS");
  for (const ordered_json& host : hosts) {
    text += fmt::format(
        "{:<24} {:>6} {:>6}  {:<5} {:<9} {}\n", host["host"].get<std::string>(), slots_text(host),
        host["used"].dump(), host["up"].get<bool>() ? "up" : "down",
        host["imported"].get<bool>() ? "another's" : "own", host["division"].get<std::string>());
  }
  return text;
}

std::string list_text(const char* title, const ordered_json& sentences) {
  if (sentences.empty()) return "";
  std::string text = fmt::format("\n{}:\n", title);
  for (const ordered_json& sentence : sentences) {
    text += "  - " + sentence.get<std::string>() + "\n";
  }
  return text;
}

std::string verdict(const ordered_json& found) {
  if (found["permissions_lacking"].empty() && found["hosts_lacking"].empty()) {
    return "\nNothing is missing: the agent can be started.\n";
  }
  return "\nThe agent can be started, but what is missing, as said above, keeps leases from "
         "working.\n";
}

}  // namespace

std::string probe_text(const ordered_json& found) {
  return fmt::format(
             "Cluster {} ({}), as it is now; nothing was changed.\n\n{}\n{} slots run work, work "
             "that waits wants {} more.\nAfter a fence is set work may still start for {} ms; {} "
             "leases are known.\n",
             found["cluster"].get<std::string>(), found["workload"].get<std::string>(),
             hosts_text(found["hosts"]), found["running"].dump(), found["pending"].dump(),
             found["settle_ms"].dump(), found["groups"].size()) +
         list_text("Permissions that are missing", found["permissions_lacking"]) +
         list_text("Hosts not known", found["hosts_lacking"]) +
         list_text("Comments of jobs that cannot be read", found["comments_not_read"]) +
         list_text("Cautions", found["cautions"]) + verdict(found);
}

}  // namespace leasehold::agent
