// Paths into rows of JSON, as people write them: "slots.own" is a field of a field;
// "leased_to.cluster" goes through a list; "host@cluster" joins two texts. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold::path {

/// Calls `act` for each value at the path, in every element of lists on the way and of a list of
/// texts at its end. An absent value gives no call.
void each_at(const Json& row, std::string_view path, const std::function<void(const Json&)>& act);

/// Returns the value at the path; a list of values where a list is on the way; null where it is
/// absent.
Json value_at(const Json& row, std::string_view path);

/// Returns cell_text() of value_at(); no value is copied unless a list is on the way.
std::string cell_at(const Json& row, std::string_view path);

/// Returns an Error that names the nearest field where no row has this one. A path that ends at a
/// null or an empty list is accepted, because nobody knows what would follow.
Status require_field(const Json& rows, const std::string& path);

/// Splits "a,b" into a and b, without empty words.
std::vector<std::string> words_of(const std::string& list);

/// Returns the value as a cell for people and scripts: texts unchanged, null empty, lists of plain
/// values separated by blanks, nested values as JSON.
std::string cell_text(const Json& value);

}  // namespace leasehold::path
