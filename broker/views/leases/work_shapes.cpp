#include "broker/views/leases/work_shapes.hpp"

#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

Json bucket_json(const wire::DemandBucket& bucket) {
  Json row;
  row["slots_per_host"] = bucket.slots_per_host;
  row["hosts"] = bucket.hosts;
  row["limit"] = token(bucket.limit);
  row["oldest"] = bucket.oldest_ms == 0 ? Json(nullptr) : rows::time({bucket.oldest_ms});
  row["jobs"] = bucket.jobs;
  row["slots"] = bucket.slots;
  row["host_types"] = bucket.host_types;
  row["whole"] = bucket.whole;
  return row;
}

Json demand_json(const wire::Demand& demand) {
  Json list = Json::array();
  for (const wire::DemandBucket& bucket : demand) list.push_back(bucket_json(bucket));
  return list;
}

Json ending_json(const wire::Ending& ending) {
  Json slots = Json::array();
  for (const wire::EndingSlots& row : ending.slots) {
    slots.push_back({{"left", token(row.left)}, {"slots", row.slots}});
  }
  const Json error = ending.error_milli < 0 ? Json(nullptr) : Json(ending.error_milli);
  return {{"slots", std::move(slots)}, {"error_milli", error}};
}

}  // namespace

Json work_json(const Cluster& cluster) {
  const bool in_contact = cluster.contact == Contact::ok;
  Json work;
  work["pending"] = in_contact ? Json(cluster.pending) : Json(nullptr);
  work["demand"] = in_contact && cluster.demand ? demand_json(*cluster.demand) : Json(nullptr);
  work["ending"] = in_contact && cluster.ending ? ending_json(*cluster.ending) : Json(nullptr);
  return work;
}

}  // namespace leasehold
