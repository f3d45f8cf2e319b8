// The screen of leasectl watch, line by line.
#include "broker/ctl/watch/picture.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "common/text/printable.hpp"

using namespace leasehold;
using namespace leasehold::ctl;

namespace {

Json lease(const std::string& id, int64_t used, int64_t available) {
  return {{"id", id},
          {"provider_slots", {{"used", used}, {"available", available}}},
          {"consumer_slots", {{"used", 1}, {"available", 4}}},
          {"phase", "active"},
          {"reason", "provider-idle"}};
}

Shown site(size_t leases) {
  Shown shown;
  shown.status = {{"broker", "campus"},
                  {"version", "0.1.0"},
                  {"mode", "lease"},
                  {"time", "2026-11-21T17:00:00.000Z"},
                  {"clusters", {{"all", 3}, {"up", 2}, {"pending", 12}}},
                  {"leases", {{"all", leases}}},
                  {"transfers", {{"open", 1}}},
                  {"frozen", nullptr},
                  {"attention", 0}};
  shown.leases = Json::array();
  for (size_t i = 0; i < leases; ++i) {
    shown.leases.push_back(lease("pool-" + std::to_string(i) + ":west", 2, 4));
  }
  shown.decisions = Json::array();
  for (int i = 0; i < 7; ++i) {
    shown.decisions.push_back({{"time", "2026-11-21T17:00:0" + std::to_string(i) + ".000Z"},
                               {"kind", "flip"},
                               {"lease", "pool-0:west"},
                               {"reason", "provider-idle"},
                               {"slots", 3},
                               {"from", "east"},
                               {"to", "west"}});
  }
  return shown;
}

bool any(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("watch fills the terminal to the line and the column, whatever its size") {
  for (const Size size : {Size{80, 24}, Size{200, 60}, Size{40, 12}, Size{20, 5}, Size{1, 1}}) {
    for (const size_t leases : {size_t{0}, size_t{3}, size_t{500}}) {
      CAPTURE(size.columns, size.lines, leases);
      const std::vector<std::string> lines = picture(site(leases), size, false, true);
      CHECK(lines.size() == size.lines);
      for (const std::string& line : lines) CHECK(width_of(line) <= size.columns);
    }
  }
}

TEST_CASE("watch shows each lease with both sides' bars, its reason, and the last decisions") {
  const std::vector<std::string> lines = picture(site(3), {80, 24}, false, false);
  CHECK(lines[0].find("campus 0.1.0  mode lease") == 0);
  CHECK(lines[1].find("clusters 2 of 3 up, 12 slots pending; leases 3; transfers 1") == 0);
  CHECK(lines[2].find("nothing needs a person") == 0);
  CHECK(any(lines, "####....       2/4 ##......       1/4 active    provider-idle"));
  CHECK(any(lines, "17:00:06  flip  pool-0:west  provider-idle  3 east -> west"));
  CHECK_FALSE(any(lines, "17:00:01"));  // only five are shown
  CHECK(lines.back().find("leases 1 to 3 of 3") != std::string::npos);
}

TEST_CASE("watch says what needs a person, that all is frozen, and why nothing new comes") {
  Shown shown = site(1);
  shown.status["attention"] = 2;
  shown.status["frozen"] = Json::object();
  std::vector<std::string> lines = picture(shown, {80, 24}, true, true);
  CHECK(any(lines, "2 need a person: leasectl attention"));
  CHECK(any(lines, "FROZEN"));
  CHECK_FALSE(any(lines, "freeze from"));
  shown.status["freeze_ahead"] = {{"from", "2026-11-21T20:00:00.000Z"}};
  CHECK(any(picture(shown, {80, 24}, true, true), "freeze from 2026-11-21 20:00:00Z"));
  CHECK(any(lines, "\033[33m"));
  shown.trouble = "no answer since 2026-11-21T17:00:00.000Z: the broker is away";
  CHECK(any(picture(shown, {80, 24}, false, true), "no answer since 2026-11-21T17:00:00.000Z"));
  CHECK(any(picture(Shown{}, {80, 24}, false, true), "asking the broker ..."));
}

TEST_CASE("watch turns pages, and never shows what a name wants a terminal to do") {
  Shown shown = site(100);
  shown.first = 50;
  CHECK(any(picture(shown, {80, 24}, false, true), "pool-50:west"));
  CHECK_FALSE(any(picture(shown, {80, 24}, false, true), "pool-49:west"));
  CHECK(leases_shown({80, 24}) == 11);
  shown.leases[50]["id"] = "\033[2Jx\u202ey";
  const std::vector<std::string> lines = picture(shown, {80, 24}, false, true);
  CHECK_FALSE(any(lines, "\033"));
  CHECK_FALSE(any(lines, "\u202e"));
}
