// Bytes that no program of ours writes, made by another msgpack encoder (nlohmann's) or by hand.
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/unit/wire/samples.hpp"

namespace leasehold::wire {

namespace {

using Json = nlohmann::ordered_json;

const Bytes& bytes_of(const std::string& name) {
  static std::vector<std::pair<std::string, Bytes>> all = [] {
    std::vector<std::pair<std::string, Bytes>> made;
    for (const Sample& sample : samples()) made.emplace_back(sample.name, encode(sample.message));
    return made;
  }();
  for (const auto& [known, bytes] : all) {
    if (known == name) return bytes;
  }
  throw std::out_of_range("no sample is called " + name);
}

/// A sample with some of it changed, written by another encoder.
template <class Change>
Bytes changed(const std::string& name, Change change) {
  Json json = Json::from_msgpack(bytes_of(name));
  change(json);
  return Json::to_msgpack(json);
}

Json reversed(const Json& map) {
  Json turned = Json::object();
  for (auto it = map.rbegin(); it != map.rend(); ++it) turned[it.key()] = it.value();
  return turned;
}

/// A heartbeat by hand: map of `pairs`, v and t, then `rest`.
Bytes by_hand(uint8_t pairs, const Bytes& rest) {
  Bytes bytes{pairs, 0xa1, 'v', 0x01, 0xa1, 't', 0xa9, 'h', 'e', 'a', 'r', 't', 'b', 'e', 'a', 't'};
  for (const uint8_t byte : rest) bytes.push_back(byte);
  return bytes;
}

Bytes joined_bytes(Bytes front, const Bytes& back) {
  for (const uint8_t byte : back) front.push_back(byte);
  return front;
}

Bytes text(std::string_view value) {
  Bytes bytes{static_cast<uint8_t>(0xa0 | value.size())};
  for (const char c : value) bytes.push_back(static_cast<uint8_t>(c));
  return bytes;
}

/// The fields of the sample heartbeat with its number written as `number`.
Bytes heartbeat_fields(const Bytes& number) {
  Bytes bytes = joined_bytes(text("session"), {0xcf, 1, 2, 3, 4, 5, 6, 7, 8});
  bytes = joined_bytes(joined_bytes(bytes, text("number")), number);
  return joined_bytes(joined_bytes(bytes, text("report")), {0x0c});
}

Bytes front_of(const std::string& name, std::ptrdiff_t dropped) {
  Bytes bytes = bytes_of(name);
  bytes.erase(bytes.end() - dropped, bytes.end());
  return bytes;
}

/// These are the messages as programs before the fields were added write them.
std::vector<Foreign> make_older() {
  return {
      {"report--without-added-fields", "report",
       changed("report", [](Json& j) { j.erase("lease_ms"); })},
      {"order--without-added-fields", "order",
       changed("order",
               [](Json& j) {
                 j.erase("parts");
                 j.erase("sets");
               })},
      {"hello--without-added-fields", "hello-empty",
       changed(
           "hello-empty",
           [](Json& j) {
             for (const char* name : {"lease_ms", "identity", "wall_ms", "chooses", "scheduling"}) {
               j.erase(name);
             }
           })},
      {"heartbeat--without-added-fields", "heartbeat",
       changed("heartbeat", [](Json& j) { j.erase("stopping"); })}};
}

std::vector<Foreign> make_more_columns() {
  return {
      {"order--more-columns", "order",
       changed("order",
               [](Json& j) {
                 for (Json& host : j["hosts"]) host.push_back("gpu");
               })},
      {"inventory--more-columns", "inventory",
       changed("inventory",
               [](Json& j) {
                 for (Json& row : j["hosts"][0]["numbers_milli"]) row.push_back(1);
               })},
  };
}

std::vector<Foreign> make_foreign() {
  const Json more = {{"deep", {1, nullptr, 2.5, {{"x", "y"}}}}};
  return {
      {"report--unknown-field", "report", changed("report", [&](Json& j) { j["later"] = more; })},
      {"report--reversed", "report", changed("report", [](Json& j) { j = reversed(j); })},
      {"report--more-columns", "report",
       changed("report",
               [&](Json& j) {
                 for (Json& group : j["groups"]) {
                   for (Json& host : group[4]) {
                     host.push_back(0);
                     host.push_back(more);
                   }
                   group.push_back("later");
                   group.push_back(7);
                 }
                 for (Json& host : j["hosts"]) host.push_back(nullptr);
               })},
      {"report-shapes--more-columns", "report-shapes",
       changed("report-shapes",
               [&](Json& j) {
                 for (Json& bucket : j["demand"]) {
                   bucket.push_back(false);
                   bucket.push_back(more);
                 }
                 for (Json& row : j["ending"]["slots"]) row.push_back(1);
                 j["ending"]["later"] = more;
               })},
      {"report-whole--said-of-each", "report-whole",
       changed("report-whole", [](Json& j) { j["demand"][1].push_back(false); })},
      {"report-divisions--newer-reason", "report-divisions",
       changed("report-divisions", [](Json& j) { j["groups"][0][4][1][5] = 42; })},
      {"inventory-asleep--newer-word", "inventory",
       changed("inventory-asleep", [](Json& j) { j["hosts"][1]["not_up"] = 42; })},
      {"hello--unknown-inner-field", "hello",
       changed("hello", [](Json& j) { j["fences"]["gpu"] = true; })},
      {"heartbeat--long-integer", "heartbeat",
       by_hand(0x85, heartbeat_fields({0xd3, 0, 0, 0, 0, 0, 0, 0, 128}))},
      {"heartbeat--map-32", "heartbeat",
       [] {
         const Bytes bytes = by_hand(0x85, heartbeat_fields({0xcc, 128}));
         return joined_bytes({0xdf, 0, 0, 0, 5}, Bytes(bytes.begin() + 1, bytes.end()));
       }()},
      {"heartbeat--key-no-text", "heartbeat",
       by_hand(0x86, joined_bytes(heartbeat_fields({0xcc, 128}), {0x05, 0xc7, 0x01, 0x2a, 0x00}))},
  };
}

std::vector<Bad> make_malformed() {
  constexpr auto kMalformed = DecodeFailure::malformed;
  return {
      {"empty", kMalformed, {}},
      {"not-a-map", kMalformed, {0x93, 1, 2, 3}},
      {"reserved-byte", kMalformed, {0xc1}},
      {"truncated", kMalformed, front_of("report", 1)},
      {"trailing-byte", kMalformed, joined_bytes(bytes_of("heartbeat"), {0xc0})},
      {"two-messages", kMalformed, joined_bytes(bytes_of("heartbeat"), bytes_of("heartbeat"))},
      {"claims-4g-items", kMalformed, {0xdd, 0xff, 0xff, 0xff, 0xff}},
      {"claims-4g-pairs", kMalformed, {0xdf, 0xff, 0xff, 0xff, 0xff, 0xa1, 'v', 0x01}},
      {"claims-4g-text", kMalformed, {0x81, 0xdb, 0xff, 0xff, 0xff, 0xff, 'v'}},
      {"no-version", kMalformed, changed("heartbeat", [](Json& j) { j.erase("v"); })},
      {"no-type", kMalformed, changed("heartbeat", [](Json& j) { j.erase("t"); })},
      {"version-a-text", kMalformed, changed("heartbeat", [](Json& j) { j["v"] = "1"; })},
      {"type-a-number", kMalformed, changed("heartbeat", [](Json& j) { j["t"] = 5; })},
  };
}

std::vector<Bad> make_unknown() {
  return {
      {"version-7", DecodeFailure::unknown_version,
       changed("heartbeat",
               [](Json& j) {
                 j = Json{{"v", 7}, {"t", "heartbeat"}};
               })},
      {"version-0", DecodeFailure::unknown_version,
       changed("heartbeat", [](Json& j) { j["v"] = 0; })},
      {"version-7-of-a-new-type", DecodeFailure::unknown_version,
       Json::to_msgpack(Json{{"t", "later"}, {"x", 1}, {"v", 7}})},
      {"type-later", DecodeFailure::unknown_type,
       changed("heartbeat", [](Json& j) { j["t"] = "later"; })},
      {"type-empty", DecodeFailure::unknown_type,
       changed("heartbeat", [](Json& j) { j["t"] = ""; })},
      {"type-with-control-characters", DecodeFailure::unknown_type,
       changed("heartbeat", [](Json& j) { j["t"] = "a\nlevel=error"; })},
  };
}

std::vector<Bad> make_bad_fields() {
  constexpr auto kBad = DecodeFailure::bad_field;
  return {
      {"field-missing", kBad, changed("report", [](Json& j) { j.erase("pending"); })},
      {"inner-field-missing", kBad, changed("hello", [](Json& j) { j["fences"].erase("swap"); })},
      {"field-twice", kBad,
       by_hand(0x86, joined_bytes(heartbeat_fields({0x05}), joined_bytes(text("number"), {0x06})))},
      {"version-twice", kBad,
       by_hand(0x86, joined_bytes(heartbeat_fields({0x05}), joined_bytes(text("v"), {0x01})))},
      {"negative-number", kBad, changed("heartbeat", [](Json& j) { j["number"] = -1; })},
      {"added-field-a-text", kBad, changed("report", [](Json& j) { j["lease_ms"] = "10m"; })},
      {"float-number", kBad, changed("heartbeat", [](Json& j) { j["number"] = 1.0; })},
      {"nil-number", kBad, changed("heartbeat", [](Json& j) { j["number"] = nullptr; })},
      {"number-for-boolean", kBad, changed("report", [](Json& j) { j["full"] = 1; })},
      {"number-above-int64", kBad,
       changed("report", [](Json& j) { j["pending"] = uint64_t{1} << 63; })},
      {"limit-above-int32", kBad,
       changed("report", [](Json& j) { j["groups"][1][4][0][1] = int64_t{1} << 31; })},
      {"limit-below-int32", kBad,
       changed("report", [](Json& j) { j["groups"][1][4][0][1] = -(int64_t{1} << 31) - 1; })},
      {"negative-host", kBad, changed("report", [](Json& j) { j["hosts"][1][0] = -1; })},
      {"host-above-uint32", kBad,
       changed("report", [](Json& j) { j["hosts"][1][0] = int64_t{1} << 32; })},
      {"row-too-short", kBad, changed("report", [](Json& j) { j["groups"][0][4][1].erase(3); })},
      {"group-too-short", kBad, changed("report", [](Json& j) { j["groups"][0].erase(4); })},
      {"rows-not-an-array", kBad, changed("report", [](Json& j) { j["groups"] = "none"; })},
      {"row-not-an-array", kBad,
       changed("report",
               [](Json& j) {
                 j["hosts"][0] = Json{{"host", 0}};
               })},
      {"map-for-a-row-of-maps", kBad,
       changed("inventory", [](Json& j) { j["hosts"][0] = Json::array(); })},
      {"unknown-lowering", kBad, changed("order", [](Json& j) { j["hosts"][2][2] = 3; })},
      {"set-without-a-sum", kBad, changed("order-set", [](Json& j) { j["sets"][0].erase("sum"); })},
      {"negative-host-of-a-set", kBad,
       changed("order-set", [](Json& j) { j["sets"][0]["hosts"][1][1] = -1; })},
      {"unknown-role", kBad,
       changed("configuration", [](Json& j) { j["groups"][1]["role"] = "owner"; })},
  };
}

std::vector<Bad> make_bad_shapes() {
  constexpr auto kBad = DecodeFailure::bad_field;
  return {
      {"unknown-time-class", kBad,
       changed("report-shapes", [](Json& j) { j["demand"][0][2] = kTimeClasses; })},
      {"time-class-a-text", kBad,
       changed("report-shapes", [](Json& j) { j["ending"]["slots"][1][0] = "1h"; })},
      {"bucket-too-short", kBad,
       changed("report-shapes", [](Json& j) { j["demand"][1].erase(6); })},
      {"bucket-whole-a-number", kBad,
       changed("report-whole", [](Json& j) { j["demand"][0][7] = 1; })},
      {"division-a-text", kBad,
       changed("inventory-divisions", [](Json& j) { j["hosts"][0]["division"] = "pinned-cores"; })},
      {"not-up-a-text", kBad,
       changed("inventory-asleep", [](Json& j) { j["hosts"][1]["not_up"] = "asleep"; })},
      {"negative-division", kBad,
       changed("report-divisions", [](Json& j) { j["groups"][0][4][0][5] = -1; })},
      {"horizon-without-until", kBad,
       changed("inventory-horizons", [](Json& j) { j["hosts"][0]["horizon"].erase("until_ms"); })},
      {"longest-limit-a-text", kBad,
       changed("report-limits", [](Json& j) { j["ending"]["longest_limit_ms"] = "1d"; })},
      {"demand-nil", kBad, changed("report-shapes", [](Json& j) { j["demand"] = nullptr; })},
      {"ending-without-error", kBad,
       changed("report-shapes", [](Json& j) { j["ending"].erase("error_milli"); })},
  };
}

std::vector<Bad> make_bad_epochs() {
  constexpr auto kBad = DecodeFailure::bad_field;
  return {
      {"epoch-zero", kBad, changed("welcome-leader", [](Json& j) { j["epoch"] = 0; })},
      {"epoch-above-2-53", kBad,
       changed("order-leader", [](Json& j) { j["epoch"] = kEpochMost + 1; })},
      {"negative-epoch", kBad,
       changed("heartbeat-answer-leader", [](Json& j) { j["epoch"] = -1; })},
      {"seen-epoch-zero", kBad,
       changed("heartbeat-knock-seen", [](Json& j) { j["seen_epoch"] = 0; })},
      {"epoch-a-text", kBad, changed("configuration-leader", [](Json& j) { j["epoch"] = "3"; })},
  };
}

std::vector<Bad> make_bad_texts() {
  constexpr auto kBad = DecodeFailure::bad_field;
  return {
      {"text-a-number", kBad, changed("hello", [](Json& j) { j["cluster"] = 3; })},
      {"text-with-control-character", kBad,
       changed("hello", [](Json& j) { j["cluster"] = "east\x1b[2J"; })},
      {"text-binary", kBad,
       changed("welcome",
               [](Json& j) {
                 j["broker"] = Json::binary({1, 2, 3});
               })},
      {"text-not-utf8", kBad,
       [] {
         Bytes bytes = bytes_of("welcome");
         for (uint8_t& byte : bytes) {
           if (byte == 'p') {  // "campus"
             byte = 0xff;
             break;
           }
         }
         return bytes;
       }()},
  };
}

std::vector<Bad> make_oversized() {
  constexpr auto kOversized = DecodeFailure::oversized;
  return {
      {"text-of-4097", kOversized,
       changed("hello", [](Json& j) { j["cluster"] = std::string(4097, 'c'); })},
      {"depth-17", kOversized,
       changed("heartbeat",
               [](Json& j) {
                 Json deep = 1;
                 for (int i = 0; i < 16; ++i) deep = Json::array({deep});
                 j["later"] = deep;
               })},
  };
}

}  // namespace

const std::vector<Foreign>& foreign_forms() {
  static const std::vector<Foreign> all = [] {
    std::vector<Foreign> forms = make_older();
    for (auto* make : {make_foreign, make_more_columns}) {
      for (Foreign& form : make()) forms.push_back(std::move(form));
    }
    return forms;
  }();
  return all;
}

const std::vector<Bad>& bad_forms() {
  static const std::vector<Bad> all = [] {
    std::vector<Bad> made;
    for (const auto make : {make_malformed, make_unknown, make_bad_fields, make_bad_shapes,
                            make_bad_epochs, make_bad_texts, make_oversized}) {
      for (Bad& bad : make()) made.push_back(std::move(bad));
    }
    return made;
  }();
  return all;
}

std::string as_json(const Bytes& bytes) {
  return Json::from_msgpack(bytes).dump(2) + "\n";
}

}  // namespace leasehold::wire
