#include "broker/views/leases/order_words.hpp"

#include "broker/core/model/queries/hosts.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

namespace {

void add(Json& list, const char* verb, const std::string& object, const OrderInForce& order) {
  Json row = order_json(order);
  row["verb"] = verb;
  row["object"] = object;
  list.push_back(std::move(row));
}

void add_drains(Json& list, const State& state, const SlotGroup& group, size_t member) {
  const Cluster& provider = state.clusters[group.members[kProvider].cluster];
  const Cluster& consumer = state.clusters[group.members[member].cluster];
  if (provider.draining_exports) add(list, "drain", provider.name, provider.exports_order);
  if (consumer.draining_imports && &consumer != &provider) {
    add(list, "drain", consumer.name, consumer.imports_order);
  }
}

void add_closed(Json& list, const State& state, const SlotGroup& group, size_t member,
                uint32_t row) {
  const Host& host = host_of(state, group, row);
  const std::string name = rows::host_at(state, group, row);
  if (host.closed) add(list, "close", name, host.closed_order);
  for (size_t i = 0; i < host.closed_for.size(); ++i) {
    if (host.closed_for[i] != rows::cluster_name(state, group, member)) continue;
    add(list, "close", name, host.closed_for_orders[i]);
  }
}

}  // namespace

Json order_json(const OrderInForce& order) {
  return {{"by", rows::text_or_null(order.by)},
          {"where", rows::text_or_null(order.where)},
          {"why", rows::text_or_null(order.why)},
          {"since", rows::time(order.since)},
          {"until", rows::time(order.until)},
          {"from", order.from ? rows::time(*order.from) : Json(nullptr)}};
}

Json orders_on(const State& state, const SlotGroup& group, size_t member) {
  Json list = Json::array();
  if (state.frozen) add(list, "freeze", "", state.freeze_order);
  if (state.freeze_ahead) add(list, "freeze", "", *state.freeze_ahead);
  add_drains(list, state, group, member);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    add_closed(list, state, group, member, row);
  }
  return list;
}

std::string order_text(const Json& order) {
  std::string text = "by " + columns::text(order, "by");
  if (has_text(order, "from")) {
    text += " from " + columns::time(order, "from");
  } else if (has_text(order, "since")) {
    text += " since " + columns::time(order, "since");
  }
  if (has_text(order, "until")) text += ", until " + columns::time(order, "until");
  if (has_text(order, "why")) text += ": " + columns::text(order, "why");
  return text;
}

}  // namespace leasehold
