#include "broker/rules/demand_aware/owner_unit.hpp"

#include <map>

#include "broker/rules/demand_aware/packing.hpp"

namespace leasehold::demand_aware {

OwnerNeed owner_need(const Waiting& job, std::span<const IdleRow> rows,
                     std::span<const int32_t> elsewhere) {
  Waiting one = job;
  one.jobs = 1;
  Packing packing(kProvider, rows, elsewhere, 0);
  OwnerNeed need;
  need.starts = packing.put(one).jobs > 0;
  std::map<uint32_t, int32_t> lent;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (rows[row].on_way > 0) lent[row] = rows[row].on_way;
  }
  if (!need.starts) {
    packing.take_used(rows);
    need.starts = packing.put(one).jobs > 0;
    for (const RowSlots& more : packing.reclaims()) lent[more.row] += more.slots;
  }
  for (const auto& [row, slots] : lent) need.lent.push_back({row, slots});
  if (need.starts) need.kept = packing.kept(rows);
  need.has_all = need.starts && need.lent.empty() && packing.moves().empty();
  return need;
}

}  // namespace leasehold::demand_aware
