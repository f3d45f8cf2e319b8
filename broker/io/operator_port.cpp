#include "broker/io/operator_port.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "broker/io/operator_port_change.hpp"
#include "broker/views/queries.hpp"

namespace leasehold {

namespace {

/// Version of the requests: {"leasehold": 1, …}.
constexpr int kOperatorVersion = 1;
constexpr int64_t kRequestBytesMax = 1 << 20;
constexpr size_t kNameBytesMax = 64;

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

Result<Json> parse_request(const Bytes& bytes) {
  Json request = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!request.is_object()) {
    return fail(ErrorCode::usage,
                "the request is not a JSON object; it would be {\"leasehold\":1,\"command\":…}");
  }
  auto version = request.find("leasehold");
  if (version == request.end() || *version != kOperatorVersion) {
    return fail(ErrorCode::version, "the request is not of version 1, which this broker speaks");
  }
  return request;
}

/// Who asks, by their own word: keys that prove it come with CURVE.
std::string name_of(const Json& request) {
  std::string by = request_text(request, "by").substr(0, kNameBytesMax);
  return by.empty() ? "operator" : by;
}

/// Names what a reload would change, but not how many slots are in use just now.
std::string fingerprint(const Json& changes) {
  Json kept = changes;
  for (Json& row : kept) row.erase("slots_used_losing");
  return std::to_string(std::hash<std::string>{}(kept.dump()));
}

bool running_work_loses(const Json& changes) {
  for (const Json& row : changes) {
    if (row["slots_used_losing"] > 0) return true;
  }
  return false;
}

Json reload_json(const Json& changes, bool done) {
  Json result;
  result["command"] = "reload";
  result["done"] = done;
  result["detail"] = done ? "the configuration is in force" : "nothing was changed";
  result["running_work_loses"] = running_work_loses(changes);
  result["changes"] = changes;
  result["fingerprint"] = fingerprint(changes);
  return result;
}

}  // namespace

struct OperatorPort::Desk {
  struct Waiting {
    std::string peer;
    Event event;
    Json changes;  // of a reload
  };

  std::unique_ptr<Exchange> operators;
  HistoryWorker history;
  uint64_t ticket_next = 1;
  std::map<uint64_t, Waiting> waiting;          // for a commit
  std::map<uint64_t, std::string> questioning;  // the history thread, ticket -> peer

  Desk(std::unique_ptr<Exchange> open, HistoryLookup lookup)
      : operators(std::move(open)), history(std::move(lookup)) {}

  void send(const std::string& peer, const std::string& text);
  void send(const std::string& peer, const Json& reply) {
    send(peer, reply.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  std::optional<OperatorTask> dispatch(const std::string& peer, const Json& request,
                                       const OperatorContext& context);
  OperatorTask start(const std::string& peer, Event event, Json changes);
  void ask_history(const std::string& peer, Json request, Json base, std::string key);
  void query(const std::string& peer, const Json& request, const OperatorContext& context);
  std::optional<OperatorTask> change(const std::string& peer, Command command, const Json& request,
                                     const OperatorContext& context);
  std::optional<OperatorTask> reload(const std::string& peer, const Json& request,
                                     const OperatorContext& context);
};

void OperatorPort::Desk::send(const std::string& peer, const std::string& text) {
  // A peer that has gone has nobody left who waits: the answer is dropped.
  operators->send(peer, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

OperatorTask OperatorPort::Desk::start(const std::string& peer, Event event, Json changes) {
  const uint64_t ticket = ticket_next++;
  waiting[ticket] = {peer, event, std::move(changes)};
  return {ticket, std::move(event)};
}

void OperatorPort::Desk::ask_history(const std::string& peer, Json request, Json base,
                                     std::string key) {
  const uint64_t ticket = ticket_next++;
  if (!history.ask(ticket, std::move(request), std::move(base), std::move(key))) {
    send(peer,
         failure(
             {ErrorCode::refused, "too many questions about the past wait; ask again", {}, 0, 0}));
    return;
  }
  questioning[ticket] = peer;
}

void OperatorPort::Desk::query(const std::string& peer, const Json& request,
                               const OperatorContext& context) {
  Result<Json> answer =
      answer_query(context.state, context.liveness, context.value_source, request);
  if (!answer) return send(peer, failure(answer.error()));
  if (request_text(request, "command") != "lease") return send(peer, success(*std::move(answer)));
  Json decisions{{"command", "decisions"}, {"lease", request_text(request, "lease")}};
  ask_history(peer, std::move(decisions), *std::move(answer), "decisions");
}

std::optional<OperatorTask> OperatorPort::Desk::change(const std::string& peer, Command command,
                                                       const Json& request,
                                                       const OperatorContext& context) {
  Result<OperatorCommand> checked =
      operator_command(context.state, command, request, name_of(request));
  if (checked) return start(peer, *std::move(checked), nullptr);
  send(peer, failure(checked.error()));
  return std::nullopt;
}

std::optional<OperatorTask> OperatorPort::Desk::reload(const std::string& peer, const Json& request,
                                                       const OperatorContext& context) {
  Result<ConfigLoaded> loaded = context.read_configuration(name_of(request));
  if (!loaded) {
    send(peer, failure(loaded.error()));
    return std::nullopt;
  }
  Json changes = view_reload(context.state, *loaded, context.now);
  if (!request_flag(request, "apply")) {
    send(peer, success(reload_json(changes, false)));
    return std::nullopt;
  }
  const std::string shown = request_text(request, "fingerprint");
  if (!shown.empty() && shown != fingerprint(changes)) {
    send(peer, failure({ErrorCode::refused,
                        "what the reload would change is no longer what was shown; nothing was "
                        "changed, run it again",
                        {},
                        0,
                        0}));
    return std::nullopt;
  }
  return start(peer, *std::move(loaded), std::move(changes));
}

std::optional<OperatorTask> OperatorPort::Desk::dispatch(const std::string& peer,
                                                         const Json& request,
                                                         const OperatorContext& context) {
  const std::string name = request_text(request, "command");
  if (const std::optional<Command> command = command_from(name)) {
    return change(peer, *command, request, context);
  }
  if (name == "reload") return reload(peer, request, context);
  if (name == "history" || (name == "leases" && request.contains("at"))) {
    ask_history(peer, request, nullptr, "");
  } else if (is_query(name)) {
    query(peer, request, context);
  } else {
    send(peer,
         failure({ErrorCode::usage, "this broker knows no command '" + name + "'", {}, 0, 0}));
  }
  return std::nullopt;
}

Result<Channel> OperatorPort::listen(const std::string& endpoint) {
  ChannelLimits limits;
  limits.message_bytes_max = kRequestBytesMax;
  return Channel::listen(endpoint, limits);
}

OperatorPort::OperatorPort(std::unique_ptr<Exchange> operators, HistoryLookup lookup)
    : desk_(std::make_unique<Desk>(std::move(operators), std::move(lookup))) {}
OperatorPort::OperatorPort(OperatorPort&&) noexcept = default;
OperatorPort& OperatorPort::operator=(OperatorPort&&) noexcept = default;
OperatorPort::~OperatorPort() = default;

bool OperatorPort::receive_into(Frame& frame) {
  return desk_->operators->receive_into(frame);
}
int OperatorPort::history_fd() const {
  return desk_->history.fd();
}

std::optional<OperatorTask> OperatorPort::handle(const Frame& frame,
                                                 const OperatorContext& context) {
  Result<Json> request = parse_request(frame.bytes);
  if (request) return desk_->dispatch(frame.peer, *request, context);
  desk_->send(frame.peer, failure(request.error()));
  return std::nullopt;
}

void OperatorPort::finish(uint64_t ticket, const Status& outcome, const OperatorContext& context) {
  auto found = desk_->waiting.find(ticket);
  if (found == desk_->waiting.end()) return;
  const Desk::Waiting waiting = std::move(found->second);
  desk_->waiting.erase(found);
  if (!outcome) return desk_->send(waiting.peer, failure(outcome.error()));
  const OperatorCommand* command = std::get_if<OperatorCommand>(&waiting.event);
  desk_->send(waiting.peer, success(command != nullptr ? done_json(context.state, *command)
                                                       : reload_json(waiting.changes, true)));
}

void OperatorPort::send_history() {
  for (const HistoryWorker::Answer& answer : desk_->history.collect()) {
    auto found = desk_->questioning.find(answer.ticket);
    if (found == desk_->questioning.end()) continue;
    desk_->send(found->second, answer.text);
    desk_->questioning.erase(found);
  }
}

}  // namespace leasehold
