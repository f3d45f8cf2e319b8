#include "tests/bench/bare_flips.hpp"

#include <string_view>

#include "common/check.hpp"
#include "common/wire/codec.hpp"
#include "tests/bench/agents.hpp"

namespace leasehold::bench {

namespace {

constexpr int kTurnMessages = 1024;
constexpr uint64_t kFirstSession = 1000;  // agents.cpp: providers first

/// The row itself again with another number in it, so that its page is written. ?1 the generation,
/// ?2 the side, ?3 a number that was not there yet.
const char* statement_of(std::string_view table) {
  if (table == "slot_group") {
    return "UPDATE slot_group SET phase = phase, reason = reason, epoch = ?3, since_ms = ?3, "
           "last_flip_ms = ?3, evaluated_at_ms = ?3, flips = ?3, number_0 = ?2 "
           "WHERE generation = ?1";
  }
  if (table == "member") {
    return "UPDATE member SET seq = ?3, seq_stated = ?3 WHERE generation = ?1 AND number = ?2";
  }
  if (table == "group_host") {
    return "UPDATE group_host SET in_transfer = ?3 WHERE generation = ?1 AND number = 0 "
           "AND ?2 >= 0";
  }
  if (table == "holding") {
    return "UPDATE holding SET held = ?3, ordered = ?3, stated = ?3 "
           "WHERE generation = ?1 AND host = 0 AND member = ?2";
  }
  if (table == "transfer") {
    return "INSERT OR REPLACE INTO transfer (generation, number, id, from_member, to_member, "
           "lowering, step, reason, inactive, slots_wanted, slots_released, since_ms, "
           "deadline_ms, wanted) VALUES (?1, 0, ?3, ?2, 1, 'release', 'releasing', "
           "'provider-idle', 1, 8, 0, ?3, ?3, x'0102030405')";
  }
  if (table == "cluster") return "UPDATE cluster SET seq = ?3 WHERE number = ?1 % 64 AND ?2 >= 0";
  if (table == "grid") return "UPDATE grid SET next_ms = ?3, last_ms = ?3 WHERE ?1 > 0 AND ?2 >= 0";
  if (table == "broker") {
    return "UPDATE broker SET commit_number = ?3, last_event = ?3, now_ms = ?3 "
           "WHERE ?1 > 0 AND ?2 >= 0";
  }
  return nullptr;
}

const msgpack::object* field(const msgpack::object& map, std::string_view name) {
  for (const msgpack::object_kv& pair : map.via.map) {
    if (pair.key.type != msgpack::type::STR) continue;
    if (std::string_view(pair.key.via.str.ptr, pair.key.via.str.size) == name) return &pair.val;
  }
  LEASEHOLD_CHECK(false, "the generator sends whole messages");
  return nullptr;
}

uint64_t side_of(const msgpack::object& message) {
  return field(message, "session")->via.u64 - kFirstSession < uint64_t{kPairs} ? 0 : 1;
}

}  // namespace

void BareFlips::open(const std::string& path, const std::map<std::string, double>& rows_a_flip) {
  LEASEHOLD_CHECK(sqlite3_open(path.c_str(), &db_) == SQLITE_OK, "a copy of the database opens");
  for (const char* pragma : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                             "PRAGMA cache_size = -32768", "PRAGMA wal_autocheckpoint = 4000"}) {
    LEASEHOLD_CHECK(sqlite3_exec(db_, pragma, nullptr, nullptr, nullptr) == SQLITE_OK, pragma);
  }
  begin_ = prepare("BEGIN IMMEDIATE");
  commit_ = prepare("COMMIT");
  for (const auto& [table, rows] : rows_a_flip) {
    const char* sql = statement_of(table);
    LEASEHOLD_CHECK(table == "event" || sql != nullptr, "all tables of the store are known here");
    const bool event = table == "event";
    writes_.push_back({prepare(event ? insert_event() : sql), rows / 2, 0, event});
  }
  next_row_ = 1'000'000'000;
}

BareFlips::~BareFlips() {
  for (const Write& write : writes_) sqlite3_finalize(write.statement);
  sqlite3_finalize(begin_);
  sqlite3_finalize(commit_);
  sqlite3_close(db_);
}

sqlite3_stmt* BareFlips::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr);
  LEASEHOLD_CHECK(code == SQLITE_OK, sqlite3_errmsg(db_));
  return statement;
}

/// Rows as long as ours of the last flips are on average.
std::string BareFlips::insert_event() {
  sqlite3_stmt* sizes = prepare(
      "SELECT avg(length(coalesce(numbers, ''))), avg(length(coalesce(payload, x''))) FROM "
      "(SELECT * FROM event ORDER BY id DESC LIMIT 20000)");
  LEASEHOLD_CHECK(sqlite3_step(sizes) == SQLITE_ROW, "our flips left a history");
  const std::string numbers(static_cast<size_t>(sqlite3_column_int(sizes, 0)), '1');
  const std::string payload(2 * static_cast<size_t>(sqlite3_column_int(sizes, 1)), 'a');
  sqlite3_finalize(sizes);
  return "INSERT INTO event VALUES (?3, ?3, ?3, 'transfer-granted', ?4, ?1, ?2, NULL, "
         "'provider-idle', 7, 'p12', 'c12', '" +
         numbers + "', NULL, x'" + payload + "', x'" + std::string(64, 'b') + "')";
}

void BareFlips::run(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  LEASEHOLD_CHECK(code == SQLITE_DONE, sqlite3_errmsg(db_));
  sqlite3_reset(statement);
}

void BareFlips::greet(const zmq::message_t& peer, const msgpack::object& report) {
  const uint64_t side = side_of(report);
  const msgpack::object_array& groups = field(report, "groups")->via.array;
  for (const msgpack::object& group : groups) {
    const uint64_t generation = group.via.array.ptr[0].via.u64;
    Group& known = groups_[generation];
    known.route[side] = peer.to_string();
    known.lease = "pool" + std::to_string(generation % 1000) + ":c12";
    const int32_t limit = side == 0 ? kSlots - 1 : 1;
    wire::encode_into(wire::Order{kFirstSession, generation, 1, 0, {{0, limit, {}}}},
                      known.order[side]);
  }
}

void BareFlips::meet(int agents) {
  for (int met = 0; met < agents;) {
    met += router_.read(
        agents, 100,
        [this](const zmq::message_t& peer, const msgpack::object& report) { greet(peer, report); });
  }
  for (const auto& [generation, group] : groups_) send(generation, 0);
}

void BareFlips::send(uint64_t generation, uint64_t side) {
  const Group& group = groups_[generation];
  router_.send(group.route[side], group.order[side].data(), group.order[side].size());
  ++outstanding_;
}

void BareFlips::answered(const msgpack::object& state) {
  const uint64_t side = side_of(state);
  const msgpack::object_array& groups = field(state, "groups")->via.array;
  const uint64_t generation = groups.ptr[0].via.array.ptr[0].via.u64;
  write_rows(generation, side);
  to_send_.emplace_back(generation, 1 - side);
  ++answers;
  --outstanding_;
}

void BareFlips::write_rows(uint64_t generation, uint64_t side) {
  for (Write& write : writes_) {
    for (write.owed += write.rows_an_answer; write.owed >= 1; --write.owed) {
      sqlite3_bind_int64(write.statement, 1, static_cast<int64_t>(generation));
      sqlite3_bind_int64(write.statement, 2, static_cast<int64_t>(side));
      sqlite3_bind_int64(write.statement, 3, ++next_row_);
      if (write.names_lease) bind_lease(write.statement, generation);
      run(write.statement);
    }
  }
}

void BareFlips::bind_lease(sqlite3_stmt* statement, uint64_t generation) const {
  const std::string& lease = groups_.at(generation).lease;
  sqlite3_bind_text(statement, 4, lease.data(), static_cast<int>(lease.size()), SQLITE_STATIC);
}

void BareFlips::turn(long wait_ms) {
  bool begun = false;
  router_.read(kTurnMessages, wait_ms, [&](const zmq::message_t&, const msgpack::object& state) {
    if (!begun) run(begin_);
    begun = true;
    answered(state);
  });
  if (!begun) return;
  run(commit_);
  ++turns;
  for (const auto& [generation, side] : to_send_) send(generation, side);
  to_send_.clear();
}

void BareFlips::rest() {
  while (outstanding_ > 0) {
    outstanding_ -= router_.read(kTurnMessages, 100, [](const auto&, const auto&) {});
  }
}

}  // namespace leasehold::bench
