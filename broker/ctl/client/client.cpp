#include "broker/ctl/client/client.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <thread>

#include "broker/ctl/client/answer_text.hpp"
#include "broker/views/request/request_json.hpp"
#include "common/channel/channel.hpp"
#include "common/time/clock.hpp"
#include "common/time/instant.hpp"

namespace leasehold::ctl {

struct BrokerClient::Line {
  Channel channel;
  BrokerAddress address;
  int64_t timeout_ms;
  int over_fd;
  std::optional<NobodyLeads> nobody;
};

namespace {

/// Limits all parts together, so that a peer cannot fill the memory here.
constexpr size_t kAnswerBytesMost = size_t{1} << 30U;

/// Says where the keys came from: "--key and --broker-key", "key and broker_key of FILE".
std::string both_keys(const BrokerAddress& address) {
  const bool of_one_file = address.broker_key_from == "broker_" + address.key_from;
  return (of_one_file ? "key" : address.key_from) + " and " + address.broker_key_from;
}

/// Returns why no answer will come, if that is known already. Missing keys are a mistake in the
/// address, reported as in address.cpp.
std::optional<Error> refusal(Handshake handshake, const BrokerAddress& address) {
  const auto because = [&](ErrorCode code, const std::string& why) {
    return fail(code, "the broker at " + address.endpoint + " cannot be asked: " + why).value();
  };
  if (handshake == Handshake::other_security) {
    return address.keys
               ? because(ErrorCode::unreachable,
                         "it has no [security]: leave " + both_keys(address) + " out")
               : because(ErrorCode::usage, "it asks for keys: --key FILE and --broker-key KEY");
  }
  if (!address.keys) return std::nullopt;
  if (handshake == Handshake::key_refused) {
    return because(ErrorCode::unreachable,
                   "it does not admit this key: an admin enters public_key = \"" +
                       address.keys->own.public_key +
                       "\" under an [[operator]] of its configuration, then reloads it");
  }
  if (handshake == Handshake::broken_off) {
    return because(ErrorCode::unreachable,
                   "it ended the handshake: most likely " + address.broker_key_from +
                       " is not its key, or it has no [security]: then leave " +
                       both_keys(address) + " out");
  }
  return std::nullopt;
}

}  // namespace

BrokerClient::BrokerClient(std::unique_ptr<Line> line) : line_(std::move(line)) {}
BrokerClient::BrokerClient(BrokerClient&&) noexcept = default;
BrokerClient::~BrokerClient() = default;

const std::optional<NobodyLeads>& BrokerClient::nobody() const {
  return line_->nobody;
}

Result<BrokerClient> BrokerClient::connect(const BrokerAddress& address, int64_t timeout_ms,
                                           int over_fd) {
  if (Status there = probe(address.endpoint, timeout_ms, over_fd); !there) {
    return tl::unexpected(there.error());
  }
  ChannelLimits limits;
  limits.message_bytes_max = int64_t{1} << 30;  // a million leases are a valid answer
  Result<Channel> channel = Channel::connect(address.endpoint, limits, address.keys);
  if (!channel) {
    Error error = channel.error();
    error.code = ErrorCode::usage;  // the text cannot be an endpoint
    return tl::unexpected(std::move(error));
  }
  return BrokerClient(
      std::make_unique<Line>(Line{*std::move(channel), address, timeout_ms, over_fd, {}}));
}

Result<Json> BrokerClient::ask(const Json& request) {
  return read_answer(exchange(request), line_->nobody);
}

Result<std::string> BrokerClient::ask_text(const Json& request) {
  return read_answer_text(exchange(request), line_->nobody);
}

/// Returns all messages of the answer as one text.
Result<std::string> BrokerClient::exchange(const Json& request) {
  const std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  line_->nobody.reset();
  line_->channel.send("", {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  int64_t deadline_ms = boottime_ms() + line_->timeout_ms;
  const std::array<Channel* const, 1> channels{&line_->channel};
  std::string answer;
  while (true) {
    if (const std::optional<Frame> frame = line_->channel.receive()) {
      answer.append(frame->bytes.begin(), frame->bytes.end());
      if (!answer.ends_with(kMoreComes)) return answer;
      if (answer.size() > kAnswerBytesMost) {
        return fail(ErrorCode::refused, "the answer is larger than 1 GiB; ask for fewer rows");
      }
      answer.pop_back();
      // The next part has the whole time-out again.
      deadline_ms = boottime_ms() + line_->timeout_ms;
      continue;
    }
    std::optional<Error> refused = refusal(line_->channel.handshake(), line_->address);
    if (refused) return tl::unexpected(std::move(*refused));
    const int64_t left_ms = deadline_ms - boottime_ms();
    if (left_ms <= 0 || is_over(line_->over_fd)) break;
    if (line_->over_fd >= 0) {
      Channel::wait(channels, std::array<int, 1>{line_->over_fd}, left_ms);
    } else {
      Channel::wait(channels, {}, left_ms);
    }
  }
  return fail(ErrorCode::unreachable, "no answer from the broker at " + line_->address.endpoint +
                                          " within " + format_duration(line_->timeout_ms));
}

void pause_before_asking(int64_t ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

}  // namespace leasehold::ctl
