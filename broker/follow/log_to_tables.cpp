#include "broker/follow/log_to_tables.hpp"

#include <exception>

#include "broker/store/database.hpp"
#include "broker/store/sqlite/statements.hpp"
#include "common/database_name.hpp"
#include "common/regular_file.hpp"

namespace leasehold {

namespace {

/// The limits of one step: it is short enough that the log's writer can restart its write-ahead log
/// between steps.
constexpr int kRowsAtOnce = 1'000;
constexpr size_t kEventsAtOnce = 20'000;

}  // namespace

std::string state_file_of(const std::string& log) {
  return log + ".state";
}

Result<bool> LogToTables::step() {
  Status done = try_step();
  // A step may fail only because retention or another writer of the file came first, so it is tried
  // once more.
  if (!done) done = try_step();
  if (!done) return tl::unexpected(done.error());
  return at_end_;
}

Status LogToTables::try_step() {
  try {
    if (Status room = check_free(options_.file, options_.least_free_bytes); !room) return room;
    if (log_ && !log_->is_in_place()) forget_log();
    // Another file at that path may have a write-ahead log of this one beside it.
    const bool lost = file_ && file_->lost();
    if (Status opened = lost ? make_anew() : open_file(); !opened) return opened;
    if (Status begun = begin_log(); !begun) return begun;
    if (Status read = read_some(); !read) {
      forget_log();
      return read;
    }
    return write();
  } catch (const SQLite::Exception& error) {
    forget_log();
    forget_file();
    return database_error(without_password(options_.log), error);
  } catch (const std::exception& error) {
    forget_log();
    forget_file();
    return fail(ErrorCode::io, error.what());
  }
}

/// Opens the file if it can be continued; else makes an empty one.
Status LogToTables::open_file() {
  if (file_) return {};
  if (Status regular = check_database_file(options_.file); !regular) return regular;
  if (options_.use == StateFile::Use::beside_readers) file_ = StateFile::open(options_.file);
  if (file_ && file_->follows() != written_) forget_log();
  if (file_) return {};
  return make_anew();
}

Status LogToTables::make_anew() {
  forget_log();
  file_.reset();
  try {
    auto made = StateFile::make(options_.file, options_.log, options_.use);
    if (!made) return tl::unexpected(made.error());
    file_ = std::move(*made);
  } catch (const SQLite::Exception& error) {
    return database_error(options_.file, error);
  }
  return {};
}

/// Continues where the file ends; if that is no place in this log, begins with an empty file and
/// the whole log.
Status LogToTables::begin_log() {
  if (follow_) return {};
  auto log = open_log(options_.log);
  if (!log) return tl::unexpected(log.error());
  log_ = std::move(*log);
  if (file_->follows()) {
    const Result<bool> there = follow_to(*file_->follows());
    if (there && *there) return {};
    follow_.reset();  // before its connection
    auto opened = std::move(log_);
    if (Status made = make_anew(); !made) return made;
    log_ = std::move(opened);
  }
  Result<FollowedLog> all = FollowedLog::begin_oldest(*log_);
  if (!all) return tl::unexpected(all.error());
  follow_.emplace(std::move(*all));
  mark_all(follow_->state());
  return {};
}

/// Returns false if no row of this log ends there.
Result<bool> LogToTables::follow_to(const Follows& reached) {
  Result<FollowedLog> from = FollowedLog::begin(*log_, reached.last_event);
  if (!from) return tl::unexpected(from.error());
  follow_.emplace(std::move(*from));
  for (int rows = 1; follow_->last_event() < reached.last_event; ++rows) {
    if (rows % kRowsAtOnce == 0) follow_->go_on();
    const Result<bool> there = follow_->read();
    if (!there || !*there) return there;
    if (Status done = follow_->apply(); !done) return tl::unexpected(done.error());
  }
  clear_marks(follow_->state());
  written_ = reached;
  return place() == reached;
}

Follows LogToTables::place() const {
  return {follow_->last_event(), follow_->batch(), follow_->hash()};
}

Status LogToTables::read_some() {
  follow_->go_on();
  at_end_ = false;
  for (int rows = 0; rows < kRowsAtOnce && events_read_ < kEventsAtOnce; ++rows) {
    const Result<bool> there = follow_->read();
    if (!there) return tl::unexpected(there.error());
    at_end_ = !*there;
    if (at_end_) break;
    if (Status read = read_row(); !read) return read;
  }
  follow_->go_on();
  const Result<int64_t> first = log_->first_event();
  if (!first) return tl::unexpected(first.error());
  first_event_ = *first == 0 ? follow_->next_event() : *first;
  return {};
}

Status LogToTables::read_row() {
  const LogBody& body = follow_->body();
  for (int64_t at = 0; at < body.events(); ++at) {
    if (events_read_ == events_.size()) events_.emplace_back();
    HistoryRow& event = events_[events_read_++];
    if (Status read = body.event(at, event); !read) return read;
    event.payload.clear();
  }
  return follow_->apply();
}

Status LogToTables::write() {
  const Follows now = place();
  if (file_->follows() == now) return {};
  try {
    file_->tables().write(std::span(events_).first(events_read_), first_event_, follow_->state(),
                          now);
  } catch (const SQLite::Exception& error) {
    forget_file();  // what was read and not written waits for it
    return database_error(options_.file, error);
  }
  file_->come_to(now);
  written_ = now;
  clear_marks(follow_->state());
  events_read_ = 0;
  return {};
}

void LogToTables::forget_log() {
  follow_.reset();  // before its connection
  log_.reset();
  written_.reset();
  events_read_ = 0;
}

void LogToTables::forget_file() {
  file_.reset();
}

}  // namespace leasehold
