// The brokers of leasectl's list are asked in parallel.
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "broker/ctl/client/list.hpp"
#include "common/channel/channel.hpp"

using namespace leasehold;
using namespace leasehold::ctl;

namespace {

Json row(const char* role, const Json& nobody = nullptr) {
  return {{"name", role}, {"role", role}, {"nobody_leads", nobody}};
}

/// Answers a question for its role with that row, as soon as `may_answer` is true.
class Listed {
 public:
  Listed(Json rows, std::function<bool()> may_answer) : may_answer_(std::move(may_answer)) {
    text_ = R"({"ok":true,"as_of":{"event":1},"result":[)" + rows.dump() + "]}";
    Result<Channel> listening = Channel::listen("tcp://127.0.0.1:0");
    REQUIRE(listening);
    channel_ = std::make_unique<Channel>(*std::move(listening));
    address_ = {channel_->endpoint(), {}};
    thread_ = std::thread([this] { answer_all(); });
  }
  ~Listed() {
    over_ = true;
    thread_.join();
  }
  const BrokerAddress& address() const { return address_; }
  bool is_asked() const { return asked_; }

 private:
  void answer_all() {
    const std::array<Channel* const, 1> channels{channel_.get()};
    std::vector<std::string> waiting;
    while (!over_) {
      Channel::wait(channels, {}, 5);
      while (const std::optional<Frame> question = channel_->receive()) {
        asked_ = true;
        waiting.push_back(question->peer);
      }
      if (!may_answer_()) continue;
      for (const std::string& peer : std::exchange(waiting, {})) {
        channel_->send(peer, {reinterpret_cast<const uint8_t*>(text_.data()), text_.size()});
      }
    }
  }

  std::function<bool()> may_answer_;
  std::string text_;
  std::unique_ptr<Channel> channel_;
  BrokerAddress address_;
  std::atomic<bool> asked_ = false;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

bool at_once() {
  return true;
}
bool never() {
  return false;
}

const Json kNobodySince{{"since", "2026-11-22T17:05:00.000Z"}, {"why", "w"}, {"help", "h"}};
constexpr int64_t kPatient = 60'000;

}  // namespace

// Each broker was asked only after the one before had answered, or had not for 3 s.
TEST_CASE("a broker that answers only when the next one of the list is asked, too, is heard") {
  Listed second(row("standby"), at_once);
  Listed first(row("leader"), [&] { return second.is_asked(); });
  const auto chosen = choose_broker({first.address(), second.address()}, kPatient, Json::object());
  REQUIRE(chosen.has_value());
  CHECK(chosen->endpoint == first.address().endpoint);
}

TEST_CASE("who leads is chosen wherever it stands in the list, and one that hangs is left") {
  Listed hangs(row("leader"), never);
  Listed leader(row("leader"), at_once);
  const std::vector<BrokerAddress> lists[] = {{hangs.address(), leader.address()},
                                              {leader.address(), hangs.address()}};
  for (const std::vector<BrokerAddress>& list : lists) {
    const auto chosen = choose_broker(list, kPatient, Json::object());
    REQUIRE(chosen.has_value());
    CHECK(chosen->endpoint == leader.address().endpoint);
  }
}

TEST_CASE("of brokers none of which leads one that answers is asked, and what they say is told") {
  Listed standby(row("standby", kNobodySince), at_once);
  Listed hangs(row("leader"), never);
  const std::vector<BrokerAddress> list{hangs.address(), standby.address()};
  const auto chosen = choose_broker(list, kPatient, Json::object());
  REQUIRE(chosen.has_value());
  CHECK(chosen->endpoint == standby.address().endpoint);
  const BrokerRows answers = ask_all_brokers(list, 100, Json::object());
  REQUIRE(answers.leaderless);
  CHECK(describe(*answers.leaderless) ==
        "nobody leads since 2026-11-22T17:05:00.000Z, because w; h");
  CHECK(answers.rows[0]["role"] == "unreachable");
}

TEST_CASE("a broker that is cut off says that nobody leads, and the leader knows better") {
  Listed cut_off(row("standby", kNobodySince), at_once);
  Listed leader(row("leader"), at_once);
  CHECK_FALSE(
      ask_all_brokers({cut_off.address(), leader.address()}, kPatient, Json::object()).leaderless);
}
