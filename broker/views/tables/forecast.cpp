#include "broker/views/tables/forecast.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"

namespace leasehold {

namespace {

using columns::text;

/// Returns a row for each time, with the first reason beside it.
Json time_rows(const Json& forecast) {
  Json rows = Json::array();
  for (const char* which : {"earliest", "likely", "latest"}) {
    const Json& moment = object_at(forecast, which);
    bool first = true;
    for (const Json& premise : list_at(moment, "rests_on")) {
      rows.push_back({{"when", first ? which : ""},
                      {"at", first ? part_at(moment, "at") : Json("")},
                      {"basis", part_at(premise, "basis")},
                      {"sentence", part_at(premise, "sentence")}});
      first = false;
    }
    if (first) {
      rows.push_back(
          {{"when", which}, {"at", part_at(moment, "at")}, {"basis", ""}, {"sentence", ""}});
    }
  }
  return rows;
}

std::string time_of(const Json& row, const char* name) {
  return part_at(row, name) == "" ? "" : columns::time(row, name);
}

}  // namespace

std::string forecast_text(const Json& forecast, const TableStyle& style) {
  std::string out = text(forecast, "id") + "  " + text(forecast, "side") + " " +
                    text(forecast, "cluster") + ", " + text(forecast, "idle") + " of " +
                    text(forecast, "most") + " slots idle now\n" + text(forecast, "sentence") +
                    "\n";
  for (const Json& hold : list_at(forecast, "holds")) out += "  - " + text(hold, "sentence") + "\n";
  if (part_at(forecast, "possible") == false) return out;
  static constexpr columns::Column kColumns[] = {{"when", ""},
                                                 {"at", "AT", columns::kLeft, 0, time_of},
                                                 {"basis", "RESTS ON", columns::kLeft, 2},
                                                 {"sentence", "IN WORDS", columns::kLeft, 1}};
  return out + columns::render(time_rows(forecast), kColumns, style);
}

}  // namespace leasehold
