#include "broker/daemon/present.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "broker/daemon/machine_findings.hpp"
#include "broker/metrics/metrics.hpp"
#include "broker/replay/lookup.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/attention/doctor.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request/selection.hpp"
#include "common/log.hpp"
#include "common/metrics/text.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

std::string text_of(const Json& answer) {
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

/// Reads no log: people ask which broker leads above all when the log cannot be read.
PresentAnswer Present::leader_view(const PresentQuestion& question) {
  AsOf known;
  {
    const std::lock_guard lock(mutex_);
    known = known_;
  }
  const Liveness none;
  LeaderView own = (question.liveness ? *question.liveness : none).leader_view;
  if (own.cannot_lead.empty()) own.cannot_lead = own_file_.cannot_lead();
  const Json rows = Json::array({broker_row(own, known.event, question.now)});
  return {text_of(rows), known, std::nullopt};
}

Result<PresentAnswer> Present::answer(const PresentQuestion& question) {
  const RequestRow& row = *question.request.row;
  if (row.answered_by == AnsweredBy::broker) return leader_view(question);
  Result<Held> held = known(question.event, question.from_memory);
  if (!held) return tl::unexpected(held.error());
  followed_.let_pass(question.now);
  const Liveness none;
  const Liveness& given = question.liveness ? *question.liveness : none;
  const Liveness own = with_own_file(given);
  const Liveness& liveness = own.leader_view.cannot_lead.empty() ? given : own;
  const State& state = followed_.state();
  const AsOf of = as_of();
  if (row.added == Added::machine) {
    return PresentAnswer{text_of(doctor(given, liveness)), of, std::nullopt};
  }
  if (row.added != Added::decisions) {
    TakePart take;
    if (question.take) take = [&](std::string&& part) { question.take(of, std::move(part)); };
    Result<Selected> found = answer_selected({state, liveness, question.sources, question.request},
                                             question.selection, take);
    if (!found) return tl::unexpected(found.error());
    return PresentAnswer{std::move(found->json), of, std::move(found->next)};
  }
  Result<Json> lease = answer_query(state, liveness, question.sources, question.request);
  held->unlock();
  if (!lease) return tl::unexpected(lease.error());
  return with_decisions(question, *std::move(lease), of);
}

Json Present::doctor(const Liveness& given, const Liveness& liveness) {
  Json findings = view_doctor(followed_.state(), liveness);
  add_machine_findings(log_, findings);
  add_difference(liveness.leader_view.name, findings);
  if (const std::string& why = given.leader_view.cannot_lead; !why.empty()) {
    findings.push_back(finding_json(
        Checked::broker, given.leader_view.name, "it is a standby, and could not take over: " + why,
        "correct that on this machine; until then this broker cannot take over"));
  }
  return findings;
}

/// Decisions are in the log alone: while the database is silent the answer comes without them.
Result<PresentAnswer> Present::with_decisions(const PresentQuestion& question, Json lease,
                                              AsOf of) {
  if (question.from_memory) return PresentAnswer{text_of(lease), of, std::nullopt};
  const auto decisions = std::make_shared<Json>();
  const Status read = read_log(
      [this, decisions, id = text_at(lease, "id")] { return read_decisions(id, *decisions); });
  of.nobody = silent();
  if (!read && !of.nobody) return tl::unexpected(read.error());
  if (read) {
    lease["decisions"] = std::move(*decisions);
    show_branch(question.request, lease);
  }
  return PresentAnswer{text_of(lease), of, std::nullopt};
}

/// Reads the log that was followed: another log may give the id to another lease.
Status Present::read_decisions(const std::string& lease, Json& decisions) {
  if (followed_.log() == nullptr) {
    if (Status done = catch_up(); !done) return done;
  }
  Result<Json> found = last_decisions(*followed_.log(), lease);
  if (!found) return tl::unexpected(found.error());
  decisions = *std::move(found);
  return {};
}

/// Contract: followed_ is held.
AsOf Present::as_of() const {
  return {followed_.last_event(), followed_.time(), silent()};
}

Result<std::string> Present::metrics(const MetricsQuestion& question) {
  const std::optional<Error> unread = only_in_database(question.leader_view);
  Result<Held> held = unread ? Result<Held>(tl::unexpected(*unread)) : known(question.event);
  const bool done = held.has_value();
  if (!done && question.leader_view.role == BrokerRole::alone) return tl::unexpected(held.error());
  const Held mine = done ? *std::move(held) : followed_.hold();
  if (done || !whole_) whole_ = question.leader_view.looked;
  const State no_state;
  const Liveness none;
  const LoopFigures nothing;
  MetricsInput input{done ? followed_.state() : no_state,
                     question.liveness ? *question.liveness : none,
                     question.figures ? *question.figures : nothing};
  input.http = question.http;
  input.database_failing = question.database_failing;
  input.leader_view = question.leader_view;
  input.leader_view.looked = *whole_;
  input.now = question.now;
  input.boottime_ms = boottime_ms();
  if (!done) return metrics_text(role_samples(input));
  followed_.let_pass(question.now);
  input.disk = look_at_disk(log_);
  input.last_event = followed_.last_event();
  const std::optional<std::string> difference = own_file_.difference(followed_.state());
  if (difference) input.own_file_differs = !difference->empty();
  input.series_most = question.series_most;
  return metrics_text(broker_samples(input));
}

std::optional<NobodyLeads> Present::silent() const {
  const std::lock_guard lock(mutex_);
  return silent_;
}

void Present::publish_nobody_leads(const std::optional<NobodyLeads>& nobody) {
  const std::lock_guard lock(mutex_);
  silent_ = nobody && nobody->unread ? nobody : std::nullopt;
}

/// Work that was begun when the database fell silent is done later, and serves the next question.
Status Present::read_log(std::function<Status()> read) {
  return unless_silent(aside_, std::move(read));
}

/// Holds the state after `event`, or a later one. A state further than the loop has committed may
/// be of a log that lost its end, so the log is read again.
Result<Present::Held> Present::known(int64_t event, bool from_memory) {
  Held held = followed_.hold();
  if (from_memory && followed_.is_known()) return held;
  const bool further = event != 0 && followed_.last_event() > event;
  if (followed_.reached(event) && !further) return held;
  held.unlock();
  const Status done = read_log([this] { return catch_up(); });
  held.lock();
  if (!done && !silent()) return tl::unexpected(done.error());
  if (followed_.is_known()) return held;
  if (!done) return tl::unexpected(done.error());
  return fail(ErrorCode::io,
              "the log could be read a moment ago and cannot be read now; ask again");
}

Result<Branch> Present::branch(const std::string& path, int64_t event, bool from_memory) {
  const Result<Held> held = known(event, from_memory);
  if (!held) return tl::unexpected(held.error());
  return Branch(followed_.state(), path);
}

Status Present::followed() {
  return read_log([this] { return catch_up(); });
}

void Present::close() {
  aside_.begin([this] { followed_.close(); }).wait();
}

void Present::follow() {
  const Status done = followed();
  if (done) log_difference();
  const bool fails = !done;
  if (failing_.exchange(fails) == fails) return;
  if (!fails) return log_info("log-read-again");
  log_warn("log-not-read", {{"why", describe(done.error())},
                            {"then",
                             "each question reads the log again; while nobody leads it is "
                             "answered as of the last event that was read"},
                            {"do", "repair the database or the network to it"}});
}

/// Logs each new difference once.
void Present::log_difference() {
  const Held held = followed_.hold();
  if (!followed_.is_known()) return;
  const std::string difference = own_file_.difference(followed_.state()).value_or("");
  if (difference == logged_difference_) return;
  logged_difference_ = difference;
  if (difference.empty()) return log_info("configuration-match");
  log_warn("configuration-mismatch", {{"why", "this broker's file is not what is in force"},
                                      {"then", "if it led, this would change: " + difference},
                                      {"do", "make the files alike, and reload all brokers"}});
}

void Present::add_difference(const std::string& name, Json& findings) {
  const std::optional<std::string> difference = own_file_.difference(followed_.state());
  if (!difference) return;
  findings.push_back(
      difference->empty()
          ? sound_json(Checked::broker, "its own configuration file is what is in force")
          : finding_json(Checked::broker, name,
                         "its own configuration file is not what is in force: if it took over: " +
                             *difference,
                         "make the brokers' files alike, then systemctl reload lease-broker on "
                         "every machine"));
}

/// If this broker stands by and could not lead by its file: a copy of `liveness` that says so. Else
/// an empty one, so that a leader's liveness, the largest, is never copied.
Liveness Present::with_own_file(const Liveness& liveness) {
  own_file_.difference(followed_.state());
  const std::string why = own_file_.cannot_lead();
  if (why.empty() || !liveness.leader_view.cannot_lead.empty()) return {};
  Liveness own = liveness;
  own.leader_view.cannot_lead = why;
  return own;
}

/// Follows the log to its end; makes the base that is wanted on the way, after its event.
Status Present::catch_up() {
  Status done = catch_up_to_end();
  if (!done) return done;
  const std::lock_guard lock(mutex_);
  known_ = {followed_.last_event(), followed_.time(), {}};
  return done;
}

Status Present::catch_up_to_end() {
  if (const std::optional<WantedBase> wanted = take_wanted()) {
    if (Status done = followed_.catch_up(wanted->last_event); !done) return done;
    make_base(*wanted);
  }
  return followed_.catch_up();
}

/// Skipped if the log was followed past that event, or has another row than was to be committed:
/// the store then makes the base itself.
void Present::make_base(const WantedBase& wanted) {
  if (followed_.last_event() != wanted.last_event || followed_.hash() != wanted.log_hash) return;
  MadeBase made = followed_.base(wanted.unimaged);
  const std::lock_guard lock(mutex_);
  if (!wanted_) made_ = std::move(made);
}

std::optional<WantedBase> Present::take_wanted() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wanted_, std::nullopt);
}

void Present::want(WantedBase wanted) {
  const std::lock_guard lock(mutex_);
  wanted_ = std::move(wanted);
  made_.reset();
}

std::optional<MadeBase> Present::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(made_, std::nullopt);
}

}  // namespace leasehold
