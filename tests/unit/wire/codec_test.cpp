// Decoding as its callers see it: kinds, reuse, peeking; and that any bytes do no harm.
#include "common/wire/codec.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <set>

#include "common/wire/text.hpp"
#include "tests/unit/wire/samples.hpp"

namespace leasehold::wire {

namespace {

const Message& sample(const std::string& name) {
  for (const Sample& each : samples()) {
    if (each.name == name) return each.message;
  }
  FAIL("no sample is called " + name);
  return samples().front().message;
}

const Bad& bad(const std::string& name) {
  for (const Bad& each : bad_forms()) {
    if (each.name == name) return each;
  }
  FAIL("no bad form is called " + name);
  return bad_forms().front();
}

TEST_CASE("types and kinds of failure have tokens of their own") {
  std::set<std::string> tokens;
  for (int i = 0; i < kMessageTypeCount; ++i) {
    const auto type = static_cast<MessageType>(i);
    CHECK(tokens.insert(std::string(token(type))).second);
    CHECK(message_type_from_token(token(type)) == type);
  }
  CHECK_FALSE(message_type_from_token("Report"));
  for (int i = 0; i < kDecodeFailureCount; ++i) {
    CHECK(tokens.insert(token(static_cast<DecodeFailure>(i))).second);
  }
}

TEST_CASE("a report is decoded to what was encoded") {
  const auto& sent = std::get<Report>(sample("report"));
  const auto message = decode(encode(sent));
  REQUIRE(message);
  const auto& got = std::get<Report>(*message);
  CHECK(got.session == sent.session);
  CHECK(got.number == sent.number);
  CHECK(got.full == sent.full);
  CHECK(got.configuration == sent.configuration);
  CHECK(got.pending == sent.pending);
  CHECK(got.running == sent.running);
  CHECK(got.degraded == sent.degraded);
  CHECK(got.state == sent.state);
  CHECK(got.hosts == sent.hosts);
}

TEST_CASE("a reused value keeps nothing of the message before") {
  Report report;
  for (const char* name :
       {"report", "report-shapes", "report-empty", "report-no-work", "report-extremes", "report"}) {
    INFO(name);
    const Bytes bytes = encode(sample(name));
    REQUIRE(decode_into(bytes, report));
    Bytes again;
    encode_into(report, again);
    CHECK(again == bytes);
  }
  Inventory inventory;
  for (const char* name : {"inventory-edges", "inventory"}) {
    const Bytes bytes = encode(sample(name));
    REQUIRE(decode_into(bytes, inventory));
    CHECK(encode(inventory) == bytes);
  }
}

TEST_CASE("a reused report keeps its memory") {
  const Bytes bytes = encode(sample("report"));
  Report report;
  REQUIRE(decode_into(bytes, report));
  const auto* groups = report.state.groups.data();
  const auto* hosts = report.state.hosts.data();
  REQUIRE(decode_into(bytes, report));
  CHECK(report.state.groups.data() == groups);
  CHECK(report.state.hosts.data() == hosts);
}

TEST_CASE("a value of another type is refused") {
  Report report;
  const auto read = decode_into(encode(sample("heartbeat")), report);
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == DecodeFailure::bad_field);
  CHECK_THAT(read.error().message, Catch::Contains("\"heartbeat\"; it must be \"report\""));
}

TEST_CASE("an unknown version is refused with both versions") {
  const auto newer = decode(bad("version-7").bytes);
  REQUIRE_FALSE(newer);
  CHECK(newer.error().code == ErrorCode::version);
  CHECK(newer.error().message ==
        "the other side speaks version 7, this program speaks 1; upgrade this program");
  CHECK(newer.error().type == MessageType::heartbeat);
  const auto older = decode(bad("version-0").bytes);
  REQUIRE_FALSE(older);
  CHECK_THAT(older.error().message, Catch::EndsWith("upgrade the other side"));
  CHECK_FALSE(decode(bad("version-7-of-a-new-type").bytes).error().type);
}

TEST_CASE("peeking finds version and type wherever they stand") {
  for (const Sample& each : samples()) {
    const auto envelope = peek(encode(each.message));
    REQUIRE(envelope);
    CHECK(envelope->type == type_of(each.message));
    CHECK(envelope->version == kVersion);
  }
  for (const Foreign& foreign : foreign_forms()) {
    const auto envelope = peek(foreign.bytes);
    REQUIRE(envelope);
    CHECK(foreign.as.starts_with(token(envelope->type)));
  }
  for (const char* name : {"empty", "not-a-map", "no-version", "version-7", "type-later"}) {
    const auto envelope = peek(bad(name).bytes);
    REQUIRE_FALSE(envelope);
    CHECK(envelope.error().kind == bad(name).kind);
  }
}

TEST_CASE("peeking does not read what follows version and type") {
  Bytes bytes = encode(sample("report"));
  bytes.resize(20);
  CHECK(peek(bytes).value().type == MessageType::report);
  CHECK_FALSE(decode(bytes));
}

TEST_CASE("an unknown reason in a refusal leaves its message to be read") {
  Bytes bytes = encode(Refusal{Reason::bad_report, "used is above limit", 1});
  const std::string known = "bad-report";
  const auto at = std::search(bytes.begin(), bytes.end(), known.begin(), known.end());
  REQUIRE(at != bytes.end());
  *at = 'x';
  const auto message = decode(bytes);
  REQUIRE(message);
  CHECK(std::get<Refusal>(*message).reason == Reason::none);
  CHECK(std::get<Refusal>(*message).message == "used is above limit");
}

TEST_CASE("too many bytes or values are refused as oversized") {
  const auto bytes = decode(Bytes(kMessageBytesMax + 1, 0xc0));
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().kind == DecodeFailure::oversized);
  Bytes values{0xdd, 0x00, 0x80, 0x00, 0x00};  // 8 Mi values of one byte each
  values.resize(values.size() + (8u << 20), 0xc0);
  const auto read = decode(values);
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == DecodeFailure::oversized);
  CHECK_THAT(read.error().message, Catch::Contains("4194304 values"));
}

TEST_CASE("plain text is UTF-8 without control characters") {
  for (const char* good : {"", "east", "m\xc3\xbcnchen", "\xe2\x82\xac", "\xf0\x9f\x96\xa5",
                           "\xc2\xa0", "\xf4\x8f\xbf\xbf"}) {
    INFO(good);
    CHECK(is_plain_text(good));
  }
  for (const char* wrong : {"\n", "a\tb", "\x1b", "\x7f", "\x80", "\xc3", "\xc0\x80", "\xc1\xbf",
                            "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
                            "\xf5\x80\x80\x80", "\xff", "\xc2\x9b", "\xe2\x82", "\xe2(\xac"}) {
    INFO(wrong);
    CHECK_FALSE(is_plain_text(wrong));
  }
  CHECK_FALSE(is_plain_text(std::string_view("\0", 1)));
}

Bytes any_sample() {
  return encode(samples()[*rc::gen::inRange<size_t>(0, samples().size())].message);
}

/// Whatever was decoded is a fixed point: its bytes decode to the same bytes.
void reencodes_alike(const Bytes& bytes) {
  const auto envelope = peek(bytes);
  const auto message = decode(bytes);
  if (!message) {
    RC_ASSERT(!message.error().message.empty());
    return;
  }
  RC_ASSERT(envelope.has_value());
  RC_ASSERT(envelope->type == type_of(*message));
  const Bytes once = encode(*message);
  const auto again = decode(once);
  RC_ASSERT(again.has_value());
  RC_ASSERT(encode(*again) == once);
}

TEST_CASE("random bytes never do harm") {
  CHECK(rc::check([](const std::vector<uint8_t>& bytes) { reencodes_alike(bytes); }));
}

/// One change: a byte set, bytes cut out, or a piece of another message put in.
Bytes mutate(Bytes bytes) {
  if (bytes.empty()) return bytes;
  const auto at = *rc::gen::inRange<size_t>(0, bytes.size());
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      *place = *rc::gen::arbitrary<uint8_t>();
      break;
    case 1:
      bytes.erase(place, place + static_cast<std::ptrdiff_t>(
                                     *rc::gen::inRange<size_t>(0, bytes.size() - at + 1)));
      break;
    default: {
      const Bytes other = any_sample();
      const auto from = *rc::gen::inRange<size_t>(0, other.size());
      const auto count =
          *rc::gen::inRange<size_t>(0, std::min<size_t>(16, other.size() - from) + 1);
      const auto first = other.begin() + static_cast<std::ptrdiff_t>(from);
      bytes.insert(place, first, first + static_cast<std::ptrdiff_t>(count));
    }
  }
  return bytes;
}

TEST_CASE("mutated messages never do harm and never settle on two meanings") {
  CHECK(rc::check([] {
    Bytes bytes = any_sample();
    const int changes = *rc::gen::inRange(1, 5);
    for (int i = 0; i < changes; ++i) bytes = mutate(std::move(bytes));
    reencodes_alike(bytes);
  }));
}

TEST_CASE("every byte of every sample may be any other without harm") {
  int decoded = 0;
  for (const Sample& each : samples()) {
    Bytes bytes = encode(each.message);
    if (bytes.size() > 600) continue;  // the long texts say nothing new
    for (uint8_t& byte : bytes) {
      const uint8_t kept = byte;
      for (int value = 0; value < 256; ++value) {
        byte = static_cast<uint8_t>(value);
        const auto message = decode(bytes);
        if (!message) continue;
        ++decoded;
        const Bytes once = encode(*message);
        const auto again = decode(once);
        REQUIRE(again);
        REQUIRE(encode(*again) == once);
      }
      byte = kept;
    }
  }
  CHECK(decoded > 10'000);
}

TEST_CASE("every front of a message is refused as malformed") {
  for (const Sample& each : samples()) {
    const Bytes bytes = encode(each.message);
    for (size_t size = 0; size < std::min<size_t>(bytes.size(), 600); ++size) {
      const auto message = decode(std::span(bytes).first(size));
      REQUIRE_FALSE(message);
      REQUIRE(message.error().kind == DecodeFailure::malformed);
    }
  }
}

}  // namespace

}  // namespace leasehold::wire
