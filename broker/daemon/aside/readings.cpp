#include "broker/daemon/aside/readings.hpp"

#include <utility>

#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr const char* kBySignal = "SIGHUP";
constexpr const char* kByStart = "start";
constexpr int64_t kOwnFileMs = 30'000;

}  // namespace

void Readings::begin_turn() {
  reader_.acknowledge();
  // Looks may be late for longer than a reading is kept that nobody comes for.
  if (to_lead_.ticket != 0 && !reader_.is_waited_for(to_lead_.ticket)) to_lead_ = {};
  const bool stuck = reader_.is_stuck();
  if (stuck == std::exchange(is_stuck_logged_, stuck)) return;
  if (!stuck) return log_info("configuration-read-again");
  log_warn(
      "configuration-not-read",
      {{"why", "the file system of the configuration, or of a file that it names, does not answer"},
       {"then", "the configuration in force stays; reloads are refused until it answers"},
       {"do", "look at that file system"}});
}

Readings::Found Readings::read_for(uint64_t& ticket, const std::string& by, Instant now) {
  if (ticket == 0) ticket = reader_.begin(by, now);
  bool was_read = false;
  Found found = reader_.take(ticket, &was_read);
  if (!was_read) return found;  // it is being read, or late
  if (ticket < newest_) {
    ticket = 0;
    return read_for(ticket, by, now);
  }
  newest_ = ticket;
  return found;
}

/// Gives up the reading, so that it is begun again. False: it was begun again already.
bool Readings::begin_again(Reading& reading) {
  if (reading.ticket == 0) return true;
  if (std::exchange(reading.again, true)) return false;
  reader_.drop(std::exchange(reading.ticket, 0));
  return true;
}

void Readings::ask_by_signal(Instant now) {
  if (own_file_ != 0) reader_.drop(std::exchange(own_file_, 0));
  begin_again(to_lead_);
  signal_waits_ = !begin_again(by_signal_);
  if (!signal_waits_) by_signal_.ticket = reader_.begin(kBySignal, now);
}

Readings::Found Readings::by_signal(Instant now) {
  if (by_signal_.ticket == 0) return std::nullopt;
  Found found = read_for(by_signal_.ticket, kBySignal, now);
  if (!found) return found;
  const uint64_t ticket = std::exchange(by_signal_, {}).ticket;
  const bool was_read = ticket == newest_;
  if (was_read && ((to_lead_.ticket != 0 && to_lead_.ticket < ticket) || read_to_lead_)) {
    if (to_lead_.ticket != 0) reader_.drop(std::exchange(to_lead_.ticket, 0));
    read_to_lead_ = found;
  }
  if (signal_waits_) ask_by_signal(now);
  return found;
}

Readings::Found Readings::own_file(Instant now) {
  if (own_file_ == 0 && time_.boottime_ms() < next_own_file_ms_) return std::nullopt;
  Found found = read_for(own_file_, kByStart, now);
  if (!found) return std::nullopt;
  own_file_ = 0;
  next_own_file_ms_ = time_.boottime_ms() + kOwnFileMs;
  read_to_lead_.reset();  // it is older now
  return found;
}

Readings::Found Readings::to_lead(Instant now) {
  Found found = read_to_lead_ ? std::move(read_to_lead_) : read_for(to_lead_.ticket, kByStart, now);
  if (!found) return found;
  to_lead_ = {};
  read_to_lead_.reset();
  return found;
}

void Readings::not_to_lead() {
  const uint64_t ticket = std::exchange(to_lead_, {}).ticket;
  if (ticket != 0) reader_.drop(ticket);
  read_to_lead_.reset();
}

void Readings::not_by_signal() {
  const uint64_t ticket = std::exchange(by_signal_, {}).ticket;
  if (ticket != 0) reader_.drop(ticket);
  signal_waits_ = false;
}

void Readings::begin_to_lead() {
  not_to_lead();
  if (own_file_ != 0) reader_.drop(std::exchange(own_file_, 0));
}

void Readings::drop_all(Instant now) {
  reader_.drop_all();
  not_to_lead();
  own_file_ = 0;
  next_own_file_ms_ = INT64_MIN;
  const bool asked = by_signal_.ticket != 0;
  not_by_signal();
  if (asked) ask_by_signal(now);
}

}  // namespace leasehold
