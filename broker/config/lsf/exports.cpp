#include "broker/config/lsf/exports.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "broker/config/lsf/distribution.hpp"

namespace leasehold {

namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kLongestDelayMin = 365 * 24 * 60;

struct KeyField {
  const char* key;
  Field field;
};
constexpr std::array<KeyField, 8> kHostKeys{{{"PER_HOST", Field::hosts},
                                             {"SLOTS", Field::slots_per_host},
                                             {"RES_SELECT", Field::select},
                                             {"NHOSTS", Field::nhosts},
                                             {"DISTRIBUTION", Field::distribution},
                                             {"TYPE", Field::type},
                                             {"MEM", Field::mem},
                                             {"SWAP", Field::swap}}};
constexpr std::array<KeyField, 3> kResourceKeys{{{"NAME", Field::name},
                                                 {"NINSTANCES", Field::instances},
                                                 {"DISTRIBUTION", Field::distribution}}};

std::optional<int64_t> whole_number(const LsfEntry& entry, int64_t max, Findings& findings) {
  int64_t value = 0;
  const char* end = entry.value.data() + entry.value.size();
  const auto [rest, code] = std::from_chars(entry.value.data(), end, value);
  if (code == std::errc() && rest == end && value >= 0 && value <= max) return value;
  findings.error(entry.at(0), entry.key + " is " + in_quotes(entry.value) +
                                  "; write a whole number from 0 to " + std::to_string(max));
  return std::nullopt;
}

int32_t small_number(const LsfEntry& entry, Findings& findings) {
  return static_cast<int32_t>(whole_number(entry, 1'000'000'000, findings).value_or(1));
}

int64_t large_number(const LsfEntry& entry, Findings& findings) {
  return whole_number(entry, 1'000'000'000'000, findings).value_or(0);
}

void take_hosts(const LsfEntry& entry, PolicyDraft& draft) {
  size_t at = 0;
  while (at < entry.value.size()) {
    const size_t end = std::min(entry.value.find(' ', at), entry.value.size());
    if (draft.policy.hosts.size() > kHostsMax) return;  // one too many: told by the checks
    if (end > at) {
      draft.policy.hosts.push_back(entry.value.substr(at, end - at));
      draft.written.hosts.push_back(entry.at(at));
    }
    at = end + 1;
  }
}

/// Without the quotes that some write round the whole of it.
void take_selection(const LsfEntry& entry, PolicyDraft& draft) {
  const std::string& value = entry.value;
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"' &&
                      value.find('"', 1) == value.size() - 1;
  draft.policy.select = quoted ? value.substr(1, value.size() - 2) : value;
  draft.written.set(Field::select, entry.at(quoted ? 1 : 0));
}

void take_type(const LsfEntry& entry, ExportPolicy& policy, Findings& findings) {
  if (upper_case(entry.value) == "SHARED") {
    policy.type = LeaseType::shared;
    return;
  }
  findings.error(entry.at(0), "TYPE is " + in_quotes(entry.value) +
                                  "; write shared, or leave it out for an exclusive lease");
}

void take_host_field(const LsfEntry& entry, Field field, PolicyDraft& draft, Findings& findings) {
  ExportPolicy& policy = draft.policy;
  draft.written.set(field, entry.at(0));
  switch (field) {
    case Field::hosts:
      return take_hosts(entry, draft);
    case Field::slots_per_host:
      policy.slots_per_host = small_number(entry, findings);
      return;
    case Field::select:
      return take_selection(entry, draft);
    case Field::nhosts:
      policy.nhosts = small_number(entry, findings);
      return;
    case Field::distribution:
      return take_lsf_distribution(entry, policy.distribution, draft.written, findings);
    case Field::type:
      return take_type(entry, policy, findings);
    case Field::mem:
      policy.mem_mb = large_number(entry, findings);
      return;
    case Field::swap:
      policy.swap_mb = large_number(entry, findings);
      return;
    case Field::name:
    case Field::provider:
    case Field::rule:
    case Field::initial_slots:
    case Field::reselect:
    case Field::window:
    case Field::timezone:
    case Field::instances:
    case Field::by_host:
      return;  // not keys of HostExport
  }
}

void take_resource_field(const LsfEntry& entry, Field field, ResourceDraft& draft,
                         Findings& findings) {
  draft.written.set(field, entry.at(0));
  if (field == Field::name) draft.resource.name = entry.value;
  if (field == Field::instances) draft.resource.instances = large_number(entry, findings);
  if (field == Field::distribution) {
    take_lsf_distribution(entry, draft.resource.distribution, draft.written, findings);
  }
}

template <size_t N>
std::vector<std::string> key_names(const std::array<KeyField, N>& keys) {
  std::vector<std::string> names;
  for (const KeyField& key : keys) names.emplace_back(key.key);
  return names;
}

void refuse_shapeless(const LsfSection& section, Findings& findings) {
  if (section.directive) {
    findings.error(*section.directive,
                   "#if inside a " + section.name +
                       " section is not supported; put it round whole sections, one for each time");
  }
  for (const Spot& spot : section.others) {
    findings.error(spot, "expected KEY = value in section " + section.name);
  }
  for (const Spot& spot : section.blanks) {
    findings.error(spot, "a value is missing; write - or () for the default");
  }
}

/// Gives each known entry with a value of its own to `take(entry, field)`.
template <size_t N, class Take>
void take_entries(const LsfSection& section, const std::array<KeyField, N>& keys,
                  Findings& findings, Take take) {
  refuse_shapeless(section, findings);
  std::set<std::string> seen;
  for (const LsfEntry& entry : section.entries) {
    const auto known = std::find_if(keys.begin(), keys.end(),
                                    [&](const KeyField& key) { return entry.key == key.key; });
    if (known == keys.end()) {
      findings.warn(entry.spot, "unknown key " + in_quotes(entry.key) + " in " + section.name +
                                    " is ignored" + did_you_mean(entry.key, key_names(keys)));
    } else if (!seen.insert(entry.key).second) {
      findings.error(entry.spot, entry.key + " stands twice in this section; leave one out");
    } else if (!entry.is_default()) {
      take(entry, known->field);
    }
  }
}

void take_host_export(const LsfSection& section, const std::string& provider,
                      const std::string& timezone, size_t number, LsfExports& exports,
                      Findings& findings) {
  PolicyDraft draft;
  draft.written.dialect = Dialect::lsf;
  draft.written.section = section.spot;
  draft.policy.name = provider + "-" + std::to_string(number);
  draft.policy.provider = provider;
  draft.policy.timezone = timezone;
  draft.policy.source = source_of(section.spot);
  take_entries(section, kHostKeys, findings, [&](const LsfEntry& entry, Field field) {
    take_host_field(entry, field, draft, findings);
  });
  if (draft.policy.type == LeaseType::shared) draft.policy.rule = RuleKind::idle_comparison;
  if (section.timed && section.week.none()) {
    findings.warn(section.spot,
                  "no time is left for this section: it never exports and is ignored");
    return;
  }
  if (section.timed) draft.policy.windows = week_windows(section.week);
  draft.written.windows.assign(draft.policy.windows.size(), section.spot);
  if (!draft.policy.windows.empty() && !exports.timed) exports.timed = section.spot;
  exports.policies.push_back(std::move(draft));
}

void take_resource_export(const LsfSection& section, const std::string& provider,
                          LsfExports& exports, Findings& findings) {
  if (section.timed) {
    findings.error(section.spot,
                   "a SharedResourceExport has no windows; take it out of the #if time(...)");
  }
  ResourceDraft draft;
  draft.written.dialect = Dialect::lsf;
  draft.written.section = section.spot;
  draft.resource.provider = provider;
  draft.resource.source = source_of(section.spot);
  take_entries(section, kResourceKeys, findings, [&](const LsfEntry& entry, Field field) {
    take_resource_field(entry, field, draft, findings);
  });
  exports.resources.push_back(std::move(draft));
}

void take_delay(const LsfSection& section, const LsfEntry& entry, LsfExports& exports,
                Findings& findings) {
  if (entry.is_default()) return;
  if (section.timed || entry.timed) {
    findings.error(entry.spot, "MC_RECLAIM_DELAY inside #if is not supported; give it one value");
    return;
  }
  if (exports.reclaim_delay_ms) {
    findings.error(entry.spot, "MC_RECLAIM_DELAY stands at " +
                                   spot_text(exports.reclaim_delay_spot) +
                                   " already; leave one out");
    return;
  }
  const auto minutes = whole_number(entry, kLongestDelayMin, findings);
  if (!minutes) return;
  if (*minutes == 0) {
    findings.error(entry.at(0), "MC_RECLAIM_DELAY is 0; write at least 1 (minutes)");
    return;
  }
  exports.reclaim_delay_ms = *minutes * kMinuteMs;
  exports.reclaim_delay_spot = entry.spot;
}

void take_parameters(const LsfSection& section, LsfExports& exports, Findings& findings) {
  for (const LsfEntry& entry : section.entries) {
    if (entry.key == "MC_RECLAIM_DELAY") {
      take_delay(section, entry, exports, findings);
    } else {
      exports.other_parameters.emplace(entry.key, entry.spot);
    }
  }
}

/// One note for all sections of one name.
struct OtherSections {
  Spot first;
  std::string name;
  int count = 0;
};

}  // namespace

void take_lsf_sections(const std::vector<LsfSection>& sections, const std::string& provider,
                       const std::string& timezone, LsfExports& exports, Findings& findings) {
  size_t number = 0;
  std::vector<OtherSections> others;
  for (const LsfSection& section : sections) {
    if (section.is("HostExport")) {
      take_host_export(section, provider, timezone, ++number, exports, findings);
    } else if (section.is("SharedResourceExport")) {
      take_resource_export(section, provider, exports, findings);
    } else if (section.is("Parameters")) {
      take_parameters(section, exports, findings);
    } else {
      const auto same = std::find_if(others.begin(), others.end(),
                                     [&](const auto& other) { return section.is(other.name); });
      if (same == others.end()) {
        others.push_back({section.spot, section.name, 1});
      } else {
        ++same->count;
      }
    }
  }
  for (const OtherSections& other : others) {
    const std::string times =
        other.count == 1 ? "" : " (" + std::to_string(other.count) + " of them)";
    findings.note(other.first,
                  "section " + other.name + times + " has no counterpart and is ignored");
  }
}

}  // namespace leasehold
