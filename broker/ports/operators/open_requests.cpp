// Makes the texts of answers, and refuses operators who lack the right, who ask too often, or whose
// key was taken away.
#include "broker/ports/operators/open_requests.hpp"

#include "broker/views/answer.hpp"
#include "common/log.hpp"

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

/// Makes the row of the history, if the rate of such rows allows one. Nobody waits for the task.
std::optional<OperatorTask> OpenRequests::remember(OperatorRefused refused, Instant now) {
  const std::optional<int64_t> times = refused_rate.count(refused.by, now);
  if (!times) return std::nullopt;
  refused.times = *times;
  return OperatorTask{0, std::move(refused), nullptr};
}

std::optional<OperatorTask> OpenRequests::refuse(const Call& call, Reason reason,
                                                 const Error& error) {
  send(call.peer, failure(error));
  OperatorRefused refused =
      refused_attempt(call.request, giver_of(call.asker, call.address), error);
  refused.reason = reason;
  if (log_rate.take("", 0, call.context.now.ms) == PeerRates::Verdict::taken) {
    log_warn("operator-refused", {{"by", refused.by},
                                  {"role", role_text(call.asker)},
                                  {"where", refused.where},
                                  {"command", refused.verb},
                                  {"object", refused.object},
                                  {"why", refused.why}});
  }
  return remember(std::move(refused), call.context.now);
}

/// The connection was let in, and its key was taken away since.
std::optional<OperatorTask> OpenRequests::refuse_stranger(const Frame& frame,
                                                          const Request& request, Instant now) {
  const std::string why = "this key does not belong to an operator any more";
  refuse(frame.peer, ErrorCode::refused, why);
  OperatorRefused refused = refused_attempt(request, {"key " + frame.key, where_of(frame.address)},
                                            {ErrorCode::refused, why, {}, 0, 0});
  refused.reason = Reason::not_allowed;
  return remember(std::move(refused), now);
}

/// False: the peer keeps within the rate. Else the request is dropped; the first one of a series is
/// answered, and `told` may become a row for the history.
bool OpenRequests::too_many(const Frame& frame, Instant now, std::optional<OperatorTask>& told) {
  const std::string& asker = frame.key.empty() ? frame.peer : frame.key;
  const PeerRates::Verdict verdict = rates.take(asker, frame.bytes.size(), now.ms);
  if (verdict == PeerRates::Verdict::taken) return false;
  if (verdict != PeerRates::Verdict::first_dropped) return true;
  const std::string why =
      "more than " + std::to_string(rates.per_second()) + " requests a second; the rest is dropped";
  refuse(frame.peer, ErrorCode::refused, "over-rate: " + why);
  const std::optional<Asker> known = operators.who(frame.key);
  OperatorRefused refused;
  refused.reason = Reason::over_rate;
  refused.by = known ? known->name : "local";
  refused.where = where_of(frame.address);
  refused.verb = "ask";
  refused.why = why;
  log_warn("operator-refused",
           {{"by", refused.by},
            {"where", refused.where},
            {"key", frame.key},
            {"reason", token(Reason::over_rate)},
            {"why", why},
            {"do", "look which script asks so often, or raise [limits] rate_per_peer"}});
  told = remember(std::move(refused), now);
  return true;
}

}  // namespace leasehold
