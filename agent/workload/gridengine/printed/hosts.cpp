// The part of text.hpp that reads what qhost prints.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "agent/workload/gridengine/printed/text.hpp"
#include "agent/workload/gridengine/printed/xml.hpp"

namespace leasehold::agent {

namespace {

/// Reads "23.5G"; "-" where the host has not reported it.
int64_t megabytes(std::string_view text, XmlFaults& faults) {
  if (text == "-") return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1.0 / 1048576}, {"K", 1.0 / 1024}, {"M", 1}, {"G", 1024}, {"T", 1048576}};
  for (const auto& [name, factor] : kUnits) {
    if (error == std::errc() && value >= 0 && value < 1e9 && unit == name) {
      return static_cast<int64_t>(value * factor);
    }
  }
  faults.unknown("'" + std::string(text) + "' is not a size of memory");
  return 0;
}

GridEngineHost read_host(const pugi::xml_node& node, XmlFaults& faults) {
  GridEngineHost host;
  host.name = node.attribute("name").value();
  const auto value = [&](const char* name) -> std::string_view {
    const pugi::xml_node found = node.find_child_by_attribute("hostvalue", "name", name);
    return found ? found.child_value() : "-";
  };
  if (host.name.empty()) faults.add("a host has no name");
  host.arch = value("arch_string");
  if (host.arch == "-") host.arch.clear();
  host.mem_mb = megabytes(value("mem_total"), faults);
  host.swap_mb = megabytes(value("swap_total"), faults);
  return host;
}

}  // namespace

Result<std::vector<GridEngineHost>> parse_qhost(const std::string& text) {
  XmlDocument document;
  if (const Status good = open_xml(text, "qhost", "qhost", document); !good) {
    return tl::unexpected(good.error());
  }
  std::vector<GridEngineHost> hosts;
  XmlFaults faults;
  for (const pugi::xml_node& node : document.root.children()) {
    if (std::strcmp(node.name(), "host") != 0) continue;
    GridEngineHost host = read_host(node, faults);
    if (host.name != "global") hosts.push_back(std::move(host));
  }
  if (faults.any()) return xml_refused("what qhost printed is not understood: " + faults.first());
  std::sort(hosts.begin(), hosts.end(),
            [](const GridEngineHost& a, const GridEngineHost& b) { return a.name < b.name; });
  return hosts;
}

/// The dominance decides: "hl" is a load that the host reports, "hc" and "hf" are set by the
/// administrator.
Result<std::set<std::string>> parse_reported(const std::string& text) {
  static const std::set<std::string> kStay{"num_proc",      "mem_total", "swap_total",
                                           "virtual_total", "m_core",    "m_topology"};
  XmlDocument document;
  if (const Status good = open_xml(text, "qhost", "qhost", document); !good) {
    return tl::unexpected(good.error());
  }
  std::set<std::string> reported;
  for (const pugi::xml_node& host : document.root.children("host")) {
    for (const pugi::xml_node& value : host.children("resourcevalue")) {
      const std::string name = value.attribute("name").value();
      const std::string_view dominance = value.attribute("dominance").value();
      if (dominance.ends_with('l') && !kStay.contains(name)) reported.insert(name);
    }
  }
  return reported;
}

/// The smaller of both values is printed of a resource that hosts report and that jobs use up.
Result<std::map<std::string, std::set<std::string>>> parse_host_resources(const std::string& text) {
  XmlDocument document;
  if (const Status good = open_xml(text, "qhost", "qhost", document); !good) {
    return tl::unexpected(good.error());
  }
  std::map<std::string, std::set<std::string>> found;
  for (const pugi::xml_node& host : document.root.children("host")) {
    for (const pugi::xml_node& value : host.children("resourcevalue")) {
      const std::string_view dominance = value.attribute("dominance").value();
      if (dominance == "hc" || dominance == "hl") {
        found[host.attribute("name").value()].insert(value.attribute("name").value());
      }
    }
  }
  return found;
}

}  // namespace leasehold::agent
