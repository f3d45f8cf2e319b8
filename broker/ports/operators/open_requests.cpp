#include "broker/ports/operators/open_requests.hpp"

#include <algorithm>

#include "broker/ports/operators/reload.hpp"
#include "broker/ports/operators/replies.hpp"
#include "broker/ports/operators/sources.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request/request_json.hpp"
#include "common/log.hpp"
#include "common/text/json_text.hpp"

namespace leasehold {

namespace {

/// Questions that may wait for a thread, in all and of one asker (Call::limited_as()): the threads
/// are for everybody.
constexpr size_t kPastWaitingMax = 64;  // they may take long
constexpr size_t kPastOfAnAskerMax = 8;
constexpr size_t kPresentWaitingMax = 1024;
constexpr size_t kPresentOfAnAskerMax = 64;
/// Reloads that may wait for the configuration to be read.
constexpr size_t kUnreadOfAnAskerMax = 2;
constexpr size_t kUnreadMax = 16;

/// Parses the JSON; all code behind it gets a typed request.
Result<ReadRequest> parse_request(const Bytes& bytes, Instant now) {
  constexpr const char* kRight = "; it would be {\"leasehold\":1,\"command\":…}";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<Json> request = parse_json<Json>(text, JsonKeys::once);
  if (!request) {
    return fail(ErrorCode::usage, "the request " + request.error().message + kRight);
  }
  if (!request->is_object()) {
    return fail(ErrorCode::usage, std::string("the request is not a JSON object") + kRight);
  }
  auto version = request->find("leasehold");
  if (version == request->end() || *version != kRequestVersion) {
    return fail(ErrorCode::version, "the request is not of version 1, which this broker speaks");
  }
  return read_request(*request, now);
}

}  // namespace

OpenRequests::OpenRequests(std::unique_ptr<Exchange> open, Lookups who_answers)
    : line(std::move(open)),
      lookups(std::move(who_answers)),
      past({kPastWaitingMax}),
      present({kPresentWaitingMax}),
      following({0, lookups.follow}) {}

void OpenRequests::send_answers(AnswerThread& thread) {
  for (AnswerThread::Answer& answer : thread.collect()) {
    auto found = questioning.find(answer.ticket);
    if (found == questioning.end()) continue;
    // After a lost part the parts behind it would make another answer.
    const bool sent = line->send_whole(found->second.peer, std::move(answer.text));
    if (answer.last || !sent) questioning.erase(found);
  }
}

/// Over CURVE the key tells who asks; on a plain endpoint the peer's own claim does.
std::optional<Asker> OpenRequests::who(const Frame& frame, const Request& request) const {
  if (frame.key.empty()) return local_asker(request.by);
  return operators.who(frame.key);
}

OperatorTask OpenRequests::start(const std::string& peer, Event event, Json preview) {
  const uint64_t ticket = ticket_next++;
  waiting[ticket] = {peer, event, std::move(preview)};
  return {ticket, std::move(event), nullptr};
}

void OpenRequests::ask(const Call& call, AnswerThread& thread, uint64_t ticket,
                       AnswerThread::Making making) {
  const std::string& asker = call.limited_as();
  const auto mine = std::count_if(questioning.begin(), questioning.end(), [&](const auto& each) {
    return each.second.asker == asker && each.second.by == &thread;
  });
  const size_t most = &thread == &past ? kPastOfAnAskerMax : kPresentOfAnAskerMax;
  if (static_cast<size_t>(mine) >= most || !thread.ask(ticket, std::move(making))) {
    return refuse(call.peer, ErrorCode::refused, "too many questions wait for answers; ask again");
  }
  questioning[ticket] = {call.peer, asker, &thread};
}

void OpenRequests::ask_past(const Call& call, Request question) {
  const LeaderView& leader_view = call.context.liveness.leader_view;
  // The thread of the past would wait for a database that answers nothing.
  if (const std::optional<Error> no = only_in_database(leader_view)) {
    return send(call.peer, with_nobody(failure(*no), leader_view));
  }
  ask(call, past, ticket_next++,
      [look_up = lookups.past, silent = lookups.silent, leader_view = LeaderView(leader_view),
       question = std::move(question)]() mutable {
        Result<Json> found = look_up(question);
        if (!found && silent && !leader_view.nobody) leader_view.nobody = silent();
        return text_of(
            with_nobody(found ? success(*std::move(found)) : failure(found.error()), leader_view));
      });
}

void OpenRequests::ask_present(const Call& call) {
  const OperatorContext& context = call.context;
  PresentQuestion question{
      call.request, context.durable_event, context.now, nullptr, {}, access, {}};
  question.from_memory = context.liveness.leader_view.nobody.has_value();
  if (call.request.row->uses_liveness) {
    question.liveness = std::make_shared<const Liveness>(context.liveness);
  }
  if (access != nullptr) {
    question.sources = {policy_source_of(access->written),
                        plan_source_of(access->plans, context.now)};
  }
  // A standby's answer names the leader.
  const LeaderView& leader_view = context.liveness.leader_view;
  // The thread of the present may wait for a database that stands still.
  if (call.request.row->answered_by == AnsweredBy::broker && lookups.leader_view) {
    return send(call.peer, success_text(lookups.leader_view(question), leader_view));
  }
  const uint64_t ticket = ticket_next++;
  ask(call, present, ticket,
      [this, ticket, leader_view, answer = lookups.present,
       question = std::move(question)]() mutable {
        bool begun = false;
        if (question.request.parts) {
          question.take = [&](const AsOf& of, std::string&& json) {
            if (!std::exchange(begun, true)) json.insert(0, success_begin(of, leader_view));
            present.tell(ticket, std::move(json) + kMoreComes);
          };
        }
        Result<PresentAnswer> found = answer(question);
        if (!found) return text_of(with_nobody(failure(found.error()), leader_view));
        return begun ? std::move(found->json) + '}' : success_text(*std::move(found), leader_view);
      });
}

void OpenRequests::question(const Call& call) {
  if (call.request.row->answer != nullptr && !call.request.at) return ask_present(call);
  Request question = call.request;
  // The answer ends now: while nothing changes no event would tell how long that lasted.
  if (question.row->over_time) {
    question.until = std::min(question.until.value_or(call.context.now), call.context.now);
  }
  ask_past(call, std::move(question));
}

std::optional<OperatorTask> OpenRequests::change(const Call& call) {
  if (call.request.row->command == Command::step_down &&
      call.context.liveness.leader_view.role == BrokerRole::alone) {
    return refuse(
        call, Reason::operator_order,
        {ErrorCode::refused,
         "this broker's database is a file, so no other can lead; to end it, stop its service",
         {},
         0,
         0});
  }
  Result<OperatorCommand> checked =
      operator_command(call.context.state, call.request, giver_of(call.asker, call.address));
  if (checked && call.request.preview) {
    const OperatorContext& context = call.context;
    send(call.peer, success(forget_preview(context.state, context.liveness, checked->cluster)));
    return std::nullopt;
  }
  if (checked) return start(call.peer, *std::move(checked), nullptr);
  if (call.request.row->command == Command::forget) {
    const OperatorContext& context = call.context;
    checked.error().message +=
        in_contact_until(context.state, context.liveness, call.request.cluster);
  }
  return refuse(call, Reason::operator_order, checked.error());
}

/// Each asker may have a few reloads that wait for the file, and all together a few more: a file
/// system that answers nothing must not collect requests.
bool OpenRequests::has_room_to_wait(const Call& call) const {
  const auto mine = std::count_if(unread.begin(), unread.end(), [&](const Unread& each) {
    return each.asker == call.limited_as();
  });
  return static_cast<size_t>(mine) < kUnreadOfAnAskerMax && unread.size() < kUnreadMax;
}

std::optional<OperatorTask> OpenRequests::reload(const Call& call) {
  const OperatorContext& context = call.context;
  uint64_t reading = call.reading;
  if (reading == 0 && !has_room_to_wait(call)) {
    refuse(call.peer, ErrorCode::refused,
           "too many reloads wait for the configuration to be read; ask again");
    return std::nullopt;
  }
  std::optional<Result<ConfigRead>> found = context.read_configuration(reading, call.asker.name);
  if (!found) {
    unread.push_back({call.frame, reading, call.limited_as()});
    return std::nullopt;
  }
  Result<ConfigRead>& read = *found;
  if (!read) {
    send(call.peer, failure(read.error()));
    return std::nullopt;
  }
  Json preview = preview_reload(context.state, context.liveness, *read, access.get(), context.now);
  if (!call.request.apply) {
    send(call.peer, success(std::move(preview)));
    return std::nullopt;
  }
  const std::string& shown = call.request.fingerprint;
  if (!shown.empty() && shown != text_at(preview, "fingerprint")) {
    refuse(call.peer, ErrorCode::refused,
           "what the reload would change is no longer what was shown; nothing was changed, run it "
           "again");
    return std::nullopt;
  }
  read->loaded.where = where_of(call.address);
  read->loaded.changes = reload_in_words(preview);
  OperatorTask task = start(call.peer, std::move(read->loaded), std::move(preview));
  task.access = std::move(read->access);
  return task;
}

std::optional<OperatorTask> OpenRequests::dispatch(const Call& call) {
  const Request& request = call.request;
  if (const std::optional<Error> no = forbidden(call.asker, request.command)) {
    return refuse(call, Reason::not_allowed, *no);
  }
  if (request.row == nullptr) {
    refuse(call.peer, ErrorCode::usage, "this broker knows no command '" + request.command + "'");
    return std::nullopt;
  }
  if (request.row->is_change()) {
    if (call.context.elsewhere != nullptr) {
      send(call.peer,
           with_nobody(failure(*call.context.elsewhere), call.context.liveness.leader_view));
      return std::nullopt;
    }
    if (call.mistake) return refuse(call, Reason::operator_order, *call.mistake);
    return request.row->command ? change(call) : reload(call);
  }
  if (call.mistake) {
    send(call.peer, failure(*call.mistake));
  } else {
    question(call);
  }
  return std::nullopt;
}

std::optional<OperatorTask> OpenRequests::handle(const Frame& frame, const OperatorContext& context,
                                                 uint64_t reading) {
  const Result<ReadRequest> read = parse_request(frame.bytes, context.now);
  if (!read) {
    send(frame.peer, failure(read.error()));
    return std::nullopt;
  }
  const auto& [request, mistake] = *read;
  std::optional<Asker> asker = who(frame, request);
  if (!asker) return refuse_stranger(frame, request, context.now);
  return dispatch(
      {frame.peer, frame.address, *std::move(asker), request, mistake, context, frame, reading});
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
                                  {"why", refused.why},
                                  {"then", "nothing changes; the answer gives the reason"},
                                  {"do", "look who asks, and for what"}});
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
/// answered, and `refusal` may become a row for the history.
bool OpenRequests::too_many(const Frame& frame, Instant now, std::optional<OperatorTask>& refusal) {
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
            {"then", "nothing changes; the answer gives the reason"},
            {"do", "look which script asks so often, or raise [limits] rate_per_peer"}});
  refusal = remember(std::move(refused), now);
  return true;
}

}  // namespace leasehold
