// What Grid Engine's programs print as XML: whole, with the root that is asked for, under whatever
// namespace, with the first fault kept. Not what the elements mean (text.hpp).
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.hpp"

namespace leasehold::agent {

tl::unexpected<Error> xml_refused(const std::string& what);

/// The first fault found; everything after it is read in vain.
class XmlFaults {
 public:
  void add(const std::string& what) {
    if (first_.empty()) first_ = what;
  }
  /// What is not understood and spoils nothing else.
  void unknown(const std::string& what) { unknown_.push_back(what); }
  const std::vector<std::string>& unknown() const { return unknown_; }
  bool any() const { return !first_.empty(); }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
  std::vector<std::string> unknown_;
};

struct XmlDocument {
  pugi::xml_document tree;
  pugi::xml_node root;
};

/// Whole, with this root. `program`: for messages.
Status open_xml(const std::string& text, const char* program, const char* root,
                XmlDocument& document);

/// A count in a child; one that is not there is a fault only if it is required.
int64_t xml_number(const pugi::xml_node& of, const char* name, XmlFaults& faults,
                   bool required = true);

/// "a,b" or "a|b": names, any of which will do.
void add_names(std::string_view text, std::vector<std::string>& names);

}  // namespace leasehold::agent
