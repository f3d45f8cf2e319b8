// ego imports any text as EGO's ConsumerTrees.xml.
#include <algorithm>
#include <pugixml.hpp>
#include <set>

#include "broker/config/ego/import.hpp"
#include "broker/config/load.hpp"
#include "tests/fuzz/target.hpp"

namespace leasehold {

namespace {

/// A policy is written for each interval and each level above it.
constexpr uint64_t kBytesEach = 64 << 10;
constexpr uint64_t kBytesAlways = 4 << 20;
constexpr size_t kLongestShown = 60;

const std::set<std::string> kElements{"ConsumerHierarchy",
                                      "Consumer",
                                      "DistributionTrees",
                                      "DistributionTree",
                                      "ResourceGroupName",
                                      "PolicyParameter",
                                      "Policy",
                                      "TimeInterval",
                                      "Lend",
                                      "Borrow",
                                      "From",
                                      "To"};
const std::set<std::string> kAttributes{
    "version", "name",  "consumername", "rank",      "priority",  "reclaimgraceperiod",
    "start",   "end",   "starttime",    "endtime",   "consumer",  "parametername",
    "type",    "owned", "reserve",      "reserved",  "ratio",     "shareratio",
    "limit",   "to",    "sharelimit",   "rebalance", "preference"};
/// The names whose number must be in the TOML, or in the report.
const std::set<std::string> kNumbers{
    "owned", "reserve",    "reserved", "ratio",    "shareratio",
    "limit", "sharelimit", "rank",     "priority", "reclaimgraceperiod"};

/// Checks that nothing was dropped in silence. It looks only at names, texts and numbers, and only
/// for some trace of each: unit tests check what an element means.
class Traces {
 public:
  Traces(std::string_view text, const Imported& imported) : text_(text), imported_(imported) {
    for (const std::string& line : imported.report) report_ += line + "\n";
  }

  void look(pugi::xml_node node) const {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) look_at_text(node);
    if (node.type() != pugi::node_element) return;
    if (left_out(node)) return;
    const std::string name = without_prefix(node.name());
    const bool root = node.parent().type() == pugi::node_document;
    LEASEHOLD_CHECK(root || kElements.count(name) > 0, "an unknown element is reported");
    for (const pugi::xml_attribute attribute : node.attributes()) look_at(attribute);
    for (const pugi::xml_node child : node.children()) look(child);
  }

 private:
  /// With all in it, as a line of the report says; a line of the file may hold several elements.
  bool left_out(pugi::xml_node node) const {
    const auto before = text_.substr(0, static_cast<size_t>(node.offset_debug()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::string place = "ConsumerTrees.xml:" + std::to_string(line) + ":";
    const auto& report = imported_.report;
    return std::any_of(report.begin(), report.end(), [&](const std::string& entry) {
      return entry.starts_with(place) && entry.find("left out") != entry.npos;
    });
  }
  static std::string without_prefix(const std::string& name) {
    const size_t colon = name.find(':');
    return colon == name.npos ? name : name.substr(colon + 1);
  }
  static std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }
  bool traced(const std::string& text) const {
    return imported_.toml.find(text) != std::string::npos || report_.find(text) != report_.npos;
  }

  void look_at(pugi::xml_attribute attribute) const {
    const std::string name = attribute.name();
    if (name == "xmlns" || name.starts_with("xmlns:") || name.starts_with("xsi:")) return;
    const std::string known = lower(name);
    LEASEHOLD_CHECK(kAttributes.count(known) > 0 || report_.find(name) != report_.npos,
                    "an unknown attribute is reported");
    if (kNumbers.count(known) == 0) return;
    std::string digits = attribute.value();
    const bool number = !digits.empty() && digits.size() < 10 &&
                        digits.find_first_not_of("0123456789") == digits.npos;
    if (number) digits = std::to_string(std::stol(digits));
    LEASEHOLD_CHECK(!number || traced(digits), "a number is in the plan, or reported");
  }

  void look_at_text(pugi::xml_node node) const {
    std::string text = node.value();
    const auto word = std::find_if_not(text.begin(), text.end(),
                                       [](unsigned char c) { return std::isspace(c) != 0; });
    text.erase(text.begin(), word);
    text.resize(std::min(text.find_last_not_of(" \t\r\n\f\v") + 1, kLongestShown));
    const std::string parent = without_prefix(node.parent().name());
    if (text.empty() || parent == "PolicyParameter" || parent == "ResourceGroupName") return;
    LEASEHOLD_CHECK(report_.find(text) != report_.npos, "a text is reported");
  }

  std::string_view text_;
  const Imported& imported_;
  std::string report_;
};

void check_traces(std::string_view text, const Imported& imported) {
  pugi::xml_document document;
  const auto parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_fragment);
  LEASEHOLD_CHECK(parsed, "what was imported is XML");
  for (const pugi::xml_node child : document.children()) Traces(text, imported).look(child);
}

}  // namespace

}  // namespace leasehold

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace leasehold;
  const std::string text(fuzz::text_of({data, size}));
  const uint64_t before = fuzz::allocated_bytes();
  const Imported imported = import_ego_text(text, "ConsumerTrees.xml");
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= kBytesAlways + kBytesEach * size,
                  "memory grows with the text");
  LEASEHOLD_CHECK(!imported.toml.empty() || !imported.errors.empty(),
                  "a plan, or why there is none");
  for (const Error& error : imported.errors) fuzz::check_error(error, size);
  if (!imported.errors.empty()) return 0;
  LEASEHOLD_CHECK(parse_broker_config(imported.toml, "imported.toml").ok(),
                  "what an import writes can be loaded");
  check_traces(text, imported);
  return 0;
}
