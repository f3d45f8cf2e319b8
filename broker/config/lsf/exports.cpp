#include "broker/config/lsf/exports.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "broker/config/lsf/distribution.hpp"

namespace leasehold {

namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kLongestDelayMin = 365 * 24 * 60;

std::optional<int64_t> whole_number(const LsfEntry& entry, IntRange range, Findings& findings) {
  int64_t value = 0;
  const char* end = entry.value.data() + entry.value.size();
  const auto [rest, code] = std::from_chars(entry.value.data(), end, value);
  const bool is_number = code == std::errc() && rest == end;
  if (is_number && value >= range.min && value <= range.max) return value;
  findings.error(entry.at(0), entry.key + " is " + in_quotes(entry.value) +
                                  "; write a whole number from " + std::to_string(range.min) +
                                  " to " + std::to_string(range.max));
  return std::nullopt;
}

void take_hosts(const LsfEntry& entry, PolicyDraft& draft) {
  size_t at = 0;
  while (at < entry.value.size()) {
    const size_t end = std::min(entry.value.find(' ', at), entry.value.size());
    if (draft.policy.hosts.size() > kHostsMax) return;  // one too many: the checks report it
    if (end > at) {
      draft.policy.hosts.push_back(entry.value.substr(at, end - at));
      draft.written.add_element(&ExportPolicy::hosts, entry.at(at).place);
    }
    at = end + 1;
  }
}

/// Takes RES_SELECT without the quotes that some write round the whole of it.
void take_selection(const LsfEntry& entry, PolicyDraft& draft) {
  const std::string& value = entry.value;
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"' &&
                      value.find('"', 1) == value.size() - 1;
  draft.policy.select = quoted ? value.substr(1, value.size() - 2) : value;
  draft.written.set(&ExportPolicy::select, entry.at(quoted ? 1 : 0));
}

void take_type(const LsfEntry& entry, ExportPolicy& policy, Findings& findings) {
  if (upper_case(entry.value) == "SHARED") {
    policy.type = LeaseType::shared;
    return;
  }
  findings.error(entry.at(0), "TYPE is " + in_quotes(entry.value) +
                                  "; write shared, or leave it out for an exclusive lease");
}

/// Puts the value of an LSF key into the policy or resource; its place is noted already.
class ValueReader {
 public:
  ValueReader(const LsfEntry& entry, Findings& findings) : entry_(entry), findings_(findings) {}

  void take(const auto& row, PolicyDraft& draft) {
    draft.written.set(row, entry_.at(0));
    if (row.is(&ExportPolicy::hosts)) return take_hosts(entry_, draft);
    if (row.is(&ExportPolicy::select)) return take_selection(entry_, draft);
    if (row.is(&ExportPolicy::type)) return take_type(entry_, draft.policy, findings_);
    value(row, draft.policy.*row.member, draft.written);
  }
  void take(const auto& row, ResourceDraft& draft) {
    draft.written.set(row, entry_.at(0));
    value(row, draft.resource.*row.member, draft.written);
  }

 private:
  template <class Number>
  requires std::is_integral_v<Number>
  void value(const KeyRow& row, Number& number, Written&) {
    const auto read = whole_number(entry_, row.notes.range, findings_);
    number = static_cast<Number>(read.value_or(row.notes.range.min));
  }
  void value(const KeyRow&, std::string& text, Written&) { text = entry_.value; }
  void value(const KeyRow&, Shares& shares, Written& written) {
    take_lsf_distribution(entry_, shares, written, findings_);
  }
  template <class Other>
  void value(const KeyRow&, Other&, Written&) {}  // no key of LSF's has it

  const LsfEntry& entry_;
  Findings& findings_;
};

template <class Keys>
std::vector<std::string> lsf_words(const Keys& keys) {
  std::vector<std::string> words;
  for_each_key(keys, [&](const KeyRow& row) {
    if (!row.notes.lsf.empty()) words.emplace_back(row.notes.lsf);
  });
  return words;
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

/// Puts each known entry that has a value into the draft.
template <class Keys, class Draft>
void take_entries(const LsfSection& section, const Keys& keys, Draft& draft, Findings& findings) {
  refuse_shapeless(section, findings);
  const std::vector<std::string> words = lsf_words(keys);
  std::set<std::string> seen;
  for (const LsfEntry& entry : section.entries) {
    if (std::find(words.begin(), words.end(), entry.key) == words.end()) {
      findings.warn(entry.spot, "unknown key " + in_quotes(entry.key) + " in " + section.name +
                                    " is ignored" + did_you_mean(entry.key, words));
    } else if (!seen.insert(entry.key).second) {
      findings.error(entry.spot, entry.key + " is given twice in this section; leave one out");
    } else if (!entry.is_default()) {
      for_each_key(keys, [&](const auto& row) {
        if (row.notes.lsf == entry.key) ValueReader(entry, findings).take(row, draft);
      });
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
  take_entries(section, kExportPolicyKeys, draft, findings);
  draft.policy.rule = usual_rule(draft.policy.type);
  if (section.timed && section.week.none()) {
    findings.warn(section.spot,
                  "no time is left for this section: it never exports and is ignored");
    return;
  }
  if (section.timed) draft.policy.windows = week_windows(section.week);
  for (size_t i = 0; i < draft.policy.windows.size(); ++i) {
    draft.written.add_element(&ExportPolicy::windows, section.spot.place);
  }
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
  take_entries(section, kSharedResourceKeys, draft, findings);
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
    findings.error(entry.spot, "MC_RECLAIM_DELAY is set at " +
                                   spot_text(exports.reclaim_delay_spot) +
                                   " already; leave one out");
    return;
  }
  const auto minutes = whole_number(entry, {0, kLongestDelayMin}, findings);
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

/// The note that stands for all sections of one name.
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
