// Element is one element of EGO's XML; it can report everything that was not asked for. For
// trees.cpp only.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace leasehold::ego {

/// The most characters of a text that a report shows.
inline constexpr size_t kLongestText = 60;

bool is_blank(std::string_view text);
/// The node's name without the prefix of a name space.
std::string name_of(pugi::xml_node node);
/// Returns the words between commas and blanks.
std::vector<std::string> words_of(std::string_view text);
/// Minutes of the day: "8:00", "08:00:00", "24:00".
std::optional<int> clock_of(const std::string& text);

class Element {
 public:
  using Note = std::function<void(pugi::xml_node, const std::string&)>;
  using Take = std::function<void(pugi::xml_node child, const std::string& name)>;

  Element(pugi::xml_node node, Note note) : node_(node), note_(std::move(note)) {}

  pugi::xml_node node() const { return node_; }

  /// Returns the attribute of one of these names, in any case; "" where there is none.
  std::string attribute(std::initializer_list<const char*> names);
  /// Reports every attribute that was not asked for.
  void refuse_attributes();
  /// Calls `take` with each child element; text beside them is reported.
  void children(const Take& take);
  /// Returns the text of an element whose text is its value; more text beside children is reported.
  std::string text();
  /// Calls `take` with each child element of such an element.
  void children_beside_text(const Take& take);

 private:
  void refuse_text(pugi::xml_node text);

  pugi::xml_node node_;
  Note note_;
  std::vector<pugi::xml_attribute> known_;  // a second one of that name is not
};

}  // namespace leasehold::ego
