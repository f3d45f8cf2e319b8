#include "broker/config/ego/element.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "common/text/lower_case.hpp"
#include "common/text/trimmed.hpp"

namespace leasehold::ego {

bool is_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
}

std::string name_of(pugi::xml_node node) {
  const std::string_view name = node.name();
  const size_t colon = name.find(':');
  return std::string(colon == std::string_view::npos ? name : name.substr(colon + 1));
}

std::optional<int> clock_of(const std::string& text) {
  int hour = -1;
  int minute = -1;
  int second = 0;
  char rest = 0;
  const int read = std::sscanf(text.c_str(), "%2d:%2d%c%2d", &hour, &minute, &rest, &second);
  const bool shaped = read == 2 || (read == 4 && rest == ':' && second == 0);
  if (!shaped || hour < 0 || minute < 0 || minute > 59) return std::nullopt;
  if (hour > 24 || (hour == 24 && minute > 0)) return std::nullopt;
  return hour * 60 + minute;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c != ',' && !is_blank({&c, 1})) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string Element::attribute(std::initializer_list<const char*> names) {
  for (const pugi::xml_attribute attribute : node_.attributes()) {
    for (const char* name : names) {
      if (lower_case(attribute.name()) != lower_case(name)) continue;
      known_.push_back(attribute);
      return std::string(trimmed(attribute.value()));
    }
  }
  return "";
}

void Element::refuse_attributes() {
  for (const pugi::xml_attribute attribute : node_.attributes()) {
    const std::string name = attribute.name();
    if (name == "xmlns" || name.starts_with("xmlns:") || name.starts_with("xsi:")) continue;
    if (std::find(known_.begin(), known_.end(), attribute) != known_.end()) continue;
    note_(node_, "attribute " + name + "=\"" + attribute.value() + "\" of <" + node_.name() +
                     "> was not understood and is left out");
  }
}

namespace {

bool is_text(pugi::xml_node node) {
  const bool text = node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata;
  return text && !is_blank(node.value());
}

}  // namespace

void Element::refuse_text(pugi::xml_node text) {
  note_(node_, "text \"" + std::string(trimmed(text.value()).substr(0, kLongestText)) + "\" in <" +
                   node_.name() + "> was not understood and is left out");
}

std::string Element::text() {
  std::string value;
  for (const pugi::xml_node child : node_.children()) {
    if (!is_text(child)) continue;
    if (value.empty()) {
      value = trimmed(child.value());
    } else {
      refuse_text(child);
    }
  }
  return value;
}

void Element::children(const Take& take) {
  for (const pugi::xml_node child : node_.children()) {
    if (is_text(child)) refuse_text(child);
  }
  children_beside_text(take);
}

void Element::children_beside_text(const Take& take) {
  for (const pugi::xml_node child : node_.children()) {
    if (child.type() == pugi::node_element) take(child, name_of(child));
  }
}

}  // namespace leasehold::ego
