// Checks that change nothing: whether the program's reports are right, agree with each other, and
// are the same when they are asked again.
#include <algorithm>
#include <map>
#include <set>

#include "agent/workload/command/answers.hpp"
#include "agent/workload/conformance/trial.hpp"

namespace leasehold::agent {

namespace {

constexpr const char* kNobody = "leasehold-nobody@nowhere";
constexpr int kTriesMost = 3;  // comparisons of two looks at a cluster that changes between them
constexpr int64_t kClockMs = 600'000;
constexpr size_t kOutputMost = size_t{16} << 20;
constexpr size_t kErrorsMost = size_t{64} << 10;

Status outcome_of(const auto& result) {
  if (!result) return tl::unexpected(result.error());
  return {};
}

std::string in_quotes(const std::string& name) {
  return "'" + name + "'";
}

Result<CommandDescription> described(Trial& trial) {
  const Result<std::string> text = trial.ask("describe");
  if (!text) return tl::unexpected(text.error());
  return read_description(*text);
}

Result<WorkList> jobs_now(Trial& trial) {
  const Result<std::string> text = trial.ask("jobs");
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> unknown;
  Result<WorkList> work = read_jobs(*text, &unknown);
  if (work && !unknown.empty()) return tl::unexpected(wrong(unknown.front()).error());
  return work;
}

Status same_description(const CommandDescription& one, const Result<CommandDescription>& again) {
  if (!again) return tl::unexpected(again.error());
  const WorkloadTraits& other = again->traits;
  const bool same = one.traits.fences == other.fences && one.traits.settle_ms == other.settle_ms &&
                    one.traits.self_expiring == other.self_expiring && one.level == again->level;
  return same ? Status{} : wrong("the second answer to describe differs from the first");
}

Status within_hosts(const View& view) {
  int64_t used = 0;
  for (const HostLoad& load : view.loads) {
    used += load.used;
    const auto host = std::find_if(view.hosts.begin(), view.hosts.end(),
                                   [&](const auto& one) { return one.name == load.host; });
    if (host != view.hosts.end() && load.used > host->slots) {
      return wrong("host " + in_quotes(load.host) + " has " + std::to_string(host->slots) +
                   " slots, and uses " + std::to_string(load.used));
    }
  }
  if (used > view.running) {
    return wrong("its hosts use " + std::to_string(used) + " slots, but 'running' is " +
                 std::to_string(view.running));
  }
  return {};
}

/// Returns the slots that jobs hold, by host; a slot that several share counts once.
std::map<std::string, int64_t> held_by(const WorkList& work) {
  std::map<std::string, int64_t> held;
  std::map<std::string, std::set<int32_t>> shared;
  for (const WorkUnit& unit : work.units) {
    for (const UnitHost& place : unit.hosts) {
      if (place.shared.empty()) {
        held[place.host] += place.slots;
      } else {
        shared[place.host].insert(place.shared.begin(), place.shared.end());
      }
    }
  }
  for (const auto& [host, slots] : shared) held[host] += static_cast<int64_t>(slots.size());
  return held;
}

Status agrees(const View& view, const WorkList& work) {
  const std::map<std::string, int64_t> held = held_by(work);
  for (const HostLoad& load : view.loads) {
    const auto by_jobs = held.find(load.host);
    if (by_jobs != held.end() && by_jobs->second > load.used) {
      return wrong("the jobs on host " + in_quotes(load.host) + " hold " +
                   std::to_string(by_jobs->second) + " slots, and 'used' there is " +
                   std::to_string(load.used));
    }
  }
  return {};
}

/// A cluster may change between two calls: only a fault in every comparison counts.
Status jobs_agree(Trial& trial, const WorkloadTraits& traits) {
  Status last;
  for (int tries = 0; tries < kTriesMost; ++tries) {
    const Result<WorkList> work = jobs_now(trial);
    if (!work) return tl::unexpected(work.error());
    const Result<View> view = read_now(trial, traits, {});
    if (!view) return tl::unexpected(view.error());
    last = agrees(*view, *work);
    if (last) return last;
  }
  return last;
}

Status same_jobs(const WorkList& before, const Result<WorkList>& after) {
  if (!after) return tl::unexpected(after.error());
  for (const WorkUnit& unit : before.units) {
    const auto same = std::find_if(after->units.begin(), after->units.end(),
                                   [&](const WorkUnit& one) { return one.id == unit.id; });
    if (same == after->units.end() || !unit.running() || !same->running()) continue;
    const bool goes_on = same->started == unit.started || same->started > before.now;
    if (!goes_on) {
      return wrong("job " + in_quotes(unit.id) + " began at " + format_utc(unit.started) +
                   ", and asked again at " + format_utc(same->started));
    }
  }
  return {};
}

Status times_of(const WorkList& work, Instant now) {
  const int64_t apart = work.now.ms - now.ms;
  if (apart > kClockMs || apart < -kClockMs) {
    return wrong("'now_ms' is " + format_utc(work.now) + ", and here it is " + format_utc(now) +
                 ": milliseconds since 1970 would be right");
  }
  for (const WorkUnit& unit : work.units) {
    if (!unit.running()) continue;
    if (unit.started > work.now) {
      return wrong("job " + in_quotes(unit.id) + " began at " + format_utc(unit.started) +
                   ", after 'now_ms'");
    }
    if (unit.submitted > unit.started) {
      return wrong("job " + in_quotes(unit.id) + " was submitted after it began");
    }
  }
  return {};
}

Status times_of(const WorkShapes& shapes, Instant now) {
  WorkList work{shapes.now, {}};
  for (const RunningWork& job : shapes.running) {
    WorkUnit& unit = work.units.emplace_back();
    unit.id = job.id;
    unit.hosts = {{"", 1}};
    unit.started = job.started;
  }
  for (const WaitingWork& job : shapes.waiting) {
    if (job.submitted > shapes.now) {
      return wrong("'submitted_ms' is " + format_utc(job.submitted) + ", after 'now_ms'");
    }
  }
  return times_of(work, now);
}

void check_jobs(Trial& trial, const WorkloadTraits& traits) {
  const std::string right =
      "jobs, as \"Workload managers\" in the guide and command.schema.json have them";
  const Result<WorkList> work = jobs_now(trial);
  if (!trial.judge("jobs: is answered", right, outcome_of(work))) return;
  trial.judge("jobs: times", "now, and no job begins in the future or before it was submitted",
              times_of(*work, trial.now()));
  trial.judge("jobs: the same again", "a job that runs on has the same start",
              same_jobs(*work, jobs_now(trial)));
  trial.judge("jobs: agree with read", "jobs of a host hold no more than 'used' there",
              jobs_agree(trial, traits));
}

void check_permissions(Trial& trial) {
  const auto text = trial.ask("permissions");
  trial.judge("permissions: is answered", "a list of sentences, empty where nothing is missing",
              text ? outcome_of(read_lacking(*text)) : outcome_of(text));
}

/// Checks that a job which is on no list is not reported as having ended well.
void check_fate(Trial& trial, int64_t level) {
  const char* name = "fate: a job that nobody knows";
  const std::string right = "{\"fate\": \"unknown\"}";
  if (level < kCommandLevel) {
    return trial.skip(name, right, "'level' of describe is 1: it is not asked what became of jobs");
  }
  const Result<std::string> text = trial.ask("fate", {{"job", "leasehold-nobody"}});
  Result<JobEnd> end = text ? read_fate(*text) : tl::unexpected(text.error());
  if (end && end->how != JobEnd::How::unknown) {
    end = tl::unexpected(wrong("the second answer is another one").error());
  }
  trial.judge(name, right, outcome_of(end));
}

void check_unknown_host(Trial& trial, const WorkloadTraits& traits) {
  const Result<View> view = read_now(trial, traits, {kNobody});
  Status outcome = outcome_of(view);
  if (view && std::any_of(view->loads.begin(), view->loads.end(),
                          [](const HostLoad& load) { return load.host == kNobody; })) {
    outcome = wrong(std::string("the answer has host '") + kNobody + "', which does not exist");
  }
  trial.judge("read: a host that nobody knows", "an answer that leaves it out", outcome);
}

void check_again(Trial& trial, const TrialFindings& findings) {
  const Result<View> again = read_now(trial, findings.traits, {});
  Status outcome = outcome_of(again);
  if (again && again->caps != findings.view.caps) {
    outcome = wrong("the answer has other fences than before");
  }
  if (again && again->hosts.size() != findings.view.hosts.size()) {
    outcome = wrong("the answer has " + std::to_string(again->hosts.size()) +
                    " hosts, and before of " + std::to_string(findings.view.hosts.size()));
  }
  trial.judge("read: the same again", "the same hosts and fences: reading must change nothing",
              outcome);
}

}  // namespace

std::optional<TrialFindings> check_reading(Trial& trial) {
  const std::string right =
      "one JSON object, as \"Workload managers\" in the guide and command.schema.json have it";
  const Result<CommandDescription> description = described(trial);
  if (!trial.judge("describe: is answered", right, outcome_of(description))) {
    trial.skip("read, jobs, permissions", right, "describe is not answered");
    return std::nullopt;
  }
  trial.judge("describe: the same again", "the same answer",
              same_description(*description, described(trial)));
  check_permissions(trial);
  check_jobs(trial, description->traits);
  check_fate(trial, description->level);
  Result<View> view = read_now(trial, description->traits, {});
  if (!trial.judge("read: is answered", right, outcome_of(view))) return std::nullopt;
  TrialFindings findings{description->traits, description->level, *std::move(view)};
  trial.judge("read: slots in use", "no more than a host has, in all no more than 'running'",
              within_hosts(findings.view));
  if (findings.view.shapes) {
    trial.judge("read: times of shapes", "now, and no job begins in the future",
                times_of(*findings.view.shapes, trial.now()));
  } else {
    trial.skip("read: times of shapes", "now, and no job begins in the future",
               "the answer has no shapes: each pending job counts as one slot");
  }
  check_unknown_host(trial, findings.traits);
  check_again(trial, findings);
  return findings;
}

void check_refusals(Trial& trial) {
  struct Row {
    const char* name;
    const char* input;
  };
  const Row rows[] = {
      {"a request that nobody knows", R"({"version":1,"request":"leasehold-nothing"})"},
      {"another version", R"({"version":999,"request":"describe"})"},
      {"no JSON", "leasehold\n"},
      {"no request", R"({"version":1})"},
      {"an empty question", "\n"}};
  const std::string expected =
      "{\"version\": 1, \"error\": \"why\"}, or an exit status that is not 0 with words on stderr";
  for (const Row& row : rows) {
    const Result<CallAnswer> answer = trial.send(row.input);
    Status outcome = outcome_of(answer);
    if (answer && answer->exit_status == 0) {
      const Status read = read_done(answer->output);
      const bool refused = !read && read.error().message.rfind("it says: ", 0) == 0;
      if (!refused) outcome = wrong("the program ended with exit status 0 and no 'error'");
    } else if (answer && answer->errors.empty() && answer->output.empty()) {
      outcome = wrong("the program ended with exit status " + std::to_string(answer->exit_status) +
                      ", and did not say why");
    }
    trial.judge(std::string("refuses ") + row.name, expected, outcome);
  }
  Status bounded;
  if (trial.output_most() > kOutputMost) {
    bounded = wrong("an answer has " + std::to_string(trial.output_most()) + " bytes");
  } else if (trial.errors_most() > kErrorsMost) {
    bounded = wrong("beside a good answer " + std::to_string(trial.errors_most()) +
                    " bytes are on stderr");
  }
  trial.judge("what it prints is bounded", "16 MiB on stdout, beside it 64 KiB on stderr", bounded);
}

}  // namespace leasehold::agent
