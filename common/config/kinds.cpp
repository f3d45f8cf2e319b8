#include "common/config/kinds.hpp"

namespace leasehold {

ConfigKind kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::none:
      return ConfigKind::absent;
    case toml::node_type::string:
      return ConfigKind::text;
    case toml::node_type::integer:
      return ConfigKind::integer;
    case toml::node_type::floating_point:
      return ConfigKind::decimal;
    case toml::node_type::boolean:
      return ConfigKind::flag;
    case toml::node_type::array:
      return ConfigKind::list;
    case toml::node_type::table:
      return ConfigKind::table;
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return ConfigKind::time;
  }
  return ConfigKind::absent;
}

const char* kind_words(const toml::node& node) {
  switch (kind_of(node)) {
    case ConfigKind::absent:
      return "nothing";
    case ConfigKind::text:
      return "a text";
    case ConfigKind::integer:
      return "a number";
    case ConfigKind::decimal:
      return "a decimal number";
    case ConfigKind::flag:
      return "true or false";
    case ConfigKind::list:
      return "a list";
    case ConfigKind::table:
      return "a table";
    case ConfigKind::time:
      return "a date or time";
  }
  return "nothing";
}

std::string range_words(IntRange range) {
  if (range.max == INT64_MAX) return "at least " + std::to_string(range.min);
  if (range.min == INT64_MIN) return "at most " + std::to_string(range.max);
  return "from " + std::to_string(range.min) + " to " + std::to_string(range.max);
}

}  // namespace leasehold
