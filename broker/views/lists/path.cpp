#include "broker/views/lists/path.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "common/config/file.hpp"

namespace leasehold::path {

namespace {

using Act = std::function<void(const Json&)>;

void each_value(const Json& value, const Act& act) {
  if (!value.is_array()) return act(value);
  for (const Json& one : value) each_value(one, act);
}

std::string joined_by(const Json& row, std::string_view left, std::string_view right) {
  std::string text;
  each_at(row, left, [&](const Json& value) { text += cell_text(value); });
  text += '@';
  each_at(row, right, [&](const Json& value) { text += cell_text(value); });
  return text;
}

std::string_view first_of(std::string_view path) {
  return path.substr(0, path.find('.'));
}

std::string_view rest_of(std::string_view path) {
  const size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
}

/// Says if a path leads to a value in one of the rows.
struct Found {
  bool there = false;
  bool open = false;  // the path ends early, at a null or an empty list
};

void look(const Json& value, std::string_view path, Found& found) {
  if (found.there) return;
  if (path.empty()) {
    found.there = true;
    return;
  }
  if (value.is_null() || (value.is_array() && value.empty())) {
    found.open = true;
    return;
  }
  if (value.is_array()) {
    for (const Json& one : value) look(one, path, found);
    return;
  }
  if (!value.is_object()) return;
  const auto next = value.find(std::string(first_of(path)));
  if (next != value.end()) look(*next, rest_of(path), found);
}

/// Collects every path that the rows have.
void name_all(const Json& value, const std::string& before, std::set<std::string>& names) {
  if (value.is_array()) {
    for (const Json& one : value) name_all(one, before, names);
  }
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items()) {
    const std::string name = before.empty() ? key : before + "." + key;
    names.insert(name);
    name_all(inner, name, names);
  }
}

std::string known_fields(const Json& rows, const std::string& wanted) {
  std::set<std::string> names;
  name_all(rows, "", names);
  const std::vector<std::string> list(names.begin(), names.end());
  const std::string meant = did_you_mean(wanted, list);
  if (!meant.empty()) return meant;
  std::string all;
  for (const auto& [key, value] : rows.front().items()) all += (all.empty() ? "" : ", ") + key;
  return "; there are " + all;
}

}  // namespace

void each_at(const Json& row, std::string_view path, const Act& act) {
  if (path.empty()) return each_value(row, act);
  if (const size_t at = path.find('@'); at != std::string_view::npos) {
    return act(joined_by(row, path.substr(0, at), path.substr(at + 1)));
  }
  if (row.is_array()) {
    for (const Json& one : row) each_at(one, path, act);
    return;
  }
  if (!row.is_object()) return;
  const auto next = row.find(std::string(first_of(path)));
  if (next != row.end()) each_at(*next, rest_of(path), act);
}

Json value_at(const Json& row, std::string_view path) {
  if (path.empty()) return row;
  if (row.is_array()) {
    Json list = Json::array();
    for (const Json& one : row) list.push_back(value_at(one, path));
    return list;
  }
  if (!row.is_object()) return nullptr;
  const auto next = row.find(std::string(first_of(path)));
  return next == row.end() ? Json(nullptr) : value_at(*next, rest_of(path));
}

std::string cell_at(const Json& row, std::string_view path) {
  if (path.empty()) return cell_text(row);
  if (!row.is_object()) return cell_text(value_at(row, path));
  const auto next = row.find(std::string(first_of(path)));
  return next == row.end() ? "" : cell_at(*next, rest_of(path));
}

Status require_field(const Json& rows, const std::string& path) {
  Found found;
  look(rows, path, found);
  if (found.there || found.open) return {};
  return fail(ErrorCode::usage, "no row has a field '" + path + "'" + known_fields(rows, path));
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (end > at) words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string cell_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (const Json& one : value) {
    if (one.is_structured()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
    text += (text.empty() ? "" : " ") + cell_text(one);
  }
  return text;
}

}  // namespace leasehold::path
