// The state file of `leasectl plan`: what is read, where mistakes are reported, and that damaged
// files crash no reader.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "broker/config/load.hpp"
#include "broker/ctl/plan/state.hpp"
#include "broker/ctl/plan/state_text.hpp"

using namespace leasehold;
using ctl::parse_placed_json;
using ctl::PlacedJson;

namespace {

ResourcePlans plans() {
  const Loaded loaded = parse_broker_config(
      "[[resource_group]]\nname = \"g\"\npolicy = \"ownership\"\nslots = 9\n[[consumer]]\n"
      "path = \"/a/x\"\nowned = 5\nlend_limit = 5\n[[consumer]]\npath = \"/b\"\nborrow_limit = 3\n",
      "p.toml");
  REQUIRE(loaded.ok());
  return loaded.plans;
}

const std::string kState =
    "{\"time\": \"2026-11-21T17:01:00.5+01:00\",\n \"slots\": {\"g\": 8},\n"
    " \"consumers\": {\"/a/x\": {\"demand\": 5, \"allocated\": 2},\n"
    "  \"/b\": {\"demand\": 4, \"allocated\": 3, \"shared\": 1, \"borrowed\": {\"/a/x\": 2}}}}";

std::string faults(const std::string& text) {
  std::string all;
  for (const Error& error : ctl::read_plan_states(text, "s.json", plans()).errors) {
    CHECK(error.code == ErrorCode::usage);
    all += describe(error) + "\n";
  }
  return all;
}

/// JSON with blanks and line ends anywhere, and the places of its tokens as written.
struct JsonText {
  std::string text;
  std::vector<Place> places;
  int line = 1;
  int column = 1;

  void put(const std::string& part) {
    text += part;
    for (const char c : part) {
      const bool counts = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      column = c == '\n' ? 1 : column + (counts ? 1 : 0);
      line += c == '\n' ? 1 : 0;
    }
  }
  void blank() {
    put(*rc::gen::elementOf(std::vector<std::string>{"", " ", "\n", "\t", " \r\n "}));
  }
  void token(const std::string& part) {
    blank();
    places.push_back({line, column});
    put(part);
    blank();
  }
};

void collect(const PlacedJson& value, std::vector<Place>& places) {
  places.push_back(value.place);
  for (size_t i = 0; i < value.values.size(); ++i) {
    if (!value.keys.empty()) places.push_back(value.keys[i].place);
    collect(value.values[i], places);
  }
}

void write_value(JsonText& out, int depth) {
  switch (*rc::gen::inRange(0, depth > 3 ? 5 : 7)) {
    case 0:
      return out.token("null");
    case 1:
      return out.token("false");
    case 2:
      return out.token("-17");
    case 3:
      return out.token("2.5e3");
    case 4:
      return out.token("\"a\\\"b,:{]\\\\é\"");
    default:
      break;
  }
  const bool is_object = *rc::gen::arbitrary<bool>();
  out.token(is_object ? "{" : "[");
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    if (i > 0) out.put(",");
    if (is_object) {
      out.token("\"k\\\\\"");
      out.put(":");
    }
    write_value(out, depth + 1);
  }
  out.blank();
  out.put(is_object ? "}" : "]");
}

}  // namespace

TEST_CASE("a state gives time, slots, and what each leaf wants and holds") {
  const auto states = ctl::read_plan_states(kState, "s.json", plans());
  REQUIRE(states.errors.empty());
  CHECK(states.time == parse_time("2026-11-21T16:01:00.500Z", Instant{0}).value());
  REQUIRE(states.groups.size() == 1);
  CHECK(states.groups[0].slots == 8);
  const auto& leaves = states.groups[0].leaves;
  REQUIRE(leaves.size() == 3);  // "/a", "/a/x", "/b"
  CHECK(leaves[0] == LeafState{});
  CHECK(leaves[1] == LeafState{5, 2, std::nullopt, std::nullopt, true});
  CHECK(leaves[2] == LeafState{4, 3, 1, std::vector<Loan>{{1, 2}}, true});
}

TEST_CASE("every mistake of a state is told at once, in the order of the file") {
  CHECK(faults("{\"consumers\": {\"/a\": {},\n \"/c\": {},\n \"/b\": {\"demand\": -1, \"x\": 0}},\n"
               " \"slots\": {\"h\": 1}}") ==
        "s.json:1:16: '/a' is a parent; name its leaves, whose sum it is\n"
        "s.json:2:2: consumer '/c' is not in the plan; did you mean '/a'?\n"
        "s.json:3:19: 'demand' is -1; it must be from 0 to 1000000000\n"
        "s.json:3:23: unknown key 'x' in '/b'\n"
        "s.json:4:12: unknown key 'h' in 'slots'\n");
}

TEST_CASE("more borrowed or shared than held is told at that number") {
  CHECK_THAT(
      faults("{\"consumers\": {\n\"/b\": {\"allocated\": 1,\n\"borrowed\": {\"/a/x\": 2}}}}"),
      Catch::StartsWith("s.json:3:13: "));
  CHECK_THAT(faults("{\"consumers\": {\n\"/b\": {\"allocated\": 1,\n\"shared\": 2}}}"),
             Catch::StartsWith("s.json:3:11: "));
}

TEST_CASE("every value and key of JSON is known by its place, whatever stands between") {
  CHECK(rc::check([] {
    JsonText out;
    write_value(out, 0);
    const auto parsed = parse_placed_json(out.text, "s.json");
    RC_ASSERT(parsed.has_value());
    std::vector<Place> places;
    collect(*parsed, places);
    RC_ASSERT(places == out.places);
  }));
}

TEST_CASE("no damage to a state brings the reading down") {
  const ResourcePlans known = plans();
  CHECK(rc::check([&] {
    std::string text = kState;
    for (int change = *rc::gen::inRange(1, 6); change > 0; --change) {
      const auto at = static_cast<size_t>(*rc::gen::inRange(0, static_cast<int>(text.size())));
      const char byte = *rc::gen::elementOf(std::string("{}[]\",:\\-0e.\n\xff\xc3 "));
      if (*rc::gen::arbitrary<bool>()) {
        text[at] = byte;
      } else {
        text.insert(at, 1, byte);
      }
    }
    const auto states = ctl::read_plan_states(text, "s.json", known);
    for (const Error& error : states.errors) RC_ASSERT(!error.message.empty());
  }));
}
