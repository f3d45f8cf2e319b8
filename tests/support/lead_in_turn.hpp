// Makes a store that leads on a server, for a test without a broker: it waits for its turn as a
// broker does, but not for another's end.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "broker/store/postgres/schema.hpp"
#include "broker/store/postgres/store.hpp"
#include "common/time/clock.hpp"

namespace leasehold::test {

/// Refused where another leads, by name.
inline Result<std::unique_ptr<PostgresStore>> lead_in_turn(const std::string& url,
                                                           PostgresStore::Options options,
                                                           int64_t own_incarnation = 0) {
  auto session = PostgresSession::open(url, PostgresSession::Use::to_write);
  if (!session) return tl::unexpected(session.error());
  if (Status made = make_schema(**session); !made) return tl::unexpected(made.error());
  const LeaderWatch::Self self{options.facts.holder, own_incarnation};
  LeaderWatch watch;
  while (true) {
    const Result<LeaderRow> row = read_leader(**session);
    if (!row) return tl::unexpected(row.error());
    watch.saw(*row, boottime_ms());
    if (watch.is_renewed()) {
      return fail(ErrorCode::refused, "another broker leads on the database " + (*session)->name() +
                                          ": " + row->holder + " at " + row->endpoints);
    }
    if (watch.may_take_over(self, boottime_ms())) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return PostgresStore::lead(std::move(*session), watch.row(), std::move(options));
}

}  // namespace leasehold::test
