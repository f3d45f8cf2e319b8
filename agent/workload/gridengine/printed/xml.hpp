// Opens what Grid Engine's programs print as XML. It must be complete and have the expected root,
// under any namespace; the first fault is kept. text.hpp reads the elements.
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

tl::unexpected<Error> xml_refused(const std::string& what);

/// Keeps the first fault that is found; later values do not count.
class XmlFaults {
 public:
  void add(const std::string& what) {
    if (first_.empty()) first_ = what;
  }
  /// Adds something unknown that affects nothing else.
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

/// Opens a complete document with this root. `program` is for messages.
Status open_xml(const std::string& text, const char* program, const char* root,
                XmlDocument& document);

/// Returns the number in a child element; a missing one is a fault only if it is required.
int64_t xml_number(const pugi::xml_node& of, const char* name, XmlFaults& faults,
                   bool required = true);

/// Reads "2026-11-21T02:08:11" in UTC, in which the programs are run. Some versions add a fraction,
/// or a Z. {}: it is no time, which is noted as unknown.
Instant xml_time(std::string_view text, XmlFaults& faults);

/// Adds the names in "a,b" or "a|b", any of which will do.
void add_names(std::string_view text, std::vector<std::string>& names);

}  // namespace leasehold::agent
