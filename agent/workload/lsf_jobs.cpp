// The part of lsf_text.hpp that reads `bjobs -json`.
#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "agent/workload/command_json.hpp"
#include "agent/workload/lsf_text.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

constexpr int64_t kSlotsMost = 1'000'000;
constexpr int64_t kDayMs = 86'400'000;

enum class Holding : uint8_t { waits, holds, neither };

struct JobState {
  std::string_view name;
  Holding holding;
};

/// bjobs, "STAT". What LSF does not know of for sure (UNKWN, ZOMBI) holds its slots; a chunk's
/// member that waits (WAIT) has none of its own.
constexpr std::array<JobState, 11> kStates{{{"PEND", Holding::waits},
                                            {"PROV", Holding::holds},
                                            {"RUN", Holding::holds},
                                            {"SSUSP", Holding::holds},
                                            {"USUSP", Holding::holds},
                                            {"UNKWN", Holding::holds},
                                            {"ZOMBI", Holding::holds},
                                            {"PSUSP", Holding::neither},
                                            {"WAIT", Holding::neither},
                                            {"DONE", Holding::neither},
                                            {"EXIT", Holding::neither}}};

std::optional<Instant> in_year(std::tm when, int year) {
  when.tm_year = year - 1900;
  std::tm again = when;
  const std::time_t seconds = ::timegm(&again);
  // The 30th of February is no day; timegm would take it for another.
  if (again.tm_mon != when.tm_mon || again.tm_mday != when.tm_mday) return std::nullopt;
  return Instant{int64_t{seconds} * 1'000};
}

/// Without a year: the last such day that is not in the future. A day's grace for unlike clocks.
std::optional<Instant> time_of(const std::string& text, Instant now) {
  std::tm when{};
  const char* rest = ::strptime(text.c_str(), "%b %d %H:%M", &when);
  if (rest == nullptr) return std::nullopt;
  if (*rest == ':') rest = ::strptime(rest, ":%S", &when);
  if (rest == nullptr) return std::nullopt;
  int year = 0;
  if (*rest == ' ') {
    std::tm stated{};
    rest = ::strptime(rest, " %Y", &stated);
    if (rest == nullptr) return std::nullopt;
    year = stated.tm_year + 1900;
  }
  if (*rest != '\0') return std::nullopt;
  if (year != 0) return in_year(when, year);
  const std::time_t seconds = static_cast<std::time_t>((now.ms + kDayMs) / 1'000);
  std::tm latest{};
  ::gmtime_r(&seconds, &latest);
  for (int back = 0; back < 5; ++back) {  // the 29th of February may lie some years back
    const std::optional<Instant> at = in_year(when, latest.tm_year + 1900 - back);
    if (at && at->ms <= now.ms + kDayMs) return at;
  }
  return std::nullopt;
}

/// One record; the first thing that is wrong is kept.
class Record {
 public:
  Record(const json& row, size_t index, std::string& wrong)
      : row_(row), index_(index), wrong_(wrong) {}

  std::string text(const char* key) {
    const auto found = row_.find(key);
    if (found != row_.end() && found->is_string()) return found->get<std::string>();
    refuse(key, found == row_.end() ? "is missing" : "is " + found->dump() + "; text is right");
    return {};
  }
  /// "" or "-": `otherwise`; else a number, which more words may follow ("34 second(s)").
  int64_t number(const char* key, int64_t most, int64_t otherwise) {
    const std::string said = text(key);
    if (said.empty() || said == "-") return otherwise;
    int64_t value = -1;
    const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), value);
    const bool ends = end == said.data() + said.size() || *end == ' ';
    if (error == std::errc() && ends && value >= 0 && value <= most) return value;
    refuse(key, "is '" + said + "'");
    return otherwise;
  }
  Instant time(const char* key, Instant now) {
    const std::string said = text(key);
    const std::optional<Instant> read = time_of(said, now);
    if (!read) refuse(key, "is '" + said + "'; as in \"Apr 12 18:10:55 2026\" would be right");
    return read.value_or(Instant{});
  }
  void refuse(const std::string& key, const std::string& what) {
    if (wrong_.empty()) wrong_ = "RECORDS[" + std::to_string(index_) + "]." + key + ": " + what;
  }

 private:
  const json& row_;
  size_t index_;
  std::string& wrong_;
};

/// "hostA:hostA:hostB", or shorter: "2*hostA:hostB".
std::vector<UnitHost> hosts_of(Record& record, std::string_view text) {
  std::vector<UnitHost> hosts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(':'), text.size());
    std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    int64_t slots = 1;
    if (const size_t star = one.find('*'); star != one.npos) {
      const auto [stop, error] = std::from_chars(one.data(), one.data() + star, slots);
      if (error != std::errc() || stop != one.data() + star || slots < 1 || slots > kSlotsMost)
        record.refuse("ALLOC_SLOT", "'" + std::string(one) + "' is no host with slots");
      one.remove_prefix(star + 1);
    }
    if (one.empty()) record.refuse("ALLOC_SLOT", "a host has no name");
    const auto known = std::find_if(hosts.begin(), hosts.end(),
                                    [one](const UnitHost& host) { return host.host == one; });
    if (known != hosts.end())
      known->slots += static_cast<int32_t>(slots);
    else
      hosts.push_back({std::string(one), static_cast<int32_t>(slots), {}});
  }
  return hosts;
}

void read_allocation(Record& record, Instant now, WorkUnit& unit) {
  unit.hosts = hosts_of(record, record.text("ALLOC_SLOT"));
  unit.slots = 0;
  for (const UnitHost& host : unit.hosts) unit.slots += host.slots;
  const int64_t stated = record.number("NALLOC_SLOT", kSlotsMost, -1);
  if (unit.hosts.empty())
    record.refuse("ALLOC_SLOT", "is empty, but the job holds slots");
  else if (stated != unit.slots)
    record.refuse("NALLOC_SLOT", "is " + std::to_string(stated) + ", but ALLOC_SLOT names " +
                                     std::to_string(unit.slots) + " slots");
  unit.started = record.time("START_TIME", now);
}

/// Adds the job, if it waits or holds slots.
void read_record(Record record, Instant now, std::vector<WorkUnit>& units) {
  WorkUnit unit;
  const std::string index = record.text("JOBINDEX");
  unit.id = record.text("JOBID");
  if (unit.id.empty() || unit.id.find_first_not_of("0123456789[]") != unit.id.npos)
    record.refuse("JOBID", "is '" + unit.id + "'");
  if (!index.empty() && index != "0" && unit.id.find('[') == unit.id.npos)
    unit.id += "[" + index + "]";
  unit.user = record.text("USER");
  unit.partition = record.text("QUEUE");
  unit.account = record.text("PROJ_NAME");
  unit.qos = record.text("SLA");
  unit.priority = record.number("JOB_PRIORITY", INT32_MAX, 0);
  unit.submitted = record.time("SUBMIT_TIME", now);
  const std::string state = record.text("STAT");
  const auto known = std::find_if(kStates.begin(), kStates.end(),
                                  [&](const JobState& one) { return one.name == state; });
  if (known == kStates.end()) return record.refuse("STAT", "'" + state + "' is not known");
  if (known->holding == Holding::neither) return;
  if (known->holding == Holding::holds)
    read_allocation(record, now, unit);
  else
    unit.slots = static_cast<int32_t>(record.number("NREQ_SLOT", kSlotsMost, 1));
  units.push_back(std::move(unit));
}

tl::unexpected<Error> refused(const std::string& what) {
  return fail(ErrorCode::io, "bjobs: " + what);
}

/// So many records as it says there are: a list that was cut off gives none of its slots back.
bool counted(const json& all) {
  const auto jobs = all.find("JOBS");
  if (jobs == all.end()) return false;
  const std::string said = jobs->is_string() ? jobs->get<std::string>() : jobs->dump();
  return said == std::to_string(all.at("RECORDS").size());
}

}  // namespace

Result<std::vector<WorkUnit>> parse_bjobs(const std::string& text, Instant now) {
  json all;
  if (!parse_json_once(text, all)) return refused("no JSON, cut off, or a key is there twice");
  if (!all.is_object() || all.value("COMMAND", json()) != "bjobs")
    return refused("COMMAND is not \"bjobs\"");
  if (!all.contains("RECORDS") || !all["RECORDS"].is_array()) return refused("RECORDS is missing");
  if (!counted(all)) return refused("JOBS is not the number of RECORDS");
  std::vector<WorkUnit> units;
  std::string wrong;
  size_t index = 0;
  for (const json& row : all["RECORDS"]) {
    if (!row.is_object()) return refused("RECORDS[" + std::to_string(index) + "] is no object");
    read_record(Record(row, index++, wrong), now, units);
    if (!wrong.empty()) return refused(wrong);
  }
  std::set<std::string> ids;
  for (const WorkUnit& unit : units)
    if (!ids.insert(unit.id).second) return refused("job " + unit.id + " is there twice");
  return units;
}

}  // namespace leasehold::agent
