#include "broker/views/clusters/used_by.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

__extension__ using Wide = __int128;  // slots times milliseconds times milliseconds

struct UsedByRow {
  const std::string& cluster;
  const char* by;
  const std::string& name;
  const char* counted;
  int64_t slot_s;
  Instant counted_until;
};

std::string name_cell(const Json& row, const char* name) {
  const std::string counted = columns::text(row, "counted");
  if (counted == "others") return "(others)";
  return counted == "unnamed" ? "(not named)" : columns::text(row, name);
}

/// Returns "12.50" for 45,000 slot-seconds.
std::string hours_cell(const Json& row, const char* name) {
  const Json& slot_s = part_at(row, name);
  if (!slot_s.is_number_integer()) return columns::text(row, name);
  const int64_t hundredths = slot_s.get<int64_t>() / 36;
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + (rest.size() < 2 ? ".0" : ".") + rest;
}

constexpr Field<UsedByRow> kUsedByFields[] = {
    {{"cluster", "CLUSTER"}, [](auto& r) { return r.cluster; }},
    {{"by"}, [](auto& r) { return r.by; }},
    {{"name", "NAME", kLeft, 0, name_cell}, [](auto& r) { return rows::text_or_null(r.name); }},
    {{"counted"}, [](auto& r) { return r.counted; }},
    {{"used_slot_s", "SLOT-HOURS", kRight, 0, hours_cell}, [](auto& r) { return r.slot_s; }},
    {{"counted_until", "COUNTED UNTIL", kLeft, 1, columns::time},
     [](auto& r) { return format_utc(r.counted_until); }},
};

/// Returns the part of `amount` that falls before `at`, if it comes evenly from `since` to `until`.
Wide part_before(int64_t at, int64_t amount, const wire::UsedSlots& of) {
  if (at >= of.until_ms) return amount;
  if (at <= of.since_ms) return 0;
  return Wide{amount} * (at - of.since_ms) / (of.until_ms - of.since_ms);
}

std::string name_of(const wire::UsedBy& by, Whose whose) {
  switch (whose) {
    case Whose::user:
      return by.user;
    case Whose::account:
      return by.account;
    case Whose::session:
      return by.session;
    case Whose::user_account:
      return by.account.empty() ? by.user : by.user + ", " + by.account;
  }
  return by.user;  // GCOVR_EXCL_LINE every value of the enum returned above
}

}  // namespace

std::span<const columns::Column> used_by_fields() {
  return shown_of<kUsedByFields>();
}

void UsedByMeter::take(const SlotsUsed& event) {
  for (const wire::UsedSlots& used : event.used) {
    if (!taken_.emplace(event.cluster, event.state_id, used.number).second) continue;
    take(event.cluster, used);
  }
}

void UsedByMeter::take(const std::string& cluster, const wire::UsedSlots& used) {
  if (used.until_ms <= since_.ms || used.since_ms >= until_.ms) return;
  for (const wire::UsedBy& by : used.by) {
    add({cluster, UsedOf::named, name_of(by, whose_)}, by.slot_ms, used);
  }
  if (used.others_slot_ms > 0) add({cluster, UsedOf::others, ""}, used.others_slot_ms, used);
  if (used.unnamed_slot_ms > 0) add({cluster, UsedOf::unnamed, ""}, used.unnamed_slot_ms, used);
  int64_t& until_ms = counted_until_[cluster];
  until_ms = std::max(until_ms, std::min(used.until_ms, until_.ms));
}

void UsedByMeter::add(const Key& key, int64_t slot_ms, const wire::UsedSlots& of) {
  const bool full = sums_.size() >= kNamesMost && key.of == UsedOf::named && !sums_.contains(key);
  Sum& sum = sums_[full ? Key{key.cluster, UsedOf::others, ""} : key];
  sum += part_before(until_.ms, slot_ms, of) - part_before(since_.ms, slot_ms, of);
}

Json UsedByMeter::rows() const {
  Json list = Json::array();
  for (const auto& [key, sum] : sums_) {
    const UsedByRow row{key.cluster,
                        token(whose_),
                        key.name,
                        token(key.of),
                        static_cast<int64_t>(std::min<Wide>(sum / 1'000, INT64_MAX)),
                        {counted_until_.at(key.cluster)}};
    list.push_back(row_json(kUsedByFields, row));
  }
  return list;
}

}  // namespace leasehold
