// The getters of ConfigTable.
#include <algorithm>
#include <cmath>

#include "common/config/document.hpp"
#include "common/config/file.hpp"
#include "common/config/kinds.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

namespace {

void add_error(ConfigDocument& document, const toml::node& at, std::string message) {
  document.errors.push_back(located(document, place_of(at.source()), std::move(message)));
}

void wrong_kind(ConfigDocument& document, std::string_view key, const toml::node& node,
                std::string_view wanted) {
  add_error(document, node,
            quoted(key) + " is " + kind_words(node) + "; write " + std::string(wanted));
}

/// Returns the value under `key`, which becomes known, or null if it is absent.
const toml::node* find(ConfigDocument& document, size_t index, std::string_view key) {
  ConfigDocument::Opened& opened = document.opened[index];
  opened.known.emplace(key);
  return opened.node == nullptr ? nullptr : opened.node->get(key);
}

std::string read_text(ConfigDocument& document, std::string_view key, const toml::node& node,
                      std::string_view fallback) {
  if (const auto* value = node.as_string()) {
    if (value->get().find('\0') == std::string::npos) return value->get();
    add_error(document, node, quoted(key) + " holds the character U+0000; leave it out");
    return std::string(fallback);
  }
  wrong_kind(document, key, node, "a text in quotes");
  return std::string(fallback);
}

std::optional<int64_t> read_integer(ConfigDocument& document, std::string_view key,
                                    const toml::node& node, IntRange range) {
  const auto* value = node.as_integer();
  if (value == nullptr) {
    wrong_kind(document, key, node, "a whole number");
    return std::nullopt;
  }
  if (value->get() >= range.min && value->get() <= range.max) return value->get();
  add_error(
      document, node,
      quoted(key) + " is " + std::to_string(value->get()) + "; it must be " + range_words(range));
  return std::nullopt;
}

/// Returns `value` in thousandths, or nullopt if it has more decimals or is too large.
std::optional<int64_t> to_milli(double value) {
  const double scaled = value * 1000;
  if (!std::isfinite(scaled) || std::abs(scaled) > 9.0e15) return std::nullopt;
  const int64_t milli = std::llround(scaled);
  // The double nearest to a number with three decimals is this very quotient.
  if (static_cast<double>(milli) / 1000 != value) return std::nullopt;
  return milli;
}

std::optional<int64_t> integer_to_milli(int64_t value) {
  if (value > INT64_MAX / 1000 || value < INT64_MIN / 1000) return std::nullopt;
  return value * 1000;
}

}  // namespace

ConfigTable::ConfigTable(std::shared_ptr<ConfigDocument> document, size_t index)
    : document_(std::move(document)), index_(index) {}

bool ConfigTable::present() const {
  return document_->opened[index_].node != nullptr;
}
const std::string& ConfigTable::file() const {
  return document_->name;
}
Place ConfigTable::place() const {
  return document_->opened[index_].place;
}

Place ConfigTable::place(std::string_view key) const {
  const toml::table* table = document_->opened[index_].node;
  const toml::node* node = table == nullptr ? nullptr : table->get(key);
  return node == nullptr ? place() : place_of(node->source());
}

ConfigKind ConfigTable::kind(std::string_view key) const {
  const toml::node* node = find(*document_, index_, key);
  return node == nullptr ? ConfigKind::absent : kind_of(*node);
}

std::string ConfigTable::text(std::string_view key, std::string_view fallback) const {
  const toml::node* node = find(*document_, index_, key);
  return node == nullptr ? std::string(fallback) : read_text(*document_, key, *node, fallback);
}

std::string ConfigTable::required_text(std::string_view key, std::string_view wanted) const {
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) {
    const std::string& path = document_->opened[index_].path;
    error(key, "missing key " + quoted(key) + (path.empty() ? "" : " in " + path) + ": " +
                   std::string(wanted));
    return "";
  }
  const std::string value = read_text(*document_, key, *node, "");
  if (value.empty() && node->is_string()) {
    error(key, quoted(key) + " is empty; write " + std::string(wanted));
  }
  return value;
}

int64_t ConfigTable::integer(std::string_view key, int64_t fallback, IntRange range) const {
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) return fallback;
  return read_integer(*document_, key, *node, range).value_or(fallback);
}

double ConfigTable::decimal(std::string_view key, double fallback, double min, double max) const {
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) return fallback;
  const std::optional<double> value = node->value<double>();
  if (!value || !(node->is_integer() || node->is_floating_point())) {
    wrong_kind(*document_, key, *node, "a number as in 1.0");
    return fallback;
  }
  if (std::isfinite(*value) && *value >= min && *value <= max) return *value;
  const auto shown = [](double bound) {
    std::string text = std::to_string(bound);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + "0" : text;
  };
  error(key, quoted(key) + " must be a number from " + shown(min) + " to " + shown(max));
  return fallback;
}

int64_t ConfigTable::milli(std::string_view key, int64_t fallback) const {
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) return fallback;
  std::optional<int64_t> value;
  if (const auto* whole = node->as_integer()) {
    value = integer_to_milli(whole->get());
  } else if (const auto* decimal = node->as_floating_point()) {
    value = to_milli(decimal->get());
  } else {
    wrong_kind(*document_, key, *node, "a number");
    return fallback;
  }
  if (!value) error(key, quoted(key) + " must be a number with at most three decimals, below 9e12");
  return value.value_or(fallback);
}

bool ConfigTable::flag(std::string_view key, bool fallback) const {
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) return fallback;
  if (const auto* value = node->as_boolean()) return value->get();
  wrong_kind(*document_, key, *node, "true or false");
  return fallback;
}

int64_t ConfigTable::duration_ms(std::string_view key, int64_t fallback, IntRange range) const {
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) return fallback;
  if (!node->is_string()) {
    wrong_kind(*document_, key, *node, "a duration with its unit, as in \"1h30m\"");
    return fallback;
  }
  const Result<int64_t> value = parse_duration_ms(node->as_string()->get());
  if (!value) {
    error(key, quoted(key) + ": " + value.error().message);
    return fallback;
  }
  if (*value >= range.min && *value <= range.max) return *value;
  const std::string upper =
      range.max == INT64_MAX ? "" : " and at most " + format_duration(range.max);
  error(key, quoted(key) + " is " + format_duration(*value) + "; it must be at least " +
                 format_duration(range.min) + upper);
  return fallback;
}

std::vector<Placed<std::string>> ConfigTable::placed_texts(std::string_view key) const {
  std::vector<Placed<std::string>> values;
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) return values;
  if (!node->is_array()) {
    wrong_kind(*document_, key, *node, "a list of texts, as in [\"a\", \"b\"]");
    return values;
  }
  for (const toml::node& element : *node->as_array()) {
    if (const auto* value = element.as_string()) {
      values.push_back({value->get(), place_of(element.source())});
    } else {
      wrong_kind(*document_, std::string(key) + "[]", element, "a text in quotes");
    }
  }
  return values;
}

std::vector<std::string> ConfigTable::texts(std::string_view key) const {
  std::vector<std::string> values;
  for (auto& placed : placed_texts(key)) values.push_back(std::move(placed.value));
  return values;
}

std::vector<std::string> ConfigTable::text_or_texts(std::string_view key) const {
  if (kind(key) == ConfigKind::text) return {text(key)};
  return texts(key);
}

std::vector<int64_t> ConfigTable::integers(std::string_view key, IntRange range) const {
  std::vector<int64_t> values;
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) return values;
  if (!node->is_array()) {
    wrong_kind(*document_, key, *node, "a list of whole numbers, as in [1, 4]");
    return values;
  }
  for (const toml::node& element : *node->as_array()) {
    const auto value = read_integer(*document_, std::string(key) + "[]", element, range);
    if (value) values.push_back(*value);
  }
  return values;
}

std::optional<size_t> ConfigTable::choice_index(std::string_view key,
                                                std::span<const std::string_view> words) const {
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) return std::nullopt;
  std::string listed;
  for (const auto word : words) {
    listed += (listed.empty() ? "\"" : ", \"") + std::string(word) + "\"";
  }
  if (!node->is_string()) {
    wrong_kind(*document_, key, *node, "one of " + listed);
    return std::nullopt;
  }
  const std::string value = node->as_string()->get();
  const auto found = std::find(words.begin(), words.end(), value);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  error(key, quoted(key) + " is \"" + value + "\"; it must be one of " + listed);
  return std::nullopt;
}

ConfigTable ConfigTable::table(std::string_view key) const {
  const toml::node* node = find(*document_, index_, key);
  const std::string& path = document_->opened[index_].path;
  std::string below = path.empty() ? "[" + std::string(key) + "]"
                                   : path.substr(0, path.size() - 1) + "." + std::string(key) + "]";
  if (node != nullptr && !node->is_table()) {
    wrong_kind(*document_, key, *node, "a table: " + below);
  }
  const toml::table* found = node == nullptr ? nullptr : node->as_table();
  const Place at = found == nullptr ? place() : place_of(found->source());
  return {document_, document_->open(found, at, std::move(below))};
}

std::vector<ConfigTable> ConfigTable::tables(std::string_view key) const {
  std::vector<ConfigTable> values;
  const toml::node* node = find(*document_, index_, key);
  if (node == nullptr) return values;
  const std::string list = "[[" + std::string(key) + "]]";
  if (!node->is_array()) {
    wrong_kind(*document_, key, *node, "a list of tables: " + list + " or [{…}]");
    return values;
  }
  for (const toml::node& element : *node->as_array()) {
    const toml::table* found = element.as_table();
    if (found == nullptr) {
      wrong_kind(*document_, std::string(key) + "[]", element, "a table: {…}");
      continue;
    }
    const size_t index = document_->open(found, place_of(found->source()), list);
    values.push_back(ConfigTable(document_, index));
  }
  return values;
}

std::vector<Placed<std::string>> ConfigTable::free_keys() const {
  std::vector<Placed<std::string>> keys;
  ConfigDocument::Opened& opened = document_->opened[index_];
  if (opened.node == nullptr) return keys;
  for (const auto& [key, value] : *opened.node) {
    opened.known.emplace(key.str());
    keys.push_back({std::string(key.str()), place_of(key.source())});
  }
  std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return keys;
}

void ConfigTable::error(std::string_view key, std::string message) const {
  error(place(key), std::move(message));
}

void ConfigTable::error(Place at, std::string message) const {
  document_->errors.push_back(located(*document_, at, std::move(message)));
}

void ConfigTable::warn(std::string_view key, std::string message) const {
  warn(place(key), std::move(message));
}

void ConfigTable::warn(Place at, std::string message) const {
  document_->warnings.push_back(located(*document_, at, std::move(message)));
}

}  // namespace leasehold
