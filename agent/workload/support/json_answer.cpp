#include "agent/workload/support/json_answer.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/text/json_text.hpp"

namespace leasehold::agent {

using nlohmann::json;

struct JsonObject::Wrong {
  std::string what;  // empty: no fault yet
};

namespace {

constexpr size_t kTextMost = 1'000;
constexpr double kNumberMost = 1e12;

bool plain(const std::string& text) {
  return text.size() <= kTextMost && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
         });
}

bool is_whole(const json& value, int64_t least, int64_t most) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) return false;
  return value.get<int64_t>() >= least && value.get<int64_t>() <= most;
}

/// Returns the value for an error, shortened.
std::string shown(const json& value) {
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 60) + "...";
}

}  // namespace

JsonObject::JsonObject(const json& value, Wrong& wrong, const JsonObject* parent, const char* key,
                       int64_t index)
    : value_(value), wrong_(wrong), parent_(parent), key_(key), index_(index) {}

Status JsonObject::parse(const std::string& text, const Read& read, const std::string& what) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    return fail(ErrorCode::io, what + " is empty; one JSON object would be right");
  }
  const Result<json> all = parse_json<json>(text, JsonKeys::once);
  if (!all) {
    return fail(ErrorCode::io,
                what + " (" + std::to_string(text.size()) + " bytes) " + all.error().message);
  }
  if (!all->is_object()) return fail(ErrorCode::io, what + " is no JSON object: " + shown(*all));
  Wrong wrong;
  JsonObject object(*all, wrong, nullptr, "", -1);
  read(object);
  object.refuse_unknown();
  if (!wrong.what.empty()) return fail(ErrorCode::io, wrong.what);
  return {};
}

bool JsonObject::good() const {
  return wrong_.what.empty();
}

std::string JsonObject::place() const {
  if (parent_ == nullptr) return "";
  const std::string here =
      index_ < 0 ? std::string(key_) + "." : key_ + ("[" + std::to_string(index_)) + "].";
  return parent_->place() + here;
}

void JsonObject::refuse(const char* key, const std::string& what) {
  if (!good()) return;
  wrong_.what = place() + key + ": " + what;
}

bool JsonObject::has(const char* key) const {
  return value_.contains(key);
}

const json* JsonObject::find(const char* key) {
  if (!good()) return nullptr;
  asked_.push_back(key);
  const auto at = value_.find(key);
  return at == value_.end() ? nullptr : &*at;
}

const json* JsonObject::required(const char* key) {
  const json* found = find(key);
  if (found == nullptr) refuse(key, "is missing");
  return found;
}

int64_t JsonObject::integer(const char* key, int64_t least, int64_t most) {
  const json* found = required(key);
  if (found == nullptr) return 0;
  if (is_whole(*found, least, most)) return found->get<int64_t>();
  refuse(key, "is " + shown(*found) + "; a whole number from " + std::to_string(least) + " to " +
                  std::to_string(most) + " would be right");
  return 0;
}

int64_t JsonObject::integer_or(const char* key, int64_t least, int64_t most, int64_t otherwise) {
  return has(key) ? integer(key, least, most) : otherwise;
}

bool JsonObject::flag(const char* key) {
  const json* found = required(key);
  if (found == nullptr) return false;
  if (found->is_boolean()) return found->get<bool>();
  refuse(key, "is " + shown(*found) + "; true or false would be right");
  return false;
}

bool JsonObject::flag_or(const char* key, bool otherwise) {
  return has(key) ? flag(key) : otherwise;
}

std::string JsonObject::text(const char* key) {
  const json* found = required(key);
  if (found == nullptr) return {};
  if (found->is_string() && !found->get_ref<const std::string&>().empty() &&
      plain(found->get_ref<const std::string&>())) {
    return found->get<std::string>();
  }
  refuse(key, "is " + shown(*found) + "; a text of 1 to " + std::to_string(kTextMost) +
                  " bytes without control characters would be right");
  return {};
}

std::string JsonObject::text_or(const char* key, const char* otherwise) {
  const auto at = value_.find(key);
  if (at != value_.end() && at->is_string() && at->get_ref<const std::string&>().empty()) {
    asked_.push_back(key);
    return otherwise;
  }
  return has(key) ? text(key) : otherwise;
}

std::vector<std::string> JsonObject::texts(const char* key) {
  std::vector<std::string> made;
  const json* found = required(key);
  if (found == nullptr) return made;
  bool right = found->is_array();
  for (size_t i = 0; right && i < found->size(); ++i) {
    right = (*found)[i].is_string() && plain((*found)[i].get_ref<const std::string&>());
    if (right) made.push_back((*found)[i].get<std::string>());
  }
  if (!right) refuse(key, "is " + shown(*found) + "; a list of texts would be right");
  return made;
}

std::vector<int32_t> JsonObject::distinct(const char* key, int32_t least, int32_t most) {
  std::vector<int32_t> made;
  const json* found = required(key);
  if (found == nullptr) return made;
  bool right = found->is_array();
  for (size_t i = 0; right && i < found->size(); ++i) {
    const json& item = (*found)[i];
    right = item.is_number_integer() && item >= least && item <= most &&
            std::find(made.begin(), made.end(), item.get<int32_t>()) == made.end();
    if (right) made.push_back(item.get<int32_t>());
  }
  if (!right) {
    refuse(key, "is " + shown(*found) + "; a list of integers from " + std::to_string(least) +
                    " to " + std::to_string(most) + ", each once, would be right");
  }
  return made;
}

void JsonObject::read_child(const json& value, const char* key, int64_t index, const Read& read) {
  JsonObject child(value, wrong_, this, key, index);
  if (!value.is_object()) return child.refuse("", "is not an object");
  read(child);
  child.refuse_unknown();
}

void JsonObject::objects(const char* key, const Read& read) {
  const json* found = required(key);
  if (found == nullptr) return;
  if (!found->is_array()) return refuse(key, "is not a list");
  int64_t index = 0;
  for (const json& value : *found) {
    if (!good()) return;
    read_child(value, key, index++, read);
  }
}

void JsonObject::object(const char* key, const Read& read) {
  const json* found = required(key);
  if (found != nullptr) read_child(*found, key, -1, read);
}

std::vector<std::pair<std::string, int64_t>> JsonObject::numbers_milli(const char* key) {
  std::vector<std::pair<std::string, int64_t>> made;
  const json* found = required(key);
  if (found == nullptr) return made;
  bool right = found->is_object();
  if (right) {
    for (const auto& [name, value] : found->items()) {
      right = right && !name.empty() && plain(name) && value.is_number() &&
              std::abs(value.get<double>()) <= kNumberMost;
      if (right) made.emplace_back(name, std::llround(value.get<double>() * 1'000));
    }
  }
  if (!right) refuse(key, "is " + shown(*found) + "; names with numbers would be right");
  return made;
}

std::vector<std::vector<int64_t>> JsonObject::rows(const char* key, std::span<const int64_t> most) {
  std::vector<std::vector<int64_t>> made;
  const json* found = required(key);
  if (found == nullptr) return made;
  bool right = found->is_array();
  for (size_t i = 0; right && i < found->size(); ++i) {
    const json& row = (*found)[i];
    right = row.is_array() && row.size() == most.size();
    std::vector<int64_t>& numbers = made.emplace_back();
    for (size_t column = 0; right && column < most.size(); ++column) {
      right = is_whole(row[column], 0, most[column]);
      if (right) numbers.push_back(row[column].get<int64_t>());
    }
  }
  std::string bounds;
  for (const int64_t bound : most) bounds += (bounds.empty() ? "" : ", ") + std::to_string(bound);
  if (!right) {
    refuse(key, "is " + shown(*found) + "; a list of rows of whole numbers from 0 to " + bounds +
                    " would be right");
  }
  return right ? made : std::vector<std::vector<int64_t>>{};
}

std::vector<std::pair<std::string, int64_t>> JsonObject::integers(const char* key, int64_t least,
                                                                  int64_t most) {
  std::vector<std::pair<std::string, int64_t>> made;
  const json* found = required(key);
  if (found == nullptr) return made;
  bool right = found->is_object();
  if (right) {
    for (const auto& [name, value] : found->items()) {
      right = right && !name.empty() && plain(name) && is_whole(value, least, most);
      if (right) made.emplace_back(name, value.get<int64_t>());
    }
  }
  if (!right) {
    refuse(key, "is " + shown(*found) + "; names with whole numbers from " + std::to_string(least) +
                    " to " + std::to_string(most) + " would be right");
  }
  return made;
}

void JsonObject::members(
    const char* key, const std::function<void(const std::string& name, JsonObject& row)>& read) {
  const json* found = required(key);
  if (found == nullptr) return;
  if (!found->is_object()) return refuse(key, "is not an object");
  for (const auto& [name, value] : found->items()) {
    if (!good()) return;
    if (name.empty() || !plain(name)) {
      return refuse(key, "has a name that is empty or has control characters");
    }
    read_child(value, key, -1, [&read, &name = name](JsonObject& row) { read(name, row); });
  }
}

void JsonObject::refuse_unknown() {
  if (others_allowed_) return;
  if (!good() || asked_.size() == value_.size()) return;
  for (const auto& [name, value] : value_.items()) {
    const bool asked = std::any_of(asked_.begin(), asked_.end(),
                                   [&name = name](const char* one) { return name == one; });
    if (!asked) return refuse(shown(name).c_str(), "is not known");
  }
}

}  // namespace leasehold::agent
