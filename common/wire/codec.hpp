// Codec turns messages into bytes and back; the format is in schema/wire/README.md. It is no
// transport (common/channel/channel.hpp), and it does not judge sense: broker/core/admission.hpp
// checks whether a report contradicts itself. Decoding is total: any bytes give a value or a
// DecodeError. It is thread-safe: each thread keeps scratch memory of its own.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "common/bytes.hpp"
#include "common/result.hpp"
#include "common/wire/message.hpp"

namespace leasehold::wire {

/// Types are in the order of Message's alternatives.
enum class MessageType : uint8_t {
  welcome,
  hello,
  inventory,
  report,
  state,
  heartbeat,
  heartbeat_answer,
  configuration,
  order,
  refusal,
};
inline constexpr int kMessageTypeCount = static_cast<int>(std::variant_size_v<Message>);

/// Returns the short string on the wire: "heartbeat-answer".
std::string_view token(MessageType type);
std::optional<MessageType> message_type_from_token(std::string_view text);
inline MessageType type_of(const Message& message) {
  return static_cast<MessageType>(message.index());
}

/// The reasons why bytes are refused; failures are counted by them.
enum class DecodeFailure : uint8_t {
  malformed,  // not one whole msgpack map with a version and a type
  oversized,  // beyond one of the limits below
  unknown_type,
  unknown_version,
  bad_field,  // a field is missing, twice there, of the wrong type or out of range
};
inline constexpr int kDecodeFailureCount = static_cast<int>(DecodeFailure::bad_field) + 1;
const char* token(DecodeFailure failure);

/// An Error that also has its kind and, if it could be read, the message's type: a refusal is never
/// answered with a refusal.
struct DecodeError : Error {
  DecodeFailure kind = DecodeFailure::malformed;
  std::optional<MessageType> type;
};
/// Converts to Result<T> where the kind does not matter.
template <class T>
using Decoded = tl::expected<T, DecodeError>;

/// Limits of decoding, in bytes, values and levels.
inline constexpr size_t kMessageBytesMax = 16u << 20;
inline constexpr size_t kTextBytesMax = 4096;  // of any text: UTF-8 without control characters
inline constexpr size_t kValuesMax = 4u << 20;
inline constexpr int kDepthMax = 16;

/// Any one alternative of Message.
template <class T>
concept MessageValue =
    std::constructible_from<Message, T> && !std::same_as<std::remove_cvref_t<T>, Message>;

/// Replaces the contents of `bytes`, keeping its memory.
void encode_into(const Message& message, Bytes& bytes);
template <MessageValue T>
void encode_into(const T& value, Bytes& bytes);
Bytes encode(const Message& message);

Decoded<Message> decode(std::span<const uint8_t> bytes);
/// For hot paths: call peek() first, then this into a reused value of that type, which keeps its
/// memory (after a failure the value's contents mean nothing). It fails if the message is of
/// another type.
template <MessageValue T>
Decoded<void> decode_into(std::span<const uint8_t> bytes, T& value);

struct Envelope {
  int64_t version = 0;
  MessageType type = MessageType::welcome;
};
/// Reads version and type and nothing after them. It refuses unknown ones as decode() does.
Decoded<Envelope> peek(std::span<const uint8_t> bytes);

}  // namespace leasehold::wire
