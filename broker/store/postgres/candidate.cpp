#include "broker/store/postgres/candidate.hpp"

#include <algorithm>

#include "broker/store/postgres/could_lead.hpp"
#include "broker/store/postgres/roll.hpp"
#include "broker/store/postgres/schema.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

/// A broker that stands by asks so often whether it could take over, and so long after its start
/// first.
constexpr int64_t kLooksAheadMs = 10'000;
constexpr int64_t kLooksAheadFirstMs = 1'000;
/// The limit is no shorter than the time in which a connection is given up.
constexpr int64_t kAnswersWithinMs = 5'000;

/// Returns how long a session that leads, or would lead, waits for an answer: after its time to
/// live nobody counts on it, and a loop that waits serves nobody.
std::chrono::milliseconds answers_within(int64_t ttl_ms) {
  return std::chrono::milliseconds(std::max(ttl_ms, kAnswersWithinMs));
}

}  // namespace

Result<std::unique_ptr<PostgresCandidate>> PostgresCandidate::open(std::string url,
                                                                   Options options) {
  std::unique_ptr<PostgresCandidate> candidate(
      new PostgresCandidate(std::move(url), std::move(options)));
  if (Status connected = candidate->connect(); !connected) {
    return tl::unexpected(connected.error());
  }
  return candidate;
}

/// Drops what another session has watched: that may have been another server.
Status PostgresCandidate::connect() {
  watch_ = {};
  auto session = PostgresSession::open(url_, PostgresSession::Use::to_write,
                                       answers_within(options_.facts.ttl_ms));
  if (!session) return tl::unexpected(session.error());
  if (Status made = make_schema(**session); !made) return made;
  session_ = std::move(*session);
  return {};
}

LeaderWatch::Self PostgresCandidate::self() const {
  return {options_.facts.holder, own_, stepped_down_};
}

Status PostgresCandidate::ask() {
  if (!session_) {
    if (Status connected = connect(); !connected) return connected;
  }
  const int64_t before_ms = wall_time().ms;
  const Result<LeaderRow> row = read_leader(*session_);
  if (!row) return tl::unexpected(row.error());
  ahead_ = ahead_of_server(before_ms, row->server_ms, wall_time().ms);
  if (row->site == options_.facts.site) adopts_ = false;  // adopted, and committed
  // Rule 5: counted from receiving the answer.
  watch_.saw(*row, boottime_ms());
  return {};
}

/// Rule 15: keeps what a leader is seen to have committed.
Status PostgresCandidate::keep_followed() {
  const LeaderRow& row = watch_.row();
  if (!options_.last_commit || !row.seen_led || row.incarnation == own_) return {};
  return options_.last_commit->keep({row.epoch, row.incarnation, false, row.log_end, row.log_hash});
}

/// Only brokers of its site lead a database that names one, until a broker is started to adopt it.
Status PostgresCandidate::check_site() const {
  const std::string& known = watch_.row().site;
  const std::string& own = options_.facts.site;
  if (adopts_ || known.empty() || known == own) return {};
  const std::string whose = own.empty() ? "names no site" : "is of the site '" + own + "'";
  return fail(ErrorCode::usage,
              "this broker's file " + whose + ", but the database belongs to the site '" + known +
                  "': write [broker] site = \"" + known +
                  "\" or another database; where the site's name has really changed, start this "
                  "broker once with --adopt");
}

Result<Candidacy> PostgresCandidate::look() {
  if (Status asked = ask(); !asked) {
    session_.reset();
    return tl::unexpected(asked.error());
  }
  const LeaderRow& row = watch_.row();
  seen_->epoch = std::max(seen_->epoch, row.epoch);
  seen_->last_event = std::max(seen_->last_event, row.log_end);
  const bool led = !row.stepped_down && row.incarnation != own_;
  const int64_t now_ms = boottime_ms();
  const Status kept = keep_followed();
  Candidacy seen{
      watch_.may_take_over(self(), now_ms), row.holder, row.endpoints, row.epoch, row.log_end, led,
      watch_.wait_ms(self(), now_ms)};
  seen.evidence = watch_.evidence(self(), now_ms);
  seen.ahead_of_server = ahead_;
  seen.log_hash = row.log_hash;
  look_ahead(led, now_ms);
  seen.cannot_lead = cannot_lead_;
  if (!kept) seen.cannot_lead = kept.error().message;
  if (const Status same = check_site(); !same) {
    seen.may_lead = false;
    seen.cannot_lead = same.error().message;
  }
  return seen;
}

/// Checks, while another leads, whether this broker could: a session that this loses is replaced at
/// the next look.
void PostgresCandidate::look_ahead(bool led, int64_t now_ms) {
  if (looks_ahead_ms_ == 0) looks_ahead_ms_ = now_ms + kLooksAheadFirstMs;
  if (!led) cannot_lead_.clear();
  if (!led || now_ms < looks_ahead_ms_) return;
  looks_ahead_ms_ = now_ms + kLooksAheadMs;
  const Status could = check_could_lead(*session_);
  cannot_lead_ = could ? "" : describe(could.error());
}

Result<std::unique_ptr<Store>> PostgresCandidate::take_over() {
  if (options_.last_commit) {
    const Status good = options_.last_commit->usable();
    if (!good) return fail(ErrorCode::refused, good.error().message);
  }
  PostgresStore::Options options{options_.facts, options_.retention, options_.base_maker, seen_,
                                 options_.last_commit};
  auto store = PostgresStore::lead(std::move(session_), watch_.row(), std::move(options));
  watch_ = {};
  if (!store) return tl::unexpected(store.error());
  own_ = (*store)->leadership().incarnation;
  stepped_down_ = false;
  return std::unique_ptr<Store>(std::move(*store));
}

void PostgresCandidate::saw_epoch(int64_t epoch, uint64_t incarnation) {
  seen_->epoch = std::max(seen_->epoch, epoch);
  seen_->reported.saw(epoch, static_cast<int64_t>(incarnation));
}

}  // namespace leasehold
