#include "agent/workload/gridengine/printed/reservations.hpp"

#include <charconv>
#include <cstring>

#include "agent/workload/gridengine/printed/xml.hpp"

namespace leasehold::agent {

namespace {

/// Waiting, running and, with an error each, W and E; being deleted, and over.
constexpr std::string_view kStates = "wrWEdx";
constexpr int32_t kSlotsMost = 10'000'000;

void read_slots(const pugi::xml_node& node, GridEngineReservation& one, XmlFaults& faults) {
  const std::string instance = node.attribute("queue_instance").value();
  const std::string_view text = node.attribute("slots").value();
  int32_t slots = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || slots < 0 || slots > kSlotsMost || instance.find('@') == instance.npos) {
    return faults.add("advance reservation " + one.id + " has '" + std::string(text) +
                      "' slots of '" + instance + "'");
  }
  one.slots.emplace_back(instance, slots);
}

GridEngineReservation read_reservation(const pugi::xml_node& node, XmlFaults& faults) {
  GridEngineReservation one;
  one.id = node.child_value("id");
  one.name = node.child_value("name");
  one.state = node.child_value("state");
  if (one.id.empty() || one.id.find_first_not_of("0123456789") != one.id.npos) {
    faults.add("an advance reservation's number is '" + one.id + "'");
  }
  if (one.state.size() != 1 || kStates.find(one.state) == kStates.npos) {
    faults.unknown("advance reservation " + one.id + " is in the unknown state '" + one.state +
                   "'");
  }
  one.begins = xml_time(node.child_value("start_time"), faults);
  one.ends = xml_time(node.child_value("end_time"), faults);
  for (const pugi::xml_node& slots : node.child("granted_slots_list").children("granted_slots")) {
    read_slots(slots, one, faults);
  }
  return one;
}

/// Grid Engine prints names as they are, with "<" and "&"; they have no "/".
std::string with_escaped_names(std::string text) {
  constexpr std::string_view kBegin = "<name>";
  for (size_t at = 0; (at = text.find(kBegin, at)) != text.npos;) {
    at += kBegin.size();
    for (size_t end = text.find("</name>", at); at < end && end != text.npos; ++at) {
      const std::string_view as = text[at] == '<' ? "&lt;" : text[at] == '&' ? "&amp;" : "";
      if (as.empty()) continue;
      text.replace(at, 1, as);
      at += as.size() - 1;
      end += as.size() - 1;
    }
  }
  return text;
}

}  // namespace

Result<GridEngineReservations> parse_qrstat(const std::string& text) {
  XmlDocument document;
  if (const Status good = open_xml(with_escaped_names(text), "qrstat", "qrstat", document); !good) {
    return tl::unexpected(good.error());
  }
  GridEngineReservations reservations;
  XmlFaults faults;
  for (const pugi::xml_node& node : document.root.children()) {
    if (std::strcmp(node.name(), "ar_summary") == 0) {
      reservations.made.push_back(read_reservation(node, faults));
    } else if (std::strcmp(node.name(), "ar_unknown") != 0) {  // gone meanwhile
      faults.unknown(std::string("<") + node.name() +
                     "> is where an advance reservation should be");
    }
  }
  if (faults.any()) return xml_refused("what qrstat printed is not understood: " + faults.first());
  reservations.unknown = faults.unknown();
  return reservations;
}

}  // namespace leasehold::agent
