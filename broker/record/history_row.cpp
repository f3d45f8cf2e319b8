#include "broker/record/history_row.hpp"

#include <charconv>

#include "broker/record/audit_json.hpp"
#include "broker/record/event_codec.hpp"
#include "common/reason.hpp"

namespace leasehold {

namespace {

const std::string& cluster_name(const State& state, uint32_t index) {
  static const std::string kNone;
  return index == kNoIndex ? kNone : state.clusters[index].name;
}

/// Returns "<resource group>" or "<resource group>:<path>" for a plan, else the id of the slot
/// group's lease.
std::string lease_of(const State& state, const Record& record) {
  if (record.plan == kNoIndex) {
    return lease_id(state, state.slot_groups[record.group], record.member);
  }
  const ResourceGroupLedger& plan = state.resource_groups[record.plan];
  if (record.consumer == kNoIndex) return plan.name;
  return plan.name + ":" + plan.consumers[record.consumer].path;
}

constexpr std::string HistoryRow::*kTexts[] = {
    &HistoryRow::kind, &HistoryRow::lease,   &HistoryRow::cluster,     &HistoryRow::reason,
    &HistoryRow::from, &HistoryRow::to,      &HistoryRow::numbers,     &HistoryRow::by,
    &HistoryRow::verb, &HistoryRow::payload, &HistoryRow::object,      &HistoryRow::options,
    &HistoryRow::why,  &HistoryRow::where,   &HistoryRow::rule_reason, &HistoryRow::job,
    &HistoryRow::user, &HistoryRow::fate,    &HistoryRow::session,     &HistoryRow::account};

}  // namespace

bool is_input(const HistoryRow& row) {
  return row.kind.starts_with("input-");
}

void clear(HistoryRow& row) {
  for (std::string HistoryRow::*text : kTexts) (row.*text).clear();
  row.generation.reset();
  row.epoch.reset();
  row.slots.reset();
  row.exit_code.reset();
}

void input_row(HistoryRow& row, const Event& event, Instant now) {
  clear(row);
  row.time = now;
  row.kind = input_token(event);
  row.cluster = cluster_of(event);
  row.by = by_whom(event);
  if (const auto* command = std::get_if<OperatorCommand>(&event)) row.lease = command->lease;
  encode_event(event, row.payload);
}

void record_row(HistoryRow& row, const Record& record, Instant now, const State& state,
                std::string_view by) {
  clear(row);
  row.time = now;
  row.kind = record_token(record.kind);
  if (record.group != kNoIndex || record.plan != kNoIndex) row.lease = lease_of(state, record);
  if (record.group != kNoIndex) {
    const SlotGroup& group = state.slot_groups[record.group];
    row.generation = static_cast<int64_t>(group.generation);
    row.epoch = static_cast<int64_t>(record.epoch);
  }
  if (record.group != kNoIndex || record.slots != 0) row.slots = record.slots;
  row.cluster = cluster_name(state, record.cluster);
  if (record.reason != Reason::none) row.reason = token(record.reason);
  if (record.rule_reason != Reason::none) row.rule_reason = token(record.rule_reason);
  row.from = cluster_name(state, record.from);
  row.to = cluster_name(state, record.to);
  row.by = by;
  if (record.audit == nullptr) return;
  row.by = record.audit->by;
  row.payload = audit_json(*record.audit);
}

void add_number(std::string& json, std::string_view name, int64_t number) {
  if (json.empty()) {
    json = "{";
  } else {
    json.back() = ',';
  }
  // The names are tokens, so nothing needs quoting.
  json += '"';
  json += name;
  json += "\":";
  std::array<char, 24> digits;
  json.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  json += '}';
}

std::string numbers_json(RecordKind kind, const std::array<int64_t, 6>& numbers) {
  std::string json;
  const NumberNames& names = number_names(kind);
  for (size_t i = 0; i < names.size(); ++i) {
    if (*names[i] != '\0') add_number(json, names[i], numbers[i]);
  }
  return json;
}

void take_audit(HistoryRow& row) {
  Audit audit = audit_from_json(row.payload);
  row.verb = std::move(audit.verb);
  row.object = std::move(audit.object);
  row.options = std::move(audit.options);
  row.where = std::move(audit.where);
  row.why = std::move(audit.why);
  row.job = std::move(audit.job);
  row.user = std::move(audit.user);
  row.fate = std::move(audit.fate);
  row.exit_code = audit.exit_code;
  row.session = std::move(audit.session);
  row.account = std::move(audit.account);
}

}  // namespace leasehold
