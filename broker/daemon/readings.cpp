#include "broker/daemon/readings.hpp"

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
  const bool stuck = reader_.is_stuck();
  if (stuck == std::exchange(is_stuck_logged_, stuck)) return;
  if (!stuck) return log_info("configuration-read-again");
  log_warn("configuration-not-read",
           {{"why",
             "a file system on which the configuration, or a file that it names, lies does not "
             "answer"},
            {"in_force", "unchanged"},
            {"to_do", "look at that file system; reloads are refused until it answers"}});
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

void Readings::ask_by_signal(Instant now) {
  for (uint64_t* const older : {&by_signal_, &own_file_, &to_lead_}) {
    if (*older != 0) reader_.drop(std::exchange(*older, 0));
  }
  by_signal_ = reader_.begin(kBySignal, now);
}

Readings::Found Readings::by_signal(Instant now) {
  if (by_signal_ == 0) return std::nullopt;
  Found found = read_for(by_signal_, kBySignal, now);
  if (found) by_signal_ = 0;
  return found;
}

Readings::Found Readings::own_file(Instant now) {
  if (own_file_ == 0 && time_.boottime_ms() < own_file_due_ms_) return std::nullopt;
  Found found = read_for(own_file_, kByStart, now);
  if (!found) return std::nullopt;
  own_file_ = 0;
  own_file_due_ms_ = time_.boottime_ms() + kOwnFileMs;
  return found;
}

Readings::Found Readings::to_lead(Instant now) {
  Found found = read_for(to_lead_, kByStart, now);
  if (found) to_lead_ = 0;
  return found;
}

void Readings::not_to_lead() {
  if (to_lead_ != 0) reader_.drop(std::exchange(to_lead_, 0));
}

void Readings::not_by_signal() {
  if (by_signal_ != 0) reader_.drop(std::exchange(by_signal_, 0));
}

void Readings::begin_to_lead() {
  not_to_lead();
  if (own_file_ != 0) reader_.drop(std::exchange(own_file_, 0));
}

void Readings::drop_all(Instant now) {
  reader_.drop_all();
  own_file_ = to_lead_ = 0;
  own_file_due_ms_ = INT64_MIN;
  if (std::exchange(by_signal_, 0) != 0) ask_by_signal(now);
}

}  // namespace leasehold
