#include "agent/workload/lsf/needs.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/text/json_text.hpp"
#include "common/text/lower_case.hpp"

namespace leasehold::agent {

namespace {

using Object = nlohmann::json;

constexpr double kMinutesMost = 1e7;

bool has_words(const std::string& text, const char* words) {
  return text.find(words) != text.npos;
}

/// `reason` is a sentence in small letters.
bool keeps(const std::string& reason) {
  for (const char* words :
       {"specified start time", "dependency condition", "queue is inactive", "queue is inactivated",
        "queue inactivated", "suspended while pending"}) {
    if (has_words(reason, words)) return true;
  }
  const bool reached = has_words(reason, "has reached") || has_words(reason, "has been reached");
  return reached && has_words(reason, "limit") && !has_words(reason, "host");
}

/// `reason` is a sentence in small letters.
bool helped_by_slots(const std::string& reason) {
  for (const char* words :
       {"waiting for scheduling", "rescheduling", "re-scheduling", "for the next run", "host",
        "limit reached", "requirement", "not enough", "closed by", "load information",
        "batch server", "not usable to the queue", "job recently", "reservation",
        "not specified in job submission"}) {
    if (has_words(reason, words)) return true;
  }
  return false;
}

/// Returns the sentences between semicolons, in small letters, without "-", which means none.
std::vector<std::string> sentences_of(std::string_view reasons) {
  std::vector<std::string> sentences;
  while (!reasons.empty()) {
    const size_t end = std::min(reasons.find(';'), reasons.size());
    const std::string_view sentence = reasons.substr(0, end);
    if (sentence.find_first_not_of(" -") != sentence.npos) {
      sentences.push_back(lower_case(sentence));
    }
    reasons.remove_prefix(std::min(end + 1, reasons.size()));
  }
  return sentences;
}

/// Reads minutes: "60.0", "60.0 min", "60.0/hostA". Returns nothing for "-" and other words.
std::optional<int64_t> limit_of(const std::string& text) {
  double minutes = -1;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, minutes);
  const bool ends = end == last || *end == ' ' || *end == '/';
  if (error != std::errc() || !ends || !(minutes > 0 && minutes < kMinutesMost)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(minutes * 60);
}

/// Returns N of "span[… ptile=N …]" or "span[hosts=N]"; 0: it is missing, or no number.
int32_t span_of(const std::string& requirement, const std::string& key) {
  const size_t begin = requirement.find("span[");
  if (begin == requirement.npos) return 0;
  const size_t close = std::min(requirement.find(']', begin), requirement.size());
  const size_t at = requirement.find(key + "=", begin);
  if (at >= close) return 0;
  int32_t value = 0;
  const char* const first = requirement.data() + at + key.size() + 1;
  const auto [end, error] = std::from_chars(first, requirement.data() + close, value);
  return error == std::errc() && value > 0 && value <= kSlotsMax ? value : 0;
}

std::string field(const Object& record, const char* name) {
  const auto at = record.find(name);
  return at != record.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::string id_of(const Object& record) {
  const std::string id = field(record, "JOBID");
  const std::string index = field(record, "JOBINDEX");
  const bool whole = index.empty() || index == "0" || id.find('[') != id.npos;
  return whole ? id : id + "[" + index + "]";
}

LsfNeeds needs_of(const Object& record) {
  LsfNeeds needs;
  const std::string requirement = lower_case(field(record, "EFFECTIVE_RESREQ"));
  needs.limit_s = limit_of(field(record, "RUNTIMELIMIT"));
  needs.one_host = span_of(requirement, "hosts") == 1;
  needs.per_host = span_of(requirement, "ptile");
  const std::string reasons = field(record, "PEND_REASON");
  needs.kept = keeps_pending(reasons);
  if (needs.kept || lsf_slots_would_help(reasons)) return needs;
  needs.kept = true;
  needs.unknown = reasons;
  return needs;
}

/// The last host may have fewer slots than the others: every host has at least that many.
void lay(WaitingWork& work, int64_t slots, const LsfNeeds& needs) {
  work.slots = slots;
  const auto narrow = [](int64_t count) {
    return static_cast<int32_t>(std::clamp<int64_t>(count, 1, kSlotsMax));
  };
  if (needs.one_host || (needs.per_host > 0 && slots <= needs.per_host)) {
    work.slots_per_host = narrow(slots);
  } else if (needs.per_host > 0) {
    const int64_t rest = slots % needs.per_host;
    work.hosts = narrow(slots / needs.per_host + (rest > 0 ? 1 : 0));
    work.slots_per_host = narrow(rest > 0 ? rest : needs.per_host);
  }
}

const LsfNeeds& find_needs(const LsfNeedsOfJobs& needs, const std::string& job) {
  static const LsfNeeds kNone;
  const auto found = needs.find(job);
  return found == needs.end() ? kNone : found->second;
}

}  // namespace

bool keeps_pending(std::string_view reasons) {
  const std::vector<std::string> sentences = sentences_of(reasons);
  return std::any_of(sentences.begin(), sentences.end(), keeps);
}

bool lsf_slots_would_help(std::string_view reasons) {
  const std::vector<std::string> sentences = sentences_of(reasons);
  return sentences.empty() || std::any_of(sentences.begin(), sentences.end(), helped_by_slots);
}

void set_needs(const LsfNeedsOfJobs& needs, std::vector<WorkUnit>& units) {
  static const auto kOnNone = std::make_shared<const std::vector<std::string>>();
  for (WorkUnit& unit : units) {
    if (unit.running()) continue;
    const auto wants = needs.find(unit.id);
    if (wants == needs.end() || wants->second.kept) {
      unit.fits = kOnNone;
      continue;
    }
    WaitingWork work;
    lay(work, unit.slots, wants->second);
    unit.slots_per_host = work.slots_per_host;
    unit.hosts_wanted = work.hosts;
  }
}

Result<LsfNeedsOfJobs> parse_needs(std::string_view text) {
  const Result<Object> all = parse_json<Object>(text);
  if (!all) return fail(ErrorCode::io, "bjobs: the answer " + all.error().message);
  const auto records = all->is_object() ? all->find("RECORDS") : all->end();
  if (!all->is_object() || records == all->end() || !records->is_array()) {
    return fail(ErrorCode::io, "bjobs: RECORDS is missing");
  }
  LsfNeedsOfJobs needs;
  for (const Object& record : *records) {
    if (!record.is_object() || field(record, "JOBID").empty()) {
      return fail(ErrorCode::io, "bjobs: RECORDS: one has no JOBID");
    }
    needs[id_of(record)] = needs_of(record);
  }
  return needs;
}

std::vector<WaitingWork> lsf_waiting(std::span<const WorkUnit> units,
                                     const std::set<std::string>& queues,
                                     const LsfNeedsOfJobs& needs) {
  std::vector<WaitingWork> waiting;
  for (const WorkUnit& unit : units) {
    if (unit.running() || unit.slots < 1) continue;
    if (!queues.empty() && !queues.contains(unit.partition)) continue;
    const LsfNeeds& wants = find_needs(needs, unit.id);
    if (wants.kept) continue;
    WaitingWork& work = waiting.emplace_back();
    lay(work, unit.slots, wants);
    if (wants.limit_s) set_limit(work, *wants.limit_s * 1000);
    work.submitted = unit.submitted;
  }
  return waiting;
}

std::vector<RunningWork> lsf_running(std::span<const WorkUnit> units, const LsfNeedsOfJobs& needs,
                                     const std::function<bool(const std::string&)>& is_imported) {
  std::vector<RunningWork> running;
  for (const WorkUnit& unit : units) {
    if (!unit.running()) continue;
    const LsfNeeds& has = find_needs(needs, unit.id);
    RunningWork work{unit.id, unit.slots, unit.started};
    if (has.limit_s) work.until = {unit.started.ms + *has.limit_s * 1000};
    work.on_imported =
        std::any_of(unit.hosts.begin(), unit.hosts.end(),
                    [&is_imported](const UnitHost& on) { return is_imported(on.host); });
    running.push_back(std::move(work));
  }
  return running;
}

}  // namespace leasehold::agent
