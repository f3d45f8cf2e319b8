// Paths into rows of JSON, as people write them: "slots.own"; "leased_to.cluster" goes through the
// list, "host@cluster" is two texts as one. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold::path {

/// Each value that stands there, of lists one after the other; none: absent. A list of texts is
/// gone through, too.
void each_at(const Json& row, std::string_view path, const std::function<void(const Json&)>& act);

/// The value; of several, or of a list on the way, all of them as a list; null: absent.
Json value_at(const Json& row, std::string_view path);

/// value_at() as cell_text(), and no value is copied where no list is on the way.
std::string cell_at(const Json& row, std::string_view path);

/// An Error names the field nearest to one that no row has. Where a part of the way is null or an
/// empty list in every row, nobody knows what would follow: that is right.
Status require_field(const Json& rows, const std::string& path);

/// "a,b" -> a, b; without empty ones.
std::vector<std::string> words_of(const std::string& list);

/// As a cell for people and scripts: texts as they are, null empty, lists of values
/// blank-separated, what is nested as JSON.
std::string cell_text(const Json& value);

}  // namespace leasehold::path
