// wire reads any bytes as a message between broker and agent.
#include "common/wire/text.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/wire/samples.hpp"

namespace leasehold::wire {

namespace {

/// A value of the tape takes 16 bytes, an empty text 32; rows grow by doubling, and a new message
/// is moved twice at the most.
constexpr uint64_t kBytesEach = 256;
constexpr uint64_t kBytesAlways = 64 << 10;

void check_refusal(const DecodeError& error) {
  LEASEHOLD_CHECK(!error.message.empty(), "a refusal says why");
  LEASEHOLD_CHECK(error.message.size() <= 2 * kTextBytesMax, "and is short");
  LEASEHOLD_CHECK(is_plain_text(error.message), "and can be put into a log as it is");
}

void check_peek(std::span<const uint8_t> bytes, const Decoded<Message>& decoded) {
  const Decoded<Envelope> envelope = peek(bytes);
  if (!envelope) {
    check_refusal(envelope.error());
    LEASEHOLD_CHECK(!decoded, "what peek refuses is not decoded");
  } else if (decoded) {
    LEASEHOLD_CHECK(envelope->version == kVersion, "a message that is taken is of our version");
    LEASEHOLD_CHECK(envelope->type == type_of(*decoded), "peek names the type that is decoded");
  }
}

/// Checks decoding into a value that held another message, then half of this one, before it holds
/// this one.
template <class T>
void check_reused(std::span<const uint8_t> bytes, T value, const Message& fresh) {
  static_cast<void>(decode_into(bytes.first(bytes.size() / 2), value));
  const Decoded<void> reused = decode_into(bytes, value);
  LEASEHOLD_CHECK(reused.has_value() == std::holds_alternative<T>(fresh),
                  "decode_into takes what decode takes, of its own type alone");
  if (!reused) return check_refusal(reused.error());
  Bytes written;
  encode_into(value, written);
  LEASEHOLD_CHECK(written == encode(fresh), "a reused value keeps nothing of what it held");
}

void check_message(std::span<const uint8_t> bytes, const Message& message) {
  const Bytes written = encode(message);
  const Decoded<Message> again = decode(written);
  LEASEHOLD_CHECK(again.has_value(), "what we write we read");
  LEASEHOLD_CHECK(encode(*again) == written, "and read as it was");
  for (const Sample& sample : samples()) {
    std::visit([&](const auto& dirty) { check_reused(bytes, dirty, message); }, sample.message);
  }
}

}  // namespace

}  // namespace leasehold::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace leasehold;
  const std::span<const uint8_t> bytes(data, size);
  const uint64_t before = fuzz::allocated_bytes();
  const wire::Decoded<wire::Message> message = wire::decode(bytes);
  LEASEHOLD_CHECK(fuzz::allocated_bytes() - before <= wire::kBytesAlways + wire::kBytesEach * size,
                  "memory grows with the bytes that are there, not with those that are claimed");
  wire::check_peek(bytes, message);
  if (message) {
    wire::check_message(bytes, *message);
  } else {
    wire::check_refusal(message.error());
  }
  return 0;
}
