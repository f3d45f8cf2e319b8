#include "broker/views/leases/compared.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/lists/listings.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

constexpr Field<ComparedRow> kComparedFields[] = {
    {{"lease", "LEASE"}, [](auto& r) { return r.lease; }},
    {{"policy"}, [](auto& r) { return r.policy; }},
    {{"provider"}, [](auto& r) { return rows::text_or_null(r.provider); }},
    {{"consumer"}, [](auto& r) { return r.consumer; }},
    {{"rule", "RULE", kLeft, 2}, [](auto& r) { return token(r.rule); }},
    {{"shadow", "SHADOW"}, [](auto& r) { return token(r.shadow); }},
    {{"evaluations", "EVALUATIONS", kRight, kOnlyWide},
     [](auto& r) { return r.counts.evaluations; }},
    {{"flips", "FLIPS", kRight}, [](auto& r) { return r.counts.flips; }},
    {{"slots_moved", "MOVED", kRight}, [](auto& r) { return r.counts.slots_moved; }},
    {{"rule_moves", "DECIDED", kRight, kOnlyWide}, [](auto& r) { return r.counts.rule_moves; }},
    {{"rule_slots", "OF SLOTS", kRight, kOnlyWide}, [](auto& r) { return r.counts.rule_slots; }},
    {{"shadow_moves", "WOULD FLIP", kRight}, [](auto& r) { return r.counts.shadow_moves; }},
    {{"shadow_slots", "WOULD MOVE", kRight}, [](auto& r) { return r.counts.shadow_slots; }},
    {{"same_ms", "SAME", kRight, 0, columns::duration}, [](auto& r) { return r.same_ms; }},
    {{"differed_ms", "DIFFERED", kRight, 0, columns::duration},
     [](auto& r) { return r.differed_ms; }},
    {{"reasons"}, [](auto& r) { return r.reasons; }},
};

}  // namespace

std::span<const columns::Column> compared_fields() {
  return shown_of<kComparedFields>();
}

Json compared_row(const ComparedRow& row) {
  return row_json(kComparedFields, row);
}

}  // namespace leasehold
