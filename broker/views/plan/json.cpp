#include "broker/views/plan/json.hpp"

#include <nlohmann/json.hpp>

#include "common/reason.hpp"

namespace leasehold {

namespace {

Json path_json(const Plan& plan, uint32_t consumer) {
  return consumer == kNoIndex ? Json(nullptr) : Json(plan.consumers[consumer].path);
}

}  // namespace

Json seconds_json(int64_t ms) {
  if (ms % 1000 == 0) return ms / 1000;
  return static_cast<double>(ms) / 1000;
}

Json plan_row_json(const Plan& plan, const PlanRow& row) {
  return {{"path", plan.consumers[row.consumer].path},
          {"demand", row.demand},
          {"allocated", row.allocated},
          {"owned", row.owned},
          {"reserved", row.reserved},
          {"limit", row.limit ? Json(*row.limit) : Json(nullptr)},
          {"quota", row.quota},
          {"borrowed", row.borrowed},
          {"lent", row.lent},
          {"shared", row.shared},
          {"free", row.free},
          {"change", row.change}};
}

Json plan_move_json(const Plan& plan, const PlanMove& move) {
  return {{"from", path_json(plan, move.from)},
          {"to", path_json(plan, move.to)},
          {"slots", move.slots},
          {"kind", move.reclaim() ? "reclaim" : "transfer"},
          {"grace_s", seconds_json(move.grace_ms)},
          {"reason", token(move.reason)},
          {"detail", sentence(move.reason)}};
}

}  // namespace leasehold
