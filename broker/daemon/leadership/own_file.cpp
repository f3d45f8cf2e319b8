#include "broker/daemon/leadership/own_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "broker/ports/operators/reload.hpp"

namespace leasehold {

namespace {

bool names(const BrokerConfig& config, const std::string& cluster) {
  return std::any_of(config.clusters.begin(), config.clusters.end(),
                     [&](const ClusterConfig& each) { return each.name == cluster; });
}

/// Returns "east, west, south and 4 more".
std::string some_of(const std::vector<ClusterConfig>& clusters) {
  constexpr size_t kNamed = 3;
  std::string text;
  for (size_t c = 0; c < std::min(clusters.size(), kNamed); ++c) {
    text += (c == 0 ? "" : ", ") + clusters[c].name;
  }
  const size_t more = clusters.size() - std::min(clusters.size(), kNamed);
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

}  // namespace

std::string why_no_candidate(const BrokerConfig& file, const BrokerConfig& in_force) {
  const auto& known = in_force.clusters;
  const bool any = std::any_of(known.begin(), known.end(), [&](const ClusterConfig& cluster) {
    return names(file, cluster.name);
  });
  if (known.empty() || any) return "";
  return "none of this file's clusters is in the database (it has: " + some_of(known) +
         "): one of the two is another site's; correct [broker] database or the file. Where all "
         "clusters have really changed, start this broker once with --adopt";
}

std::string changes_by(const ConfigRead& file, const State& state) {
  ConfigRead own = file;
  own.loaded.config.name = state.config.name;  // each broker has its own
  const Json preview = preview_reload(state, {}, own, nullptr, state.now);
  if (preview["changes"].empty() && preview["settings"].empty()) return "";
  return reload_in_words(preview);
}

void OwnFile::is(Result<ConfigRead> read) {
  auto shared = std::make_shared<const Result<ConfigRead>>(std::move(read));
  const std::lock_guard lock(mutex_);
  read_ = std::move(shared);
}

void OwnFile::is_in_force() {
  const std::lock_guard lock(mutex_);
  read_.reset();
  cannot_lead_.clear();
  adopts_ = false;
}

std::string OwnFile::cannot_lead() {
  const std::lock_guard lock(mutex_);
  return cannot_lead_;
}

std::string OwnFile::judge(const Result<ConfigRead>& read, const State& state) const {
  if (!read) return "it cannot be read, so this broker cannot lead: " + describe(read.error());
  return adopts_ ? "" : why_no_candidate(read->loaded.config, state.config);
}

/// Compares again only if the file or the configuration has changed: questions come often, readings
/// of the file seldom.
std::optional<std::string> OwnFile::difference(const State& state) {
  std::shared_ptr<const Result<ConfigRead>> read;
  {
    const std::lock_guard lock(mutex_);
    read = read_;
  }
  if (!read) return std::nullopt;
  if (read != compared_ || state.config != in_force_) {
    compared_ = std::move(read);
    in_force_ = state.config;
    const std::string why = judge(*compared_, state);
    difference_ = why.empty() ? changes_by(**compared_, state) : why;
    const std::lock_guard lock(mutex_);
    if (read_ == compared_) cannot_lead_ = why;
  }
  return difference_;
}

}  // namespace leasehold
