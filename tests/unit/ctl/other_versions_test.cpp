// A whole leasectl against a broker of another version, whose answers have another form.
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "broker/ctl/commands.hpp"
#include "common/channel/channel.hpp"

using namespace leasehold;

namespace {

/// Answers `status` with its version, and every other question with the same value.
class OtherBroker {
 public:
  explicit OtherBroker(std::string result) : result_(std::move(result)) {
    Result<Channel> listening = Channel::listen("tcp://127.0.0.1:0");
    REQUIRE(listening);
    channel_ = std::make_unique<Channel>(*std::move(listening));
    endpoint_ = channel_->endpoint();
    thread_ = std::thread([this] { answer_all(); });
  }
  ~OtherBroker() {
    over_ = true;
    thread_.join();
  }
  const std::string& endpoint() const { return endpoint_; }

 private:
  void answer_all() {
    const std::array<Channel* const, 1> channels{channel_.get()};
    while (!over_) {
      Channel::wait(channels, {}, 20);
      while (const std::optional<Frame> asked = channel_->receive()) answer(*asked);
    }
  }

  void answer(const Frame& asked) {
    const Json question = Json::parse(asked.bytes.begin(), asked.bytes.end());
    const bool status = question.value("command", "") == "status";
    const std::string text = R"({"ok":true,"as_of":{"event":1},"result":)" +
                             (status ? R"({"version":"9.8.7"})" : result_) + "}";
    channel_->send(asked.peer, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }

  std::string result_;
  std::unique_ptr<Channel> channel_;
  std::string endpoint_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

struct Ran {
  int code = 0;
  std::string errors;
};

/// Runs leasectl in this process; stderr is read from a file, stdout is not redirected.
Ran run_leasectl(const std::string& endpoint, std::vector<const char*> words) {
  words.insert(words.begin(), "leasectl");
  words.insert(words.end(), {"--broker", endpoint.c_str()});
  FILE* kept = std::tmpfile();
  REQUIRE(kept != nullptr);
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  dup2(fileno(kept), STDERR_FILENO);
  const int code = ctl::run(static_cast<int>(words.size()), words.data());
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::rewind(kept);
  std::array<char, 4096> bytes{};
  const size_t read = std::fread(bytes.data(), 1, bytes.size(), kept);
  std::fclose(kept);
  return {code, std::string(bytes.data(), read)};
}

constexpr const char* kSentence =
    "the broker (version 9.8.7) gave an answer that this leasectl does not know";

}  // namespace

TEST_CASE("an answer of another shape ends in one error that names the broker's version") {
  const std::vector<const char*> commands[] = {
      {"leases"},
      {"leases", "-o", "name"},
      {"leases", "--sort", "id"},
      {"clusters"},
      {"hosts"},
      {"policies", "-l"},
      {"groups"},
      {"consumers"},
      {"attention"},
      {"doctor"},
      {"usage"},
      {"usage", "--csv"},
      {"compare"},
      {"history"},
      {"history", "--csv"},
      {"explain", "west"},
      {"lease", "pool:west"},
      {"forecast", "west"},
      {"drain", "west"},
      {"reload", "--dry-run"},
      {"forget", "west", "--yes"},
  };
  for (const char* result : {"7", "\"text\"", "[7]"}) {
    const OtherBroker broker(result);
    for (const std::vector<const char*>& words : commands) {
      INFO(words.front() << " " << result);
      const Ran ran = run_leasectl(broker.endpoint(), words);
      CHECK(ran.code == 1);
      CHECK_THAT(ran.errors, Catch::Contains(kSentence));
    }
  }
}

TEST_CASE("with --json the same error stands on stdout, and the code is 1") {
  const OtherBroker broker("7");
  CHECK(run_leasectl(broker.endpoint(), {"attention", "--sort", "since", "--json"}).code == 1);
}

TEST_CASE("rows that lack fields are shown with empty cells") {
  const OtherBroker broker(R"([ {"lease": "a,b"} ])");
  for (const char* command : {"leases", "clusters", "hosts", "policies", "usage", "history"}) {
    INFO(command);
    const Ran ran = run_leasectl(broker.endpoint(), {command});
    CHECK(ran.code == 0);
    CHECK(ran.errors.empty());
  }
  CHECK(run_leasectl(broker.endpoint(), {"leases", "--json"}).code == 0);
}
