// probe: what the agent would report and fence, read from the files of a running or a dead agent,
// and what it may not do.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/core/limits/book_use.hpp"
#include "agent/core/reclaim/fates.hpp"
#include "agent/core/work/deserved.hpp"
#include "agent/io/agent/cautions.hpp"
#include "agent/io/by_hand/probe_text.hpp"
#include "agent/io/by_hand/release.hpp"
#include "agent/io/by_hand/shown_json.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::ordered_json;

ordered_json json_of_cap(const HostCap& cap) {
  ordered_json row{{"host", cap.host}, {"imported", cap.imported}, {"slots", cap.slots},
                   {"own", cap.own},   {"mem_mb", cap.mem_mb},     {"swap_mb", cap.swap_mb}};
  row["groups"] = ordered_json::array();
  for (const CapPart& part : cap.parts) {
    row["groups"].push_back({{"generation", part.generation},
                             {"host", part.host},
                             {"limit", part.limit},
                             {"exported", part.exported}});
  }
  return row;
}

ordered_json json_of_hosts(const View& view) {
  ordered_json rows = ordered_json::array();
  for (const HostLoad& load : view.loads) {
    ordered_json row{
        {"host", load.host}, {"imported", load.imported}, {"up", load.up}, {"used", load.used}};
    wire::Division division = load.division;
    for (const wire::HostFacts& facts : view.hosts) {
      if (!load.imported && facts.name == load.host) {
        row["slots"] = facts.slots;
        division = facts.division;
      }
    }
    row["division"] = token(division);
    rows.push_back(row);
  }
  return rows;
}

ordered_json json_of_groups(const Book& book, const View& view) {
  ordered_json rows = ordered_json::array();
  const std::vector<GroupUse> use = use_of(book, view);
  for (size_t g = 0; g < book.groups().size(); ++g) {
    const LeasedGroup& group = book.groups()[g];
    ordered_json row{{"generation", group.limits.generation}, {"lease", group.configured.lease},
                     {"role", token(group.limits.role)},      {"seq", group.limits.seq},
                     {"ever_used", group.limits.ever_used},   {"breach", use[g].breach}};
    row["hosts"] = ordered_json::array();
    for (size_t i = 0; i < group.limits.hosts.size(); ++i) {
      row["hosts"].push_back({{"host", group.place(i)},
                              {"limit", effective_limit(group, i)},
                              {"enforced", enforced(group.limits.hosts[i])},
                              {"used", use[g].used[i]},
                              {"up", static_cast<bool>(use[g].up[i])}});
    }
    rows.push_back(row);
  }
  return rows;
}

ordered_json json_of_fences(const wire::Fences& fences) {
  return {{"memory", fences.memory}, {"swap", fences.swap}, {"resources", fences.resources}};
}

ordered_json json_of_caps(const std::vector<HostCap>& caps) {
  ordered_json rows = ordered_json::array();
  for (const HostCap& cap : caps) rows.push_back(json_of_cap(cap));
  return rows;
}

/// Returns what [hosts] must still say before leased slots can be used: names by which the workload
/// manager knows other clusters' hosts.
std::vector<std::string> hosts_lacking(const Settings& settings, const SavedState& saved,
                                       const Book& book, const View& view) {
  std::vector<std::string> lacking;
  const auto known = [&view](const std::string& name) {
    return std::any_of(view.loads.begin(), view.loads.end(), [&name](const HostLoad& load) {
      return load.imported && load.host == name;
    });
  };
  for (const LeasedGroup& group : book.groups()) {
    if (group.limits.role == wire::Role::provider) continue;
    for (size_t i = 0; i < group.places.size() && i < group.configured.hosts.size(); ++i) {
      if (!group.places[i].empty() && known(group.places[i])) continue;
      const std::string host = group.configured.hosts[i].name + "@" + group.configured.peer;
      lacking.push_back(
          "[hosts]: " + host + " is called '" +
          settings.agent.names.local(group.configured.hosts[i].name, group.configured.peer) +
          "' here, and the workload manager knows no such host: write a rule or "
          "a map that names it");
    }
  }
  const HostNames plain;
  const bool real = settings.workload.manager->needs_host_names;
  const bool names = settings.agent.names.rule != plain.rule || !settings.agent.names.map.empty();
  // Before the broker has said what this cluster borrows, nobody knows that it borrows nothing.
  if (real && !names && saved.lost) {
    lacking.push_back(
        "[hosts] has neither rule nor map: hosts of other clusters would be called "
        "as in '" +
        plain.local("big1", "west") +
        "', which this workload manager knows no host by; write rule = "
        "\"imp-{host}\" or what they are called here");
  }
  return lacking;
}

ordered_json json_of_scheduling(const SchedulingSettings& scheduling) {
  ordered_json row{{"policy", token(scheduling.policy)},
                   {"criteria", token(scheduling.criteria)},
                   {"selective_reclaim", scheduling.selective_reclaim},
                   {"chooses_hosts", selective(scheduling)},
                   {"preemption_scope", token(scheduling.preemption_scope)},
                   {"reclaim_optimization", token(scheduling.reclaim_optimization)},
                   {"random_seed", nullptr},
                   {"session_types", scheduling.session_types.size()}};
  if (scheduling.random_seed) row["random_seed"] = *scheduling.random_seed;
  return row;
}

/// Lists the sessions as they would be ranked if something had to end now.
ordered_json json_of_sessions(const WorkSessions& sessions) {
  ordered_json rows = ordered_json::array();
  for (const WorkSession& session : sessions.all) {
    rows.push_back({{"session", session.key},
                    {"preemption_rank", session.rank},
                    {"priority", session.priority},
                    {"preemptive", session.preemptive},
                    {"exclusive_host", session.exclusive_host},
                    {"min_slots", session.min_slots},
                    {"used", session.allocated},
                    {"pending", session.pending},
                    {"deserved", session.deserved}});
  }
  return rows;
}

/// Warns of work that a reclaim would end for good, before any of it is chosen.
void add_final_work(const Book& book, const std::vector<WorkUnit>& units,
                    std::vector<std::string>& cautions) {
  constexpr size_t kNamedMost = 20;
  const std::vector<WorkUnit> found = final_ones(book, units);
  if (found.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min(found.size(), kNamedMost); ++i) {
    names += (i == 0 ? "" : ", ") + found[i].id;
  }
  if (found.size() > kNamedMost) names += ", …";
  cautions.push_back(std::to_string(found.size()) +
                     " running on leased hosts cannot be queued again: " + names +
                     "; a reclaim ends such work for good, after all other that would do");
}

Result<SavedState> saved_state(const Settings& settings) {
  Result<StateFile> file = StateFile::open(settings.state, true);
  if (!file) return tl::unexpected(file.error());
  return file->load();
}

/// Adds the cautions of the agent's file, one if it should say whether hosts may be split, and one
/// if comments of jobs ask for what it does not allow.
void add_own_cautions(const Settings& settings, const WorkSessions& sessions, const View& view,
                      std::vector<std::string>& cautions) {
  const std::vector<std::string> own = cautions_of(settings);
  cautions.insert(cautions.begin(), own.begin(), own.end());
  if (settings.workload.manager->needs_host_names) add_unsaid(view, cautions);
  if (!sessions.comments_left_out) return;
  cautions.push_back(
      "comments of jobs ask for a rank or to be preemptive, and [scheduling] job_comments does "
      "not allow that: whoever submits a job writes its comment; job_comments = \"lower\" or "
      "\"any\" takes them");
}

}  // namespace

Result<Found> probe(const Settings& settings, bool as_json) {
  auto workload = open_workload(settings.workload, true);
  if (!workload) return tl::unexpected(workload.error());
  Result<View> first = (*workload)->read({});
  if (!first) return tl::unexpected(first.error());
  const Result<SavedState> saved = saved_state(settings);
  if (!saved) return tl::unexpected(saved.error());
  const Book book = known_groups(*saved, settings.agent.names, *first);
  Result<View> view = (*workload)->read(book.imported_hosts());
  if (!view) return tl::unexpected(view.error());
  divide_by(settings.agent.divide, *view);
  Result<std::vector<std::string>> lacking = (*workload)->permissions_lacking();
  if (!lacking) return tl::unexpected(lacking.error());
  const auto nameless = hosts_lacking(settings, *saved, book, *view);
  const Result<WorkList> work = (*workload)->work_units();
  if (!work) {
    lacking->push_back("the jobs cannot be listed, so nothing could be chosen to end: " +
                       describe(work.error()));
  }
  const SchedulingSettings& scheduling = settings.agent.scheduling;
  WorkSessions sessions = note_sessions({}, work ? work->units : std::vector<WorkUnit>{},
                                        scheduling.session_types, scheduling.job_comments);
  give_deserved(sessions.all, scheduling.policy, usable_slots(*view));
  Result<std::vector<std::string>> cautions = (*workload)->cautions();
  if (!cautions) return tl::unexpected(cautions.error());
  add_own_cautions(settings, sessions, *view, *cautions);
  if (work) add_final_work(book, work->units, *cautions);
  const WorkloadTraits traits = (*workload)->traits();
  const ordered_json answer{{"cluster", settings.agent.cluster},
                            {"workload", traits.manager},
                            {"settle_ms", traits.settle_ms},
                            {"self_expiring", traits.self_expiring},
                            {"fences", json_of_fences(traits.fences)},
                            {"pending", view->pending},
                            {"running", view->running},
                            {"hosts", json_of_hosts(*view)},
                            {"groups", json_of_groups(book, *view)},
                            {"caps", json_of_caps(view->caps)},
                            {"caps_wanted", json_of_caps(caps_of(book, view->hosts))},
                            {"scheduling", json_of_scheduling(scheduling)},
                            {"sessions", json_of_sessions(sessions)},
                            {"comments_not_read", sessions.problems},
                            {"permissions_lacking", *lacking},
                            {"hosts_lacking", nameless},
                            {"cautions", *cautions}};
  return Found{as_json ? shown_json(answer, 2) : probe_text(answer),
               !lacking->empty() || !nameless.empty()};
}

}  // namespace leasehold::agent
