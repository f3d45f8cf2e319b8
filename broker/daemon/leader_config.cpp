#include "broker/daemon/leader_config.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "broker/config/windows.hpp"
#include "broker/daemon/leadership/own_file.hpp"
#include "broker/daemon/record_log.hpp"
#include "broker/ports/operators/reload.hpp"
#include "common/log.hpp"

namespace leasehold {

void LeaderConfig::note_changes(ConfigRead& config) const {
  if (own_.standby.is_alone() || engine_.store().last_event() == 0) return;
  config.loaded.changes = changes_by(config, state());
}

Status LeaderConfig::check_clusters(const BrokerConfig& config) const {
  if (own_.standby.is_alone() || own_.parts.adopt) return {};
  const std::string why = why_no_candidate(config, state().config);
  return why.empty() ? Status{} : fail(ErrorCode::usage, why);
}

Result<ConfigRead> LeaderConfig::checked(Result<ConfigRead> config) const {
  if (!config) return config;
  if (Status known = check_clusters(config->loaded.config); !known) {
    return tl::unexpected(known.error());
  }
  InventoryFindings found = own_.parts.check_inventory(config->loaded.config, state());
  if (!found.errors.empty()) return tl::unexpected(joined(found.errors));
  config->warnings.insert(config->warnings.end(), found.warnings.begin(), found.warnings.end());
  return config;
}

void LeaderConfig::feed_by_signal(Result<ConfigRead> read) {
  Result<ConfigRead> config = checked(std::move(read));
  if (!config) {
    log_error("reload-refused", {{"why", describe(config.error())},
                                 {"then", "the configuration in force stays"},
                                 {"do", "correct the file, then reload"}});
    return;
  }
  log_warnings(config->warnings);
  config->loaded.where = "local";
  config->loaded.changes =
      reload_in_words(preview_reload(state(), own_.agents.liveness(), *config, nullptr, own_.now));
  feed(config->loaded, config->access);
}

void LeaderConfig::renew_windows() {
  if (!must_resolve_windows(state().config, state().windows.until, own_.now)) return;
  if (auto windows = own_.parts.resolve(state().config, own_.now)) {
    engine_.feed(WindowsResolved{std::move(*windows)}, own_.now);
  }
}

void LeaderConfig::feed(const Event& event, std::shared_ptr<const Access> access) {
  engine_.feed(event, own_.now);
  fed_ = std::move(access);
}

void LeaderConfig::put_in_force() {
  if (!fed_) return;
  const std::shared_ptr<const Access> access = *std::exchange(fed_, std::nullopt);
  own_.agents.check_keys(state());
  if (access == nullptr) return;
  own_.agents.limit_record(access->limits.record_mb_per_hour << 20U);
  own_.put_in_force(state().config, access);
}

void LeaderConfig::log_contradictions() const {
  const InventoryFindings found = own_.parts.check_inventory(state().config, state());
  if (found.errors.empty()) return;
  log_warn("inventory-mismatch", {{"why", describe(joined(found.errors))},
                                  {"then", "slots that hosts do not have are not exported"},
                                  {"do", "correct what 'why' names, then leasectl reload"}});
}

}  // namespace leasehold
