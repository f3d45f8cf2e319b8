#include "tests/bench/bare_flips.hpp"

#include <algorithm>
#include <string_view>

#include "common/check.hpp"
#include "common/wire/codec.hpp"
#include "tests/bench/agents.hpp"

namespace leasehold::bench {

namespace {

constexpr long kReplyWaitMs = 100;
constexpr uint64_t kFirstSession = 1000;  // agents.cpp: providers first

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

/// The schema and SQLite's settings are the store's, except secure_delete and journal_size_limit.
BareFlips::BareFlips(const std::string& path) {
  LEASEHOLD_CHECK(SqliteStore::open(path, OpenMode::broker).has_value(), "a new database opens");
  LEASEHOLD_CHECK(sqlite3_open(path.c_str(), &db_) == SQLITE_OK, "it opens again");
  for (const char* pragma : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                             "PRAGMA foreign_keys = ON", "PRAGMA temp_store = MEMORY",
                             "PRAGMA cache_size = -32768", "PRAGMA wal_autocheckpoint = 4000"}) {
    LEASEHOLD_CHECK(sqlite3_exec(db_, pragma, nullptr, nullptr, nullptr) == SQLITE_OK, pragma);
  }
  begin_ = prepare("BEGIN IMMEDIATE");
  insert_ = prepare("INSERT INTO log VALUES (?1, ?1, ?2, 0, 7, 0, ?3, ?4)");
  commit_ = prepare("COMMIT");
}

BareFlips::~BareFlips() {
  for (sqlite3_stmt* statement : {begin_, insert_, commit_}) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

sqlite3_stmt* BareFlips::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr);
  LEASEHOLD_CHECK(code == SQLITE_OK, sqlite3_errmsg(db_));
  return statement;
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
  to_send_.emplace_back(generation, 1 - side);
  --outstanding_;
}

/// If more answers are asked for than orders are under way, later batches read the rest.
void BareFlips::read_answers(int64_t messages) {
  owed_ += messages;
  for (int64_t left = std::min(owed_, outstanding_); left > 0;) {
    const int read = router_.read(
        static_cast<int>(left), kReplyWaitMs,
        [this](const zmq::message_t&, const msgpack::object& state) { answered(state); });
    left -= read;
    owed_ -= read;
  }
}

void BareFlips::insert(const std::string& body) {
  constexpr int64_t kNowMs = 1'790'000'000'000;
  static const std::string hash(32, 'h');
  sqlite3_bind_int64(insert_, 1, commits_ + 1);
  sqlite3_bind_int64(insert_, 2, kNowMs + commits_);
  sqlite3_bind_blob(insert_, 3, body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
  sqlite3_bind_blob(insert_, 4, hash.data(), static_cast<int>(hash.size()), SQLITE_STATIC);
  run(insert_);
}

void BareFlips::turn(const Batch& batch) {
  read_answers(batch.served.messages);
  run(begin_);
  insert(batch.body);
  run(commit_);
  ++commits_;
  for (const auto& [generation, side] : to_send_) send(generation, side);
  to_send_.clear();
}

void BareFlips::rest() {
  while (outstanding_ > 0) {
    outstanding_ -=
        router_.read(static_cast<int>(outstanding_), kReplyWaitMs, [](const auto&, const auto&) {});
  }
}

}  // namespace leasehold::bench
