#include "broker/store/postgres/roll.hpp"

#include <sstream>

#include "broker/store/postgres/schema.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

constexpr std::chrono::milliseconds kPause{2'000};
constexpr std::chrono::milliseconds kRollAnswersWithin{2'000};
/// Removes brokers that nobody runs any more.
constexpr const char* kForgetOld =
    "DELETE FROM brokers WHERE told < clock_timestamp() - interval '1 day'";

std::string lines_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return text;
}

std::vector<std::string> names_in(const std::string& lines) {
  std::vector<std::string> names;
  std::istringstream text(lines);
  for (std::string name; std::getline(text, name);) names.push_back(name);
  return names;
}

RollRow roll_row_of(const pqxx::row& row) {
  RollRow one;
  one.name = row[0].as<std::string>();
  one.endpoint = row[1].as<std::string>();
  one.leads = row[2].as<bool>();
  one.may_lead = row[3].as<bool>();
  one.agents = row[4].as<int64_t>();
  one.clusters = names_in(row[5].as<std::string>());
  return one;
}

}  // namespace

ClockDifference ahead_of_server(int64_t before_ms, int64_t server_ms, int64_t after_ms) {
  return {before_ms - server_ms - 1, after_ms - server_ms + 1};
}

Status write_roll(PostgresSession& session, const RollRow& mine) {
  const auto done = session.run(
      "INSERT INTO brokers VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp()) ON CONFLICT (name, "
      "endpoint) DO UPDATE SET leads = $3, may_lead = $4, agents = $5, clusters = $6, "
      "told = clock_timestamp()",
      mine.name, mine.endpoint, mine.leads, mine.may_lead, mine.agents, lines_of(mine.clusters));
  return done ? Status{} : tl::unexpected(done.error());
}

Result<ReadRoll> read_roll(PostgresSession& session) {
  const int64_t before_ms = wall_time().ms;
  const auto found = session.run(
      "SELECT name, endpoint, leads, may_lead, agents, clusters, extract(epoch FROM told)::text, "
      "(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM brokers ORDER BY name, "
      "endpoint");
  if (!found) return tl::unexpected(found.error());
  const int64_t after_ms = wall_time().ms;
  ReadRoll read;
  for (const pqxx::row& row : *found) {
    read.all.push_back({roll_row_of(row), row[6].as<std::string>()});
    read.ahead_of_server = ahead_of_server(before_ms, row[7].as<int64_t>(), after_ms);
  }
  return read;
}

PostgresRoll::PostgresRoll(std::string url) : url_(std::move(url)), thread_([this] { run(); }) {}

PostgresRoll::~PostgresRoll() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  end_.notify_one();
  thread_.join();
}

void PostgresRoll::tell(RollRow mine) {
  const std::lock_guard lock(mutex_);
  mine_ = std::move(mine);
}

std::shared_ptr<const RollSeen> PostgresRoll::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

bool PostgresRoll::wait() {
  std::unique_lock lock(mutex_);
  return !end_.wait_for(lock, kPause, [this] { return ends_; });
}

void PostgresRoll::run() {
  while (wait()) {
    const Status done = call();
    if (done) continue;
    session_.reset();
    auto seen = std::make_shared<RollSeen>();
    seen->trouble = describe(done.error());
    set_seen(std::move(seen));
  }
}

void PostgresRoll::set_seen(std::shared_ptr<const RollSeen> seen) {
  const std::lock_guard lock(mutex_);
  seen_ = std::move(seen);
}

Status PostgresRoll::connect() {
  auto session = PostgresSession::open(url_, PostgresSession::Use::to_write, kRollAnswersWithin);
  if (!session) return tl::unexpected(session.error());
  if (Status made = check_schema(**session); !made) return made;
  if (Status gone = (*session)->run_all(kForgetOld); !gone) return gone;
  session_ = std::move(*session);
  return {};
}

Status PostgresRoll::call() {
  std::optional<RollRow> mine;
  {
    const std::lock_guard lock(mutex_);
    mine = mine_;
  }
  if (!mine) return {};
  if (!session_) {
    if (Status connected = connect(); !connected) return connected;
  }
  const int64_t now_ms = boottime_ms();
  if (!written_ || *written_ != *mine || now_ms - written_ms_ >= kBeatMs) {
    if (Status done = write_roll(*session_, *mine); !done) return done;
    written_ = mine;
    written_ms_ = now_ms;
  }
  Result<ReadRoll> read = read_roll(*session_);
  if (!read) return tl::unexpected(read.error());
  note(*std::move(read), *mine);
  return {};
}

/// A broker that is read for the first time may have written its row long ago, so that it does not
/// count as recent.
void PostgresRoll::note(ReadRoll read, const RollRow& mine) {
  auto seen = std::make_shared<RollSeen>();
  seen->ahead_of_server = read.ahead_of_server;
  const int64_t now_ms = boottime_ms();
  for (ReadRoll::Entry& one : read.all) {
    if (one.row.name == mine.name && one.row.endpoint == mine.endpoint) continue;
    const auto key = std::make_pair(one.row.name, one.row.endpoint);
    auto [known, fresh] = last_changes_.try_emplace(key, one.version, INT64_MIN / 2);
    if (!fresh && known->second.first != one.version) known->second = {one.version, now_ms};
    seen->others.push_back({std::move(one.row), known->second.second});
  }
  set_seen(std::move(seen));
}

}  // namespace leasehold
