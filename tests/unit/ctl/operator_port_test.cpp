// A real operator port with a real client: the control protocol over ZeroMQ.
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "broker/core/step.hpp"
#include "broker/ctl/client/client.hpp"
#include "broker/ports/operators/port.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request/request_json.hpp"
#include "tests/support/last_bound.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

/// The event loop around an operator port, reduced to what the port needs. `refuse`: commits fail.
class Site {
 public:
  explicit Site(bool refuse = false) : refuse_(refuse) {
    thread_ = std::thread([this] { loop(); });
    while (endpoint_ready_ == false) std::this_thread::yield();
  }
  ~Site() {
    over_ = true;
    thread_.join();
  }

  Result<Json> ask(Json request) {
    auto client = ctl::BrokerClient::connect({endpoint_, {}}, test::kLastBoundMs);
    REQUIRE(client);
    if (!request.contains("leasehold")) request["leasehold"] = 1;
    return client->ask(request);
  }
  std::vector<std::string> messages(const std::string& request) {
    Result<Channel> channel = Channel::connect(endpoint_);
    REQUIRE(channel);
    const std::array<Channel* const, 1> channels{&*channel};
    channel->send("", {reinterpret_cast<const uint8_t*>(request.data()), request.size()});
    std::vector<std::string> all;
    while (all.empty() || all.back().ends_with(kMoreComes)) {
      REQUIRE(Channel::wait(channels, {}, test::kLastBoundMs));
      while (const auto frame = channel->receive()) {
        all.emplace_back(frame->bytes.begin(), frame->bytes.end());
      }
    }
    return all;
  }
  const std::string& endpoint() const { return endpoint_; }
  const Request& questioned() const { return questioned_; }
  /// Waits for that many: the answer is sent before the refusal is stored.
  std::vector<OperatorRefused> refused(size_t wanted) {
    std::unique_lock lock(mutex_);
    kept_.wait_for(lock, std::chrono::milliseconds(test::kLastBoundMs),
                   [&] { return attempts_.size() >= wanted; });
    return attempts_;
  }

 private:
  void loop() {
    auto listening = OperatorPort::listen("tcp://127.0.0.1:0");
    auto line = std::make_unique<Channel>(std::move(*listening));
    const std::array<Channel* const, 1> channels{line.get()};
    endpoint_ = line->endpoint();
    State state = site::state();
    OperatorPort port(std::move(line), lookups(state));
    endpoint_ready_ = true;
    const Liveness liveness = site::liveness();
    const OperatorContext context{state, liveness, site::kNoon, 7,
                                  [this](uint64_t&, const std::string& by) { return read_(by); }};
    while (!over_) {
      Channel::wait(channels, port.answer_fds(), 20);
      port.send_answers();
      Frame frame;
      while (port.receive_into(frame)) {
        if (const auto task = port.handle(frame, context)) finish(port, *task, state, context);
      }
    }
  }

  Lookups lookups(const State& state) {
    Lookups answers;
    answers.past = [this](const Request& request) {
      questioned_ = request;
      return Result<Json>(Json::array({{{"id", 1}, {"kind", "flip"}}}));
    };
    answers.present = [this, &state](const PresentQuestion& asked) -> Result<PresentAnswer> {
      const std::lock_guard lock(state_);
      const Liveness none;
      Result<std::string> text =
          answer_text(state, asked.liveness ? *asked.liveness : none, asked.sources, asked.request);
      if (!text) return tl::unexpected(text.error());
      const AsOf as_of{asked.event, site::kNoon};
      // Two parts of a long answer are ready before its end.
      for (size_t part = 0; asked.take && part < 2; ++part) {
        asked.take(as_of, text->substr(0, 10));
        text->erase(0, 10);
      }
      return PresentAnswer{*std::move(text), as_of, std::nullopt};
    };
    return answers;
  }

  void finish(OperatorPort& port, const OperatorTask& task, State& state,
              const OperatorContext& context) {
    Effects effects;
    if (const auto* attempt = std::get_if<OperatorRefused>(&task.event)) {
      const std::lock_guard lock(mutex_);
      attempts_.push_back(*attempt);
      kept_.notify_all();
    }
    if (!refuse_) {
      const std::lock_guard lock(state_);
      step(state, task.event, site::kNoon, effects);
    }
    port.finish(task.ticket, refuse_ ? Status(fail(ErrorCode::io, "the disk is full")) : Status{},
                context);
  }

  std::function<Result<ConfigRead>(const std::string&)> read_ =
      [](const std::string& by) -> Result<ConfigRead> {
    ConfigLoaded loaded;
    loaded.config = site::state().config;
    loaded.config.policies.clear();
    loaded.by = by;
    return ConfigRead(loaded);
  };
  bool refuse_;
  std::mutex state_;
  std::atomic<bool> over_ = false;
  std::atomic<bool> endpoint_ready_ = false;
  std::string endpoint_;
  Request questioned_;
  std::mutex mutex_;
  std::condition_variable kept_;
  std::vector<OperatorRefused> attempts_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("the operator port answers queries at once") {
  Site site;
  const auto leases = site.ask({{"command", "leases"}});
  REQUIRE(leases);
  CHECK((*leases)[0]["id"] == "pool:west");
  CHECK(site.ask({{"command", "explain"}, {"lease", "pool:west"}})->contains("would_change"));
}

TEST_CASE("who asks for parts gets the same answer in several messages") {
  Site site;
  const auto whole = site.messages(R"({"leasehold":1,"command":"leases"})");
  REQUIRE(whole.size() == 1);
  const auto parts = site.messages(R"({"leasehold":1,"command":"leases","parts":true})");
  REQUIRE(parts.size() == 3);
  std::string together;
  for (const std::string& part : parts) together += part.substr(0, part.find(kMoreComes));
  CHECK(together == whole[0]);
  CHECK(*site.ask({{"command", "leases"}, {"parts", true}}) == *site.ask({{"command", "leases"}}));
  CHECK(site.messages(R"({"leasehold":1,"command":"lease","lease":"?","parts":true})").size() == 1);
}

TEST_CASE("the operator port asks one thread for what is past, another for what is now") {
  Site site;
  CHECK(site.ask({{"command", "history"}, {"limit", 7}})->size() == 1);
  CHECK(site.questioned().limit == 7);
  site.ask({{"command", "leases"}, {"at", "2026-11-21T17:00:00.000Z"}});
  CHECK(site.questioned().at == Instant{1795280400000});
  const auto lease = site.ask({{"command", "lease"}, {"lease", "pool:west"}});
  CHECK((*lease)["hosts"].size() == 1);
}

TEST_CASE("the operator port answers a change after it is done") {
  Site site;
  const auto frozen = site.ask({{"command", "freeze"}, {"by", "ana"}});
  REQUIRE(frozen);
  CHECK((*frozen)["done"] == true);
  const auto refused = site.ask({{"command", "rebalance"}, {"lease", "pool:west"}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::refused);
  CHECK_THAT(refused.error().message, Catch::Contains("frozen"));
  CHECK(site.ask({{"command", "thaw"}}));
}

TEST_CASE("an order keeps who gave it, whence, why and until when") {
  Site site;
  REQUIRE(site.ask({{"command", "drain"},
                    {"cluster", "west"},
                    {"half", "consumer"},
                    {"by", "ana"},
                    {"reason", "new disks"},
                    {"until", "2h"}}));
  const auto rows = site.ask({{"command", "clusters"}, {"cluster", "west"}});
  REQUIRE(rows);
  const Json& row = rows->front();
  CHECK(row["draining"] == true);
  CHECK(row["drain"]["half"] == "consumer");
  CHECK(row["drain"]["by"] == "local:ana");
  CHECK(row["drain"]["where"] == "127.0.0.1");
  CHECK(row["drain"]["why"] == "new disks");
  CHECK(row["drain"]["until"] == format_utc(site::kNoon + 7'200'000));
  CHECK(row["left"] == 1);
  const auto explained = site.ask({{"command", "explain"}, {"lease", "pool:west"}});
  CHECK((*explained)["orders"][0]["verb"] == "drain");
  CHECK((*explained)["orders"][0]["why"] == "new disks");
}

TEST_CASE("terms of an order that cannot be are refused") {
  Site site;
  const Json drain{{"command", "drain"}, {"cluster", "west"}};
  const auto with = [&](const char* key, const std::string& value) {
    Json request = drain;
    request[key] = value;
    return site.ask(request).error();
  };
  CHECK(with("until", "-2h").code == ErrorCode::usage);
  CHECK(with("until", "soon").code == ErrorCode::usage);
  CHECK(with("half", "left").code == ErrorCode::usage);
  CHECK(with("reason", std::string(501, 'x')).code == ErrorCode::usage);
  CHECK(with("reason", "two\nlines").code == ErrorCode::usage);
  CHECK((*site.ask({{"command", "clusters"}}))[0]["draining"] == false);
}

TEST_CASE("a field that cannot be read is told by its name, and a change with it is not made") {
  Site site;
  const auto asked = site.ask({{"command", "hosts"}, {"exported", 1}});
  REQUIRE_FALSE(asked);
  CHECK(asked.error().code == ErrorCode::usage);
  CHECK_THAT(asked.error().message, Catch::Contains("--exported"));
  CHECK(site.refused(0).empty());
  const auto closed = site.ask({{"command", "close"}, {"host", "big1@east"}, {"reclaim", "yes"}});
  REQUIRE_FALSE(closed);
  CHECK(closed.error().message == "--reclaim: true or false would be right");
  const std::vector<OperatorRefused> refused = site.refused(1);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].verb == "close");
  CHECK(refused[0].object == "big1@east");
  CHECK((*site.ask({{"command", "hosts"}}))[0]["closed"].is_null());
}

TEST_CASE(
    "the control endpoint refuses an instant in the future, and a limit that is not positive") {
  Site site;
  const auto ahead = site.ask({{"command", "leases"}, {"at", "9999-01-01T00:00:00Z"}});
  REQUIRE_FALSE(ahead);
  CHECK(ahead.error().code == ErrorCode::usage);
  CHECK_THAT(ahead.error().message, Catch::Contains("is in the future"));
  const auto none = site.ask({{"command", "history"}, {"limit", -5}});
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "--limit: a whole number from 1 would be right");
}

TEST_CASE("what is refused is an event for the history, so many of them") {
  Site site;
  for (int i = 0; i < 15; ++i) {
    CHECK_FALSE(site.ask({{"command", "drain"}, {"cluster", "nowhere"}, {"by", "bob"}}));
  }
  const std::vector<OperatorRefused> refused = site.refused(10);
  REQUIRE(refused.size() == 10);
  CHECK(refused[0].by == "local:bob");
  CHECK(refused[0].where == "127.0.0.1");
  CHECK(refused[0].verb == "drain");
  CHECK(refused[0].object == "nowhere");
  CHECK_THAT(refused[0].why, Catch::Contains("there is no cluster 'nowhere'"));
}

TEST_CASE("a change that could not be committed is told as an error") {
  Site site(true);
  const auto failed = site.ask({{"command", "freeze"}});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::io);
  CHECK(failed.error().message == "the disk is full");
}

TEST_CASE("the operator port names the nearest of what nobody knows") {
  Site site;
  const auto drain = site.ask({{"command", "drain"}, {"cluster", "wes"}});
  REQUIRE_FALSE(drain);
  CHECK(drain.error().code == ErrorCode::unknown);
  CHECK_THAT(drain.error().message, Catch::Contains("'west'"));
  CHECK(site.ask({{"command", "close"}, {"host", "big1"}}).error().code == ErrorCode::usage);
  CHECK(site.ask({{"command", "close"}, {"host", "big1@est"}}).error().code == ErrorCode::unknown);
  CHECK(site.ask({{"command", "dance"}}).error().code == ErrorCode::usage);
}

TEST_CASE("a cluster that is heard cannot be forgotten, and it is told until when it counts so") {
  Site site;
  for (const bool preview : {true, false}) {
    const auto asked = site.ask({{"command", "forget"}, {"cluster", "east"}, {"preview", preview}});
    REQUIRE_FALSE(asked);
    CHECK_THAT(asked.error().message,
               Catch::Contains("can be forgotten from 2026-11-21T18:01:00.000Z on"));
  }
}

TEST_CASE("a reload is shown first and refused if it has become another") {
  Site site;
  const auto preview = site.ask({{"command", "reload"}});
  REQUIRE(preview);
  CHECK((*preview)["done"] == false);
  CHECK((*preview)["running_work_loses"] == true);
  REQUIRE((*preview)["changes"].size() == 1);
  const Json& change = (*preview)["changes"][0];
  CHECK(change["lease"] == "pool:west");
  CHECK(change["slots_before"] == 4);
  CHECK(change["slots_after"] == 0);
  CHECK(change["slots_used_losing"] == 1);
  CHECK((*site.ask({{"command", "leases"}}))[0]["phase"] == "active");

  const auto stale = site.ask({{"command", "reload"}, {"apply", true}, {"fingerprint", "1"}});
  REQUIRE_FALSE(stale);
  CHECK(stale.error().code == ErrorCode::refused);
  const auto done = site.ask(
      {{"command", "reload"}, {"apply", true}, {"fingerprint", (*preview)["fingerprint"]}});
  REQUIRE(done);
  CHECK((*done)["done"] == true);
  CHECK((*site.ask({{"command", "leases"}}))[0]["phase"] == "draining");
}

TEST_CASE("requests that are none are refused and harm nobody") {
  Site site;
  auto channel = Channel::connect(site.endpoint());
  REQUIRE(channel);
  for (const std::string text : {"", "x", "[]", "{\"leasehold\":2}", "{\"command\":\"leases\"}",
                                 "{\"leasehold\":1,\"command\":7}", "[[[[[[[[[["}) {
    channel->send("", {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    std::optional<Frame> answer;
    const std::array<Channel* const, 1> channels{&*channel};
    while (!(answer = channel->receive())) REQUIRE(Channel::wait(channels, {}, test::kLastBoundMs));
    const Json json = Json::parse(answer->bytes.begin(), answer->bytes.end());
    CHECK(json["ok"] == false);
    CHECK(json["error"]["message"].is_string());
  }
  CHECK(site.ask({{"command", "leases"}}));
}

TEST_CASE("a request nested 120,000 deep is refused and ends nothing") {
  Site site;
  auto channel = Channel::connect(site.endpoint());
  REQUIRE(channel);
  const std::string deep = std::string(120'000, '[') + std::string(120'000, ']');
  const std::string text = R"({"leasehold":1,"command":"history","x":)" + deep + "}";
  channel->send("", {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  std::optional<Frame> answer;
  const std::array<Channel* const, 1> channels{&*channel};
  while (!(answer = channel->receive())) REQUIRE(Channel::wait(channels, {}, test::kLastBoundMs));
  const Json json = Json::parse(answer->bytes.begin(), answer->bytes.end());
  CHECK(json["error"]["code"] == "usage");
  CHECK_THAT(json["error"]["message"].get<std::string>(), Catch::Contains("deeper than 64"));
  CHECK(site.ask({{"command", "leases"}}));
}

TEST_CASE("a broker's answer nested 120,000 deep is refused, not read") {
  auto broker = Channel::listen("tcp://127.0.0.1:0");
  REQUIRE(broker);
  std::thread answers([&] {
    const std::array<Channel* const, 1> channels{&*broker};
    std::optional<Frame> asked;
    while (!(asked = broker->receive()) && Channel::wait(channels, {}, test::kLastBoundMs)) {
    }
    if (!asked) return;
    const std::string text =
        R"({"ok":true,"result":)" + std::string(120'000, '[') + std::string(120'000, ']') + "}";
    broker->send(asked->peer, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  });
  auto client = ctl::BrokerClient::connect({broker->endpoint(), {}}, test::kLastBoundMs);
  REQUIRE(client);
  const auto answer = client->ask({{"leasehold", 1}, {"command", "leases"}});
  answers.join();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::version);
  CHECK_THAT(answer.error().message, Catch::Contains("deeper than 64"));
}

TEST_CASE("a broker that is not there is noticed at once") {
  const auto tcp = ctl::BrokerClient::connect({"tcp://127.0.0.1:1", {}}, 5'000);
  REQUIRE_FALSE(tcp);
  CHECK(tcp.error().code == ErrorCode::unreachable);
  CHECK(ctl::probe("ipc:///nonexistent/leasehold", 100).error().code == ErrorCode::unreachable);
  CHECK(ctl::probe("pigeon", 100).error().code == ErrorCode::usage);
}

TEST_CASE("a broker that says nothing is given up after the time-out") {
  auto silent = Channel::listen("tcp://127.0.0.1:0");
  REQUIRE(silent);
  auto client = ctl::BrokerClient::connect({silent->endpoint(), {}}, 200);
  REQUIRE(client);
  const auto answer = client->ask({{"leasehold", 1}, {"command", "leases"}});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::unreachable);
  CHECK_THAT(answer.error().message, Catch::Contains("200ms"));
}
