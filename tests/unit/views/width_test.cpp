// Tables on a terminal: what fits, what is left out first, and names with control characters.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/lists/forms.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/request/request_json.hpp"
#include "broker/views/views.hpp"
#include "common/text/printable.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

size_t widest(const std::string& text) {
  size_t most = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    most = std::max(most, width_of(text.substr(at, end - at)));
    at = end + 1;
  }
  return most;
}

/// Replaces every text in the value.
void poison(Json& value, const std::string& with) {
  if (value.is_string()) value = with;
  if (!value.is_structured()) return;
  for (Json& inner : value) poison(inner, with);
}

}  // namespace

TEST_CASE("what a terminal has no room for is left out, the least important first, and told") {
  const Json rows = view_leases(site::state());
  const std::string at_80 = table_of("leases", rows, {.width = 80});
  CHECK(at_80 ==
        "LEASE      PROVIDER  USED/AVAIL  CONSUMER  USED/AVAIL  MOVING  PHASE   REASON\n"
        "pool:west  east             2/3  west             1/1       0  active  tie\n"
        "(no room for: NEXT EVALUATION, FLIPS; -o wide shows all)\n");
  for (const size_t width : {20U, 33U, 60U, 79U, 120U}) {
    const std::string text = table_of("leases", rows, {.width = width});
    CHECK(widest(text.substr(0, text.find('('))) <= width);
    CHECK_THAT(text, Catch::Contains("pool:west"));
  }
  CHECK_THAT(table_of("leases", rows, {.width = 40, .wide = true}), Catch::Contains("LAST FLIP"));
  CHECK_THAT(table_of("leases", rows, {}), !Catch::Contains("LAST FLIP"));
}

TEST_CASE("without a header there are rows alone") {
  State state = site::state();
  state.frozen = true;
  const std::string text = table_of("leases", view_leases(state), {.header = false});
  CHECK(text == "pool:west  east  2/3  west  1/1  0  active  0  2026-11-21 18:10:00Z  tie\n");
  CHECK(table_of("leases", Json::array(), {.header = false}).empty());
}

TEST_CASE("a long name is cut on a terminal alone, and not within a character or an escape") {
  Json rows = view_leases(site::state());
  rows[0]["id"] = "\xe6\x9d\xb1\xe4\xba\xac" + std::string(4096, 'x');
  CHECK(width_of("\xe6\x9d\xb1\xe4\xba\xac") == 4);
  const std::string cut = table_of("leases", rows, {.width = 80});
  CHECK(widest(cut.substr(0, cut.find('('))) <= 80);
  CHECK_THAT(cut, Catch::Contains("\xe2\x80\xa6"));
  CHECK_THAT(table_of("leases", rows, {}), Catch::Contains(std::string(4096, 'x')));
  CHECK(cut_to("ab\\u001bcd", 7) == "ab\xe2\x80\xa6");
  CHECK(cut_to("ab\\u001bcd", 8) == "ab\xe2\x80\xa6");
  CHECK(cut_to("ab\\u001bcd", 9) == "ab\\u001b\xe2\x80\xa6");
  CHECK(cut_to("ab\\u001bcd", 10) == "ab\\u001bcd");
  CHECK(cut_to("\xe6\x9d\xb1\xe4\xba\xac", 3) == "\xe6\x9d\xb1\xe2\x80\xa6");
}

TEST_CASE("hostile names steer no terminal by way of any table, form or summary") {
  const State state = site::state();
  const std::string hostile =
      "x\033[2J\r\n\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b\xf3\xa0\x81\x81\xff" +
      std::string(4096, 'y');
  for (const RequestRow& row : questions()) {
    INFO(row.name);
    if (row.list == nullptr || row.answer == nullptr) continue;
    const Result<Json> rows = answer_query(state, site::liveness(), {}, request_for(row.name));
    REQUIRE(rows);
    Json bad = *rows;
    poison(bad, hostile);
    for (const TableStyle& style : {TableStyle{}, TableStyle{.colour = true, .width = 80},
                                    TableStyle{.wide = true}, TableStyle{.width = 10}}) {
      std::string shown = table_of(row.name, bad, style) + names_text(bad, *row.list);
      CHECK(printable_lines(shown) == shown);
      CHECK(shown.find("\033[2J") == std::string::npos);
    }
  }
}
