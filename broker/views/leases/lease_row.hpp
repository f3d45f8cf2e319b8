// LeaseRow: the row of a lease, as `leases` and `lease` show it (schema/json/leases.schema.json):
// the one place that knows its fields. It goes from lease to lease and keeps what repeats (names as
// JSON texts), so that a row costs only what is its own. It refers to the state, which must not
// change meanwhile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/leases/lease_facts.hpp"
#include "broker/views/lists/listed_row.hpp"
#include "broker/views/lists/row_text.hpp"

namespace leasehold {

class LeaseRow final : public ListedRow {
 public:
  explicit LeaseRow(const State& state);

  void go(const LeaseRef& lease);
  std::optional<std::string_view> word(std::string_view path) const override;
  /// "host" and "host@provider" stand for the hosts whose slots the lease has.
  void each_word(std::string_view path, const WordVisit& visit) const override;
  std::string key() const override;
  void append_to(std::string& text) override;

 private:
  void write_names();
  void write_kind();
  void write_slots();
  void write_side(int32_t available, int32_t used);
  void write_slots_down();
  void write_pending(size_t member);
  void write_time(Instant at);
  void write_instants();
  const std::string& cluster_text(size_t member);
  const std::string& policy_text();
  const Cluster& cluster(size_t member) const;
  bool of_plan() const { return group_->resource_group != kNoIndex; }

  const State& state_;
  LeaseFacts facts_;
  LeaseRef lease_;
  const SlotGroup* group_ = nullptr;
  RowText row_;
  // Names as JSON texts; empty: not yet needed.
  std::vector<std::string> cluster_texts_;
  std::vector<std::string> policy_texts_;
};

}  // namespace leasehold
