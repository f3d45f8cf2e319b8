#include "broker/config/read/key_reader.hpp"

#include "broker/config/keys/daemon.hpp"
#include "broker/config/read/window.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

namespace {

/// The value is the same as leaving the key out. It reads nothing that would itself be an error.
bool says_nothing(const ConfigTable& table, const LaterKey& key) {
  const ConfigKind kind = table.kind(key.name);
  const bool number = kind == ConfigKind::integer || kind == ConfigKind::decimal;
  switch (key.neutral) {
    case Neutral::empty_list:
      return kind == ConfigKind::list && table.placed_texts(key.name).empty();
    case Neutral::no_time: {
      if (kind != ConfigKind::text) return false;
      const Result<int64_t> duration_ms = parse_duration_ms(table.text(key.name));
      return duration_ms && *duration_ms == 0;
    }
    case Neutral::zero:
      return kind == ConfigKind::integer && table.integer(key.name, 1) == 0;
    case Neutral::one:
      return number && table.decimal(key.name, 0, -1e300, 1e300) == 1.0;
  }
  return false;
}

}  // namespace

KeyReader::KeyReader(const ConfigTable& table, const std::string& file, Written& written)
    : table_(table), written_(written) {
  written_.section = {file, table.place()};
}

void KeyReader::refuse_later(std::string_view section) {
  for (const LaterKey& key : kLaterKeys) {
    if (key.section != section || !table_.has(key.name)) continue;
    if (says_nothing(table_, key)) continue;
    table_.error(key.name, in_quotes(key.name) + ": " + std::string(key.message));
  }
}

void KeyReader::note(const KeyRow& row) {
  if (table_.has(row.name)) written_.set(row, table_.place(row.name));
}

void KeyReader::take(const KeyRow& row, std::vector<std::string>& value) {
  for (auto& text : table_.placed_texts(row.name)) {
    value.push_back(std::move(text.value));
    written_.add_element(row, text.place);
  }
}

void KeyReader::take(const KeyRow& row, Shares& value) {
  if (!table_.has(row.name)) return;
  written_.shares_broken = table_.kind(row.name) != ConfigKind::list;
  for (const ConfigTable& entry : table_.tables(row.name)) {
    Share share;
    share.cluster = entry.required_text("cluster", "the name of a consumer");
    share.shares = entry.integer("shares", 1);
    written_.add_element(row, entry.place());
    value.push_back(std::move(share));
  }
}

void KeyReader::take(const KeyRow& row, std::vector<WeekWindow>& value) {
  for (const ConfigTable& entry : table_.tables(row.name)) {
    const std::optional<WeekWindow> window = read_window(entry);
    if (!window) continue;
    value.push_back(*window);
    written_.add_element(row, entry.place());
  }
}

/// Reads names, none of which is known yet; their place is that of the first.
void KeyReader::take(const KeyRow& row, std::optional<ConsumerList>& value) {
  ConsumerList list;
  take(row, list.unknown);
  if (!list.unknown.empty()) {
    written_.set(row, written_.elements(row).front());
    value = std::move(list);
  } else if (table_.kind(row.name) == ConfigKind::list) {
    table_.warn(row.name, in_quotes(row.name) + " names nobody, which is as if it were left out");
  }
}

}  // namespace leasehold
