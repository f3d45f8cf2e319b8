// History rows as text, CSV and JSON.
#include "broker/replay/timeline.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace leasehold;

namespace {

HistoryRow flip() {
  HistoryRow row;
  row.id = 7;
  row.time = Instant{1'795'280'460'000};
  row.kind = "flip";
  row.lease = "east-batch:west";
  row.epoch = 3;
  row.reason = "provider-idle";
  row.slots = 4;
  row.from = "east";
  row.to = "west";
  row.numbers = R"({"provider_available":8,"provider_used":4})";
  return row;
}

HistoryRow command() {
  HistoryRow row;
  row.id = 8;
  row.time = Instant{1'795'280'461'500};
  row.kind = "operator-command";
  row.cluster = "east, \"old\"";
  row.by = "ana";
  return row;
}

HistoryRow drained() {
  HistoryRow row = command();
  row.cluster = "east";
  row.reason = "operator-order";
  row.numbers = R"({"command":1})";
  row.verb = "drain";
  row.object = "east";
  row.options = "--provider --until 2026-11-21T18:00:00.000Z";
  row.where = "10.0.0.7";
  row.why = "new disks";
  return row;
}

std::string shown(const std::vector<HistoryRow>& rows, bool colour) {
  return timeline(history_json(rows), colour);
}

}  // namespace

TEST_CASE("the timeline is one aligned line a row") {
  const std::vector<HistoryRow> rows{flip(), command()};
  CHECK(shown(rows, false) ==
        "2026-11-21T17:01:00.000Z  east-batch:west  flip              4 slots east -> west; "
        "provider-idle; provider available 8, provider used 4\n"
        "2026-11-21T17:01:01.500Z  east, \"old\"      operator-command  by ana\n");
}

TEST_CASE("what a shadow said stands beside what the rule in force found") {
  HistoryRow row = flip();
  row.kind = "shadow";
  row.reason = "exclusive-due";
  row.rule_reason = "tie";
  row.numbers = R"({"rule_to_consumer":0})";
  CHECK(shown({row}, false) ==
        "2026-11-21T17:01:00.000Z  east-batch:west  shadow  4 slots east -> west; exclusive-due; "
        "rule: tie; rule to consumer 0\n");
  CHECK_THAT(history_json(std::vector{row}).dump(), Catch::Contains(R"("rule_reason":"tie")"));
  CHECK_THAT(history_json(std::vector{flip()}).dump(), Catch::Contains(R"("rule_reason":null)"));
  CHECK_THAT(history_csv(history_json(std::vector{row}), true),
             Catch::Contains(",why,rule_reason,job,") && Catch::Contains(",tie,,,,,,\n"));
}

TEST_CASE("an operator's order says what, why, who and whence, and no number") {
  CHECK(shown({drained()}, false) ==
        "2026-11-21T17:01:01.500Z  east  operator-command  drain east --provider --until "
        "2026-11-21T18:00:00.000Z; why: new disks; by ana from 10.0.0.7\n");
  HistoryRow refused = drained();
  refused.kind = "operator-refused";
  refused.reason = "not-allowed";
  refused.options.clear();
  refused.numbers = R"({"times":3})";
  refused.why = "the role read may only ask";
  CHECK(shown({refused}, false) ==
        "2026-11-21T17:01:01.500Z  east  operator-refused  drain east; not-allowed; times 3; why: "
        "the role read may only ask; by ana from 10.0.0.7\n");
}

TEST_CASE("a job that had to end says whose it was, what became of it and why") {
  HistoryRow row;
  row.time = Instant{1'795'280'461'500};
  row.kind = "work-ended";
  row.lease = "pool:west";
  row.cluster = "west";
  row.reason = "reclaim-owned";
  row.slots = 2;
  row.numbers = R"({"number":3,"told_ms":1,"ended_ms":2})";
  row.job = "42";
  row.fate = "requeued";
  CHECK(shown({row}, false) ==
        "2026-11-21T17:01:01.500Z  pool:west  work-ended  job 42 requeued; 2 slots; "
        "reclaim-owned\n");
  row.user = "ann";
  row.fate = "failed";
  row.exit_code = 3;
  row.slots = 1;
  CHECK(shown({row}, false) ==
        "2026-11-21T17:01:01.500Z  pool:west  work-ended  job 42 of ann failed, exit code 3; "
        "1 slot; reclaim-owned\n");
  CHECK_THAT(history_json(std::vector{row}).dump(),
             Catch::Contains(R"("job":"42","user":"ann","fate":"failed","exit_code":3)"));
  CHECK_THAT(history_csv(history_json(std::vector{row}), true),
             Catch::Contains(",42,ann,failed,3,,\n"));
  row.account = "physics";
  row.session = "user ann";
  CHECK_THAT(shown({row}, false), Catch::Contains(", exit code 3, account physics; 1 slot;"));
  row.session = "account physics";
  CHECK_THAT(shown({row}, false), Catch::Contains(", account physics, session account physics;"));
  CHECK_THAT(history_csv(history_json(std::vector{row}), true),
             Catch::Contains(",42,ann,failed,3,account physics,physics\n"));
}

TEST_CASE("one slot is not called slots") {
  HistoryRow row = flip();
  row.slots = 1;
  CHECK(shown({row}, false).find("1 slot east") != std::string::npos);
}

TEST_CASE("colour paints the kind and nothing else") {
  const std::vector<HistoryRow> rows{flip()};
  std::string painted = shown(rows, true);
  REQUIRE(painted.find("\033[32mflip\033[0m") != std::string::npos);
  painted.erase(painted.find("\033[32m"), 5);
  painted.erase(painted.find("\033[0m"), 4);
  CHECK(painted == shown(rows, false));
}

TEST_CASE("CSV has a header and quotes what needs it") {
  const std::vector<HistoryRow> rows{flip(), command()};
  CHECK(
      history_csv(history_json(rows), true) ==
      "id,time,kind,lease,epoch,cluster,reason,slots,from,to,numbers,by,verb,object,options,"
      "where,why,rule_reason,job,user,fate,exit_code,session,account\n"
      "7,2026-11-21T17:01:00.000Z,flip,east-batch:west,3,,provider-idle,4,east,west,"
      "\"{\"\"provider_available\"\":8,\"\"provider_used\"\":4}\",,,,,,,,,,,,,\n"
      "8,2026-11-21T17:01:01.500Z,operator-command,,,\"east, \"\"old\"\"\",,,,,,ana,,,,,,,,,,,,\n");
}

TEST_CASE("JSON has the fields of the contract, absent ones null") {
  CHECK(history_json(std::vector{flip()}).dump() ==
        R"([{"id":7,"time":"2026-11-21T17:01:00.000Z","kind":"flip","lease":"east-batch:west",)"
        R"("epoch":3,"cluster":null,"reason":"provider-idle","slots":4,"from":"east","to":"west",)"
        R"("numbers":{"provider_available":8,"provider_used":4},"by":null,)"
        R"("verb":null,"object":null,"options":null,"where":null,"why":null,"rule_reason":null,)"
        R"("job":null,"user":null,"fate":null,"exit_code":null,)"
        R"("session":null,"account":null}])");
  CHECK(history_json(std::vector{drained()})
            .dump()
            .find(R"("verb":"drain","object":"east","options":"--provider --until )") !=
        std::string::npos);
  CHECK(history_json({}).dump() == "[]");
}
