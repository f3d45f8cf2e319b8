#include "broker/views/lists/listing.hpp"

#include <algorithm>

#include "common/check.hpp"

namespace leasehold {

namespace {

const columns::Column& column_of(const Listing& list, std::string_view name) {
  const std::span<const columns::Column> all = list.shown();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return name == each.name; });
  LEASEHOLD_CHECK(found != all.end() && found->title != nullptr,
                  "a column is of a field that has a title");
  return *found;
}

}  // namespace

std::vector<columns::Column> columns_of(const Listing& list) {
  std::vector<columns::Column> columns;
  for (std::string_view rest = list.columns; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    columns.push_back(column_of(list, rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return columns;
}

bool is_spread(const Listing& list, std::string_view name) {
  if (list.shown == nullptr) return false;
  const std::span<const columns::Column> all = list.shown();
  return std::any_of(all.begin(), all.end(), [&](const auto& each) {
    const std::string_view of = each.name;
    return of.size() > name.size() && of.starts_with(name) && of[name.size()] == '.';
  });
}

}  // namespace leasehold
