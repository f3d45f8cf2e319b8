#include "agent/io/line.hpp"

#include <algorithm>
#include <utility>

#include "common/log.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kTryWayMs = 10'000;    // for a session, or without a word: then the next one
constexpr int64_t kTryLostMs = 3'000;    // where nobody is there
constexpr int64_t kTryOtherKeyMs = 500;  // the handshake was broken off: it may be another key
constexpr int64_t kAskAgainMs = 3'000;   // who refused us is asked again
constexpr int64_t kLastWordMs = 500;     // for what was said last, when the program ends

}  // namespace

std::string advice(Handshake handshake, const LineSettings& settings) {
  switch (handshake) {
    case Handshake::none:
    case Handshake::done:
      return "";
    case Handshake::key_refused:
      if (!settings.own) return "";
      return "the broker does not admit this agent's key: write public_key = \"" +
             settings.own->public_key + "\" under its [[cluster]] '" + settings.cluster +
             "', then leasectl reload";
    case Handshake::other_security:
      return settings.own ? "the broker speaks without keys: it has no [security], or it is none"
                          : "the broker asks for keys: write [security] secret_key_file and "
                            "broker_public_key here";
    case Handshake::broken_off:
      if (!settings.own) return "";
      return "the broker ended the handshake: most likely broker_public_key is not its key (or it "
             "speaks "
             "without keys)";
  }
  return "";
}

Line::Line(LineSettings settings, int64_t silence_ms)
    : settings_(std::move(settings)), silence_ms_(silence_ms) {
  for (const std::string& broker : settings_.brokers) {
    if (!settings_.own || !broker.starts_with("tcp://")) {
      ways_.push_back({broker, ""});
      continue;
    }
    for (const std::string& key : settings_.broker_public_keys) ways_.push_back({broker, key});
  }
}

Status Line::connect(int64_t now_ms) {
  const Way& way = ways_[at_];
  std::optional<ConnectKeys> keys;
  if (!way.broker_public_key.empty()) keys = ConnectKeys{*settings_.own, way.broker_public_key};
  ChannelLimits limits;
  limits.linger_ms = kLastWordMs;
  Result<Channel> channel = Channel::connect(way.broker, limits, keys);
  if (!channel) return tl::unexpected(channel.error());
  channel_.emplace(std::move(*channel));
  last_ = Handshake::none;
  heard_ = false;
  since_ms_ = now_ms;
  log_debug("connecting", {{"broker", way.broker}});
  return {};
}

void Line::note_refusal() {
  const Handshake handshake = channel_->handshake();
  if (handshake == Handshake::done) told_.clear();
  const std::string why = advice(handshake, settings_);
  if (why.empty() || why == told_) return;
  told_ = why;
  log_warn("broker-refuses", {{"broker", ways_[at_].broker}, {"why", why}});
}

int64_t Line::patience_ms() const {
  const Handshake handshake = channel_->handshake();
  const bool refused =
      handshake == Handshake::key_refused || handshake == Handshake::other_security;
  if (refused) return kAskAgainMs;  // the channel itself does not try again
  if (ways_.size() < 2) return INT64_MAX;
  if (handshake == Handshake::broken_off) return kTryOtherKeyMs;
  return handshake == Handshake::done ? std::max(kTryWayMs, silence_ms_) : kTryLostMs;
}

Status Line::take_turns(bool open, int64_t now_ms) {
  note_refusal();
  const Handshake handshake = channel_->handshake();
  const bool lost = handshake == Handshake::none && last_ == Handshake::done;
  last_ = handshake;
  const bool heard = std::exchange(heard_, false);
  if (lost || (open && heard)) since_ms_ = now_ms;
  if (now_ms < next_ms()) return {};
  at_ = (at_ + 1) % ways_.size();
  return connect(now_ms);
}

int64_t Line::next_ms() const {
  const int64_t patience = patience_ms();
  return patience == INT64_MAX ? INT64_MAX : since_ms_ + patience;
}

Status Line::change(LineSettings settings, int64_t now_ms) {
  if (settings == settings_) return {};
  *this = Line(std::move(settings), silence_ms_);
  return connect(now_ms);
}

bool Line::receive(Frame& frame) {
  const bool received = channel_->receive_into(frame);
  heard_ |= received;
  return received;
}

void Line::send(const wire::Message& message) {
  wire::encode_into(message, bytes_);
  if (!channel_->send("", bytes_))
    log_debug("not-sent", {{"type", wire::token(wire::type_of(message))}});
}

}  // namespace leasehold::agent
