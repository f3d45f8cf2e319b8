#include "broker/views/tables/forecast.hpp"

#include <nlohmann/json.hpp>

namespace leasehold {

namespace {

using columns::text;

/// A row for each time, its first ground beside it.
Json time_rows(const Json& forecast) {
  Json rows = Json::array();
  for (const char* which : {"earliest", "likely", "latest"}) {
    const Json& moment = forecast[which];
    bool first = true;
    for (const Json& ground : moment["rests_on"]) {
      rows.push_back({{"when", first ? which : ""},
                      {"at", first ? moment["at"] : Json("")},
                      {"basis", ground["basis"]},
                      {"sentence", ground["sentence"]}});
      first = false;
    }
    if (first)
      rows.push_back({{"when", which}, {"at", moment["at"]}, {"basis", ""}, {"sentence", ""}});
  }
  return rows;
}

std::string time_of(const Json& row) {
  return row["at"] == "" ? "" : columns::time(row, "at");
}

}  // namespace

std::string forecast_text(const Json& forecast, const TableStyle& style) {
  std::string out = text(forecast, "id") + "  " + text(forecast, "side") + " " +
                    text(forecast, "cluster") + ", " + text(forecast, "idle") + " of " +
                    text(forecast, "most") + " slots idle now\n" + text(forecast, "sentence") +
                    "\n";
  for (const Json& hold : forecast["holds"]) out += "  - " + text(hold, "sentence") + "\n";
  if (forecast["possible"] == false) return out;
  const std::vector<columns::Column> columns{
      {"", [](const Json& row) { return row["when"].get<std::string>(); }},
      {"AT", time_of},
      {"RESTS ON", [](const Json& row) { return text(row, "basis"); }, false, false, 2},
      {"IN WORDS", [](const Json& row) { return text(row, "sentence"); }, false, false, 1}};
  return out + columns::render(time_rows(forecast), columns, style);
}

}  // namespace leasehold
