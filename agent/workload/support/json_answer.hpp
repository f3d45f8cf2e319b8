// JsonObject: one object of an answer or a kept file in JSON, read strictly: a key that is missing,
// unknown, of another type or out of range is an error that names its place, as in "loads[3].used".
// Only the first error is kept; after it every value reads as empty, so that readers need not check
// each time. Configuration files are read by common/config/file.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/result.hpp"

namespace leasehold::agent {

class JsonObject {
 public:
  using Read = std::function<void(JsonObject&)>;

  /// Reads `text` by `read`. It is refused as a whole if it is no JSON object (cut off, empty), if
  /// `read` objects, or if it has keys that `read` has not asked for. `what` it is, for errors.
  static Status parse(const std::string& text, const Read& read,
                      const std::string& what = "the answer");

  /// Allows keys of this object that nobody asks for: a later version may have written them.
  void allow_others() { others_allowed_ = true; }

  bool has(const char* key) const;
  int64_t integer(const char* key, int64_t least, int64_t most);
  int64_t integer_or(const char* key, int64_t least, int64_t most, int64_t otherwise);
  bool flag(const char* key);
  bool flag_or(const char* key, bool otherwise);
  /// Returns a text that is not empty, has at most 1,000 bytes and no control characters.
  std::string text(const char* key);
  /// Returns the same, or `otherwise` if the text is absent or empty.
  std::string text_or(const char* key, const char* otherwise);
  std::vector<std::string> texts(const char* key);
  /// Returns numbers that occur once each, all in this range.
  std::vector<int32_t> distinct(const char* key, int32_t least, int32_t most);
  /// Returns rows of whole numbers: as many in each as `most` has, each from 0 to what that says.
  std::vector<std::vector<int64_t>> rows(const char* key, std::span<const int64_t> most);
  /// Returns all keys with their numbers, which are whole and in this range.
  std::vector<std::pair<std::string, int64_t>> integers(const char* key, int64_t least,
                                                        int64_t most);
  /// Reads a list of objects; `read` must ask each for all its keys.
  void objects(const char* key, const Read& read);
  void object(const char* key, const Read& read);
  /// Reads an object whose values are objects, by their names.
  void members(const char* key,
               const std::function<void(const std::string& name, JsonObject& row)>& read);
  /// Returns all keys with their numbers, in thousandths.
  std::vector<std::pair<std::string, int64_t>> numbers_milli(const char* key);
  /// Refuses the value: `what` is a sentence that follows its place.
  void refuse(const char* key, const std::string& what);
  bool good() const;

 private:
  struct Wrong;
  JsonObject(const nlohmann::json& value, Wrong& wrong, const JsonObject* parent, const char* key,
             int64_t index);
  const nlohmann::json* find(const char* key);
  const nlohmann::json* required(const char* key);
  void read_child(const nlohmann::json& value, const char* key, int64_t index, const Read& read);
  void refuse_unknown();
  std::string place() const;

  const nlohmann::json& value_;
  Wrong& wrong_;
  const JsonObject* parent_;
  const char* key_;
  int64_t index_;  // -1: it is not in a list
  std::vector<const char*> asked_;
  bool others_allowed_ = false;
};

}  // namespace leasehold::agent
