// Present answers questions about now and makes bases beside the loop, of the state that is asked
// for and no other.
#include "broker/daemon/present.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <future>

#include "broker/views/catalogue.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

struct Followed {
  Followed() {
    recorded.begin();
    recorded.flip_to_and_fro(2);
    recorded.commit();
  }
  WantedBase wanted() {
    FollowedState followed(log);
    REQUIRE(followed.catch_up());
    return {followed.last_event(), followed.hash(), unimaged_of(recorded.site.state)};
  }
  std::optional<MadeBase> made_of(WantedBase wanted) {
    present.want(std::move(wanted));
    present.follow();
    return present.take();
  }

  TempDir dir;
  const std::string log = dir.file("broker.db");
  RecordedSite recorded{log};
  Present present{log};
};

}  // namespace

TEST_CASE("a base is made of the state that it is wanted of") {
  Followed followed;
  const WantedBase wanted = followed.wanted();
  const std::optional<MadeBase> made = followed.made_of(wanted);
  REQUIRE(made.has_value());
  CHECK(made->last_event == wanted.last_event);
  CHECK_FALSE(followed.present.take().has_value());
}

TEST_CASE("where another row was kept than was to be committed, no base is made of it") {
  Followed followed;
  WantedBase other = followed.wanted();
  other.log_hash[0] ^= 1;
  other.unimaged.plans.emplace_back();  // it may have had a plan more
  CHECK_FALSE(followed.made_of(std::move(other)).has_value());
  WantedBase later = followed.wanted();
  ++later.last_event;  // an event that was not committed
  CHECK_FALSE(followed.made_of(std::move(later)).has_value());
  CHECK(followed.made_of(followed.wanted()).has_value());
}

TEST_CASE("metrics are made of the same state, without what the loop has not said") {
  Followed followed;
  MetricsQuestion question;
  question.series_most = 10;
  const Result<std::string> text = followed.present.metrics(question);
  REQUIRE(text.has_value());
  CHECK(text->find("leasehold_events_total " + std::to_string(followed.wanted().last_event)) !=
        std::string::npos);
  CHECK(text->find("leasehold_database_size_bytes{file=\"log\"}") != std::string::npos);
}

TEST_CASE("of a log that lost its end nothing is answered that stood in the lost one") {
  // Symptom: behind a pooler whose server was failed over, the old one's state answered for long.
  Followed followed;
  MetricsQuestion question;
  question.series_most = 10;
  question.event = followed.recorded.store->last_event();
  REQUIRE(followed.present.metrics(question));
  SQLite::Database& log = followed.recorded.store->database();
  log.exec("DROP TRIGGER log_is_kept");
  log.exec("DELETE FROM log WHERE batch > (SELECT max(batch) - 3 FROM log)");
  question.event = followed.wanted().last_event;
  const Result<std::string> text = followed.present.metrics(question);
  REQUIRE(text.has_value());
  CHECK(text->find("leasehold_events_total " + std::to_string(question.event) + "\n") !=
        std::string::npos);
}

TEST_CASE("of several brokers one that cannot read the log tells who leads, and lags ever more") {
  Followed followed;
  MetricsQuestion question;
  question.now = Instant{100'000};
  question.leader_view.role = BrokerRole::standby;
  question.leader_view.epoch = 3;
  question.leader_view.looked = Instant{99'000};
  const auto has_metric = [&](const std::string& line) {
    const Result<std::string> text = followed.present.metrics(question);
    REQUIRE(text.has_value());
    INFO(*text);
    CHECK(text->find("\n" + line + "\n") != std::string::npos);
  };
  has_metric("leasehold_standby_lag_seconds 1");
  std::filesystem::remove(followed.log);
  question.event = 1'000'000;  // nothing was read of it before
  question.now = Instant{140'000};
  question.leader_view.looked = Instant{139'000};  // the database answers nevertheless
  has_metric("leasehold_standby_lag_seconds 41");
  has_metric("leasehold_leads 0");
  has_metric("leasehold_leader_epoch 3");
  question.leader_view = {};
  CHECK_FALSE(followed.present.metrics(question).has_value());
}

// Symptom: the database was asked again and again, for up to 27 s, and the question then refused.
TEST_CASE("while nobody leads questions of now are answered by what was followed last") {
  Followed followed;
  followed.present.follow();
  const int64_t last = followed.wanted().last_event;
  std::filesystem::remove(followed.log);
  followed.present.follow();
  PresentQuestion question;
  question.event = last + 10;
  for (const char* command : {"leases", "clusters", "status", "doctor", "lease"}) {
    question.request.command = command;
    question.request.lease = "pool:west";
    question.request.row = find_request(command);
    question.from_memory = false;
    CHECK_FALSE(followed.present.answer(question).has_value());
    question.from_memory = true;
    const auto answer = followed.present.answer(question);
    INFO((answer ? command : describe(answer.error())));
    REQUIRE(answer.has_value());
    CHECK(answer->as_of.event == last);
  }
}

// Symptom: one question that waited for the database held up all others, and each failed.
TEST_CASE("once the database is silent nobody waits for it who can be answered from memory") {
  Followed followed;
  followed.present.follow();
  const int64_t last = followed.wanted().last_event;
  followed.present.publish_nobody_leads(
      NobodyLeads{{}, "it is silent", "an answer would help", true});
  PresentQuestion question;
  question.event = last + 10;
  for (const char* command : {"leases", "lease"}) {
    question.request.command = command;
    question.request.lease = "pool:west";
    question.request.row = find_request(command);
    const auto answer = followed.present.answer(question);
    INFO((answer ? command : describe(answer.error())));
    REQUIRE(answer.has_value());
    CHECK(answer->as_of.event == last);
    REQUIRE(answer->as_of.nobody.has_value());
    CHECK(answer->as_of.nobody->why == "it is silent");
  }
  Aside aside;  // reads the past
  const auto nothing = [] { return Result<int>(1); };
  CHECK_FALSE(followed.present.unless_silent(aside, nothing).has_value());
  const Status read = followed.present.followed();
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().message.find("because it is silent") != std::string::npos);
  followed.present.publish_nobody_leads(
      NobodyLeads{{}, "its disk is full", "room would help", false});
  CHECK(followed.present.unless_silent(aside, nothing).has_value());
  const auto answer = followed.present.answer(question);  // the log is read all the same
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->as_of.nobody.has_value());
  CHECK(answer->json.find("decisions") != std::string::npos);
}

TEST_CASE("who waits for the database stops waiting once it is said to be silent") {
  Followed followed;
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  Aside aside;
  const auto asked = std::async(std::launch::async, [&] {
    return followed.present.unless_silent(aside, [ended]() -> Status {
      ended.wait();
      return {};
    });
  });
  followed.present.publish_nobody_leads(
      NobodyLeads{{}, "it is silent", "an answer would help", true});
  asked.wait();  // never ends if it waits for the database
  end.set_value();
}

TEST_CASE("a question that comes before anything was followed is answered by the log") {
  Followed followed;
  PresentQuestion question;
  question.request.command = "leases";
  question.request.row = find_request("leases");
  const auto answer = followed.present.answer(question);
  INFO((answer ? "" : describe(answer.error())));
  REQUIRE(answer.has_value());
  CHECK(answer->as_of.event == followed.wanted().last_event);
}

namespace {

/// A standby's file beside the configuration in force, as `doctor` and metrics show it.
struct Beside : Followed {
  std::string said() {
    PresentQuestion question;
    question.request.command = "doctor";
    question.request.row = find_request("doctor");
    const auto answer = present.answer(question);
    REQUIRE(answer.has_value());
    return answer->json;
  }
  bool says(const std::string& words) {
    const std::string all = said();
    INFO(all);
    return all.find(words) != std::string::npos;
  }
  char metric() {
    const std::string text = present.metrics({}).value();
    const std::string name = "\nleasehold_standby_configuration_differs ";
    const size_t at = text.find(name);
    return at == std::string::npos ? ' ' : text[at + name.size()];
  }

  const ConfigRead alike{ConfigLoaded{recorded.site.state.config, {}, "start"}};
  OwnFile& own = present.own_file();
};

}  // namespace

TEST_CASE("a standby's own file is alike but for its name, which each has its own") {
  Beside beside;
  CHECK_FALSE(beside.says("file is"));
  CHECK(beside.metric() == ' ');
  ConfigRead read = beside.alike;
  read.loaded.config.name = "hub-b";
  beside.own.is(read);
  CHECK(beside.says("its own configuration file is what is in force"));
  CHECK(beside.metric() == '0');
  beside.own.is_in_force();  // it leads
  CHECK_FALSE(beside.says("file is"));
  CHECK(beside.metric() == ' ');
}

TEST_CASE("a standby's own file differs from what is in force until one of both is another") {
  Beside beside;
  ConfigRead read = beside.alike;
  read.loaded.config.policies.front().slots_per_host = 2;
  beside.own.is(read);
  CHECK(beside.says("changed export_policy pool slots_per_host"));
  CHECK(beside.says(" -> "));  // the gains and losses of slots
  CHECK(beside.metric() == '1');
  beside.own.is(beside.alike);
  CHECK(beside.metric() == '0');
  BrokerConfig config = beside.recorded.site.state.config;
  config.reclaim_delay_ms += 1'000;
  beside.recorded.site.load(config);
  beside.recorded.commit();
  beside.present.follow();
  CHECK(beside.says("changed broker reclaim_delay"));
}

TEST_CASE("a standby whose own file cannot be read cannot lead") {
  Beside beside;
  beside.own.is(tl::unexpected(Error{ErrorCode::usage, "no such key", "broker.toml", 3, 0}));
  CHECK(beside.says("this broker cannot lead: broker.toml:3: no such key"));
  CHECK(beside.metric() == '1');
}

TEST_CASE(
    "a standby whose own file is another site's cannot lead, and says so wherever it is asked") {
  Beside beside;
  ConfigRead read = beside.alike;
  for (ClusterConfig& cluster : read.loaded.config.clusters) cluster.name += "-of-another-site";
  const auto answer_to = [&](const char* command) {
    PresentQuestion question;
    question.request.command = command;
    question.request.row = find_request(command);
    const auto liveness = std::make_shared<Liveness>();
    liveness->leader_view.role = BrokerRole::standby;
    liveness->leader_view.name = "hub-b";
    question.liveness = liveness;
    const auto answer = beside.present.answer(question);
    REQUIRE(answer.has_value());
    return answer->json;
  };
  const auto says_so = [&](const char* command) {
    return answer_to(command).find("file's clusters is in the database") != std::string::npos;
  };
  for (const char* command : {"attention", "brokers", "doctor"}) {
    INFO(command);
    CHECK_FALSE(says_so(command));
  }
  beside.own.is(read);
  for (const char* command : {"attention", "doctor", "brokers"}) {
    INFO(command);
    CHECK(says_so(command));
  }
  CHECK(answer_to("attention").find("cannot-lead") != std::string::npos);
  beside.own.is_in_force();
  CHECK_FALSE(says_so("attention"));
}
