// usage: slot-seconds for charge-back.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/views/catalogue.hpp"

namespace leasehold::ctl {

namespace {

/// RFC 4180: names may hold a comma.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? quoted(value.get<std::string>()) : value.dump();
}

std::string csv_of(const Json& rows) {
  std::string out =
      "cluster,consumer,resource_group,owned_slot_s,lent_slot_s,borrowed_slot_s,shared_slot_s,"
      "in_transfer_slot_s\n";
  for (const Json& row : rows) {
    std::string line;
    for (const auto& [key, value] : row.items())
      line += (line.empty() ? "" : ",") + csv_cell(value);
    out += line + "\n";
  }
  return out;
}

}  // namespace

int usage(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Json request = invocation.request("usage");
  if (line.since) request["since"] = format_utc(*line.since);
  if (line.until) request["until"] = format_utc(*line.until);
  const Result<Json> answer = invocation.ask(std::move(request));
  if (!answer) return report(answer.error(), line.json);
  if (line.json) {
    print_json(*answer);
  } else if (line.csv) {
    print(csv_of(*answer));
  } else {
    print(table_of("usage", *answer, {Invocation::colour()}));
  }
  return 0;
}

}  // namespace leasehold::ctl
