#include "agent/core/work/work_session.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

WorkUnit job(const char* partition, const char* qos, const char* account, const char* comment) {
  WorkUnit made = unit("7", "ann", "h", 100, 2);
  made.partition = partition;
  made.qos = qos;
  made.account = account;
  made.comment = comment;
  return made;
}

SessionType type(SessionMatch match, SessionOf session = SessionOf::user, int32_t rank = 1) {
  SessionType made;
  made.match = std::move(match);
  made.session = session;
  made.preemption_rank = rank;
  return made;
}

TEST_CASE("a session type matches where all that it names is there") {
  const struct {
    SessionMatch match;
    WorkUnit unit;
    bool matches;
  } rows[] = {
      {{}, job("", "", "", ""), true},
      {{"batch"}, job("batch", "", "", ""), true},
      {{"batch"}, job("short,batch", "", "", ""), true},  // goes where it can
      {{"batch"}, job("batches", "", "", ""), false},
      {{"batch"}, job("", "", "", ""), false},
      {{"", "high"}, job("batch", "high", "", ""), true},
      {{"", "high"}, job("batch", "low", "", ""), false},
      {{"", "", "physics"}, job("", "", "physics", ""), true},
      {{"", "", "physics"}, job("", "", "biology", ""), false},
      {{"", "", "", "urgent"}, job("", "", "", "very urgent; ask ben"), true},
      {{"", "", "", "urgent"}, job("", "", "", "nonurgent"), false},
      {{"batch", "high", "physics", "urgent"}, job("batch", "high", "physics", "urgent"), true},
      {{"batch", "high", "physics", "urgent"}, job("batch", "low", "physics", "urgent"), false},
  };
  for (const auto& row : rows) {
    INFO(row.unit.partition << "/" << row.unit.qos << "/" << row.unit.account << "/"
                            << row.unit.comment);
    const std::vector<SessionType> types{type(row.match)};
    CHECK(type_of(row.unit, types).has_value() == row.matches);
  }
}

TEST_CASE("the first type that matches counts; without one the defaults of Symphony hold") {
  const std::vector<SessionType> types{type({"batch"}, SessionOf::user, 7), type({}),
                                       type({"batch"})};
  CHECK(type_of(job("batch", "", "", ""), types) == 0u);
  CHECK(type_of(job("long", "", "", ""), types) == 1u);
  const std::vector<WorkUnit> units{unit("1", "ann", "h", 50, 3), waiting("2", "ann", 4)};
  const WorkSessions noted = note_sessions({}, units, {});
  REQUIRE(noted.all.size() == 1);
  const WorkSession& session = noted.all[0];
  CHECK(session.key == "user ann");
  CHECK(session.rank == 1);         // "The default value for preemptionRank is 1"
  CHECK_FALSE(session.preemptive);  // "The default value for preemptive is false"
  CHECK(session.priority == 1);
  CHECK(session.allocated == 3);
  CHECK(session.pending == 4);
  CHECK(noted.problems.empty());
}

TEST_CASE("a session is a user's, an account's or a job's, under one type") {
  std::vector<WorkUnit> units{unit("1", "ann", "h", 10), unit("2", "ben", "h", 20),
                              unit("3", "ann", "h", 30), unit("4", "ben", "h", 40)};
  units[0].account = units[1].account = "physics";
  units[2].account = units[3].account = "biology";
  units[3].partition = "long";
  units[3].qos = "high";
  units[3].comment = "urgent";
  const struct {
    SessionOf of;
    std::vector<std::string> keys;
    std::vector<size_t> of_unit;
  } rows[] = {
      {SessionOf::user,
       {"user ann", "user ben",
        "user ben, partition=long, qos=high, "
        "account=biology, comment=urgent"},
       {0, 1, 0, 2}},
      {SessionOf::account,
       {"account biology",
        "account biology, partition=long, qos=high, "
        "account=biology, comment=urgent",
        "account physics"},
       {2, 2, 0, 1}},
      {SessionOf::job,
       {"job 1", "job 2", "job 3",
        "job 4, partition=long, qos=high, "
        "account=biology, comment=urgent"},
       {0, 1, 2, 3}},
  };
  for (const auto& row : rows) {
    const std::vector<SessionType> types{type({"long", "high", "biology", "urgent"}, row.of),
                                         type({}, row.of)};
    const WorkSessions noted = note_sessions({}, units, types);
    std::vector<std::string> keys;
    for (const WorkSession& session : noted.all) keys.push_back(session.key);
    CHECK(keys == row.keys);
    CHECK(noted.of_unit == row.of_unit);
  }
}

TEST_CASE("a session has what its type gives, as old as its oldest job") {
  SessionType made = type({}, SessionOf::user, 9);
  made.preemptive = made.exclusive_host = true;
  made.priority = 3;
  made.min_slots = 4;
  const std::vector<WorkUnit> units{unit("2", "ann", "h", 80), unit("1", "ann", "h", 20)};
  const WorkSession session = note_sessions({}, units, std::vector{made}).all.at(0);
  CHECK(session.rank == 9);
  CHECK(session.preemptive);
  CHECK(session.exclusive_host);
  CHECK(session.priority == 3);
  CHECK(session.min_slots == 4);
  CHECK(session.started.ms == 20);
}

TEST_CASE("what a comment may say, and what is refused") {
  const struct {
    const char* comment;
    CommentWords words;
    const char* refused;  // "": it is not
  } rows[] = {
      {"", {}, ""},
      {"rank=20", {}, ""},
      {"leasehold:rank=20,preemptive", {20, true}, ""},
      {"paper 3; leasehold:preemptive=false,rank=1", {1, false}, ""},
      {"leasehold:preemptive=true", {{}, true}, ""},
      {"leasehold:rank=10000", {10'000, {}}, ""},
      {"leasehold:", {}, ""},
      {"leasehold:signal=USR1", {{}, {}, "USR1"}, ""},
      {"leasehold:rank=3,signal=SIGTERM", {3, {}, "TERM"}, ""},
      {"leasehold:signal=KILL", {}, "right would be a signal that warns, as in signal=USR1"},
      {"leasehold:signal=", {}, "right would be a signal that warns, as in signal=USR1"},
      {"leasehold:rank=10001", {}, "'rank=10001' is not understood"},
      {"leasehold:rank=0", {}, "from 1 to 10000"},
      {"leasehold:rank=2x", {}, "from 1 to 10000"},
      {"leasehold:rank=", {}, "from 1 to 10000"},
      {"leasehold:rank=99999999999", {}, "from 1 to 10000"},
      {"leasehold:preemtive", {}, "right would be leasehold:rank=20,preemptive"},
  };
  for (const auto& row : rows) {
    INFO(row.comment);
    const Result<CommentWords> read = read_comment(row.comment);
    CHECK(read.has_value() == (*row.refused == '\0'));
    if (read) {
      CHECK(*read == row.words);
    } else {
      CHECK_THAT(read.error().message, Catch::Contains(row.refused));
    }
  }
}

WorkUnit saying(const char* id, int64_t at_ms, const char* comment) {
  WorkUnit made = unit(id, "ann", "h", at_ms);
  made.comment = comment;
  return made;
}

TEST_CASE("At session creation a client can override preemptive and preemptionRank") {
  const std::vector<SessionType> types{type({}, SessionOf::user, 5)};
  const std::vector<WorkUnit> units{saying("2", 200, "leasehold:rank=30"),
                                    saying("1", 100, "leasehold:rank=20,preemptive")};
  const WorkSession session = note_sessions({}, units, types, JobComments::any).all.at(0);
  CHECK(session.rank == 20);  // its oldest job's
  CHECK(session.preemptive);
  const std::vector<WorkUnit> one{saying("1", 100, "leasehold:preemptive")};
  CHECK(note_sessions({}, one, types, JobComments::any).all.at(0).rank == 5);
}

TEST_CASE("what a comment may set is what the site allows: whoever submits a job writes it") {
  using enum JobComments;
  struct Allowed {
    JobComments comments;
    const char* comment;
    int32_t rank;
    bool preemptive, left_out;
  };
  SessionType made = type({}, SessionOf::user, 5);
  made.preemptive = true;
  for (const Allowed& row :
       std::vector<Allowed>{{off, "leasehold:rank=9", 5, true, true},
                            {off, "leasehold:rank=2", 5, true, true},
                            {off, "leasehold:preemptive=false", 5, true, true},
                            {off, "leasehold:signal=USR1", 5, true, false},
                            {off, "", 5, true, false},
                            {lower, "leasehold:rank=9", 5, true, true},
                            {lower, "leasehold:rank=2", 2, true, false},
                            {lower, "leasehold:rank=2,preemptive", 2, true, true},
                            {lower, "leasehold:preemptive=false", 5, false, false},
                            {any, "leasehold:rank=9,preemptive=false", 9, false, false}}) {
    CAPTURE(row.comment, static_cast<int>(row.comments));
    const std::vector<WorkUnit> units{saying("1", 100, row.comment)};
    const WorkSessions noted = note_sessions({}, units, std::vector{made}, row.comments);
    CHECK(noted.all.at(0).rank == row.rank);
    CHECK(noted.all.at(0).preemptive == row.preemptive);
    CHECK(noted.comments_left_out == row.left_out);
  }
}

TEST_CASE("Once the session is created, these parameters cannot be changed") {
  const std::vector<SessionType> types{type({}, SessionOf::user, 5)};
  const std::vector<WorkUnit> first{saying("1", 100, "")};
  const WorkSessions before = note_sessions({}, first, types, JobComments::any);
  const std::vector<WorkUnit> later{saying("0", 50, "leasehold:rank=20,preemptive"),
                                    saying("2", 200, "leasehold:rank=30")};
  const WorkSessions after = note_sessions(before.all, later, types, JobComments::any);
  CHECK(after.all.at(0).rank == 5);
  CHECK_FALSE(after.all.at(0).preemptive);
  CHECK(after.all.at(0).started.ms == 100);
  CHECK(after.all.at(0).allocated == 2);
  // All its jobs are gone: the session is over, and the next job makes a new one.
  const WorkSessions none = note_sessions(after.all, {}, types, JobComments::any);
  CHECK(none.all.empty());
  CHECK(note_sessions(none.all, later, types, JobComments::any).all.at(0).rank == 20);
}

TEST_CASE("a comment that cannot be read is told, and its session goes by type") {
  const std::vector<SessionType> types{type({}, SessionOf::user, 5)};
  const std::vector<WorkUnit> units{saying("17", 100, "leasehold:rank=20,preemtive")};
  const WorkSessions noted = note_sessions({}, units, types, JobComments::any);
  CHECK(noted.all.at(0).rank == 5);
  REQUIRE(noted.problems.size() == 1);
  CHECK_THAT(noted.problems[0], Catch::StartsWith("comment of job 17: 'preemtive'"));
  CHECK(note_sessions(noted.all, units, types, JobComments::any).problems.empty());  // once
}

}  // namespace
}  // namespace leasehold::agent
