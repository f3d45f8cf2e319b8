// Reads from `qacct -j` how a run of a job ended.
#include <charconv>

#include "agent/workload/gridengine/printed/text.hpp"

namespace leasehold::agent {

namespace {

// Values of the field `failed`: sge_status(5).
constexpr int64_t kMigrated = 24;
constexpr int64_t kRescheduled = 25;
constexpr int64_t kEndedBySignal = 100;

/// Returns the number in "failed       25  : rescheduling"; nullopt: it is another line.
std::optional<int64_t> number_after(std::string_view line, std::string_view name) {
  if (line.substr(0, name.size()) != name) return std::nullopt;
  line.remove_prefix(name.size());
  const size_t first = line.find_first_not_of(' ');
  if (first == 0 || first == line.npos) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(line.data() + first, line.data() + line.size(), value);
  return error == std::errc() && end != line.data() + first ? std::optional(value) : std::nullopt;
}

JobEnd::How how_of(int64_t failed, int64_t exit_status) {
  if (failed == kMigrated || failed == kRescheduled) return JobEnd::How::queued;
  if (failed == kEndedBySignal) return JobEnd::How::ended;
  return failed == 0 && exit_status == 0 ? JobEnd::How::well : JobEnd::How::failed;
}

}  // namespace

JobEnd parse_qacct(std::string_view text) {
  std::optional<int64_t> failed;
  std::optional<int64_t> exit_status;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (const auto found = number_after(line, "failed")) failed = found;
    if (const auto found = number_after(line, "exit_status")) exit_status = found;
  }
  if (!failed || !exit_status) return {};
  const JobEnd::How how = how_of(*failed, *exit_status);
  if (how == JobEnd::How::queued) return {how};
  return {how, static_cast<int32_t>(*exit_status)};
}

}  // namespace leasehold::agent
