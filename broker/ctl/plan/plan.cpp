// plan: computes what a resource plan would move, from two files; no broker is asked.
#include <map>
#include <nlohmann/json.hpp>

#include "broker/config/load.hpp"
#include "broker/ctl/commands.hpp"
#include "broker/ctl/output/findings.hpp"
#include "broker/ctl/plan/answer.hpp"
#include "broker/ctl/plan/state.hpp"
#include "broker/rules/plan/check.hpp"
#include "broker/rules/plan/evaluate.hpp"

namespace leasehold::ctl {

namespace {

/// At most this many warnings of one kind are shown: a large tree may have very many.
constexpr size_t kWarningsShown = 3;

/// Warns of numbers in the state that are legal under the plan, but unwise.
void warn_of_use(const Plan& plan, const PlanState& state, const std::string& file) {
  std::vector<Error> warnings;
  std::map<std::string_view, size_t> seen;
  for (PlanFault& fault : check_plan_use(plan, state)) {
    if (++seen[fault.key] > kWarningsShown) continue;
    warnings.push_back({ErrorCode::usage, std::move(fault.message), file, 0, 0});
  }
  for (const auto& [key, count] : seen) {
    if (count <= kWarningsShown) continue;
    warnings.push_back(
        {ErrorCode::usage,
         "and " + std::to_string(count - kWarningsShown) + " more of '" + std::string(key) + "'",
         file, 0, 0});
  }
  print_findings(warnings, "warning");
}

PlanStates read_states(const std::string& file, const ResourcePlans& plans) {
  const Result<std::string> text = read_text_file(file, kTextFileBytesMax, Pipes::allowed);
  if (text) return read_plan_states(*text, file, plans);
  PlanStates states;
  states.errors.push_back(text.error());
  return states;
}

int answer_all(const CommandLine& line, const ResourcePlans& plans, const PlanStates& states) {
  Json list = Json::array();
  std::string text;
  for (size_t group = 0; group < plans.trees().size(); ++group) {
    const Plan plan = plans.in_force(group, states.time);
    warn_of_use(plan, states.groups[group], line.state);
    const PlanAnswer answer = evaluate_plan(plan, states.groups[group]);
    if (line.json) {
      list.push_back(plan_json(plan, answer));
    } else {
      text += (text.empty() ? "" : "\n") + plan_text(plan, answer, states.time);
    }
  }
  if (!line.json) {
    print(text);
  } else {
    print_json(list.size() == 1 ? list.front() : list);
  }
  return 0;
}

}  // namespace

int plan(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Loaded loaded = leasehold::load_broker_config(line.config, Pipes::allowed);
  if (loaded.ok() && loaded.plans.empty()) {
    loaded.errors.push_back({ErrorCode::usage,
                             "names no [[resource_group]]; a plan has one, and its [[consumer]]s",
                             line.config, 0, 0});
  }
  if (!loaded.ok()) return report_all(loaded.errors, Json::object(), line.json);
  print_findings(loaded.warnings, "warning");
  const PlanStates states = read_states(line.state, loaded.plans);
  if (!states.errors.empty()) return report_all(states.errors, Json::object(), line.json);
  return answer_all(line, loaded.plans, states);
}

}  // namespace leasehold::ctl
