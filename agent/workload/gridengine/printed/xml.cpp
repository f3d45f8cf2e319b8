#include "agent/workload/gridengine/printed/xml.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace leasehold::agent {

namespace {

constexpr int64_t kCountMost = 10'000'000;

}  // namespace

tl::unexpected<Error> xml_refused(const std::string& what) {
  return fail(ErrorCode::io, what + "; this agent is tested with Grid Engine 8.1");
}

Status open_xml(const std::string& text, const char* program, const char* root,
                XmlDocument& document) {
  const std::string who = std::string("what ") + program + " printed ";
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return xml_refused(who + "is empty");
  const pugi::xml_parse_result parsed = document.tree.load_buffer(text.data(), text.size());
  if (!parsed) {
    return xml_refused(who + "is no whole XML (" + parsed.description() + " at byte " +
                       std::to_string(parsed.offset) + ")");
  }
  document.root = document.tree.first_child();
  if (std::strcmp(document.root.name(), root) != 0 || document.root.next_sibling()) {
    return xml_refused(who + "has <" + document.root.name() + "> where <" + root +
                       "> should be alone");
  }
  return {};
}

int64_t xml_number(const pugi::xml_node& of, const char* name, XmlFaults& faults, bool required) {
  const pugi::xml_node node = of.child(name);
  const std::string_view text = node.child_value();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size();
  if (good && value >= 0 && value <= kCountMost) return value;
  if (node || required) {
    faults.add(std::string("<") + of.name() + "> has no <" + name + "> that is a number but '" +
               std::string(text) + "'");
  }
  return 0;
}

void add_names(std::string_view text, std::vector<std::string>& names) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find_first_of(",|"));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (!one.empty()) names.emplace_back(one);
  }
}

}  // namespace leasehold::agent
