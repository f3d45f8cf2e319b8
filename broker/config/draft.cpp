#include "broker/config/draft.hpp"

namespace leasehold {

namespace {

struct FieldWords {
  const char* toml;
  const char* lsf;
};

/// In the order of Field.
constexpr std::array<FieldWords, kFieldCount> kWords{{{"name", "NAME"},
                                                      {"provider", "provider"},
                                                      {"hosts", "PER_HOST"},
                                                      {"slots_per_host", "SLOTS"},
                                                      {"select", "RES_SELECT"},
                                                      {"nhosts", "NHOSTS"},
                                                      {"distribution", "DISTRIBUTION"},
                                                      {"type", "TYPE"},
                                                      {"rule", "rule"},
                                                      {"initial_slots", "initial_slots"},
                                                      {"mem_mb", "MEM"},
                                                      {"swap_mb", "SWAP"},
                                                      {"reselect", "reselect"},
                                                      {"window", "#if time"},
                                                      {"timezone", "timezone"},
                                                      {"instances", "NINSTANCES"},
                                                      {"by_host", "by_host"}}};

Error finding(const Spot& spot, std::string message) {
  return {ErrorCode::usage, std::move(message), spot.file, spot.place.line, spot.place.column};
}

}  // namespace

std::string field_name(Field field, Dialect dialect) {
  const FieldWords& words = kWords[static_cast<size_t>(field)];
  return dialect == Dialect::lsf ? words.lsf : words.toml;
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
