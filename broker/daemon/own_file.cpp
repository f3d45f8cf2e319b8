#include "broker/daemon/own_file.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "broker/ports/operators/reload.hpp"

namespace leasehold {

namespace {

std::string in_words(const Result<ConfigRead>& read, const State& state) {
  if (read) return changes_by(*read, state);
  return "it cannot be read, so this broker cannot lead: " + describe(read.error());
}

}  // namespace

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
}

/// Compared anew where one of the two is another: questions come often, and the loop's reading is
/// far apart.
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
    difference_ = in_words(*compared_, state);
  }
  return difference_;
}

}  // namespace leasehold
