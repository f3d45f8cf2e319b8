// The log's lines about the core's decisions: which records have one, and its text.
#include "broker/daemon/record_log.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <string>

#include "tests/unit/views/site.hpp"

namespace leasehold {

namespace {

std::string stderr_of(const std::function<void()>& writes) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int kept = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  writes();
  std::fflush(stderr);
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

/// The lines that are logged for these records, without the times.
std::string logged(const State& state, const std::vector<Record>& records,
                   const std::vector<CausedRecords>& caused = {}) {
  const std::string text = stderr_of([&] { log_records(state, site::kNoon, records, caused); });
  std::string lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines += text.substr(text.find(" level=", at) + 1, end - text.find(" level=", at));
    at = end + 1;
  }
  return lines;
}

Record of(RecordKind kind, Reason reason) {
  Record record;
  record.kind = kind;
  record.reason = reason;
  return record;
}

}  // namespace

TEST_CASE("a flip has a line with its reason, its lease and what it was made from") {
  Record flip = of(RecordKind::flip, Reason::provider_idle);
  flip.group = 0;
  flip.from = 0;
  flip.to = 1;
  flip.slots = 3;
  flip.numbers = {3, 0, 1, 1, 0, 5};
  const std::string line = logged(site::state(), {flip});
  CHECK_THAT(line, Catch::StartsWith("level=info"));
  CHECK_THAT(line, Catch::Contains(" event=flip reason=provider-idle lease=pool:west slots=3 "
                                   "from=east to=west numbers="));
  CHECK_THAT(line, Catch::Contains("consumer_pending"));
}

TEST_CASE("breaches, failures and alarms are louder than flips, and what is usual is not logged") {
  const State state = site::state();
  CHECK_THAT(logged(state, {of(RecordKind::breach, Reason::breach)}),
             Catch::StartsWith("level=error") && Catch::Contains("event=breach reason=breach"));
  CHECK_THAT(logged(state, {of(RecordKind::transfer_failed, Reason::transfer_timeout)}),
             Catch::StartsWith("level=warn") && Catch::Contains("reason=transfer-timeout"));
  CHECK_THAT(logged(state, {of(RecordKind::alarm, Reason::overdue)}),
             Catch::StartsWith("level=warn") && Catch::Contains("event=alarm reason=overdue"));
  CHECK(logged(state, {of(RecordKind::evaluation, Reason::tie),
                       of(RecordKind::transfer_done, Reason::none)})
            .empty());
}

TEST_CASE("an agent that was stopped is no warning, one that is silent is") {
  Record lost = of(RecordKind::agent_lost, Reason::report_missing);
  lost.cluster = 1;
  CHECK_THAT(logged(site::state(), {lost}),
             Catch::StartsWith("level=warn") &&
                 Catch::Contains("event=agent-lost reason=report-missing cluster=west"));
  lost.reason = Reason::agent_stopped;
  CHECK_THAT(logged(site::state(), {lost}), Catch::StartsWith("level=info"));
}

TEST_CASE("an order and a reload are logged with who caused them") {
  const std::vector<Record> records{of(RecordKind::operator_command, Reason::operator_order),
                                    of(RecordKind::config_loaded, Reason::none)};
  const std::string lines = logged(site::state(), records, {{0, 1, "ana"}, {1, 2, "SIGHUP"}});
  CHECK_THAT(lines, Catch::Contains("event=operator-command reason=operator-order") &&
                        Catch::Contains("by=ana\n") && Catch::Contains("event=config-loaded") &&
                        Catch::Contains("by=SIGHUP\n"));
}

TEST_CASE("a quarantine is one line as it begins and one as it ends, however many groups") {
  State state = site::state();
  state.slot_groups[0].quarantined = true;
  CHECK_THAT(logged(state, {of(RecordKind::broker_started, Reason::none)}),
             Catch::Contains("event=quarantine reason=quarantine groups_over=0 groups_left=1"));
  state.slot_groups[0].quarantined = false;
  const Record over = of(RecordKind::quarantine_over, Reason::none);
  CHECK_THAT(
      logged(state, {over, over, over}),
      Catch::Contains("event=quarantine-over reason=quarantine groups_over=3 groups_left=0"));
  CHECK(logged(state, {of(RecordKind::broker_started, Reason::none)}).empty());
}

}  // namespace leasehold
