// Reads what `qconf` prints of a queue, of a parallel environment, and of resources.
#include <algorithm>
#include <charconv>

#include "agent/workload/gridengine/printed/text.hpp"
#include "common/text/trimmed.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kSecondsMost = 1'000'000'000;

tl::unexpected<Error> refused(const std::string& what) {
  return fail(ErrorCode::io, "what qconf -sq printed is not understood: " + what +
                                 "; this agent is tested with Grid Engine 8.1");
}

/// Returns the value of an attribute; empty: it is missing.
std::string_view attribute(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.size() > name.size() && line.substr(0, name.size()) == name &&
        (line[name.size()] == ' ' || line[name.size()] == '\t')) {
      return trimmed(line.substr(name.size()));
    }
  }
  return {};
}

struct Entry {
  std::string_view place;  // a host, "@group", or empty: all others
  std::string_view value;
};

/// Reads "8,[big1=4],[@small=2]"; nullopt: it has another form.
std::optional<std::vector<Entry>> entries_of(std::string_view text) {
  std::vector<Entry> entries;
  const std::string_view usual = trimmed(text.substr(0, text.find(",[")));
  if (usual.empty() || usual.find_first_of("[]=") != usual.npos) return std::nullopt;
  entries.push_back({{}, usual});
  text.remove_prefix(std::min(text.size(), text.find(",[")));
  while (!text.empty()) {
    const size_t end = text.find(']');
    if (text.substr(0, 2) != ",[" || end == text.npos) return std::nullopt;
    const std::string_view inside = text.substr(2, end - 2);
    const size_t equals = inside.find('=');
    if (equals == inside.npos || equals == 0) return std::nullopt;
    entries.push_back({trimmed(inside.substr(0, equals)), trimmed(inside.substr(equals + 1))});
    text = trimmed(text.substr(end + 1));
  }
  return entries;
}

template <class T>
bool whole_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> columns;
  while (!line.empty()) {
    const std::string_view one = line.substr(0, line.find_first_of(" \t"));
    columns.emplace_back(one);
    line = trimmed(line.substr(one.size()));
  }
  return columns;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find_first_of(" \t,"));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (!one.empty() && one != "NONE") words.emplace_back(one);
  }
  return words;
}

/// Returns the environments of all hosts; nullopt: the list has another form.
std::optional<std::vector<std::string>> environments_of(std::string_view text) {
  const auto entries = entries_of(text);
  if (!entries) return std::nullopt;
  std::vector<std::string> all;
  for (const Entry& entry : *entries) {
    for (std::string& name : words_in(entry.value)) all.push_back(std::move(name));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Returns the names in "gpu=2,h_vmem=8G,[big1=h_vmem=4G,gpu=1]", of whichever hosts.
std::set<std::string> resources_in(std::string_view text) {
  std::set<std::string> names;
  while (!text.empty()) {
    std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (const size_t value = one.rfind('='); value != one.npos) {
      one = one.substr(0, value);
      names.emplace(trimmed(one.substr(one.find('=') + 1)));
    }
  }
  return names;
}

/// Returns the longest limit; nullopt as soon as one host has none.
std::optional<int64_t> longest_of(std::string_view text) {
  const auto entries = entries_of(text);
  if (!entries) return std::nullopt;
  int64_t longest = 0;
  for (const Entry& entry : *entries) {
    const std::optional<int64_t> seconds = gridengine_seconds(entry.value);
    if (!seconds) return std::nullopt;
    longest = std::max(longest, *seconds);
  }
  return longest;
}

}  // namespace

Result<GridEngineQueue> parse_queue(std::string_view text) {
  GridEngineQueue queue;
  queue.name = attribute(text, "qname");
  const std::string_view slots = attribute(text, "slots");
  const std::string_view notify = attribute(text, "notify");
  const std::string_view rerun = attribute(text, "rerun");
  if (queue.name.empty() || slots.empty() || notify.empty() || rerun.empty()) {
    return refused("it lacks qname, slots, notify or rerun");
  }
  const auto slot_entries = entries_of(slots);
  const auto notices = entries_of(notify);
  if (!slot_entries || !notices) return refused("slots are '" + std::string(slots) + "'");
  queue.rerun = rerun.find("FALSE") == rerun.npos && rerun.find("TRUE") != rerun.npos;
  for (const Entry& entry : *slot_entries) {
    int32_t value = 0;
    if (!whole_number(entry.value, value)) return refused("slots are '" + std::string(slots) + "'");
    if (!entry.place.empty() && entry.place.front() != '@') {
      queue.slots_of_hosts.emplace_back(entry.place, value);
    }
  }
  for (const Entry& entry : *notices) {
    const std::optional<int64_t> seconds = gridengine_seconds(entry.value);
    if (!seconds) return refused("notify is '" + std::string(notify) + "'");
    queue.notify_ms = std::max(queue.notify_ms, *seconds * 1000);
  }
  queue.limit_s = longest_of(attribute(text, "h_rt"));
  queue.environments = environments_of(attribute(text, "pe_list"));
  queue.resources = resources_in(attribute(text, "complex_values"));
  return queue;
}

std::optional<int64_t> gridengine_seconds(std::string_view text) {
  int64_t seconds = 0;
  for (int part = 0; part < 3; ++part) {
    const size_t colon = text.find(':');
    int64_t value = 0;
    if (!whole_number(text.substr(0, colon), value) || value > kSecondsMost) return std::nullopt;
    seconds = seconds * 60 + value;
    if (colon == text.npos) return seconds;
    text.remove_prefix(colon + 1);
  }
  return std::nullopt;
}

namespace {

/// The columns are: name shortcut type relop requestable consumable default urgency.
void add_resource(const std::vector<std::string>& columns, GridEngineResources& resources) {
  const std::string& name = columns[0];
  if (columns[3] == "EXCL") {
    resources.exclusive.insert(name);
  } else if (columns[5] != "NO" && name != "slots") {
    (columns[2] == "MEMORY" ? resources.memory : resources.devices).insert(name);
  }
}

}  // namespace

Result<GridEngineResources> parse_resources(std::string_view text) {
  constexpr size_t kColumns = 8;
  GridEngineResources resources;
  bool any = false;
  while (!text.empty()) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), text.find('\n')));
    text.remove_prefix(std::min<size_t>(text.size(), 1));
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> columns = columns_of(line);
    if (columns.size() < kColumns) {  // some versions have more
      return fail(ErrorCode::io, "what qconf -sc printed is not understood: '" + std::string(line) +
                                     "'; this agent is tested with Grid Engine 8.1");
    }
    any = true;
    add_resource(columns, resources);
  }
  if (!any) return fail(ErrorCode::io, "qconf -sc printed no resource");
  return resources;
}

Result<GridEngineEnvironment> parse_environment(std::string_view text) {
  GridEngineEnvironment found;
  found.name = attribute(text, "pe_name");
  const std::string_view rule = attribute(text, "allocation_rule");
  using Spread = GridEngineEnvironment::Spread;
  if (rule == "$pe_slots") {
    found.spread = Spread::one_host;
  } else if (whole_number(rule, found.slots_per_host) && found.slots_per_host > 0) {
    found.spread = Spread::fixed;
  } else if (rule != "$fill_up" && rule != "$round_robin") {
    found.spread = Spread::one_host;
    found.unknown = std::string(rule);
  }
  if (found.name.empty() || rule.empty()) {
    return fail(ErrorCode::io,
                "what qconf -sp printed is not understood: it lacks pe_name or "
                "allocation_rule; this agent is tested with Grid Engine 8.1");
  }
  return found;
}

}  // namespace leasehold::agent
