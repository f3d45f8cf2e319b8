// PlayedBroker answers a whole leasectl in this process; run_leasectl() runs one against it.
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "broker/ctl/commands.hpp"
#include "common/channel/channel.hpp"

namespace leasehold::test {

class PlayedBroker {
 public:
  /// Returns the whole answer to a question, as text; called in the broker's own thread.
  using Answer = std::function<std::string(const Json& question)>;

  explicit PlayedBroker(Answer answer) : answer_(std::move(answer)) {
    Result<Channel> listening = Channel::listen("tcp://127.0.0.1:0");
    REQUIRE(listening);
    channel_ = std::make_unique<Channel>(*std::move(listening));
    endpoint_ = channel_->endpoint();
    thread_ = std::thread([this] { answer_all(); });
  }
  ~PlayedBroker() {
    over_ = true;
    thread_.join();
  }
  PlayedBroker(const PlayedBroker&) = delete;
  PlayedBroker& operator=(const PlayedBroker&) = delete;
  const std::string& endpoint() const { return endpoint_; }

 private:
  void answer_all() {
    const std::array<Channel* const, 1> channels{channel_.get()};
    while (!over_) {
      Channel::wait(channels, {}, 20);
      while (const std::optional<Frame> asked = channel_->receive()) {
        const std::string text = answer_(Json::parse(asked->bytes.begin(), asked->bytes.end()));
        channel_->send(asked->peer, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
      }
    }
  }

  Answer answer_;
  std::unique_ptr<Channel> channel_;
  std::string endpoint_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

/// The text of an answer with this result. `more` is put behind `as_of`: "\"nobody_leads\":…,".
inline std::string answer_text(const std::string& result, const std::string& more = "") {
  return R"({"ok":true,"as_of":{"event":1},)" + more + R"("result":)" + result + "}";
}

struct Ran {
  int code = 0;
  std::string output;
  std::string errors;
};

/// A file in the place of a stream of this process, until it is read.
class Redirected {
 public:
  explicit Redirected(FILE* stream) : stream_(stream), kept_(std::tmpfile()) {
    REQUIRE(kept_ != nullptr);
    std::fflush(stream_);
    before_ = dup(fileno(stream_));
    dup2(fileno(kept_), fileno(stream_));
  }
  std::string read() {
    std::fflush(stream_);
    dup2(before_, fileno(stream_));
    close(before_);
    std::rewind(kept_);
    std::array<char, 4096> bytes{};
    const size_t read = std::fread(bytes.data(), 1, bytes.size(), kept_);
    std::fclose(kept_);
    return {bytes.data(), read};
  }

 private:
  FILE* stream_;
  FILE* kept_;
  int before_ = -1;
};

inline Ran run_leasectl(const std::string& endpoint, std::vector<const char*> words) {
  words.insert(words.begin(), "leasectl");
  words.insert(words.end(), {"--broker", endpoint.c_str()});
  Redirected output(stdout);
  Redirected errors(stderr);
  const int code = ctl::run(static_cast<int>(words.size()), words.data());
  std::string said = errors.read();
  return {code, output.read(), std::move(said)};
}

}  // namespace leasehold::test
