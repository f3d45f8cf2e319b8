#include "broker/store/postgres/leader.hpp"

#include <algorithm>

#include "common/canary.hpp"
#include "common/random.hpp"

namespace leasehold {

namespace {

/// Returns a number of the database's: 63 bits and a sign.
int64_t random_incarnation() {
  return static_cast<int64_t>(random_u64());
}

/// Compares the server that answered, too: one that was promoted with a lost tail shows earlier
/// values again.
bool same(const LeaderRow& a, const LeaderRow& b) {
  return a.epoch == b.epoch && a.incarnation == b.incarnation && a.renewal == b.renewal &&
         a.server == b.server && a.present == b.present;
}

tl::unexpected<Error> not_durable(const PostgresSession& session) {
  return fail(ErrorCode::refused,
              "the database " + session.name() +
                  " may lose commits: synchronous_commit must be on or remote_apply for "
                  "the broker's role (ALTER ROLE … SET synchronous_commit = on)");
}

/// Finds a row that a restore or a hand wrote, and a database that was renamed since: the broker
/// that led it does not know who led another under its name meanwhile. A rename writes the
/// database's row in pg_database again; so do GRANT and a change of its owner, after which a broker
/// is cold until a leader has renewed. The age of what is 2^31 transactions old is negative.
const std::string kAsWrittenSql =
    "coalesce(written_by::xid = leader.xmin AND age(leader.xmin) >= 0 AND in_database = "
    "(SELECT oid FROM pg_catalog.pg_database AS found WHERE datname = current_database() "
    "AND age(found.xmin) NOT BETWEEN 0 AND age(leader.xmin)), false)";

}  // namespace

/// Nobody writes by a session whose commits may be lost.
Status require_durable(PostgresSession& session) {
  const auto set = session.run("SELECT " + kDurableSql);
  if (!set) return tl::unexpected(set.error());
  return (*set)[0][0].as<bool>() ? Status{} : not_durable(session);
}

tl::unexpected<Error> ends_elsewhere(const PostgresSession& session) {
  return fail(
      ErrorCode::corrupt,
      "the database " + session.name() +
          " is damaged: its log does not end where the row 'leader' says; restore a backup");
}

int64_t leader_margin_ms(int64_t ttl_ms) {
  return std::max<int64_t>(ttl_ms / 100, 100);
}

Result<LeaderRow> read_leader(PostgresSession& session) {
  const auto found = session.run(
      "SELECT epoch, incarnation, holder, endpoints, ttl_ms, renewal, log_end, server, "
      "stepped_down, successor, log_hash, site, " +
      kServerSql + ", " + kAsWrittenSql +
      ", (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM leader");
  if (!found) return tl::unexpected(found.error());
  if (found->empty()) {
    return fail(ErrorCode::corrupt,
                "the database " + session.name() +
                    " is damaged: the table leader has no row; restore a backup");
  }
  const pqxx::row row = (*found)[0];
  LeaderRow leader;
  leader.epoch = row[0].as<int64_t>();
  leader.incarnation = row[1].as<int64_t>();
  leader.holder = row[2].as<std::string>();
  leader.endpoints = row[3].as<std::string>();
  leader.ttl_ms = row[4].as<int64_t>();
  leader.renewal = row[5].as<int64_t>();
  leader.log_end = row[6].as<int64_t>();
  leader.server = row[7].as<std::string>();
  leader.stepped_down = row[8].as<bool>();
  leader.successor = row[9].as<std::string>();
  if (!take_hash(pqxx::binarystring(row[10]).str(), leader.log_hash)) {
    return no_hash("the leader's row");
  }
  leader.site = row[11].as<std::string>();
  leader.present = row[12].as<std::string>();
  leader.as_written = row[13].as<bool>();
  leader.server_ms = row[14].as<int64_t>();
  return leader;
}

namespace {

/// True if the change is a renewal: only the leader raises `renewal` and leaves the leadership as
/// it is.
bool is_renewal(const LeaderRow& before, const LeaderRow& after) {
  return after.epoch == before.epoch && after.incarnation == before.incarnation &&
         after.server == before.server && after.present == before.present &&
         after.renewal > before.renewal && after.as_written;
}

}  // namespace

void LeaderWatch::saw(const LeaderRow& row, int64_t received_ms) {
  if (seen_ && same(row, row_)) {
    const bool led = row_.seen_led && row.as_written;
    row_ = row;  // whether it stepped down
    row_.seen_led = led;
    return;
  }
  changes_ += seen_ ? 1 : 0;
  const bool led = seen_ && is_renewal(row_, row);
  row_ = row;
  row_.seen_led = led;
  since_ms_ = received_ms;
  seen_ = true;
}

namespace {

/// True if there is no leader that would have to be waited for (rule 7).
bool is_free(const LeaderRow& row, const LeaderWatch::Self& self) {
  const bool own = self.incarnation != 0 && row.incarnation == self.incarnation;
  if (own) return !self.stepped_down;
  return row.stepped_down && (row.successor.empty() || row.successor == self.name);
}

}  // namespace

int64_t LeaderWatch::wait_ms(const Self& self, int64_t now_ms) const {
  // Rule 7: the row of another server may be from before what the lost tail held.
  const bool known = row_.server == row_.present || LEASEHOLD_CANARY(trusts_any_server);
  if (seen_ && is_free(row_, self) && known) return 0;
  const int64_t held_ms = LEASEHOLD_CANARY(waits_half) ? row_.ttl_ms / 2 : row_.ttl_ms;
  const int64_t whole_ms = held_ms + leader_margin_ms(row_.ttl_ms);
  return seen_ ? std::max<int64_t>(0, since_ms_ + whole_ms - now_ms) : whole_ms;
}

bool LeaderWatch::may_take_over(const Self& self, int64_t now_ms) const {
  return seen_ && wait_ms(self, now_ms) == 0;
}

LeaderEvidence LeaderWatch::evidence(const Self& self, int64_t now_ms) const {
  if (row_.epoch == 0) return LeaderEvidence::nobody_yet;
  if (row_.stepped_down) return LeaderEvidence::stepped_down;
  if (row_.server != row_.present) return LeaderEvidence::other_server;
  if (self.incarnation != 0 && row_.incarnation == self.incarnation) return LeaderEvidence::own;
  if (may_take_over(self, now_ms)) return LeaderEvidence::silent;
  if (is_renewed()) return LeaderEvidence::alive;
  return row_.holder == self.name ? LeaderEvidence::own : LeaderEvidence::named;
}

void EpochReported::saw(int64_t other_epoch, int64_t other_incarnation) {
  if (other_epoch < epoch) return;
  const bool several = other_epoch == epoch && epoch != 0 && other_incarnation != incarnation;
  epoch = other_epoch;
  incarnation = several ? 0 : other_incarnation;
}

bool loses_nothing(const LeaderRow& watched, const EpochReported& reported) {
  const bool known = watched.server == watched.present || LEASEHOLD_CANARY(warm_on_any_server);
  if (watched.epoch == 0) return false;  // nobody ever led
  if (!watched.as_written) return false;
  const bool other = reported.epoch == watched.epoch && reported.incarnation != watched.incarnation;
  return known && reported.epoch <= watched.epoch && !other;
}

Result<bool> is_borne_out(const LeaderRow& watched, const LastCommit* own, Log& log) {
  if (LEASEHOLD_CANARY(ignores_evidence)) return true;
  if (own == nullptr || !own->known()) return false;
  const KnownCommit& known = *own->known();
  const bool of_row = known.epoch == watched.epoch && known.incarnation == watched.incarnation;
  if (!of_row || !(known.own || watched.seen_led)) return false;
  return has_commit(log, known.last_event, known.hash);
}

Result<Leadership> take_over(PostgresSession& session, const LeaderRow& watched,
                             int64_t highest_epoch, const LeaderFacts& facts) {
  if (Status durable = require_durable(session); !durable) {
    return tl::unexpected(durable.error());
  }
  Leadership mine;
  mine.epoch = std::max(watched.epoch, highest_epoch) + 1;
  mine.incarnation = random_incarnation();
  const auto taken = session.run(
      "UPDATE leader SET epoch = $1, incarnation = $2, holder = $3, endpoints = $4, ttl_ms = $5, "
      "renewal = renewal + 1, server = " +
          kServerSql + ", stepped_down = false, successor = '', site = $11, " + kWrittenSql +
          ", in_database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = "
          "current_database()) WHERE epoch = $6 AND incarnation = $7 AND renewal = $8 AND server = "
          "$9 AND " +
          kServerSql + " = $10 RETURNING server, log_end, log_hash",
      mine.epoch, mine.incarnation, facts.holder, facts.endpoints, facts.ttl_ms, watched.epoch,
      watched.incarnation, watched.renewal, watched.server, watched.present, facts.site);
  if (!taken) return tl::unexpected(taken.error());
  if (taken->empty()) {
    return fail(
        ErrorCode::elsewhere,
        "another broker took over first, or another database server answers; nothing to do");
  }
  mine.server = (*taken)[0][0].as<std::string>();
  mine.log_end = (*taken)[0][1].as<int64_t>();
  if (!take_hash(pqxx::binarystring((*taken)[0][2]).str(), mine.log_hash)) {
    return no_hash("the leader's row");
  }
  return mine;
}

namespace {

/// Rule 1: all that it knows of its row is compared.
const std::string kMine = ", " + kWrittenSql +
                          " WHERE epoch = $1 AND incarnation = $2 AND log_end = $3 AND log_hash = "
                          "$4 AND server = $5 AND " +
                          kServerSql + " = $5 AND " + kDurableSql;

template <class... More>
Status change_row(PostgresSession& session, const Leadership& mine, const std::string& change,
                  const More&... more) {
  const auto done =
      session.run(change + kMine, mine.epoch, mine.incarnation, mine.log_end,
                  pqxx::binarystring(std::string(bytes_of(mine.log_hash))), mine.server, more...);
  if (!done) return tl::unexpected(done.error());
  return done->affected_rows() == 1 ? Status{} : deposed(session);
}

}  // namespace

Status renew(PostgresSession& session, const Leadership& mine) {
  return change_row(session, mine, "UPDATE leader SET renewal = renewal + 1");
}

Status step_down(PostgresSession& session, const Leadership& mine, const std::string& successor) {
  return change_row(session, mine,
                    "UPDATE leader SET renewal = renewal + 1, stepped_down = true, successor = $6",
                    successor);
}

tl::unexpected<Error> deposed(const PostgresSession& session) {
  return fail(ErrorCode::refused, "another broker leads on the database " + session.name() +
                                      " now, or the server was restarted");
}

}  // namespace leasehold
