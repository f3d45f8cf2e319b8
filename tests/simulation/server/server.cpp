#include "tests/simulation/server/server.hpp"

#include <algorithm>
#include <filesystem>

#include "common/random.hpp"

namespace leasehold::simulation {

namespace {

tl::unexpected<Error> refused(const std::string& why) {
  return fail(ErrorCode::refused, why);
}

bool same(const LeaderRow& a, const LeaderRow& b) {
  return a.epoch == b.epoch && a.incarnation == b.incarnation && a.renewal == b.renewal &&
         a.server == b.server && a.present == b.present;
}

}  // namespace

DatabaseServer::DatabaseServer(std::string folder, uint64_t seed)
    : folder_(std::move(folder)), disk_(folder_, seed) {
  lose();
  start();
  row_.server = row_.present;
  // It stays true after a restore, too, so that no broker may rely on it (put_back_unseen).
  row_.as_written = true;
}

bool DatabaseServer::leads(const Taken& by) const {
  return row_.epoch == by.mine.epoch && row_.incarnation == by.mine.incarnation &&
         row_.server == by.mine.server && row_.present == by.mine.server &&
         row_.log_end == by.mine.log_end && by.store == writing_ && writing_ != nullptr;
}

Result<DatabaseServer::Taken> DatabaseServer::take_over(const LeaderRow& watched,
                                                        int64_t highest_epoch,
                                                        const LeaderFacts& facts) {
  if (!same(watched, row_)) {
    return fail(ErrorCode::elsewhere, "another broker was first to take over");
  }
  writing_.reset();  // its lock goes first
  auto opened = SqliteStore::open(database(), OpenMode::broker);
  if (!opened) return tl::unexpected(opened.error());
  writing_ = std::move(*opened);
  row_.log_end = writing_->last_event();  // a commit that failed on the disk left it unknown
  row_.log_hash = writing_->log_hash();
  Taken taken{row_, row_, writing_};
  taken.watched.seen_led = watched.seen_led;
  taken.mine.epoch = std::max(row_.epoch, highest_epoch) + 1;
  taken.mine.incarnation = static_cast<int64_t>(random_u64());
  taken.mine.holder = facts.holder;
  taken.mine.endpoints = facts.endpoints;
  taken.mine.ttl_ms = facts.ttl_ms;
  taken.mine.server = row_.present;
  taken.mine.stepped_down = false;
  taken.mine.successor.clear();
  return taken;
}

Status DatabaseServer::commit(Taken& by, bool first, State& state) {
  const bool mine = first ? same(by.watched, row_) && by.store == writing_ : leads(by);
  if (!mine || writing_ == nullptr) return refused("another broker leads");
  if (Status done = by.store->commit(state); !done) {
    writing_.reset();
    return done;
  }
  by.mine.renewal = row_.renewal + 1;
  by.mine.log_end = by.store->last_event();
  by.mine.log_hash = by.store->log_hash();
  row_ = by.mine;
  return {};
}

Status DatabaseServer::renew(Taken& by) {
  if (!leads(by)) return refused("another broker leads");
  by.mine.renewal = ++row_.renewal;
  return {};
}

Status DatabaseServer::step_down(Taken& by, const std::string& successor) {
  if (Status done = renew(by); !done) return done;
  row_.stepped_down = true;
  row_.successor = successor;
  return {};
}

void DatabaseServer::stop(test::DiskCrash how) {
  disk_.crash(how);
  writing_.reset();
  runs_ = false;
}

void DatabaseServer::start() {
  if (runs_) return;
  runs_ = true;
  ++starts_;
  // Every server, and every start of one, has another name.
  row_.present = folder_ + " started for time " + std::to_string(starts_);
}

void DatabaseServer::put_back(const Copy& copy) {
  disk_.restore(copy.files);
  row_ = copy.row;
  // Brokers recognise an older copy by what they have seen, not by the file beside a database.
  std::filesystem::remove(database() + ".commit");
}

void DatabaseServer::put_back_unseen(const Copy& copy) {
  const std::string present = row_.present;
  stop(test::DiskCrash::keep_written);
  put_back(copy);
  row_.present = present;
  runs_ = true;
}

void DatabaseServer::lose() {
  disk_.remove_all();
  std::filesystem::remove(database() + ".commit");
  row_ = LeaderRow{};
  row_.stepped_down = true;
}

}  // namespace leasehold::simulation
