#include "common/wire/codec.hpp"

#include <array>

namespace leasehold::wire {

namespace {

constexpr std::array<std::string_view, kMessageTypeCount> kTokens{
    "welcome",          "hello",         "inventory", "report", "state", "heartbeat",
    "heartbeat-answer", "configuration", "order",     "refusal"};

}  // namespace

std::string_view token(MessageType type) {
  return kTokens[static_cast<size_t>(type)];
}

std::optional<MessageType> message_type_from_token(std::string_view text) {
  for (size_t i = 0; i < kTokens.size(); ++i) {
    if (kTokens[i] == text) return static_cast<MessageType>(i);
  }
  return std::nullopt;
}

const char* token(DecodeFailure failure) {
  switch (failure) {
    case DecodeFailure::malformed:
      return "malformed";
    case DecodeFailure::oversized:
      return "oversized";
    case DecodeFailure::unknown_type:
      return "unknown-type";
    case DecodeFailure::unknown_version:
      return "unknown-version";
    case DecodeFailure::bad_field:
      return "bad-field";
  }
  return "malformed";
}

}  // namespace leasehold::wire
