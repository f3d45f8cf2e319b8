#include "broker/config/plan/read.hpp"

#include "broker/config/read/key_reader.hpp"
#include "broker/config/read/window.hpp"

namespace leasehold {

namespace {

void read_windows(const ConfigTable& table, const std::string& file,
                  std::vector<PlanWindowDraft>& windows) {
  for (const ConfigTable& entry : table.tables("window")) {
    PlanWindowDraft window;
    KeyReader(entry, file, window.written).read_in_window(kConsumerKeys, window.settings);
    const std::optional<WeekWindow> when = read_window(entry);
    if (!when) continue;
    window.when = *when;
    windows.push_back(std::move(window));
  }
}

PlanConsumerDraft read_consumer(const ConfigTable& table, const std::string& file) {
  PlanConsumerDraft draft;
  KeyReader reader(table, file, draft.written);
  reader.read(kConsumerKeys, draft.own, draft.member);
  reader.refuse_later("consumer");
  read_windows(table, file, draft.windows);
  return draft;
}

PlanGroupDraft read_group(const ConfigTable& table, const std::string& file) {
  PlanGroupDraft draft;
  draft.plan.policy = PlanPolicy::ownership;  // goes on where the file's is missing or wrong
  KeyReader(table, file, draft.written).read(kResourceGroupKeys, draft.own, draft.plan);
  draft.plan.name = draft.own.name;
  draft.own.source = source_of(draft.written.section);
  return draft;
}

}  // namespace

void read_plan(const ConfigTable& root, const std::string& file, PlanDraft& draft) {
  for (const ConfigTable& table : root.tables("resource_group")) {
    draft.groups.push_back(read_group(table, file));
  }
  for (const ConfigTable& table : root.tables("consumer")) {
    draft.consumers.push_back(read_consumer(table, file));
  }
}

}  // namespace leasehold
