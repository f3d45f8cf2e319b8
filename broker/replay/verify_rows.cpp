#include "broker/replay/verify_rows.hpp"

#include <algorithm>

namespace leasehold {

namespace {

std::string text_of(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "nothing";
}

std::string text_of(const std::string& value) {
  return value.empty() ? "nothing" : value;
}

std::string text_of(Instant value) {
  return format_utc(value);
}

std::string summary(const HistoryRow& row) {
  std::string text = row.kind;
  for (const std::string* part : {&row.lease, &row.cluster, &row.reason}) {
    if (!part->empty()) text += " " + *part;
  }
  if (row.slots) text += " slots " + std::to_string(*row.slots);
  return text;
}

std::optional<Difference> compare(const HistoryRow& recorded, const HistoryRow& computed) {
  std::optional<Difference> found;
  const auto same = [&found](const char* what, const auto& a, const auto& b) {
    if (!found && a != b) found = {0, what, text_of(a), text_of(b)};
  };
  if (is_input(recorded) != is_input(computed)) {
    return Difference{0, is_input(recorded) ? "record missing before it" : "record",
                      is_input(recorded) ? "nothing" : summary(recorded),
                      is_input(recorded) ? summary(computed) : "nothing"};
  }
  same("kind", recorded.kind, computed.kind);
  same("time", recorded.time, computed.time);
  same("lease", recorded.lease, computed.lease);
  same("generation", recorded.generation, computed.generation);
  same("epoch", recorded.epoch, computed.epoch);
  same("cluster", recorded.cluster, computed.cluster);
  same("reason", recorded.reason, computed.reason);
  same("slots", recorded.slots, computed.slots);
  same("from", recorded.from, computed.from);
  same("to", recorded.to, computed.to);
  same("numbers", recorded.numbers, computed.numbers);
  same("rule_reason", recorded.rule_reason, computed.rule_reason);
  same("by", recorded.by, computed.by);
  if (!found && recorded.payload != computed.payload) {
    found = {0, "payload", kOtherBytes, kOtherBytes};
  }
  return found;
}

}  // namespace

std::optional<Difference> first_difference(const LogBody& recorded, const LogBody& computed,
                                           int64_t first_event, int64_t& at) {
  HistoryRow left;
  HistoryRow right;
  const int64_t both = std::min(recorded.events(), computed.events());
  for (int64_t i = 0; i < both; ++i) {
    at = first_event + i;
    if (!recorded.event(i, left) || !computed.event(i, right)) break;
    if (auto found = compare(left, right)) return found;
  }
  if (recorded.events() == computed.events()) return std::nullopt;
  const bool more = recorded.events() > both;
  at = first_event + both;
  const LogBody& longer = more ? recorded : computed;
  if (!longer.event(both, left)) return std::nullopt;
  return Difference{0, more ? "record" : "record missing after it",
                    more ? summary(left) : "nothing", more ? "nothing" : summary(left)};
}

}  // namespace leasehold
