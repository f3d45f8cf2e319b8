#include "agent/workload/support/host_owners.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "agent/workload/support/json_answer.hpp"
#include "agent/workload/support/kept_text.hpp"
#include "common/bounds.hpp"
#include "common/canary.hpp"
#include "common/log.hpp"
#include "common/text/lower_case.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

constexpr int kOwnersVersion = 1;

/// Returns the texts around {host} and {cluster}.
std::vector<std::string_view> fixed_parts(std::string_view rule) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = std::min(rule.find("{host}"), rule.find("{cluster}"));
    parts.push_back(rule.substr(0, at));
    if (at == rule.npos) return parts;
    rule.remove_prefix(rule.find('}', at) + 1);
  }
}

tl::unexpected<Error> failed(const std::string& path, const std::string& what) {
  return fail(ErrorCode::io, "the file " + path + " of other clusters' hosts " + what);
}

}  // namespace

bool made_by_rule(const std::string& rule, const std::string& name) {
  const std::string wanted = lower_case(rule);
  const std::string local = lower_case(name);
  const std::vector<std::string_view> parts = fixed_parts(wanted);
  std::string_view rest = local;
  if (!rest.starts_with(parts.front())) return false;
  rest.remove_prefix(parts.front().size());
  if (!rest.ends_with(parts.back())) return false;
  rest.remove_suffix(parts.back().size());
  for (size_t i = 1; i + 1 < parts.size(); ++i) {  // each {} stands for at least one character
    const size_t at = rest.empty() ? rest.npos : rest.find(parts[i], 1);
    if (at == rest.npos) return false;
    rest.remove_prefix(at + parts[i].size());
  }
  return !rest.empty();
}

/// No host's name contains an @, so with such a rule (the default) only the map names hosts.
Status HostOwners::check(const HostNames& names) {
  if (names.rule.find('@') != std::string::npos) return {};
  const std::vector<std::string_view> parts = fixed_parts(names.rule);
  if (!parts.front().empty() || !parts.back().empty()) return {};
  return fail(ErrorCode::usage,
              "[hosts] rule: '" + names.rule +
                  "' gives other clusters' hosts names that own ones could have; "
                  "right would be a rule that begins or ends with letters that no "
                  "own host's name has there, as \"imp-{host}\", or the names in "
                  "'map'");
}

Result<HostOwners> HostOwners::open(const HostNames& names, const std::string& path,
                                    bool read_only) {
  if (Status good = check(names); !good) return tl::unexpected(good.error());
  HostOwners made;
  made.names_ = names;
  made.path_ = path;
  made.read_only_ = read_only;
  const Result<std::optional<std::string>> text = read_kept_text(path);
  if (!text) return failed(path, text.error().message);
  if (!*text) return made;
  const Status read = JsonObject::parse(
      **text,
      [&made](JsonObject& all) {
        all.allow_others();
        all.integer("version", kOwnersVersion, kOwnersVersion);
        for (const auto& [host, slots] : all.integers("slots_before", 0, kSlotsMax)) {
          made.kept_.emplace(host, static_cast<int32_t>(slots));
        }
      },
      "the file");
  if (!read) {
    return failed(path, "cannot be read: " + read.error().message +
                            "; remove it, and the owners of all hosts are found again");
  }
  return made;
}

bool HostOwners::in_map(const std::string& host) const {
  return std::any_of(names_.map.begin(), names_.map.end(),
                     [&host](const auto& entry) { return entry.second == host; });
}

bool HostOwners::is_others(const HostSeen& seen, const CapJournal& journal) const {
  const HostCap* cap = journal.find(seen.name);
  if (cap == nullptr && LEASEHOLD_CANARY(waits_for_orders)) return false;
  if (in_map(seen.name)) return true;
  if (cap != nullptr) return cap->imported;
  if (!made_by_rule(names_.rule, seen.name)) return false;
  if (LEASEHOLD_CANARY(closes_by_rule)) return true;
  return kept_.contains(seen.name) || seen.fenced || (seen.slots == 0 && !seen.works);
}

Status HostOwners::learn(std::span<const HostSeen> seen, const CapJournal& journal) {
  std::set<std::string> unclear;
  std::map<std::string, int32_t> found = kept_;
  others_.clear();
  for (const HostSeen& host : seen) {
    if (is_others(host, journal)) {
      others_.insert(host.name);
      found.emplace(host.name, host.fenced ? 0 : host.slots);
    } else if (journal.find(host.name) == nullptr && made_by_rule(names_.rule, host.name)) {
      unclear.insert(host.name);
    }
  }
  for (const std::string& host : unclear) {
    if (!unclear_.contains(host)) {
      log_error("host-owner-unknown",
                {{"host", host},
                 {"rule", names_.rule},
                 {"why", "an own host or another cluster's may have this name"},
                 {"then", "the host is neither fenced nor reported"},
                 {"do", "write a borrowed host into [hosts] map, or correct rule"}});
    }
  }
  unclear_ = std::move(unclear);
  return keep(std::move(found));
}

Status HostOwners::keep(std::map<std::string, int32_t> found) {
  if (read_only_ || found == kept_) return {};
  const json all{{"version", kOwnersVersion}, {"slots_before", found}};
  if (const Status written = replace_with_json(path_, all); !written) {
    return failed(path_, written.error().message);
  }
  kept_ = std::move(found);
  return {};
}

Status HostOwners::refused() const {
  if (unclear_.empty()) return {};
  std::string hosts;
  for (const std::string& host : unclear_) hosts += (hosts.empty() ? "" : ", ") + host;
  return fail(ErrorCode::usage,
              "[hosts] rule: by '" + names_.rule + "' alone " + hosts +
                  " would be another cluster's, but slots there are open or in use. If it is your "
                  "own, write a rule that its name does not fit; if another's, close it first or "
                  "name it in 'map'");
}

int32_t HostOwners::slots_before(const std::string& host) const {
  const auto found = kept_.find(host);
  return found == kept_.end() ? 0 : found->second;
}

}  // namespace leasehold::agent
