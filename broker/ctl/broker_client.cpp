#include "broker/ctl/broker_client.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "broker/views/queries.hpp"
#include "common/channel.hpp"
#include "common/clock.hpp"
#include "common/instant.hpp"
#include "common/json_text.hpp"

namespace leasehold::ctl {

struct BrokerClient::Line {
  Channel channel;
  BrokerAddress address;
  int64_t timeout_ms;
};

namespace {

Result<Json> read_answer(const Bytes& bytes) {
  constexpr const char* kOther = "the answer is not one of a lease-broker of this version";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Result<Json> answer = parse_json<Json>(text);
  if (!answer) return fail(ErrorCode::version, kOther + (": it " + answer.error().message));
  if (!answer->is_object() || !answer->contains("ok")) return fail(ErrorCode::version, kOther);
  if (request_flag(*answer, "ok")) return std::move((*answer)["result"]);
  return tl::unexpected(error_from_json((*answer)["error"]));
}

/// Why nothing will come, if that is known already; "": it may.
std::string refusal(Handshake handshake, const std::optional<ConnectKeys>& keys) {
  if (handshake == Handshake::other_security) {
    return keys ? "it speaks without keys: leave --key and --broker-key out"
                : "it asks for keys: --key FILE and --broker-key KEY";
  }
  if (!keys) return "";
  if (handshake == Handshake::key_refused) {
    return "it does not admit this key: an admin enters public_key = \"" + keys->own.public_key +
           "\" under an [[operator]] of its configuration, then reloads it";
  }
  if (handshake == Handshake::broken_off) {
    return "it ended the handshake: most likely --broker-key is not its key (or it speaks without "
           "keys)";
  }
  return "";
}

}  // namespace

BrokerClient::BrokerClient(std::unique_ptr<Line> line) : line_(std::move(line)) {}
BrokerClient::BrokerClient(BrokerClient&&) noexcept = default;
BrokerClient::~BrokerClient() = default;

Result<BrokerClient> BrokerClient::connect(const BrokerAddress& address, int64_t timeout_ms) {
  if (Status there = probe(address.endpoint, timeout_ms); !there) {
    return tl::unexpected(there.error());
  }
  ChannelLimits limits;
  limits.message_bytes_max = int64_t{1} << 30;  // a million leases are an honest answer
  Result<Channel> channel = Channel::connect(address.endpoint, limits, address.keys);
  if (!channel) {
    Error error = channel.error();
    error.code = ErrorCode::usage;  // the endpoint cannot be one
    return tl::unexpected(std::move(error));
  }
  return BrokerClient(std::make_unique<Line>(Line{*std::move(channel), address, timeout_ms}));
}

Result<Json> BrokerClient::ask(const Json& request) {
  const std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  line_->channel.send("", {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  const int64_t deadline_ms = boottime_ms() + line_->timeout_ms;
  const std::array<Channel* const, 1> channels{&line_->channel};
  while (true) {
    if (const std::optional<Frame> frame = line_->channel.receive()) {
      return read_answer(frame->bytes);
    }
    const std::string refused = refusal(line_->channel.handshake(), line_->address.keys);
    if (!refused.empty()) {
      return fail(ErrorCode::unreachable,
                  "the broker at " + line_->address.endpoint + " cannot be asked: " + refused);
    }
    const int64_t left_ms = deadline_ms - boottime_ms();
    if (left_ms <= 0) break;
    Channel::wait(channels, {}, left_ms);
  }
  return fail(ErrorCode::unreachable, "no answer from the broker at " + line_->address.endpoint +
                                          " within " + format_duration(line_->timeout_ms));
}

}  // namespace leasehold::ctl
