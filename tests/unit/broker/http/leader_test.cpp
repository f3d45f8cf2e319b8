// Load balancers learn without a token which broker leads, and whether a broker is ready.
#include <catch2/catch.hpp>

#include "broker/ports/http/answers/front.hpp"

using namespace leasehold;

namespace {

constexpr int64_t kNow_ms = 10'000;

Notice notice_of(BrokerRole role) {
  auto access = std::make_shared<Access>();
  OperatorConfig operator_config;
  operator_config.name = "ana";
  access->operators.push_back(operator_config);
  access->http.base_path = "/lease";  // then every question needs a token
  Notice notice;
  notice.in_force = std::make_shared<const InForce>(InForce{"hub", Mode::lease, access});
  notice.leader_view.role = role;
  notice.leader_view.name = "hub-2";
  notice.leader_view.endpoint = "tcp://hub-2:7440";
  if (role == BrokerRole::alone) return notice;
  notice.leader_view.epoch = 3;
  notice.leader_view.leader = role == BrokerRole::leader ? "hub-2" : "hub-1";
  notice.leader_view.leader_endpoint = "tcp://" + notice.leader_view.leader + ":7440";
  return notice;
}

std::shared_ptr<const Reply> asked(const std::string& line, const Notice& notice) {
  Front front({}, {});
  const OrRefusal<RequestHead> head = read_head(line + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  REQUIRE(head);
  Outcome outcome = front.receive(*head, "127.0.0.1", notice, kNow_ms);
  REQUIRE(outcome.reply != nullptr);
  return outcome.reply;
}

/// The reply to /readyz of a broker whose log is followed, or is not.
Reply readyz(const Notice& notice, const Status& followed = {}) {
  Lookups lookups;
  lookups.followed = [&followed] { return followed; };
  Inquiry inquiry;
  inquiry.route.kind = RouteKind::readyz;
  inquiry.notice = notice;
  return make_reply(inquiry, lookups, std::make_shared<std::atomic<int64_t>>(0));
}

}  // namespace

// Symptom: of two brokers whose database was stopped each named the other.
TEST_CASE("while nobody leads every broker says so, since when, why, and what would help") {
  for (const BrokerRole role : {BrokerRole::alone, BrokerRole::leader, BrokerRole::standby}) {
    Notice notice = notice_of(role);
    notice.leader_view.nobody = NobodyLeads{{1'000}, "the server is gone", "its return would help"};
    const auto reply = asked("GET /leader", notice);
    CHECK(reply->status == 503);
    CHECK(reply->body() ==
          "nobody leads since 1970-01-01T00:00:01.000Z, because the server is gone; its return "
          "would help\n");
  }
}

TEST_CASE("a broker alone with its database leads, and its questions need a token as before") {
  const Notice notice = notice_of(BrokerRole::alone);
  for (const char* line : {"GET /leader", "HEAD /leader", "GET /lease/leader"}) {
    const auto reply = asked(line, notice);
    CHECK(reply->status == 200);
    CHECK(reply->cache == "no-store");
    CHECK(reply->body() == "leads: it is the only broker\n");
  }
  CHECK(asked("GET /metrics", notice)->status == 401);
}

TEST_CASE("a leader says so until it may not answer any more") {
  Notice notice = notice_of(BrokerRole::leader);
  notice.leader_view.leads_until_ms = kNow_ms + 1;
  CHECK(asked("GET /leader", notice)->status == 200);
  CHECK(asked("GET /leader", notice)->body() == "leads, epoch 3\n");
  notice.leader_view.leads_until_ms = kNow_ms;
  CHECK(asked("GET /leader", notice)->status == 503);
  CHECK_THAT(std::string(asked("GET /leader", notice)->body()), Catch::Contains("no commit"));
}

TEST_CASE("a standby says who leads, and where") {
  Notice notice = notice_of(BrokerRole::standby);
  CHECK(asked("GET /leader", notice)->status == 503);
  CHECK(asked("GET /leader", notice)->body() ==
        "stands by: the broker 'hub-1' leads, at tcp://hub-1:7440\n");
  notice.leader_view.leader.clear();
  CHECK(asked("GET /leader", notice)->body() == "stands by: which broker leads is not known yet\n");
}

TEST_CASE("nobody is told that a broker leads before it has begun") {
  CHECK(asked("GET /leader", {})->status == 503);
}

TEST_CASE(
    "a standby is ready where it follows the log and its last look at the database succeeded") {
  CHECK(readyz(notice_of(BrokerRole::leader)).body() == "ok\n");
  CHECK(readyz(notice_of(BrokerRole::alone)).body() == "ok\n");
  Notice notice = notice_of(BrokerRole::standby);
  CHECK(readyz(notice).status == 200);
  CHECK_THAT(std::string(readyz(notice).body()), Catch::Contains("stands by"));
  const Reply behind =
      readyz(notice, tl::unexpected(Error{ErrorCode::io, "the log cannot be read", {}, 0, 0}));
  CHECK(behind.status == 503);
  CHECK_THAT(std::string(behind.body()), Catch::Contains("the log cannot be read"));
  notice.trouble = "the database is gone";
  CHECK(readyz(notice).status == 503);
  CHECK(readyz(notice).body() == "the database is gone\n");
}
