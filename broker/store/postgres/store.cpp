#include "broker/store/postgres/store.hpp"

#include <algorithm>

#include "broker/store/bases.hpp"
#include "broker/store/coming_row.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/postgres/kept_log.hpp"
#include "broker/store/postgres/log.hpp"
#include "broker/store/postgres/schema.hpp"
#include "common/check.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

/// The leader renews this often within its time to live.
constexpr int64_t kRenewals = 5;

/// One statement and one round trip: it commits by itself, if the UPDATE finds its row (rules 1
/// and 2).
const std::string kCommit =
    "WITH mine AS (UPDATE leader SET renewal = renewal + 1, log_end = $1, log_hash = $2, " +
    kWrittenSql +
    " WHERE epoch = $3 AND incarnation = $4 AND log_end = $5 AND log_hash = $6 AND server = $7 "
    "AND " +
    kServerSql + " = $7 AND " + kDurableSql +
    " RETURNING 1) INSERT INTO log SELECT $8::bigint, $9::bigint, $10::bigint, $11::boolean, "
    "$12::integer, $13::bigint, $14::bytea, $2 FROM mine";

pqxx::binarystring blob(const Hash& hash) {
  return pqxx::binarystring(std::string(bytes_of(hash)));
}

}  // namespace

struct PostgresStore::Parts {
  Options options;
  std::unique_ptr<PostgresSession> session;
  Leadership mine;
  std::optional<PostgresLog> log;
  std::optional<PostgresKept> kept;
  std::optional<Bases> bases;
  LogEnd end;
  ComingRow coming;
  bool older = false;
  bool loses_nothing = false;
  int64_t said_ms = 0;  // when the last commit or renewal that came through was sent
  std::string broken;
  Instant now;  // of the last commit
  struct Compaction {
    bool wanted = false;
    int64_t from_ms = INT64_MIN;  // after a failure: by CLOCK_BOOTTIME
    std::string error = {};
  } compaction;

  Status lead(const LeaderRow& row);
  Status write_row(const LogRow& row);
  void after_commit(State& state);
  void after_renewal();
  void tell_short(const Status& kept_short);
  Status shorten(const State& state);
  Status compact();
  Status renew();
  Status lost(const Status& why);
};

/// Locks the row until the first commit; what others committed before is read after it (rule 6).
Status PostgresStore::Parts::lead(const LeaderRow& row) {
  if (Status begun = session->begin(PostgresSession::Sees::newest); !begun) return begun;
  const Result<Leadership> taken =
      leasehold::take_over(*session, row, options.seen->epoch, options.facts);
  if (!taken) return tl::unexpected(taken.error());
  // A newer release may have changed the tables since this session was opened; now it would wait.
  if (Status known = check_schema(*session); !known) return known;
  mine = *taken;
  options.seen->epoch = std::max(options.seen->epoch, mine.epoch);
  older = mine.log_end < options.seen->last_event;
  loses_nothing = !older && leasehold::loses_nothing(row, options.seen->reported);
  if (loses_nothing) {
    const Result<bool> known = is_borne_out(row, options.last_commit.get(), *log);
    if (!known) return tl::unexpected(known.error());
    loses_nothing = *known;
  }
  const Result<LogEnd> read = read_end(*log);
  if (!read) return tl::unexpected(read.error());
  end = *read;
  if (end.last_event != mine.log_end || end.hash != mine.log_hash) {
    return ends_elsewhere(*session);
  }
  bases.emplace(*log, *kept, options.base_maker);
  return bases->begin();
}

Status PostgresStore::Parts::write_row(const LogRow& row) {
  int64_t sent_ms = boottime_ms();
  const auto done = session->run(kCommit, end.last_event, blob(row.hash), mine.epoch,
                                 mine.incarnation, mine.log_end, blob(mine.log_hash), mine.server,
                                 row.first_event, row.batch, row.time.ms, row.clock_set,
                                 row.core_version, row.epoch, pqxx::binarystring(row.body));
  if (!done) return tl::unexpected(done.error());
  if (done->affected_rows() != 1) return deposed(*session);
  if (session->has_begun()) {
    sent_ms = boottime_ms();  // nobody sees the row before
    if (Status committed = session->commit(); !committed) return committed;
  }
  mine.log_end = end.last_event;
  mine.log_hash = row.hash;
  said_ms = sent_ms;
  options.seen->last_event = std::max(options.seen->last_event, mine.log_end);
  kept->committed(row);
  if (!options.last_commit) return {};
  const Status noted =
      options.last_commit->keep({mine.epoch, mine.incarnation, true, mine.log_end, mine.log_hash});
  // Refused: nothing is wrong with the database, and another broker may lead.
  if (noted) return {};
  return fail(ErrorCode::refused, noted.error().message + " ([broker] last_commit_file)");
}

/// Rule 4: whatever went wrong ends the leadership; memory and session are of no more use.
Status PostgresStore::Parts::lost(const Status& why) {
  broken = why.error().message;
  session->roll_back();
  return why;
}

Status PostgresStore::Parts::renew() {
  const int64_t sent_ms = boottime_ms();
  const Status done = leasehold::renew(*session, mine);
  if (!done) return lost(done);
  said_ms = sent_ms;
  return done;
}

/// No part of the commit, which stands whatever becomes of this. Rule 4 ends the leadership of who
/// does not know what became of its last commit: here the row tells it, or it is over.
void PostgresStore::Parts::tell_short(const Status& kept_short) {
  compaction.error = kept_short ? "" : kept_short.error().message;
  if (kept_short) return;
  compaction.from_ms = boottime_ms() + options.retention_pause_ms;
  compaction.wanted = true;
  kept->forget();
  const Status leads = renew();
  (void)leads;  // the next commit says it
}

void PostgresStore::Parts::after_commit(State& state) {
  clear_marks(state);
  now = state.now;
  if (boottime_ms() >= compaction.from_ms) tell_short(shorten(state));
}

/// Goes on with what compaction left, also where nothing is committed for long.
void PostgresStore::Parts::after_renewal() {
  if (compaction.wanted && boottime_ms() >= compaction.from_ms) tell_short(compact());
}

Status PostgresStore::Parts::shorten(const State& state) {
  const Result<bool> finished = bases->after_commit(options.retention, end, state);
  if (!finished) return tl::unexpected(finished.error());
  compaction.wanted = compaction.wanted || *finished;
  return compaction.wanted ? compact() : Status{};
}

/// Does as much of the compaction as one turn may.
Status PostgresStore::Parts::compact() {
  kept->begin_turn();
  if (kept->has_left()) return kept->go_on();
  if (Status done = bases->compact(options.retention, now); !done) return done;
  compaction.wanted = kept->waits();
  return {};
}

PostgresStore::PostgresStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PostgresStore::~PostgresStore() = default;

Result<std::unique_ptr<PostgresStore>> PostgresStore::lead(std::unique_ptr<PostgresSession> session,
                                                           const LeaderRow& watched,
                                                           Options options) {
  auto parts = std::make_unique<Parts>();
  parts->options = std::move(options);
  parts->session = std::move(session);
  parts->log.emplace(*parts->session);
  parts->kept.emplace(*parts->session, parts->mine);
  if (Status leads = parts->lead(watched); !leads) return tl::unexpected(leads.error());
  return std::unique_ptr<PostgresStore>(new PostgresStore(std::move(parts)));
}

Result<State> PostgresStore::load() {
  Result<State> state = load_state(*parts_->log);
  if (state) parts_->coming.begin(*state);
  return state;
}

void PostgresStore::append(const Event& event, Instant now, std::span<const Record> records,
                           const State& state) {
  parts_->coming.add(event, now, records, state);
}

Status PostgresStore::commit(State& state) {
  if (!parts_->broken.empty()) {
    return fail(ErrorCode::io, "this broker no longer leads: " + parts_->broken);
  }
  if (parts_->coming.is_empty()) return {};
  const LogRow& row = parts_->coming.make(state, parts_->mine.epoch, parts_->end);
  parts_->bases->before_commit(row, parts_->end.last_event, state);
  if (Status written = parts_->write_row(row); !written) return parts_->lost(written);
  parts_->after_commit(state);
  return {};
}

Leads PostgresStore::leads() const {
  return {parts_->mine.epoch, static_cast<uint64_t>(parts_->mine.incarnation),
          parts_->options.facts.ttl_ms};
}

/// Rule 8: the time counts from the sending; others count from receiving what it said, so later.
int64_t PostgresStore::leads_until_ms() const {
  const int64_t ttl_ms = parts_->options.facts.ttl_ms;
  return parts_->broken.empty() ? parts_->said_ms + ttl_ms - leader_margin_ms(ttl_ms) : INT64_MIN;
}

int64_t PostgresStore::next_renewal_ms() const {
  return parts_->said_ms + parts_->options.facts.ttl_ms / kRenewals;
}

bool PostgresStore::database_older() const {
  return parts_->older;
}

bool PostgresStore::loses_nothing() const {
  return parts_->loses_nothing;
}

Status PostgresStore::renew() {
  LEASEHOLD_CHECK(!parts_->session->has_begun(), "who has not committed does not lead yet");
  if (!parts_->broken.empty()) return fail(ErrorCode::io, parts_->broken);
  Status done = parts_->renew();
  if (done) parts_->after_renewal();
  return done;
}

Status PostgresStore::step_down(const std::string& successor) {
  LEASEHOLD_CHECK(!parts_->session->has_begun(), "who has not committed does not lead yet");
  if (!parts_->broken.empty()) return fail(ErrorCode::io, parts_->broken);
  const Status done = leasehold::step_down(*parts_->session, parts_->mine, successor);
  parts_->broken = done ? "it stepped down" : done.error().message;
  return done;
}

int64_t PostgresStore::coming_bytes() const {
  return parts_->coming.bytes();
}
int64_t PostgresStore::row_bytes() const {
  return parts_->coming.row_bytes();
}
int64_t PostgresStore::last_event() const {
  return parts_->end.last_event;
}
const std::string& PostgresStore::compaction_error() const {
  return parts_->compaction.error;
}
const Leadership& PostgresStore::leadership() const {
  return parts_->mine;
}
Log& PostgresStore::log() {
  return *parts_->log;
}

}  // namespace leasehold
