// Selection: a resource requirement ("type==LINUX64 && mem>8000") that says which hosts an export
// policy takes (LSF RES_SELECT). Pure. Not a choice of hosts: that is choose_hosts
// (broker/rules/distribution.hpp).
//
// Grammar: || over && over !; parentheses; a comparison is NAME OP VALUE with == != < <= > >=; a
// bare NAME is true where the host has that boolean resource, or that numeric one and it is not 0.
// `!` wants a name or parentheses. LSF's wrapper select[...] is accepted, its other sections are
// not. Names: type, model (text: == and != only), slots, mem and swp (or swap) in MB, else a
// resource. Numbers have at most three decimals and are held in thousandths. `type==any` is true
// everywhere; a requirement without a type is meant for any type (LSF: the provider's hosts of all
// types).
//
// Contract: parsing never crashes, whatever the text; matching is total and allocates nothing: a
// resource that the host does not have makes its comparison false, whatever the operator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

class Selection {
 public:
  /// Error: code usage, column (from 1) in `text`, what would be right.
  static Result<Selection> parse(std::string_view text);

  bool matches(const wire::HostFacts& host) const;
  /// Returns the same requirement in one normal form; parse(text()) gives an equal Selection.
  std::string text() const;
  /// Returns the resources it asks for (not type, model, slots, mem, swp), each once, in order of
  /// mention.
  const std::vector<std::string>& resources() const { return resources_; }
  bool operator==(const Selection&) const = default;

  enum class Operator : uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };
  enum class Subject : uint8_t { type, model, slots, mem, swap, resource };
  enum class Kind : uint8_t { present, compare_text, compare_number, negate, both, either };

  /// One instruction in postfix order: evaluation needs no recursion.
  struct Step {
    Kind kind = Kind::present;
    Subject subject = Subject::resource;
    Operator op = Operator::equal;
    uint32_t resource = 0;     // position in resources()
    int64_t number_milli = 0;  // compare_number
    std::string word;          // compare_text
    bool operator==(const Step&) const = default;
  };

 private:
  friend class SelectionParser;
  std::vector<Step> steps_;
  std::vector<std::string> resources_;
};

}  // namespace leasehold
