// The settings in which two configurations differ, for people who are about to load the second one.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "broker/core/model/config.hpp"
#include "broker/views/settings/setting_json.hpp"

namespace leasehold {

/// Values by section, name ("" where a section has none) and key. The place where a value was
/// written is not part of it.
class SettingTable {
 public:
  using Key = std::tuple<std::string, std::string, std::string>;

  void put(const std::string& section, const std::string& name, const std::string& key, Json value);
  const std::map<Key, Json>& values() const { return values_; }

 private:
  std::map<Key, Json> values_;
};

/// Puts the settings of one section by its table (broker/config/keys), except those that take
/// effect at the next start.
template <class Keys, class... Parts>
void put_settings(SettingTable& table, const std::string& section, const std::string& name,
                  const Keys& keys, const Parts&... parts) {
  const auto put = [&](const KeyRow& row, const Json& value) {
    if (!row.notes.at_start) table.put(section, name, setting_name(row), value);
  };
  for_each_setting(keys, put, parts...);
}

/// Returns every setting of the core's part of a configuration.
SettingTable settings_of(const BrokerConfig& config);

/// Returns [{"change","section","name","key","before","after"}]. A section that only one of them
/// has is one row without key: "added" or "removed". A setting is "changed"; absent values are
/// null.
Json setting_changes(const SettingTable& before, const SettingTable& after);

}  // namespace leasehold
