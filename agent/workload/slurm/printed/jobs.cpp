// This part of text.hpp reads jobs and lists of nodes.
#include <algorithm>
#include <array>
#include <charconv>

#include "agent/workload/slurm/printed/text.hpp"
#include "agent/workload/slurm/printed/words.hpp"

namespace leasehold::agent {

namespace {

constexpr const char* kJobs = "squeue";
constexpr size_t kNodesMost = 100'000;

using Fields = std::array<std::string_view, 15>;

/// The last field is the controller's reason, which may hold the separator.
bool split(std::string_view line, Fields& fields) {
  for (size_t i = 0; i + 1 < fields.size(); ++i) {
    const size_t bar = line.find('|');
    if (bar == line.npos) return false;
    fields[i] = line.substr(0, bar);
    line.remove_prefix(bar + 1);
  }
  fields.back() = line;
  return true;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

Result<SlurmJob> parse_job(std::string_view line) {
  constexpr const char* kWanted =
      "a job's number, state, CPUs, partition, end, nodes, how it shares them, limit, times, least "
      "CPUs, nodes that it must not have, and reason";
  Fields fields;
  if (!split(line, fields)) return misread(kJobs, line, kWanted);
  const auto& [id, state, cpus, partition, end, nodes, requested, shares, wanted, limit, submitted,
               started, together, excluded, reason] = fields;
  const SlurmPhase unknown = nodes.empty() ? SlurmPhase::waits : SlurmPhase::holds;
  const std::optional<SlurmPhase> phase = slurm_phase(state);
  const std::optional<int64_t> count = number(cpus);
  const std::optional<int64_t> hosts = number(wanted);
  if (!is_number(id) || !count || !hosts || reason.empty()) return misread(kJobs, line, kWanted);
  SlurmJob job;
  job.id = std::string(id);
  // An expediting job may have given its nodes back already.
  job.phase = state == "EXPEDITING" && nodes.empty() ? SlurmPhase::waits : phase.value_or(unknown);
  if (!phase) job.unknown = std::string(state);
  job.suspended = state == "SUSPENDED";
  job.cpus = static_cast<int32_t>(*count);
  job.nodes = std::string(nodes);
  const bool uses = job.phase == SlurmPhase::holds || job.phase == SlurmPhase::completing;
  if (uses && nodes.empty()) return misread(kJobs, line, "the nodes of a job that runs");
  if (job.phase == SlurmPhase::ended) job.ended_s = seconds_of(end).value_or(0);
  job.limit_s = length_of(limit);
  job.submitted_s = seconds_of(submitted).value_or(0);
  if (uses) job.started_s = seconds_of(started).value_or(0);
  if (uses && job.limit_s) job.until_s = seconds_of(end).value_or(0);
  if (job.phase == SlurmPhase::pending) {
    if (!slots_would_help(reason)) job.phase = SlurmPhase::waits;
    job.partitions = std::string(partition);
    job.requested = std::string(requested);
    job.excluded = std::string(excluded);
    job.shares = std::string(shares);
    job.nodes_wanted = static_cast<int32_t>(*hosts);
    job.cpus_together = static_cast<int32_t>(number(together).value_or(1));
  }
  return job;
}

/// Expands "1-3,08" and puts each number behind each name of `before`.
bool expand_ranges(std::string_view ranges, const std::vector<std::string>& before,
                   std::vector<std::string>& into) {
  while (!ranges.empty()) {
    const size_t comma = std::min(ranges.find(','), ranges.size());
    const std::string_view part = ranges.substr(0, comma);
    ranges.remove_prefix(std::min(comma + 1, ranges.size()));
    const size_t dash = std::min(part.find('-'), part.size());
    const std::string_view first = part.substr(0, dash);
    const std::string_view last = dash == part.size() ? first : part.substr(dash + 1);
    if (!is_number(first) || !is_number(last) || first.size() > 9 || last.size() > 9) return false;
    int low = 0;
    int high = 0;
    std::from_chars(first.data(), first.data() + first.size(), low);
    std::from_chars(last.data(), last.data() + last.size(), high);
    if (high < low || static_cast<size_t>(high - low) > kNodesMost) return false;
    for (int n = low; n <= high; ++n) {
      std::string digits = std::to_string(n);
      if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
      for (const std::string& name : before) into.push_back(name + digits);
      if (into.size() > kNodesMost) return false;
    }
  }
  return !into.empty();
}

/// Expands one name, with any number of ranges in brackets; it ends at a comma outside of them.
bool expand_one(std::string_view& list, std::vector<std::string>& into) {
  std::vector<std::string> names{""};
  while (!list.empty() && list.front() != ',') {
    if (list.front() == '[') {
      const size_t close = list.find(']');
      std::vector<std::string> longer;
      if (close == list.npos || !expand_ranges(list.substr(1, close - 1), names, longer)) {
        return false;
      }
      names = std::move(longer);
      list.remove_prefix(close + 1);
      continue;
    }
    const size_t end = std::min(list.find_first_of("[,"), list.size());
    if (list.substr(0, end).find_first_of("] \t=()") != list.npos) return false;
    for (std::string& name : names) name += list.substr(0, end);
    list.remove_prefix(end);
  }
  if (names.front().empty()) return false;
  into.insert(into.end(), names.begin(), names.end());
  return into.size() <= kNodesMost;
}

}  // namespace

Result<std::vector<SlurmJob>> parse_slurm_jobs(std::string_view text) {
  std::vector<SlurmJob> jobs;
  if (text.empty()) return jobs;
  if (Status whole = ends_whole(kJobs, text); !whole) return tl::unexpected(whole.error());
  jobs.reserve(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')));
  for (size_t at = 0; at < text.size();) {
    Result<SlurmJob> job = parse_job(take_line(text, at));
    if (!job) return tl::unexpected(job.error());
    jobs.push_back(*std::move(job));
  }
  return jobs;
}

namespace {

/// Returns the exit code as a shell does: a job that a signal ended has 128 plus the signal. Slurm
/// prints the status of wait(), or "code:signal".
std::optional<int32_t> exit_code_of(std::string_view text) {
  const size_t colon = text.find(':');
  const std::optional<int64_t> first = number(text.substr(0, colon));
  const std::optional<int64_t> second =
      colon == text.npos ? std::optional<int64_t>(0) : number(text.substr(colon + 1));
  if (!first || !second) return std::nullopt;
  const int64_t code = colon == text.npos ? *first / 256 : *first;
  const int64_t signal = colon == text.npos ? *first % 128 : *second;
  return static_cast<int32_t>(signal != 0 ? 128 + signal : code);
}

JobEnd::How how_of(std::string_view state) {
  const std::optional<SlurmPhase> phase = slurm_phase(state);
  if (!phase) return JobEnd::How::unknown;
  switch (*phase) {
    case SlurmPhase::pending:
    case SlurmPhase::waits:
      return JobEnd::How::queued;
    case SlurmPhase::holds:
    case SlurmPhase::completing:
      return JobEnd::How::goes_on;
    case SlurmPhase::ended:
      break;
  }
  if (state == "COMPLETED") return JobEnd::How::well;
  return state == "CANCELLED" || state == "PREEMPTED" ? JobEnd::How::ended : JobEnd::How::failed;
}

}  // namespace

/// The text lists all tasks of an array.
JobEnd parse_slurm_end(std::string_view text, std::string_view id) {
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = take_line(text, at);
    const size_t state_at = line.find('|') + 1;
    if (state_at == 0 || line.substr(0, state_at - 1) != id) continue;
    const size_t code_at = line.find('|', state_at) + 1;
    if (code_at == 0) return {};
    const JobEnd::How how = how_of(line.substr(state_at, code_at - 1 - state_at));
    const bool over =
        how == JobEnd::How::well || how == JobEnd::How::failed || how == JobEnd::How::ended;
    const std::string_view code = line.substr(code_at);
    return {how, over ? exit_code_of(code.substr(0, code.find('|'))) : std::nullopt};
  }
  return {};
}

Result<std::vector<std::string>> expand_slurm_nodes(std::string_view list) {
  std::vector<std::string> names;
  std::string_view rest = list;
  while (true) {
    if (!expand_one(rest, names)) {
      return misread("a list of nodes", list, "names such as p[1-3],q7");
    }
    if (rest.empty()) return names;
    rest.remove_prefix(1);
  }
}

}  // namespace leasehold::agent
