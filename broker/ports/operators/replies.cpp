#include "broker/ports/operators/replies.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

Json success(Json result) {
  Json reply;
  reply["ok"] = true;
  reply["result"] = std::move(result);
  return reply;
}

Json failure(const Error& error) {
  Json reply;
  reply["ok"] = false;
  reply["error"] = error_json(error);
  return reply;
}

std::string text_of(const Json& reply) {
  return reply.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json with_nobody(Json reply, const LeaderView& leader_view) {
  if (leader_view.nobody) reply["nobody_leads"] = nobody_json(leader_view.nobody);
  return reply;
}

std::string success_begin(const AsOf& as_of, LeaderView leader_view) {
  if (as_of.nobody) leader_view.nobody = as_of.nobody;
  Json begin = with_nobody({{"ok", true}}, leader_view);
  begin["as_of"] = {{"event", as_of.event}, {"time", format_utc(as_of.time)}};
  const bool led = leader_view.role == BrokerRole::standby && !leader_view.nobody;
  if (led && !leader_view.leader.empty()) begin["as_of"]["leader"] = leader_view.leader;
  std::string text = text_of(begin);
  text.pop_back();
  return text + R"(,"result":)";
}

std::string success_text(PresentAnswer answer, const LeaderView& leader_view) {
  return std::move(answer.json).insert(0, success_begin(answer.as_of, leader_view)) + '}';
}

std::string where_of(const std::string& address) {
  return address.empty() ? "local" : address;
}

Giver giver_of(const Asker& asker, const std::string& address) {
  return {asker.name, where_of(address)};
}

}  // namespace leasehold
