// Decodes msgpack bytes to values: the envelope first, then the fields of the type it names.
#include "common/wire/reader.hpp"
#include "common/wire/text.hpp"

namespace leasehold::wire {

namespace {

Tape& scratch() {
  thread_local Tape tape;
  return tape;
}

tl::unexpected<DecodeError> refuse_message(DecodeFailure kind, std::string message,
                                           std::optional<MessageType> type = std::nullopt) {
  const ErrorCode code =
      kind == DecodeFailure::unknown_version ? ErrorCode::version : ErrorCode::refused;
  return tl::unexpected<DecodeError>(DecodeError{{code, std::move(message), {}, 0, 0}, kind, type});
}

/// The values of "v" and "t", if they are there. Reader refuses duplicates.
struct Found {
  const Value* version = nullptr;
  const Value* type = nullptr;
};

/// Looks through all keys of the outer map.
Found find_envelope(const std::vector<Value>& values) {
  Found found;
  size_t at = 1;
  for (uint32_t i = 0; i < values[0].size; ++i) {
    const Value& key = values[at];
    const size_t value = after(values, at);
    if (key.is_text("v")) found.version = &values[value];
    if (key.is_text("t")) found.type = &values[value];
    at = after(values, value);
  }
  return found;
}

/// True if "v" and "t" come first, as every encoder writes them.
bool stands_in_front(const std::vector<Value>& values) {
  return values.size() >= 5 && values[0].kind == Value::Kind::map && values[0].size >= 2 &&
         values[1].is_text("v") && values[2].kind == Value::Kind::natural &&
         values[3].is_text("t") && values[4].kind == Value::Kind::text;
}

std::string versions(uint64_t theirs) {
  const bool newer = theirs > static_cast<uint64_t>(kVersion);
  return "the other side speaks version " + std::to_string(theirs) + ", this program speaks " +
         std::to_string(kVersion) + "; upgrade " + (newer ? "this program" : "the other side");
}

Decoded<Envelope> judge(const Value& version, const Value& type) {
  const auto known = message_type_from_token(type.view());
  if (version.natural != static_cast<uint64_t>(kVersion)) {
    return refuse_message(DecodeFailure::unknown_version, versions(version.natural), known);
  }
  if (!known) {
    const bool shown = type.size <= 32 && is_plain_text(type.view());
    return refuse_message(DecodeFailure::unknown_type,
                          "t names a type of message that this program does not know" +
                              (shown ? ": \"" + std::string(type.view()) + "\"" : std::string()));
  }
  return Envelope{static_cast<int64_t>(version.natural), *known};
}

Decoded<Envelope> envelope_of(const std::vector<Value>& values) {
  if (stands_in_front(values)) return judge(values[2], values[4]);
  if (values[0].kind != Value::Kind::map) {
    return refuse_message(DecodeFailure::malformed, "the message must be a map with named fields");
  }
  const Found found = find_envelope(values);
  if (found.version == nullptr || found.version->kind != Value::Kind::natural) {
    return refuse_message(DecodeFailure::malformed,
                          "v must be there and be the wire version, an integer");
  }
  if (found.type == nullptr || found.type->kind != Value::Kind::text) {
    return refuse_message(DecodeFailure::malformed,
                          "t must be there and be the type of message, a text");
  }
  return judge(*found.version, *found.type);
}

/// Reads the tape of the whole message and checks its envelope.
Decoded<Envelope> open(std::span<const uint8_t> bytes, Tape& tape) {
  if (auto whole = tape.read(bytes); !whole) return tl::unexpected<DecodeError>(whole.error());
  return envelope_of(tape.values());
}

template <class T>
Decoded<void> read_fields(const Tape& tape, T& value) {
  Reader reader(tape.values());
  if (reader.take(value)) return {};
  const MessageType type = message_type<T>();
  return refuse_message(reader.kind(), std::string(token(type)) + ": " + reader.failure(), type);
}

template <class T>
Decoded<Message> read_message(const Tape& tape) {
  Message message(std::in_place_type<T>);
  auto read = read_fields(tape, std::get<T>(message));
  if (!read) return tl::unexpected<DecodeError>(std::move(read.error()));
  return message;
}

template <size_t... I>
Decoded<Message> read_as(MessageType type, const Tape& tape, std::index_sequence<I...>) {
  using Read = Decoded<Message> (*)(const Tape&);
  static constexpr Read kReads[] = {&read_message<std::variant_alternative_t<I, Message>>...};
  return kReads[static_cast<size_t>(type)](tape);
}

}  // namespace

Decoded<Message> decode(std::span<const uint8_t> bytes) {
  Tape& tape = scratch();
  const auto envelope = open(bytes, tape);
  if (!envelope) return tl::unexpected<DecodeError>(envelope.error());
  return read_as(envelope->type, tape, std::make_index_sequence<kMessageTypeCount>());
}

template <MessageValue T>
Decoded<void> decode_into(std::span<const uint8_t> bytes, T& value) {
  Tape& tape = scratch();
  const auto envelope = open(bytes, tape);
  if (!envelope) return tl::unexpected<DecodeError>(envelope.error());
  if (envelope->type != message_type<T>()) {
    return refuse_message(DecodeFailure::bad_field,
                          "t is \"" + std::string(token(envelope->type)) + "\"; it must be \"" +
                              std::string(token(message_type<T>())) + "\"",
                          envelope->type);
  }
  return read_fields(tape, value);
}

template Decoded<void> decode_into(std::span<const uint8_t>, Welcome&);
template Decoded<void> decode_into(std::span<const uint8_t>, Hello&);
template Decoded<void> decode_into(std::span<const uint8_t>, Inventory&);
template Decoded<void> decode_into(std::span<const uint8_t>, Report&);
template Decoded<void> decode_into(std::span<const uint8_t>, State&);
template Decoded<void> decode_into(std::span<const uint8_t>, Heartbeat&);
template Decoded<void> decode_into(std::span<const uint8_t>, HeartbeatAnswer&);
template Decoded<void> decode_into(std::span<const uint8_t>, Configuration&);
template Decoded<void> decode_into(std::span<const uint8_t>, Order&);
template Decoded<void> decode_into(std::span<const uint8_t>, Refusal&);

Decoded<Envelope> peek(std::span<const uint8_t> bytes) {
  Tape& tape = scratch();
  if (tape.read_start(bytes, 5) && stands_in_front(tape.values())) {
    return judge(tape.values()[2], tape.values()[4]);
  }
  if (auto whole = tape.read(bytes); !whole) return tl::unexpected<DecodeError>(whole.error());
  return envelope_of(tape.values());
}

}  // namespace leasehold::wire
