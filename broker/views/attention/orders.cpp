// Finds what needs a person in operators' orders: those without an end. A freeze is reported at
// once, other orders after a day.
#include "broker/core/model/queries/orders_in_force.hpp"
#include "broker/views/attention/needs.hpp"

namespace leasehold::attention {

namespace {

constexpr int64_t kForgottenMs = int64_t{24} * 3'600'000;

std::string whose(const OrderInForce& order) {
  std::string text = order.by.empty() ? "an operator" : order.by;
  return order.why.empty() ? text : text + " (" + order.why + ")";
}

/// Adds a need if the order has no end and has been in force for at least `after_ms`.
void report_if_forgotten(Found& found, const OrderInForce& order, int64_t after_ms,
                         const std::string& subject, const std::string& what,
                         const std::string& command) {
  if (order.until != kNever) return;
  const Instant since = begin_of(order);
  const bool known = since.ms != INT64_MIN;
  if (known && found.now - since < after_ms) return;
  Need need{Kind::order_forgotten, subject, whose(order) + " " + what + ", without an end",
            command};
  if (known) need.since = since;
  need.reason = Reason::operator_order;
  found.needs.push_back(std::move(need));
}

void hosts_closed(Found& found, const Cluster& cluster) {
  for (const Host& host : cluster.hosts) {
    const std::string name = host.facts.name + "@" + cluster.name;
    if (host.closed) {
      report_if_forgotten(found, host.closed_order, kForgottenMs, name, "closed it",
                          "leasectl open " + name);
    }
    for (size_t i = 0; i < host.closed_for.size() && i < host.closed_for_orders.size(); ++i) {
      report_if_forgotten(found, host.closed_for_orders[i], kForgottenMs, name,
                          "closed it for " + host.closed_for[i],
                          "leasectl open " + name + " --for " + host.closed_for[i]);
    }
  }
}

}  // namespace

void find_in_orders(Found& found) {
  const State& state = found.state;
  if (state.frozen) {
    report_if_forgotten(found, state.freeze_order, 0, "", "froze the leases: nothing moves",
                        "leasectl thaw");
  }
  for (const Cluster& cluster : state.clusters) {
    const std::string resume = "leasectl resume " + cluster.name;
    if (cluster.draining_exports) {
      report_if_forgotten(found, cluster.exports_order, kForgottenMs, cluster.name,
                          "drains it: it exports nothing", resume);
    }
    if (cluster.draining_imports) {
      report_if_forgotten(found, cluster.imports_order, kForgottenMs, cluster.name,
                          "drains it: it leases nothing from others", resume);
    }
    hosts_closed(found, cluster);
  }
}

}  // namespace leasehold::attention
