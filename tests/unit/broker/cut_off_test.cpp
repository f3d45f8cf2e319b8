// CutOff decides whether a leader that no agent reaches gives its lead to another broker.
#include "broker/daemon/leadership/cut_off.hpp"

#include <catch2/catch.hpp>

namespace leasehold {

namespace {

constexpr int64_t kTimeoutMs = 60'000;

struct CutOffRow {
  const char* what;
  int64_t silent_ms;
  bool hears;
  std::vector<ComeTo> others;
  std::string to;
};

const CutOffRow kCutOffRows[] = {
    {"an agent is heard", kTimeoutMs, true, {{"b", 3}}, ""},
    {"not for so long yet", kTimeoutMs - 1, false, {{"b", 3}}, ""},
    {"nobody else is there", kTimeoutMs, false, {}, ""},
    {"no agent comes to the other either", 100 * kTimeoutMs, false, {{"b", 0}}, ""},
    {"who is come to could not lead", kTimeoutMs, false, {{"b", 3, false}}, ""},
    {"one is come to", kTimeoutMs, false, {{"b", 0}, {"c", 1}}, "c"},
    {"by the most agents", kTimeoutMs, false, {{"b", 1}, {"c", 4}, {"d", 2}}, "c"},
    {"of equal ones the first by name", kTimeoutMs, false, {{"d", 2}, {"c", 2}}, "c"},
    {"by fewer, who could lead", kTimeoutMs, false, {{"b", 9, false}, {"c", 2}}, "c"},
};

}  // namespace

TEST_CASE("a leader cut off from its agents gives its lead to who is come to, and to nobody else") {
  for (const CutOffRow& row : kCutOffRows) {
    INFO(row.what);
    CutOff cut_off;
    cut_off.leads(1'000);
    CHECK(cut_off.gives_to(1'000 + row.silent_ms, row.hears, kTimeoutMs, row.others) == row.to);
  }
}

TEST_CASE("who heard an agent a moment ago is silent from then on") {
  CutOff cut_off;
  cut_off.leads(0);
  CHECK(cut_off.gives_to(50'000, true, kTimeoutMs, {{"b", 1}}).empty());
  CHECK(cut_off.gives_to(50'000 + kTimeoutMs - 1, false, kTimeoutMs, {{"b", 1}}).empty());
  CHECK(cut_off.gives_to(50'000 + kTimeoutMs, false, kTimeoutMs, {{"b", 1}}) == "b");
}

TEST_CASE("two brokers that both hear nobody do not give the lead to and fro") {
  CutOff cut_off;
  int given = 0;
  constexpr int64_t kDayMs = 86'400'000;
  cut_off.leads(0);
  for (int64_t now_ms = 0; now_ms < kDayMs; now_ms += 1'000) {
    if (cut_off.gives_to(now_ms, false, kTimeoutMs, {{"b", 1}}).empty()) continue;
    ++given;
    cut_off.gave();
    cut_off.leads(now_ms);  // the other one gave it back at once
  }
  CHECK(given > 5);
  CHECK(given < 32);
  cut_off.gives_to(kDayMs, true, kTimeoutMs, {});
  CHECK(cut_off.gives_to(kDayMs + kTimeoutMs, false, kTimeoutMs, {{"b", 1}}) == "b");
}

}  // namespace leasehold
