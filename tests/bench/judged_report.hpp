// JudgedReport brings a report from its bytes to the core's state, as AgentPort does.
#pragma once

#include "broker/core/admission.hpp"
#include "broker/core/row_order.hpp"
#include "common/check.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::bench {

class JudgedReport {
 public:
  /// Steps the report's events with `feed`. False: it is refused, and nothing follows from it.
  template <class Feed>
  bool take(const State& state, uint32_t index, const Bytes& bytes, const Feed& feed) {
    LEASEHOLD_CHECK(wire::decode_into(bytes, report_).has_value(), "its bytes can be read");
    if (check_report(state, index, report_)) return false;
    const Cluster& cluster = state.clusters[index];
    StateReported event{cluster.name,     cluster.session, cluster.pending,
                        cluster.degraded, report_.state,   cluster.lease_bound_ms};
    sort_rows(event.state);
    if (drop_known(state, event)) feed(event);
    return true;
  }

 private:
  wire::Report report_;
};

}  // namespace leasehold::bench
