#include "broker/config/draft.hpp"

#include <algorithm>

namespace leasehold {

namespace {

Error finding(const Spot& spot, std::string message) {
  return {ErrorCode::usage, std::move(message), spot.file, spot.place.line, spot.place.column};
}

}  // namespace

const Written::Entry* Written::find(KeyRef key) const {
  const auto same = [&](const Entry& entry) { return entry.key == key.name; };
  const auto found = std::find_if(entries_.begin(), entries_.end(), same);
  return found == entries_.end() ? nullptr : &*found;
}

Written::Entry& Written::entry(KeyRef key) {
  const auto same = [&](const Entry& entry) { return entry.key == key.name; };
  const auto found = std::find_if(entries_.begin(), entries_.end(), same);
  return found == entries_.end() ? entries_.emplace_back(Entry{key.name, {}, {}, {}}) : *found;
}

Spot Written::at(KeyRef key) const {
  const Entry* entry = find(key);
  if (entry == nullptr) return section;
  return entry->file.empty() ? at(entry->place) : Spot{entry->file, entry->place};
}

Spot Written::element(KeyRef key, size_t index) const {
  const Entry* entry = find(key);
  const Place place = entry->elements[index];
  return entry->file.empty() ? at(place) : Spot{entry->file, place};
}

void Written::set(KeyRef key, Spot spot) {
  Entry& of = entry(key);
  of.place = spot.place;
  if (spot.file != section.file) of.file = std::move(spot.file);
}

const std::vector<Place>& Written::elements(KeyRef key) const {
  static const std::vector<Place> kNone;
  const Entry* entry = find(key);
  return entry == nullptr ? kNone : entry->elements;
}

void Written::drop_element(KeyRef key, size_t index) {
  std::vector<Place>& elements = entry(key).elements;
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(index));
}

std::string Written::word(KeyRef key) const {
  return std::string(dialect == Dialect::lsf && !key.lsf.empty() ? key.lsf : key.name);
}

void Findings::error(const Spot& spot, std::string message) {
  errors.push_back(finding(spot, std::move(message)));
}
void Findings::warn(const Spot& spot, std::string message) {
  warnings.push_back(finding(spot, std::move(message)));
}
void Findings::note(const Spot& spot, std::string message) {
  notes.push_back(finding(spot, std::move(message)));
}

std::string in_quotes(std::string_view word) {
  return "'" + std::string(word) + "'";
}

std::string spot_text(const Spot& spot) {
  return spot.place.line > 0 ? spot.file + ":" + std::to_string(spot.place.line) : spot.file;
}

Source source_of(const Spot& spot) {
  return {spot.file, spot.place.line};
}

}  // namespace leasehold
