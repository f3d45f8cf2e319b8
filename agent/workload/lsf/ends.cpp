// The part of text.hpp that reads how a job ended.
#include <charconv>
#include <nlohmann/json.hpp>

#include "agent/workload/lsf/text.hpp"
#include "common/text/json_text.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

/// The text is "" or "-" where there is none.
std::optional<int32_t> exit_code_in(const std::string& text) {
  int32_t code = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
  const bool whole = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return whole && code >= 0 ? std::optional(code) : std::nullopt;
}

JobEnd end_of(const json& record) {
  const std::string state = record.at("STAT").get<std::string>();
  const std::optional<int32_t> code = exit_code_in(record.at("EXIT_CODE").get<std::string>());
  if (state == "DONE") return {JobEnd::How::well, code.value_or(0)};
  // A code above 128 means that a signal ended it, as bkill does.
  if (state == "EXIT") {
    return {code.value_or(0) > 128 ? JobEnd::How::ended : JobEnd::How::failed, code};
  }
  if (state == "PEND" || state == "PSUSP") return {JobEnd::How::queued};
  return {JobEnd::How::goes_on};
}

}  // namespace

Result<JobEnd> parse_end(const std::string& text) {
  const Result<json> all = parse_json<json>(text);
  if (!all) return fail(ErrorCode::io, "bjobs: the answer " + all.error().message);
  try {
    const json& records = all->at("RECORDS");
    return records.size() == 1 ? end_of(records.front()) : JobEnd{};
  } catch (const json::exception& wrong) {
    return fail(ErrorCode::io, std::string("bjobs: ") + wrong.what());
  }
}

}  // namespace leasehold::agent
