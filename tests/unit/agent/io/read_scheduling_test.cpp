#include "agent/io/settings/read_scheduling.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

struct Read {
  SchedulingSettings settings;
  std::vector<Error> errors;
  std::vector<Error> warnings;
};

Read read(const std::string& text) {
  ConfigFile file = ConfigFile::parse(text, "agent.toml");
  Read made{read_scheduling(file.root()), {}, {}};
  file.refuse_unknown_keys();
  made.errors = file.errors();
  made.warnings = file.warnings();
  return made;
}

TEST_CASE("without the tables the defaults of Symphony hold") {
  const Read made = read("");
  CHECK(made.errors.empty());
  CHECK(made.settings == SchedulingSettings{});
  CHECK(made.settings.policy == SchedulingPolicy::proportional);
  CHECK(made.settings.criteria == Criteria::policy_default);
  CHECK_FALSE(made.settings.selective_reclaim);
  CHECK(made.settings.preemption_scope == PreemptionScope::lower_or_equal);
  CHECK_FALSE(made.settings.random_seed);
}

TEST_CASE("every key is read") {
  const Read made = read(R"([scheduling]
policy = "minimum-services"
criteria = "most-recent-task"
selective_reclaim = true
preemption_scope = "lower"
reclaim_optimization = "application"
job_comments = "lower"
random_seed = 7
[[session_type]]
match = { partition = "batch", qos = "high", account = "physics", comment = "urgent" }
session = "account"
preemptive = true
preemption_rank = 20
priority = 10000
min_slots = 4
exclusive_host = true
[[session_type]]
session = "job"
)");
  for (const Error& error : made.errors) UNSCOPED_INFO(describe(error));
  REQUIRE(made.errors.empty());
  CHECK(made.warnings.empty());
  SchedulingSettings wanted;
  wanted.policy = SchedulingPolicy::minimum_services;
  wanted.criteria = Criteria::most_recent_task;
  wanted.selective_reclaim = true;
  wanted.preemption_scope = PreemptionScope::lower;
  wanted.job_comments = JobComments::lower;
  wanted.random_seed = 7;
  wanted.session_types = {
      {{"batch", "high", "physics", "urgent"}, SessionOf::account, true, 20, 10'000, 4, true},
      {{}, SessionOf::job}};
  CHECK(made.settings == wanted);
  CHECK(read("[scheduling]\npolicy = \"priority\"\n").settings.policy ==
        SchedulingPolicy::priority);
  CHECK(read("[scheduling]\nrandom_seed = 0\n").settings.random_seed == 0u);
}

TEST_CASE("a mistake in the scheduling tables is named with line and column") {
  const struct {
    const char* text;
    int line;
    int column;
    const char* says;
  } rows[] = {
      {"[scheduling]\npolicy = \"fair\"\n", 2, 10, "minimum-services"},
      {"[scheduling]\ncriteria = \"oldest\"\n", 2, 12, "most-recent-task"},
      {"[scheduling]\npreemption_scope = \"higher\"\n", 2, 20, "lower-or-equal"},
      {"[scheduling]\nreclaim_optimization = \"none\"\n", 2, 24, "standby"},
      {"[scheduling]\nselective_reclaim = \"yes\"\n", 2, 21, "true"},
      {"[scheduling]\nrandom_seed = -1\n", 2, 15, "0"},
      {"[scheduling]\nrandom_sed = 1\n", 2, 1, "random_seed"},
      {"[[session_type]]\npreemption_rank = 0\n", 2, 19, "10000"},
      {"[[session_type]]\npriority = 10001\n", 2, 12, "10000"},
      {"[[session_type]]\nmin_slots = -1\n", 2, 13, "0"},
      {"[[session_type]]\nsession = \"group\"\n", 2, 11, "account"},
      {"[[session_type]]\npreemptiv = true\n", 2, 1, "preemptive"},
      {"[[session_type]]\nmatch = { queue = \"x\" }\n", 2, 11, "unknown key"},
      {"[[session_type]]\nmatch = { partition = \"a,b\" }\n", 2, 23, "for each"},
      {"[[session_type]]\nmatch = { comment = \"very urgent\" }\n", 2, 21, "more than one name"},
      {"[[session_type]]\n[[session_type]]\nmatch = { qos = \"x\" }\n", 2, 1,
       "the one in line 1 matches all"},
      {"[session_type]\nsession = \"job\"\n", 1, 1, ""},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    const Read made = read(row.text);
    REQUIRE(made.errors.size() == 1);
    INFO(describe(made.errors[0]));
    CHECK(made.errors[0].file == "agent.toml");
    CHECK(made.errors[0].line == row.line);
    CHECK(made.errors[0].column == row.column);
    CHECK(made.errors[0].code == ErrorCode::usage);
    CHECK_THAT(made.errors[0].message, Catch::Contains(row.says));
  }
}

TEST_CASE("types that overlap in part are both reached") {
  const Read made = read(R"([[session_type]]
match = { partition = "a", qos = "x" }
[[session_type]]
match = { partition = "a" }
[[session_type]]
match = { qos = "x" }
[[session_type]]
match = { account = "y" }
[[session_type]]
match = { comment = "z" }
[[session_type]]
)");
  CHECK(made.errors.empty());
  CHECK(made.settings.session_types.size() == 6);
}

TEST_CASE("what has no effect beside the other keys is a warning") {
  const Read standby =
      read("[scheduling]\nselective_reclaim = true\nreclaim_optimization = \"standby\"\n");
  CHECK(standby.errors.empty());
  REQUIRE(standby.warnings.size() == 1);
  CHECK(standby.warnings[0].line == 2);
  CHECK_FALSE(selective(standby.settings));
  const Read minimum = read("[[session_type]]\nmin_slots = 2\n");
  CHECK(minimum.errors.empty());
  REQUIRE(minimum.warnings.size() == 1);
  CHECK_THAT(minimum.warnings[0].message, Catch::Contains("minimum-services"));
}

}  // namespace
}  // namespace leasehold::agent
